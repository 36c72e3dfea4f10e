"""Facts of many files: the same with any number of jobs, from the cache or not."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from resilint.check import lowering
from resilint.check.cache import Cache
from resilint.check.discover import Skipped
from resilint.check.lowering import CHUNK, Files, Job, chunked, lower_all
from resilint.facts import ModuleFacts


def write(root: Path, count: int = 30) -> list[str]:
    """Small files, with one so big that processes pay."""
    names = []
    for number in range(count):
        name = f"m{number:02}.py"
        (root / name).write_text(f"import asyncio\n\n\nasync def f{number}():\n    await g({number})\n" * (number + 1))
        names.append(name)
    return names


def facts(files: Files) -> dict[str, ModuleFacts]:
    return files.facts


def test_jobs_and_order_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "IN_PROCESS", 0)
    monkeypatch.setattr(lowering, "CHUNK", 1000)
    names = write(tmp_path)
    alone = lower_all(tmp_path, names, {}, None, 1)
    assert list(alone.facts) == names
    for jobs in (2, 4):
        many = lower_all(tmp_path, names[::-1], {}, None, jobs)
        assert list(many.facts) == names
        assert many.facts == alone.facts


def test_an_overlay_stands_for_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    files = lower_all(tmp_path, ["a.py", "new.py"], {"a.py": b"def f(): pass\n", "new.py": b"\n\n"}, None, 1)
    assert [scope.name for scope in files.facts["a.py"].scopes] == ["", "f"]
    assert "new.py" in files.facts


def test_a_file_that_vanished_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    files = lower_all(tmp_path, ["a.py", "gone.py"], {}, None, 1)
    assert list(files.facts) == ["a.py"]
    assert files.skipped == [Skipped("gone.py", "no such file or directory")]


def test_a_file_that_vanishes_while_it_is_read(tmp_path: Path) -> None:
    result = lowering.lower_one(Job("gone.py", str(tmp_path / "gone.py"), 10))
    assert (result.facts, result.failure) == (None, "") and result.vanished


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    result = lowering.lower_one(Job("pipe.py", str(tmp_path / "pipe.py"), 0))
    assert result.vanished == "not a regular file"


def broken(source: bytes, path: str = "") -> ModuleFacts:
    raise RuntimeError("no\nway")


def test_a_front_end_that_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resilint.syntax

    monkeypatch.setattr(resilint.syntax, "lower", broken)
    (tmp_path / "a.py").write_text("x = 1\n")
    files = lower_all(tmp_path, ["a.py"], {}, None, 1)
    assert files.facts == {}
    assert files.failures["a.py"].startswith("RuntimeError: no way at ")


@pytest.mark.skipif(sys.platform != "linux", reason="the patched front end reaches workers by fork only")
def test_a_worker_that_dies_costs_only_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resilint.syntax

    real = resilint.syntax.lower

    def deadly(source: bytes, path: str = "") -> ModuleFacts:
        if path == "m05.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(source, path)

    monkeypatch.setattr(resilint.syntax, "lower", deadly)
    monkeypatch.setattr(lowering, "IN_PROCESS", 0)
    names = write(tmp_path)
    files = lower_all(tmp_path, names, {}, None, 2)
    assert files.failures == {"m05.py": "the process that read it died twice (killed by SIGKILL)"}
    assert list(files.facts) == [name for name in names if name != "m05.py"]


def test_chunks_are_of_even_size_and_biggest_first() -> None:
    jobs = [Job(f"{size}", "", size) for size in (10, CHUNK * 3, 60_000, 50_000, 30_000, 20_000)]
    chunks = [[job.size for job in chunk] for chunk in chunked(jobs)]
    assert chunks == [[CHUNK * 3], [60_000], [50_000, 30_000, 20_000], [10]]


def test_the_cache_gives_the_same(tmp_path: Path) -> None:
    names = write(tmp_path)

    def run() -> Files:
        return lower_all(tmp_path, names, {}, Cache(tmp_path / "cache", pytest.fail), 1)

    cold, warm = run(), run()
    assert (cold.lowered, warm.lowered) == (len(names), 0)
    assert cold.facts == warm.facts == lower_all(tmp_path, names, {}, None, 1).facts


def test_an_overlay_does_not_poison_the_cache(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")

    def run(overlay: dict[str, bytes]) -> ModuleFacts:
        return lower_all(tmp_path, ["a.py"], overlay, Cache(tmp_path / "cache", pytest.fail), 1).facts["a.py"]

    with_function = run({"a.py": b"def f(): pass\n"})
    plain = run({})
    assert len(with_function.scopes) == 2 and len(plain.scopes) == 1
    assert run({"a.py": b"def f(): pass\n"}) == with_function
