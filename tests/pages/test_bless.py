from __future__ import annotations

from pathlib import Path

from tests.pages.bless import blessed, main
from tests.pages.reader import Case

PAGE = Path("page.md")

TEXT = """\
# A

```python
f()  # expect: to-thread  # reveal: role=handler
```

```output
old
and longer
```

Between.

```output concise
```

# B

```python
g()
```

```text
output of another kind
```

```output
same
```
"""


def printer(case: Case, output_format: str) -> str:
    return f"{case.title} as {output_format}\n" if case.title == "A" else "same\n"


def test_only_the_content_of_output_blocks_changes() -> None:
    new = blessed(PAGE, TEXT, printer)
    assert new == TEXT.replace("old\nand longer\n", "A as text\n").replace("concise\n", "concise\nA as concise\n", 1)
    assert blessed(PAGE, new, printer) == new


def test_claims_are_left_alone_even_where_they_are_wrong() -> None:
    for line in TEXT.splitlines():
        if "# expect" in line or "# reveal" in line:
            assert line in blessed(PAGE, TEXT, printer)


def test_the_command_writes(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, encoding="utf-8")
    assert main([str(page)], printer) == 0
    assert page.read_text(encoding="utf-8") == blessed(PAGE, TEXT, printer)


def test_check_changes_nothing_and_fails_where_it_would(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, encoding="utf-8")
    assert main(["--check", str(page)], printer) == 1
    assert page.read_text(encoding="utf-8") == TEXT
    page.write_text(blessed(PAGE, TEXT, printer), encoding="utf-8")
    assert main(["--check", str(page)], printer) == 0
