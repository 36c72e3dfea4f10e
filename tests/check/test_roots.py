"""Which project a path belongs to."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilint.check.roots import group
from resilint.domain import UsageError


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("[tool.resilint]\n" if name.endswith("own/pyproject.toml") else "", encoding="utf-8")


def root_of(path: Path, working: Path) -> Path:
    (only,) = group([path], working)
    return only.root


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (["own/pyproject.toml", "own/x/.git/", "own/x/y/pyproject.toml"], "own"),
        (["own/resilint.toml", "own/x/.git/"], "own"),
        (["own/.git/", "own/x/y/pyproject.toml"], "own"),
        (["pyproject.toml", "own/x/pyproject.toml"], "own/x"),
        ([], "."),
    ],
)
def test_by_kind_of_marker_then_by_nearness(tmp_path: Path, present: list[str], expected: str) -> None:
    make(tmp_path, "own/x/y/a.py", *present)
    assert root_of(Path("own/x/y/a.py"), tmp_path) == tmp_path / expected
    assert root_of(Path("own/x/y"), tmp_path) == tmp_path / expected


def test_the_working_folder_is_no_root_of_what_lies_outside(tmp_path: Path) -> None:
    make(tmp_path, "here/", "there/a.py")
    assert root_of(tmp_path / "there" / "a.py", tmp_path / "here") == tmp_path / "there"


def test_paths_of_several_projects(tmp_path: Path) -> None:
    make(tmp_path, "a/resilint.toml", "a/x.py", "a/y.py", "b/resilint.toml", "b/x.py")
    groups = group([Path("b/x.py"), Path("a/y.py"), Path("a/x.py")], tmp_path)
    assert [(g.root.name, [p.name for p in g.paths]) for g in groups] == [("a", ["y.py", "x.py"]), ("b", ["x.py"])]
    assert [g.configuration for g in groups] == [tmp_path / "a/resilint.toml", tmp_path / "b/resilint.toml"]


def test_a_root_that_is_given(tmp_path: Path) -> None:
    make(tmp_path, "a/resilint.toml", "a/x.py")
    (only,) = group([Path("a/x.py")], tmp_path, Path("."))
    assert (only.root, only.configuration) == (tmp_path, None)
    with pytest.raises(UsageError, match="is no folder"):
        group([Path("a/x.py")], tmp_path, Path("a/x.py"))
