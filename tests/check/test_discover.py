"""Which files are read, and which are reported."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path, PureWindowsPath

import pytest

from resilint.check.discover import Selection, Skipped, discover, relative
from resilint.domain import UsageError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
needs_permissions = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(params=["walk", pytest.param("git", marks=needs_git)])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder, once as a git repository and once not: both must be read alike."""
    if request.param == "git":
        git(tmp_path, "init", "--quiet")
    return tmp_path


def files(tree: Path, *exclude: str) -> list[str]:
    return list(discover(tree, [tree], exclude).files)


def test_python_files_only(tree: Path) -> None:
    make(tree, "a.py", "b.pyi", "c.pyc", "d.txt", "p/e.py", "py", "x.py/y.py")
    assert files(tree) == ["a.py", "b.pyi", "p/e.py", "x.py/y.py"]


def test_default_excludes(tree: Path) -> None:
    make(
        tree,
        "pyproject.toml",
        "a.py",
        "build/no.py",
        "dist/no.py",
        "src/build/yes.py",
        "pkg/setup.py",
        "pkg/build/no.py",
        ".venv/no.py",
        "env/pyvenv.cfg",
        "env/lib/no.py",
        "node_modules/x/no.py",
        "x/site-packages/no.py",
        "__pycache__/no.py",
        ".mypy_cache/3.11/no.py",
        ".hidden/yes.py",
    )
    assert files(tree) == [".hidden/yes.py", "a.py", "pkg/setup.py", "src/build/yes.py"]


def test_gitignore(tree: Path) -> None:
    make(tree, "a.py", "out/no.py", "keep/out/yes.py", "x/gen_1.py", "x/y/gen_2.py", "x/other.py")
    (tree / ".gitignore").write_text("/out/\ngen_*.py\n", encoding="utf-8")
    (tree / "x" / "y" / ".gitignore").write_text("!gen_2.py\n", encoding="utf-8")
    assert files(tree) == ["a.py", "keep/out/yes.py", "x/other.py", "x/y/gen_2.py"]


def test_configured_excludes(tree: Path) -> None:
    make(tree, "generated/a.py", "x/generated/b.py", "legacy/c.py", "d.py", "x/legacy/e.py")
    assert files(tree, "generated/**", "/legacy") == ["d.py", "x/generated/b.py", "x/legacy/e.py"]
    assert files(tree, "generated") == ["d.py", "legacy/c.py", "x/legacy/e.py"]


def test_names_of_all_sorts(tree: Path) -> None:
    make(tree, "with space.py", "gr\u00fc\u00dfe/\u540d\u524d.py", "new\nline.py", "[bold].py")
    assert files(tree) == ["[bold].py", "gr\u00fc\u00dfe/\u540d\u524d.py", "new\nline.py", "with space.py"]


@pytest.mark.skipif(os.name == "nt", reason="names are bytes on POSIX only")
def test_a_name_that_is_no_utf8(tree: Path) -> None:
    name = os.fsdecode(b"\xff.py")
    try:
        make(tree, name)
    except OSError:
        pytest.skip("the file system refuses such names")
    assert files(tree) == [name]


def test_reported_are_the_paths_given(tmp_path: Path) -> None:
    make(tmp_path, "a/x.py", "a/y.py", "b/z.py", "ab/w.py")
    selection = discover(tmp_path, [tmp_path / "a", tmp_path / "b/z.py"])
    assert selection.files == ("a/x.py", "a/y.py", "ab/w.py", "b/z.py")
    assert selection.reported == {"a/x.py", "a/y.py", "b/z.py"}


def test_named_files_are_read_though_excluded(tree: Path) -> None:
    make(tree, "a.py", ".venv/b.py", "skip/c.py", "script", "ignored.py")
    (tree / ".gitignore").write_text("ignored.py\n.venv\n", encoding="utf-8")
    named = [tree / n for n in (".venv/b.py", "skip/c.py", "script", "ignored.py")]
    got = discover(tree, named, ["skip"])
    assert got.reported == {".venv/b.py", "skip/c.py", "script", "ignored.py"}
    assert got.files == (".venv/b.py", "a.py", "ignored.py", "script", "skip/c.py")
    forced = discover(tree, [*named, tree / "a.py"], ["skip"], force_exclude=True)
    assert forced.reported == {"a.py", "script"}


def test_named_folders_are_read_though_excluded(tree: Path) -> None:
    make(tree, "a.py", ".venv/x/b.py", ".venv/x/__pycache__/no.py", "gen/c.py", "out/d.py", "out/sub/e.py")
    (tree / ".gitignore").write_text("out/\n", encoding="utf-8")
    named = [tree / n for n in (".venv", "gen", "out")]
    assert discover(tree, named, ["gen/**"]).reported == {".venv/x/b.py", "gen/c.py", "out/d.py", "out/sub/e.py"}
    assert discover(tree, named, ["gen/**"], force_exclude=True).reported == set()


