"""The file of accepted reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from resilint.check.baseline import Baseline, Identity, load, save
from resilint.domain import ConfigurationError, UsageError

ONE = Identity("a.py", "long-sleep", "A.f", "asyncio.sleep", "0123", 0)
TWO = ONE._replace(ordinal=1)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    baseline = Baseline.of([TWO, ONE])
    save(baseline, path)
    assert load(path) == baseline
    assert list(load(path).entries.values()) == [ONE, TWO]
    assert path.read_text().count("\n") == 7, "an entry a line"
    save(Baseline.of([ONE, TWO]), tmp_path / "c.json")
    assert path.read_bytes() == (tmp_path / "c.json").read_bytes()


def test_no_entries(tmp_path: Path) -> None:
    save(Baseline.of([]), tmp_path / "b.json")
    assert load(tmp_path / "b.json").entries == {}


def test_each_part_counts() -> None:
    changed = [Identity(**(ONE._asdict() | {name: "other"})) for name in Identity._fields[:-1]]
    prints = {i.fingerprint for i in [ONE, TWO, *changed]}
    assert len(prints) == len(Identity._fields) + 1


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist; make it with: resilint baseline"):
        load(tmp_path / "b.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1}',
        '{"version": 1, "entries": [1]}',
        '{"version": 1, "entries": [{"path": "a"}]}',
        "\xff",
    ],
)
def test_broken(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ConfigurationError, match=r"b\.json: no baseline of resilint"):
        load(path)


def test_a_later_version(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(json.dumps({"version": 2, "entries": []}))
    with pytest.raises(ConfigurationError, match="a baseline of version 2, this resilint reads 1"):
        load(path)


def test_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write the baseline"):
        save(Baseline.of([ONE]), tmp_path / "nowhere" / "b.json")


def test_a_failed_write_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "b.json"
    save(Baseline.of([ONE]), path)

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="No space left"):
        save(Baseline.of([TWO]), path)
    monkeypatch.undo()
    assert list(load(path).entries.values()) == [ONE]
    assert [p.name for p in tmp_path.iterdir()] == ["b.json"]


def test_a_link_stays_one_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "b.json"
    save(Baseline.of([ONE]), real)
    real.chmod(0o600)
    link.symlink_to(real)
    save(Baseline.of([]), link)
    assert link.is_symlink()
    assert load(real).entries == {}
    assert real.stat().st_mode & 0o777 == 0o600
