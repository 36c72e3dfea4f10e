"""Configuration files: values, origins, and messages that name the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from resilint.config import Configuration, Switches, file_in, load
from resilint.config.configuration import COMMAND_LINE, DEFAULT, Origin
from resilint.config.keys import KEYS
from resilint.domain import ConfigurationError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_all_is_default() -> None:
    configuration = load(None)
    assert configuration == Configuration()
    assert configuration.origin("select") == DEFAULT


def test_every_key_has_a_field_with_its_default() -> None:
    configuration = Configuration()
    for key in KEYS:
        default = key.default if key.default is not None else ()
        assert getattr(configuration, key.attribute) == default, key.name


ALL = """\
select = ["long-sleep"]
ignore = ["to-thread"]
strict = true
min-confidence = "low"
fail-on = "never"
src = ["lib"]
exclude = ["a"]
extend-exclude = ["b"]
long-sleep-threshold = 20
wait-budget = 1.5
handler-wait-allowance = 0.1
client-deadlines = "reject"
outbound-groups = ["http"]
blocking-groups = ["core"]
run-blocking = "app.threads.run_blocking"
timeout-expression = "settings.t"
house-client = "app.http.Client"
worker-deadlines = ["app.run"]
rejected = ["aiohttp.ClientSession"]
sql-dialects = ["postgres"]
catalogue = ["house.toml"]
baseline = "old.json"