def test_a_root_inside_an_excluded_folder(tree: Path) -> None:
    make(tree, "venv/lib/site-packages/pkg/a.py")
    (tree / ".gitignore").write_text("venv\n", encoding="utf-8")
    root = tree / "venv/lib/site-packages"
    assert discover(root, [root]).files == ("pkg/a.py",)


def test_wrong_paths(tmp_path: Path) -> None:
    make(tmp_path, "root/a.py", "b.py")
    with pytest.raises(UsageError, match="does not exist"):
        discover(tmp_path / "root", [tmp_path / "root" / "gone.py"])
    with pytest.raises(UsageError, match="outside the project's root"):
        discover(tmp_path / "root", [tmp_path / "b.py"])


def test_overlay_files_need_not_exist(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    got = discover(tmp_path, [tmp_path / "new.py"], overlay=["new.py"])
    assert got == Selection(("a.py", "new.py"), frozenset({"new.py"}), ())


def test_links(tree: Path) -> None:
    make(tree, "root/a/x.py", "elsewhere/y.py")
    root = tree / "root"
    (root / "a" / "loop").symlink_to(root, target_is_directory=True)
    (root / "same.py").symlink_to(root / "a" / "x.py")
    (root / "other.py").symlink_to(tree / "elsewhere" / "y.py")
    (root / "self.py").symlink_to(root / "self.py")
    (root / "gone.py").symlink_to(root / "nowhere")
    got = discover(root, [root])
    assert got.files == ("a/x.py", "other.py")
    assert dict(got.skipped).keys() == {"gone.py", "self.py"}
    assert Skipped("gone.py", "a link to nothing") in got.skipped
    assert discover(root, [root / "same.py"]).reported == {"same.py"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    make(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe.py")
    got = discover(tmp_path, [tmp_path, tmp_path / "pipe.py"])
    assert got.files == ("a.py",)
    assert got.skipped == (Skipped("pipe.py", "not a regular file"),)


@needs_permissions
def test_an_unreadable_folder_is_skipped(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "locked/b.py")
    (tmp_path / "locked").chmod(0)
    try:
        assert discover(tmp_path, [tmp_path]).skipped == (Skipped("locked", "permission denied"),)
    finally:
        (tmp_path / "locked").chmod(0o700)


def test_an_unreadable_folder_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.py", "locked/b.py", "z/c.py")
    real = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    got = discover(tmp_path, [tmp_path])
    assert got.files == ("a.py", "z/c.py")
    assert got.skipped == (Skipped("locked", "permission denied"),)


@needs_git
def test_git_deleted_untracked_and_nested(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    make(tmp_path, "tracked.py", "deleted.py", "nested.repo/inner.py", "sub/made.py")
    git(tmp_path / "nested.repo", "init", "--quiet")
    git(tmp_path, "add", "tracked.py", "deleted.py")
    (tmp_path / "deleted.py").unlink()
    make(tmp_path, "untracked.py")
    got = discover(tmp_path, [tmp_path])
    assert got.files == ("nested.repo/inner.py", "sub/made.py", "tracked.py", "untracked.py")
    assert got.skipped == ()


@needs_git
def test_submodules(tmp_path: Path) -> None:
    library, project = tmp_path / "library", tmp_path / "project"
    make(tmp_path, "library/lib.py", "project/a.py")
    for folder in (library, project):
        git(folder, "init", "--quiet")
    git(library, "add", ".")
    git(library, "commit", "--quiet", "-m", "x")
    git(project, "submodule", "--quiet", "add", str(library), "vendor")
    assert discover(project, [project]).files == ("a.py", "vendor/lib.py")


@needs_git
def test_git_in_a_hook_is_asked_about_this_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "--quiet")
    make(tmp_path, "a.py", "no.py")
    (tmp_path / ".gitignore").write_text("no.py", encoding="utf-8")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    assert discover(tmp_path, [tmp_path]).files == ("a.py",)


def test_paths_of_windows_are_told_with_slashes() -> None:
    inner = relative(PureWindowsPath(r"C:\work\app\api\x.py"), PureWindowsPath(r"C:\work\app"))  # type: ignore[arg-type]
    assert inner == "api/x.py"
    assert relative(PureWindowsPath(r"D:\x.py"), PureWindowsPath(r"C:\work")) is None  # type: ignore[arg-type]
