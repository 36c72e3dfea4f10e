"""Files that the user asked for (reports, baselines): whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


class FileError(Exception):
    """It cannot be written. ``str()`` is a complete message, ``reason`` its last part."""

    def __init__(self, path: Path, problem: OSError) -> None:
        self.reason = problem.strerror or str(problem)
        super().__init__(f"cannot write {path}: {self.reason}")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part: it is replaced when it is whole.

    A link stays one, and the permissions of a file that was there stay. What is no regular file (a pipe, a device) is
    written to directly.

    Raises:
        FileError: it cannot be written; then nothing has changed and nothing is left behind.
    """
    data = text.encode("utf-8", "backslashreplace")
    try:
        target = Path(os.path.realpath(path))
        mode = _mode(target)
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb", buffering=0) as device:
                _write_all(device.fileno(), data)
            return
        _replace(target, data, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
    except OSError as problem:
        raise FileError(path, problem) from None


def _replace(target: Path, data: bytes, permissions: int) -> None:
    handle, temporary = tempfile.mkstemp(prefix=".resilint-", dir=target.parent)
    try:
        try:
            _write_all(handle, data)
            os.fsync(handle)  # a disk that fills up may say so only now
        finally:
            os.close(handle)
        os.chmod(temporary, permissions)
        os.replace(temporary, target)
    except BaseException:  # an interrupt too leaves nothing behind
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    """The mask of the process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
