"""The cache of facts: quick where it can be, never wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from resilint.check import cache as caches
from resilint.check.cache import Cache, clean, digest_of
from resilint.check.lowering import Files, lower_all

OLD = time.time() - 1000


class Project:
    """A folder with files and a cache, and runs over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.warnings: list[str] = []

    @property
    def folder(self) -> Path:
        return self.root / ".resilint_cache"

    def write(self, name: str, text: str, when: float | None = OLD) -> None:
        path = self.root / name
        path.write_text(text, encoding="utf-8")
        if when is not None:
            os.utime(path, (when, when))

    def run(self, **named: int) -> Files:
        self.warnings.clear()
        names = sorted(p.name for p in self.root.glob("*.py"))
        return lower_all(self.root, names, {}, Cache(self.folder, self.warnings.append, **named), 1)

    def scopes(self) -> dict[str, list[str]]:
        return {name: [s.name for s in facts.scopes[1:]] for name, facts in self.run().facts.items()}

    def packs(self) -> list[Path]:
        return sorted(self.folder.glob("*/pack-*"))

    def index(self) -> Path:
        (only,) = self.folder.glob("*/index")
        return only


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path / "project")
    made.root.mkdir()
    made.write("a.py", "def a(): pass\n")
    made.write("b.py", "def b(): pass\n")
    yield made
    left = list(made.root.rglob("*.tmp"))
    assert left == [], "half-written files"


def test_marked_for_backups_and_git(project: Project) -> None:
    project.run()
    assert (project.folder / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    assert (project.folder / ".gitignore").read_text().splitlines()[-1] == "*"


def test_a_second_run_lowers_nothing_and_reads_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert project.run().lowered == 2
    before = project.index().stat().st_mtime_ns
    monkeypatch.setattr("resilint.check.lowering.read", lambda path: pytest.fail(f"{path} was read"))
    assert project.run().lowered == 0
    assert project.index().stat().st_mtime_ns == before, "nothing changed, so nothing is written"


def test_changes_are_seen(project: Project) -> None:
    project.run()
    project.write("a.py", "def changed(): pass\n")
    project.write("c.py", "def c(): pass\n")
    (project.root / "b.py").unlink()
    assert project.scopes() == {"a.py": ["changed"], "c.py": ["c"]}
    assert project.run().lowered == 0


def test_a_change_that_keeps_size_and_mtime_is_seen(project: Project) -> None:
    project.run()
    project.write("a.py", "def x(): pass\n")
    assert project.scopes()["a.py"] == ["x"]


def test_a_fresh_file_is_hashed(project: Project) -> None:
    """Git's racy rule: what changed just before it was seen may change again without a trace."""
    project.write("a.py", "def a(): pass\n", None)
    project.run()
    index = project.index()
    loaded = caches._decoder.decode(caches.opened(index.read_bytes()))
    status = os.stat(project.root / "a.py")
    (project.root / "a.py").write_text("def z(): pass\n")
    os.utime(project.root / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    stamp = caches.stamp_of(os.stat(project.root / "a.py"))  # as if the times could not tell
    loaded.files["a.py"] = loaded.files["a.py"]._replace(stamp=stamp)
    index.write_bytes(caches.sealed(caches._encoder.encode(loaded)))
    assert project.scopes()["a.py"] == ["z"]


def test_touched_files_and_moved_checkouts_stay_warm(project: Project, tmp_path: Path) -> None:
    project.run()
    os.utime(project.root / "a.py")
    assert project.run().lowered == 0
    shutil.copytree(project.root, tmp_path / "copy")
    assert Project(tmp_path / "copy").run().lowered == 0


def test_equal_files_share_their_facts(project: Project) -> None:
    project.run()
    project.write("copy.py", "def a(): pass\n")
    assert project.run().lowered == 0


@pytest.mark.parametrize("spoil", ["truncate", "flip", "empty", "foreign", "folder"])
@pytest.mark.parametrize("what", ["index", "pack"])
def test_damage_is_a_miss_and_a_warning(project: Project, what: str, spoil: str) -> None:
    expected = project.scopes()
    path = project.index() if what == "index" else project.packs()[0]
    data = path.read_bytes()
    if spoil == "folder":
        path.unlink()
        path.mkdir()
    else:
        changed = {
            "truncate": data[:-3],
            "flip": data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
            "empty": b"",
            "foreign": b"#!/bin/sh\necho hello\n" * 100,
        }[spoil]
        path.write_bytes(changed)
    assert project.scopes() == expected
    if what == "index" or spoil in ("truncate", "flip", "foreign"):
        assert len(project.warnings) >= 1
    if spoil != "folder":
        assert project.scopes() == expected
        assert project.warnings == []


def test_every_flipped_byte_is_noticed(project: Project) -> None:
    expected = project.run().facts
    (pack,) = project.packs()
    index = project.index()
    packed, indexed = pack.read_bytes(), index.read_bytes()
    for path, data in ((pack, packed), (index, indexed)):
        for at in range(0, len(data), 7):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :])
            assert project.run().facts == expected
            pack.write_bytes(packed)
            index.write_bytes(indexed)


