from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.reader import PageError, read_text

PAGE = Path("page.md")


def test_a_section_is_a_project() -> None:
    first, second = read_text(
        PAGE,
        "# One\n\n```python\na = 1\n```\n\n## Prose only\n\n```sh\nls\n```\n\n"
        "## Two\n\n```py file=shop/api.py\nb = 2\n```\n",
    )
    assert (first.title, first.line, [file.path for file in first.files]) == ("One", 1, ["main.py"])
    assert (second.title, second.line) == ("Two", 13)
    assert [(file.path, file.text, file.page_lines) for file in second.files] == [("shop/api.py", "b = 2\n", (16,))]


def test_blocks_of_one_file_continue_it() -> None:
    (case,) = read_text(PAGE, "# One\n```python\na = 1\n```\nprose\n```python\nb = 2\n```\n")
    assert [(file.text, file.page_lines) for file in case.files] == [("a = 1\nb = 2\n", (3, 7))]


def test_places_in_the_page() -> None:
    (case,) = read_text(PAGE, "# One\n```python\na = 1\n```\nprose\n```python\nb = 2\n```\n")
    assert case.place("main.py", 2) == "page.md:7"
    assert case.place("main.py", 3) == "page.md:1 (main.py:3)"
    assert case.place("resilint.toml", 1) == "page.md:1 (resilint.toml:1)"


def test_text_before_any_heading_is_a_section_too() -> None:
    (case,) = read_text(PAGE, "```python\na = 1\n```\n")
    assert case.title == "page"


def test_equal_titles_are_numbered() -> None:
    cases = read_text(PAGE, "# A\n```py\n1\n```\n# A\n```py\n2\n```\n")
    assert [case.title for case in cases] == ["A", "A (2)"]


@pytest.mark.parametrize(
    ("info", "content", "path"),
    [
        ("toml", "strict = true\n", "resilint.toml"),
        ("toml", "[tool.resilint]\nstrict = true\n", "pyproject.toml"),
        ("toml file=app/resilint.toml", "strict = true\n", "app/resilint.toml"),
        ("text file=.gitignore", "gen/\n", ".gitignore"),
        ('python file="with space.py"', "1\n", "with space.py"),
    ],
)
def test_where_a_block_goes(info: str, content: str, path: str) -> None:
    (case,) = read_text(PAGE, f"# A\n```py\n1\n```\n```{info}\n{content}```\n")
    assert case.files[1].path == path
    assert case.files[1].text == content


def test_other_languages_are_prose() -> None:
    (case,) = read_text(PAGE, "# A\n```py\n1\n```\n```console\n$ ls\n```\n```\nplain\n```\n    indented\n")
    assert [file.path for file in case.files] == ["main.py"]
    assert read_text(PAGE, "# A\n```toml\nstrict = true\n```\n") == []


def test_output_blocks_know_their_lines() -> None:
    text = "# A\n```py\n1\n```\n```output concise\nfirst\nsecond\n```\n```output\n```\n"
    (case,) = read_text(PAGE, text)
    concise, empty = case.outputs
    assert (concise.format, concise.text) == ("concise", "first\nsecond\n")
    assert text.splitlines()[concise.start : concise.end] == ["first", "second"]
    assert (empty.format, empty.text, empty.start, empty.end) == ("text", "", 9, 9)


@pytest.mark.parametrize(
    "text",
    [
        "```python fiel=a.py\n```\n",
        "```python main.py\n```\n",
        "```python file=/etc/passwd\n```\n",
        "```python file=../a.py\n```\n",
        "```python file=\n```\n",
        '```python file="a\n```\n',
        "```py\n1\n```\n```output yaml\n```\n",
        "```py\n1\n```\n```output file=a\n```\n",
        "```py\n1\n```\n- item\n  ```output\n  ```\n",
        "# A\n```output\n```\n",
    ],
)
def test_what_has_no_meaning_is_refused(text: str) -> None:
    with pytest.raises(PageError):
        read_text(PAGE, text)


def test_a_fence_inside_a_fence_is_text() -> None:
    (case,) = read_text(PAGE, '# A\n````python\ntext = """\n```\n# B\n```\n"""\n````\n')
    assert case.files[0].text == 'text = """\n```\n# B\n```\n"""\n'