[per-file-ignores]
"gen/*.py" = ["long-sleep"]
[per-role]
worker = ["to-thread"]
script = {select = ["long-sleep"]}
[roles]
worker = ["app/sync_*.py"]
[outbound]
"acme.Client" = ["call"]
[blocking]
"acme.block" = []
[enqueue]
"acme.Queue" = ["put"]
"""


def test_all_keys(tmp_path: Path) -> None:
    got = load(write(tmp_path / "resilint.toml", ALL), base=tmp_path)
    assert got.select == ("long-sleep",)
    assert got.strict is True
    assert got.long_sleep_threshold == 20.0
    assert got.client_deadlines == "reject"
    assert got.per_file_ignores == (("gen/*.py", ("long-sleep",)),)
    assert got.per_role == (("worker", Switches(("to-thread",))), ("script", Switches((), ("long-sleep",))))
    assert got.blocking == (("acme.block", ()),)
    assert got.catalogue == (str(tmp_path / "house.toml"),)
    assert got.baseline == str(tmp_path / "old.json")
    silent = [key.name for key in KEYS if got.origin(key.name).kind != "file"]
    assert silent == ["extend"]
    assert got.origin("wait-budget") == Origin("file", "resilint.toml", 10)
    assert got.origins["roles.worker"].line == 30
    assert got.origins["select[0]"].line == 1


def test_pyproject_with_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"\xef\xbb\xbf[project]\r\nname = 'x'\r\n[tool.resilint]\r\nstrict = true\r\n")
    configuration = load(path, base=tmp_path)
    assert configuration.strict
    assert str(configuration.origin("strict")) == "pyproject.toml:4"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "long-sleep-treshold = 1",
            'p.toml:1: unknown key "long-sleep-treshold"; did you mean "long-sleep-threshold"?',
        ),
        ("\nwait_budget = 1", 'p.toml:2: unknown key "wait_budget"; did you mean "wait-budget"?'),
        ("zzz = 1", 'p.toml:1: unknown key "zzz"'),
        ("strict = 1", 'p.toml:1: "strict" must be true or false, not 1'),
        ("select = 'x'", 'p.toml:1: "select" must be a list of strings, not "x"'),
        ("select = [\n 'a',\n 1]", 'p.toml:3: "select" must be a list of strings, not 1'),
        ("wait-budget = -1", 'p.toml:1: "wait-budget" must be a number of seconds, 0 or more, not -1'),
        ("wait-budget = true", 'p.toml:1: "wait-budget" must be a number of seconds, 0 or more, not true'),
        ("wait-budget = inf", 'p.toml:1: "wait-budget" must be a number of seconds, 0 or more, not inf'),
        ("fail-on = 'eror'", '"fail-on" must be one of error, warning, info, never, not "eror"; did you mean "error"?'),
        ("[roles]\nworkr = []", 'p.toml:2: unknown role "workr" in "roles"; did you mean "worker"?'),
        ("[roles]\nworker = 'x'", 'p.toml:2: "roles.worker" must be a list of strings, not "x"'),
        ("roles = 1", 'p.toml:1: "roles" must be a table, not 1'),
        ("[per-role]\nworker = {ignroe = []}", 'unknown key "ignroe" in "per-role.worker"; did you mean "ignore"?'),
        ("a = [", "p.toml:1: no TOML"),
        ("x = 1\nx = 2", "p.toml:2: no TOML"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(write(tmp_path / "p.toml", text), base=tmp_path)
    assert message in str(caught.value)


def test_lines_below_the_prefix(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[tool.x]\nstrict = 1\n[tool]\nresilint.strict = 1\n")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:4: "):
        load(path, base=tmp_path)


def test_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "resilint.toml"
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(ConfigurationError, match="not UTF-8"):
        load(path)


def test_extend(tmp_path: Path) -> None:
    write(
        tmp_path / "house" / "base.toml",
        "strict = true\nwait-budget = 9\nextend-exclude = ['a']\ncatalogue = ['c.toml']\n"
        "[roles]\nworker=['x']\nscript=['y']\n",
    )
    child = write(
        tmp_path / "app" / "resilint.toml",
        "extend = '../house/base.toml'\nwait-budget = 1\nextend-exclude = ['b']\n[roles]\nworker = ['z']\n",
    )
    got = load(child, base=tmp_path)
    assert got.strict is True and got.wait_budget == 1.0
    assert got.extend_exclude == ("a", "b")
    assert dict(got.roles) == {"worker": ("z",), "script": ("y",)}
    assert got.catalogue == (str(tmp_path / "house" / "c.toml"),)
    assert got.origin("strict") == Origin("file", "house/base.toml", 1)
    assert [path.name for path in got.files] == ["resilint.toml", "base.toml"]


def test_extended_list_forgets_the_origins_of_the_one_it_replaces(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", "select = ['a', 'b', 'c']")
    got = load(write(tmp_path / "resilint.toml", "extend = 'base.toml'\nselect = ['d']"), base=tmp_path)
    assert [name for name in got.origins if name.startswith("select[")] == ["select[0]"]


def test_extend_in_a_circle(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", "\nextend = 'b.toml'")
    write(tmp_path / "b.toml", "extend = 'a.toml'")
    with pytest.raises(
        ConfigurationError, match=r'b\.toml:1: "extend" goes round in a circle: a\.toml -> b\.toml -> a\.toml'
    ):
        load(tmp_path / "a.toml", base=tmp_path)


def test_extend_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", "\nextend = 'gone.toml'")
    with pytest.raises(ConfigurationError, match=r"a\.toml:2: cannot read the configuration gone\.toml: No such file"):
        load(tmp_path / "a.toml", base=tmp_path)


def test_the_command_line_wins(tmp_path: Path) -> None:
    path = write(tmp_path / "resilint.toml", "select = ['a']\nignore = ['b']\nwait-budget = 1\n")
    got = load(path, {"select": ("c",), "ignore": ("d",)}, tmp_path)
    assert got.select == ("c",) and got.ignore == ("b", "d")
    assert got.origin("select") == COMMAND_LINE and got.origin("wait-budget").kind == "file"
    assert "select[0]" not in got.origins and got.origins["ignore[0]"].line == 2


def test_own_file_before_the_shared_one(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.resilint]\n")
    assert file_in(tmp_path) == tmp_path / "pyproject.toml"
    write(tmp_path / "resilint.toml", "")
    assert file_in(tmp_path) == tmp_path / "resilint.toml"


def test_a_pyproject_without_a_table_is_none(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project]\nname = 'resilint-user'\ndependencies = ['resilint']\n")
    assert file_in(tmp_path) is None


def test_a_broken_pyproject_counts_only_if_it_speaks_of_us(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[[[")
    assert file_in(tmp_path) is None
    write(path, "[tool.resilint]\n[[[")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:2"):
        file_in(tmp_path)
