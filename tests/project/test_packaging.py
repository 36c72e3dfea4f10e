"""What a user installs, and what starting it costs."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import resilint
from tests.pages.corpus import REPOSITORY


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel built from this tree."""
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(REPOSITORY)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    (file,) = target.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        return set(archive.namelist())


def test_everything_under_src_is_in_the_wheel(wheel: set[str]) -> None:
    sources = REPOSITORY / "src"
    files = {
        file.relative_to(sources).as_posix()
        for file in (sources / "resilint").rglob("*")
        if file.is_file() and file.suffix in {".py", ".md", ".toml", ".json", ".typed"}
    }
    assert files - wheel == set()
    assert "resilint/py.typed" in wheel
    assert any(re.fullmatch(r"resilint/catalogue/\w+\.toml", name) for name in wheel)
    assert any(re.fullmatch(r"resilint/rules/\w+\.md", name) for name in wheel)
    assert "resilint/config/schema.json" in wheel


def test_nothing_else_is_in_the_wheel(wheel: set[str]) -> None:
    assert {name.split("/")[0] for name in wheel} == {"resilint", f"resilint-{resilint.__version__}.dist-info"}
    assert not [name for name in wheel if "__pycache__" in name]


def test_the_version_stands_in_one_place() -> None:
    assert importlib.metadata.version("resilint") == resilint.__version__
    assert tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dynamic"] == [
        "version"
    ]
    elsewhere = [
        file
        for file in (REPOSITORY / "src").rglob("*.py")
        if f'"{resilint.__version__}"' in file.read_text(encoding="utf-8")
    ]
    assert elsewhere == [Path(resilint.__file__)]


def test_the_command_prints_the_version() -> None:
    command = str(Path(sys.executable).with_name("resilint"))
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert resilint.__version__ in said


def test_starting_imports_neither_libcst_nor_rich() -> None:
    program = (
        "import sys\n"
        "from resilint.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "loaded = sorted({'libcst', 'rich', 'sqlglot'} & sys.modules.keys())\n"
        "sys.exit(f'loaded: {loaded}' if loaded else 0)\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_order_of_packages() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