def test_a_pack_that_is_gone_is_a_miss(project: Project) -> None:
    expected = project.scopes()
    project.packs()[0].unlink()
    assert project.scopes() == expected


def test_an_index_that_points_elsewhere_is_not_followed(project: Project) -> None:
    project.run()
    secret = project.root / "secret"
    secret.write_bytes(b"x" * 1000)
    loaded = caches._decoder.decode(caches.opened(project.index().read_bytes()))
    for digest, place in loaded.facts.items():
        loaded.facts[digest] = place._replace(pack="../../secret")
    project.index().write_bytes(caches.sealed(caches._encoder.encode(loaded)))
    assert project.scopes() == {"a.py": ["a"], "b.py": ["b"]}


def test_many_small_changes_are_merged(project: Project) -> None:
    for number in range(caches.PACKS + 3):
        project.write("a.py", f"def a{number}(): pass\n")
        assert project.scopes()["a.py"] == [f"a{number}"]
    assert len(project.packs()) <= caches.PACKS + 1
    project.write("a.py", "def a1(): pass\n")
    assert project.run().lowered == 0, "older contents are kept while there is room"


def test_bounded_in_size(project: Project) -> None:
    for number in range(40):
        project.write("a.py", f"def a{number}(): pass\n" * 20)
        project.run(limit=5000)
    assert sum(p.stat().st_size for p in project.packs()) < 30_000
    assert project.run().lowered == 0


def test_other_versions_are_left_alone_but_for_the_oldest(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        monkeypatch.setattr(caches, "version", lambda number=number: f"version-{number}")
        assert project.run().lowered == 2
        time.sleep(0.01)
    homes = sorted(p.name for p in project.folder.iterdir() if p.is_dir())
    assert homes == ["version-2", "version-3", "version-4"]


def test_the_code_of_the_front_end_is_part_of_the_version() -> None:
    from resilint import __version__

    assert caches.version().startswith(f"{__version__}-")
    assert caches.version() == caches.version()


def test_a_folder_that_cannot_be_written(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caches, "replace", full)
    assert project.scopes() == {"a.py": ["a"], "b.py": ["b"]}
    assert project.warnings == [f"the cache {project.folder} cannot be written: No space left on device"]


def test_a_full_disk_leaves_no_half_file(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    project.run()
    assert len(project.warnings) == 1
    assert [p for p in project.folder.rglob("*") if p.is_file()] == []


_RUN = """
import sys
from pathlib import Path
from resilint.check.cache import Cache
from resilint.check.lowering import lower_all
root = Path(sys.argv[1])
for turn in range(8):
    names = sorted(p.name for p in root.glob("*.py"))
    files = lower_all(root, names, {}, Cache(root / ".resilint_cache", lambda m: sys.exit(m)), 1)
    assert {n: [s.name for s in f.scopes[1:]] for n, f in files.facts.items()} == {n: [n[:-3]] for n in names}
    (root / f"{sys.argv[2]}{turn}.py").write_text(f"def {sys.argv[2]}{turn}(): pass")
"""


def test_several_runs_at_once(project: Project) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", _RUN, str(project.root), name], stderr=subprocess.PIPE)
        for name in "xyz"
    ]
    for run in runs:
        _, errors = run.communicate(timeout=120)
        assert run.returncode == 0, errors.decode()
    assert project.run().facts.keys() == {p.name for p in project.root.glob("*.py")}


def test_clean_removes_what_is_ours_only(project: Project, tmp_path: Path) -> None:
    project.run()
    assert clean(project.folder) is True
    assert not project.folder.exists()
    assert clean(project.folder) is False
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    assert clean(tmp_path / "mine") is False
    assert (tmp_path / "mine" / "file").exists()


def test_digests_differ() -> None:
    assert digest_of(b"a") != digest_of(b"b")
