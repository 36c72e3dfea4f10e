"""Find the small projects that a Markdown page describes.

Every section (the text under one heading) is a project of its own:

- ```` ```python ```` blocks are its Python; ``file=shop/api.py`` in the info string names the file, else it is
  ``main.py``. Blocks of the same file continue it, so that prose can stand between them;
- a ```` ```toml ```` block is its configuration: ``pyproject.toml`` where it has a ``[tool`` table, else
  ``resilint.toml``;
- ``file=`` makes a file of a block of any other language;
- an ```` ```output ```` block holds what ``resilint check`` prints for it, ``output concise`` in that format.

Blocks of other languages are prose.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

PYTHON = frozenset({"python", "py"})
FORMATS = ("text", "concise", "json")


class PageError(Exception):
    """The page cannot be read: a block says something that has no meaning."""

    def __init__(self, page: Path, line: int, message: str) -> None:
        super().__init__(f"{page}:{line}: {message}")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of a case; ``page_lines[i]`` is the page's line that holds its line ``i + 1``."""

    path: str
    text: str
    page_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """An ``output`` block: its content stands on the page's lines ``start`` to ``end - 1``, counted from 0."""

    format: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Case:
    """One section of a page that holds Python: a project of its own."""

    page: Path
    title: str
    line: int
    files: tuple[SourceFile, ...]
    outputs: tuple[Output, ...]

    def place(self, path: str, line: int) -> str:
        """Where a line of one of its files stands in the page, for a person."""
        for file in self.files:
            if file.path == path and 1 <= line <= len(file.page_lines):
                return f"{self.page}:{file.page_lines[line - 1]}"
        return f"{self.page}:{self.line} ({path}:{line})"


class _Section:
    def __init__(self, title: str, line: int) -> None:
        self.title = title
        self.line = line
        self.files: dict[str, tuple[list[str], list[int]]] = {}
        self.outputs: list[Output] = []
        self.runs = False


def read_page(page: Path) -> list[Case]:
    """The cases of a page, in order; sections without Python are none."""
    return read_text(page, page.read_text(encoding="utf-8"))


def read_text(page: Path, text: str) -> list[Case]:
    """As :func:`read_page`, for a text that ``page`` holds or could hold."""
    sections = [_Section(page.stem, 1)]
    tokens = MarkdownIt("commonmark").parse(text)
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        if token.type == "heading_open":
            sections.append(_Section(tokens[index + 1].content, token.map[0] + 1))
        elif token.type == "fence":
            _add(page, sections[-1], token)
    cases: list[Case] = []
    titles: dict[str, int] = {}
    for section in sections:
        if not section.runs:
            if section.outputs:
                raise PageError(page, section.outputs[0].start, "an output block without Python in its section")
            continue
        titles[section.title] = titles.get(section.title, 0) + 1
        number = titles[section.title]
        files = tuple(
            SourceFile(path, "".join(lines), tuple(places)) for path, (lines, places) in section.files.items()
        )
        title = section.title if number == 1 else f"{section.title} ({number})"
        cases.append(Case(page, title, section.line, files, tuple(section.outputs)))
    return cases


def _add(page: Path, section: _Section, token: Token) -> None:
    assert token.map is not None
    line = token.map[0] + 1
    try:
        language, *rest = shlex.split(token.info) or [""]
    except ValueError as error:
        raise PageError(page, line, f"the info string {token.info!r} cannot be read: {error}") from None
    path, words = None, []
    for word in rest:
        if word.startswith("file="):
            path = _checked(page, line, word.removeprefix("file="))
        else:
            words.append(word)
    if language == "output":
        section.outputs.append(_output(page, token, words, path))
        return
    runs = language in PYTHON
    if not runs and language != "toml" and path is None:
        return
    if words:
        raise PageError(page, line, f"unknown word in the info string: {words[0]!r} (only file=PATH is known)")
    if path is None:
        path = "main.py" if runs else "pyproject.toml" if "[tool" in token.content else "resilint.toml"
    section.runs = section.runs or runs
    lines, places = section.files.setdefault(path, ([], []))
    for offset, content in enumerate(token.content.splitlines(keepends=True)):
        lines.append(content)
        places.append(line + 1 + offset)


def _output(page: Path, token: Token, words: list[str], path: str | None) -> Output:
    assert token.map is not None
    line = token.map[0] + 1
    if path is not None or len(words) > 1 or (words and words[0] not in FORMATS):
        raise PageError(page, line, f"an output block takes one of {', '.join(FORMATS)} and nothing else")
    if token.level:
        raise PageError(page, line, "an output block inside a list or quotation cannot be blessed")
    return Output(words[0] if words else "text", token.content, token.map[0] + 1, token.map[1] - 1)


def _checked(page: Path, line: int, path: str) -> str:
    pure = PurePosixPath(path)
    if not path or pure.is_absolute() or ".." in pure.parts or "\\" in path:
        raise PageError(page, line, f"file={path} does not name a file inside the project")
    return pure.as_posix()
