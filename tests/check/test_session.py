"""The whole way, with stand-ins for the layers below."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from resilint.catalogue import Catalogue
from resilint.check import lowering
from resilint.check.passes import Passes
from resilint.check.session import Outcome, Request, analyse
from resilint.domain import ConfigurationError, UsageError
from resilint.link.inputs import Settings, SourceFacts
from resilint.rule import Finding
from tests.check.fakes import OWN, RULES, passes, rule

SLEEPER = "from t import sleep\n\n\ndef f():\n    sleep(1)\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(working: Path, *paths: str, using: Passes | None = None, **named: Any) -> Outcome:
    named.setdefault("cached", False)
    request = Request(tuple(Path(p) for p in paths or (".",)), working, jobs=named.pop("jobs", 1), **named)
    return analyse(request, using or passes())


def told(outcome: Outcome) -> list[tuple[str, int, str]]:
    return [(d.path, d.span.line, d.name) for d in outcome.diagnostics]


def test_from_paths_to_diagnostics(tmp_path: Path) -> None:
    write(tmp_path, a=SLEEPER, b="send()\n", tests__c=SLEEPER)
    outcome = run(tmp_path)
    assert told(outcome) == [("a.py", 5, "loop"), ("b.py", 1, "send")]
    assert (outcome.files, outcome.failed, outcome.broken) == (3, True, False)
    assert dict(outcome.withheld) == {("test", "loop"): 1, ("test", "long"): 1}
    assert outcome.seconds.keys() >= {"discover", "lower", "link", "summaries", "rules", "judge"}
    assert outcome.lines("a.py")[4] == "    sleep(1)"


def test_paths_select_what_is_reported_not_what_is_read(tmp_path: Path) -> None:
    write(tmp_path, a=SLEEPER, b="send()\n")
    outcome = run(tmp_path, "b.py")
    assert told(outcome) == [("b.py", 1, "send")]
    assert outcome.files == 2


def test_paths_are_told_from_the_working_folder(tmp_path: Path) -> None:
    write(tmp_path, app__a=SLEEPER, lib__b="send()\n")
    (tmp_path / "resilint.toml").touch()
    outcome = run(tmp_path / "app", ".", "../lib")
    assert told(outcome) == [("../lib/b.py", 1, "send"), ("a.py", 5, "loop")]
    assert outcome.lines("../lib/b.py") == ["send()", ""]


def test_several_projects_each_under_its_own_configuration(tmp_path: Path) -> None:
    write(tmp_path, one__a="send()\nsleep()\n", two__a="send()\nsleep()\n")
    (tmp_path / "one" / "resilint.toml").write_text("ignore = ['send']")
    (tmp_path / "two" / "resilint.toml").write_text("ignore = ['loop', 'long']\nfail-on = 'warning'")
    outcome = run(tmp_path, "one", "two")
    assert told(outcome) == [("one/a.py", 2, "loop"), ("two/a.py", 1, "send")]
    assert outcome.failed


def test_configuration_reaches_the_analysis(tmp_path: Path) -> None:
    seen: list[Settings] = []
    catalogued: list[Sequence[Path]] = []

    def link(files: Sequence[SourceFacts], catalogue: object, settings: Settings) -> Sequence[SourceFacts]:
        seen.append(settings)
        return files

    def catalogue(extra: Sequence[Path]) -> Catalogue:
        catalogued.append(extra)
        return Catalogue(())

    using = replace(passes(), link=link, catalogue=catalogue)
    write(tmp_path, a="x = 1\n")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.resilint]\nwait-budget = 7\nclient-deadlines = 'reject'\noutbound-groups = ['http']\n"
        "catalogue = ['h.toml']\n"
        "[tool.resilint.outbound]\n'a.B' = ['c']\n"
    )
    run(tmp_path, using=using)
    assert seen == [
        Settings(
            wait_budget=7.0, client_deadlines="reject", outbound_groups=frozenset({"http"}), outbound=(("a.B", ("c",)),)
        )
    ]
    assert catalogued == [[tmp_path / "h.toml"]]


def test_defaults_of_the_configuration_are_those_of_the_analysis(tmp_path: Path) -> None:
    from resilint.check.settings import settings
    from resilint.config import Configuration

    assert settings(Configuration()) == Settings()


def test_unknown_groups_in_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, a="x = 1\n")
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.resilint]\noutbound-groups = [\n 'http',\n 'databse',\n]\n")
    with pytest.raises(
        ConfigurationError, match=r'toml:4: no group "databse" in "outbound-groups"; did you mean "database"'
    ):
        run(tmp_path)
    path.write_text("[tool.resilint]\nblocking-groups = ['x']\n")
    with pytest.raises(ConfigurationError, match=r'pyproject\.toml:2: no group "x" .* \(known: core, files\)'):
        run(tmp_path)


def test_unknown_rules_in_the_configuration(tmp_path: Path) -> None:
    write(tmp_path, a="x = 1\n")
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.resilint]\nselect = [\n 'loop',\n 'lonk',\n]\n")
    with pytest.raises(ConfigurationError, match=r'pyproject\.toml:4: no rule "lonk"; did you mean "long"\?'):
        run(tmp_path)
    path.write_text("[tool.resilint.per-file-ignores]\n'*.py' = ['nope']\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:2: no rule"):
        run(tmp_path)
    path.write_text("[tool.resilint.per-role]\nworker = ['nope']\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:2: no rule"):
        run(tmp_path)
    path.write_text("")
    with pytest.raises(UsageError, match=r'--select: no rule "sned"; did you mean "send"\?'):
        run(tmp_path, overrides={"select": ("sned",)})


def raising(analysis: object) -> Iterable[Finding]:
    raise LookupError("no such thing")


def late(analysis: object) -> Iterable[Finding]:
    yield from ()
    raise LookupError("no such thing")


@pytest.mark.parametrize("check", [raising, late])
def test_a_rule_that_raises_costs_its_own_reports_only(tmp_path: Path, check: Any) -> None:
    write(tmp_path, a="send()\n")
    outcome = run(tmp_path, using=passes([rule("wrong", check=check), *RULES]))
    assert [(d.name, d.path) for d in outcome.diagnostics] == [("internal-error", "."), ("send", "a.py")]
    error = outcome.diagnostics[0]
    assert "the rule wrong failed: LookupError: no such thing at " in error.message and "report it" in error.hint
    assert outcome.broken


def test_nothing_is_concluded_from_the_silence_of_a_rule_that_failed(tmp_path: Path) -> None:
    write(tmp_path, a="x()  # resilint: ignore[wrong] why\n")
    outcome = run(tmp_path, using=passes([rule("wrong", check=raising), *RULES]))
    assert [d.name for d in outcome.diagnostics] == ["internal-error"]


def test_a_rule_that_does_not_run_cannot_fail(tmp_path: Path) -> None:
    write(tmp_path, a="send()\n")
    outcome = run(tmp_path, using=passes([rule("wrong", check=raising), *RULES]), overrides={"ignore": ("wrong",)})
    assert told(outcome) == [("a.py", 1, "send")]


def without(layer: str, broken: Any) -> Passes:
    return replace(passes(), **{layer: broken})


@pytest.mark.parametrize("layer", ["link", "summarise", "catalogue"])
def test_a_layer_that_raises_is_one_internal_error(tmp_path: Path, layer: str) -> None:
    def broken(*given: object) -> None:
        raise ValueError("\x1b[31mred")

    write(tmp_path, a="send()  # resilint: ignore[send]\n", b="def f(:\n")
    outcome = run(tmp_path, using=without(layer, broken))
    names = sorted(d.name for d in outcome.diagnostics)
    assert names == ["internal-error", "missing-reason", "syntax-error"] and outcome.broken


def test_a_broken_catalogue_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    def broken(extra: Sequence[Path]) -> None:
        raise ConfigurationError("unknown key", "house.toml", 3)

    write(tmp_path, a="send()\n")
    with pytest.raises(ConfigurationError):
        run(tmp_path, using=replace(passes(), catalogue=broken))


def test_rules_that_cannot_be_loaded(tmp_path: Path) -> None:
    def broken() -> Any:
        raise ImportError("no rules")

    write(tmp_path, a="send()\n")
    outcome = run(tmp_path, using=replace(passes(), rules=broken), overrides={"select": ("send",)})
    assert [d.name for d in outcome.diagnostics] == ["internal-error"] and outcome.broken


def test_debugging_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESILINT_DEBUG", "1")
    write(tmp_path, a="send()\n")
    with pytest.raises(LookupError):
        run(tmp_path, using=passes([rule("wrong", check=raising), *RULES]))


def test_a_file_that_lowering_fails_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resilint.syntax

    real = resilint.syntax.lower

    def lower(source: bytes, path: str = "") -> Any:
        if path == "bad.py":
            raise RuntimeError("boom")
        return real(source, path)

    monkeypatch.setattr(resilint.syntax, "lower", lower)
    write(tmp_path, a="send()\n", bad="x = 1\n")
    outcome = run(tmp_path)
    assert told(outcome) == [("a.py", 1, "send"), ("bad.py", 1, "internal-error")]
    assert outcome.broken


def test_an_internal_error_cannot_be_ignored(tmp_path: Path) -> None:
    write(tmp_path, a="send()\n")
    overrides = {"ignore": ("internal-error", "resilint")}
    outcome = run(tmp_path, using=passes([rule("wrong", check=raising), *RULES]), overrides=overrides)
    assert outcome.broken and outcome.diagnostics[0].name == "internal-error"


def test_an_overlay_is_read_instead_of_the_disk(tmp_path: Path) -> None:
    write(tmp_path, a="send()\n")
    overlay = {tmp_path / "a.py": b"\nsend()\n", tmp_path / "new.py": b"sleep()\n"}
    outcome = run(tmp_path, "a.py", "new.py", overlay=overlay)
    assert told(outcome) == [("a.py", 2, "send"), ("new.py", 1, "loop")]
    assert outcome.lines("new.py") == ["sleep()", ""]


def test_an_id_in_a_suppression_is_tried_against_its_strict_rules_too(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="guard()  # resilint: ignore[R-3] only a strict run reports it\n",
        b="x()  # resilint: ignore[R-3] x\n",
    )
    assert told(run(tmp_path)) == [("b.py", 1, "unused-suppression")]
    assert told(run(tmp_path, overrides={"strict": True})) == [("b.py", 1, "unused-suppression")]


def test_the_baseline_of_the_configuration(tmp_path: Path) -> None:
    from resilint.check.baseline import Baseline, save

    write(tmp_path, a="send()\n")
    save(Baseline.of(run(tmp_path).judged[0].identities), tmp_path / "b.json")
    (tmp_path / "resilint.toml").write_text("baseline = 'b.json'")
    outcome = run(tmp_path)
    assert (told(outcome), outcome.baselined) == ([], 1)
    assert len(run(tmp_path, subtract_baseline=False).diagnostics) == 1


def test_baselines_are_relative_to_the_root_not_to_the_working_folder(tmp_path: Path) -> None:
    write(tmp_path, app__a="send()\n")
    (tmp_path / "resilint.toml").touch()
    assert run(tmp_path / "app").judged[0].identities == run(tmp_path).judged[0].identities
    assert run(tmp_path / "app").diagnostics[0].fingerprint == run(tmp_path).diagnostics[0].fingerprint


def project(root: Path) -> None:
    shuffled = random.Random(1)
    for number in range(40):
        body = "".join(f"def f{i}():\n    {shuffled.choice(['sleep', 'send', 'maybe'])}({i})\n\n\n" for i in range(30))
        write(root, **{f"p{number % 5}__m{number}": body})


@pytest.mark.parametrize("jobs", [2, 4])
def test_jobs_cache_and_order_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    project(tmp_path)
    expected = run(tmp_path).diagnostics
    assert len(expected) > 500
    monkeypatch.setattr(lowering, "IN_PROCESS", 0)
    cold, warm = run(tmp_path, jobs=jobs, cached=True), run(tmp_path, jobs=jobs, cached=True)
    assert (cold.lowered, warm.lowered) == (40, 0)
    assert cold.diagnostics == warm.diagnostics == expected
    paths = [os.path.relpath(p, tmp_path) for p in tmp_path.rglob("*.py")]
    assert run(tmp_path, *paths[::-1]).diagnostics == expected


def test_the_cache_is_where_it_is_told_to_be(tmp_path: Path) -> None:
    write(tmp_path, app__a="send()\n")
    run(tmp_path, cached=True, cache_folder=Path("elsewhere"))
    assert (tmp_path / "elsewhere" / "CACHEDIR.TAG").exists()
    assert not (tmp_path / ".resilint_cache").exists()


def test_no_python_files(tmp_path: Path) -> None:
    outcome = run(tmp_path)
    assert (outcome.files, outcome.diagnostics, outcome.failed) == (0, [], False)


def test_the_collector_runs_again_afterwards(tmp_path: Path) -> None:
    import gc

    write(tmp_path, a="send()\n")
    run(tmp_path)
    assert gc.isenabled()


def test_own_rules_need_no_module(tmp_path: Path) -> None:
    write(tmp_path, a="x()  # resilint: ignore[nix] y\n", b="def f(:\n")
    only = [r for r in RULES if r not in OWN]
    assert sorted(d.name for d in run(tmp_path, using=passes(only)).diagnostics) == ["syntax-error", "unknown-rule"]


def test_a_wrong_configuration_is_told_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resilint.check.session.open_project", lambda *given, **named: pytest.fail("read"))
    write(tmp_path, one__a="x = 1\n", two__a="x = 1\n")
    (tmp_path / "one" / "resilint.toml").touch()
    (tmp_path / "two" / "resilint.toml").write_text("select = ['nope']")
    with pytest.raises(ConfigurationError):
        run(tmp_path, "one", "two")


def test_silenced_reports_are_told_from_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    write(tmp_path / "app", b="send()  # resilint: ignore[send] it is meant\n")
    (silenced,) = run(tmp_path, "app", root=tmp_path / "app").silenced
    assert (silenced.diagnostic.path, silenced.reason) == ("app/b.py", "it is meant")
