"""Writing to the two streams, which may be closed, full, or a pipe that nobody reads any more."""

from __future__ import annotations

import contextlib
import os
import sys

from resilint.reports.safe import safe_path


class OutputError(Exception):
    """Standard output cannot be written. ``code`` is set where that is nothing to complain about."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


def prepare_streams() -> None:
    """Never fail because of a character that the terminal's encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with contextlib.suppress(ValueError, OSError):
                reconfigure(errors="backslashreplace")


def emit(text: str, code: int = 0) -> None:
    """Write a result to standard output, all of it, now. A reader that has gone gets ``code`` and no complaint.

    Raises:
        OutputError: it cannot be written.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon()
        raise OutputError("nobody reads", code) from None
    except OSError as problem:
        _abandon()
        raise OutputError(f"cannot write to standard output: {problem.strerror or problem}") from None
    except ValueError:
        raise OutputError("standard output is closed") from None


def _abandon() -> None:
    """Let what is still buffered go nowhere, else the interpreter fails on it once more at its end."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def complain(message: str) -> None:
    """Write to standard error; if that is gone, so is the message."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(tamed(message))
        sys.stderr.flush()


def tamed(text: str) -> str:
    """Lines that names and source stand in, made safe one by one: a name with a line end in it begins a line, too."""
    return "".join(f"{safe_path(line)}\n" for line in text.removesuffix("\n").split("\n"))


def coloured(choice: str) -> bool:
    """Whether to colour: ``--color``, else NO_COLOR, else FORCE_COLOR, else only on a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return os.environ["FORCE_COLOR"] != "0"
    return on_terminal() and os.environ.get("TERM") != "dumb"


_LINKING_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "WarpTerminal", "mintty"}
_LINKING_TERMINALS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour", "rio")
_LINKING_VTE = 5000
"""From version 0.50 on: GNOME Terminal, Tilix, Terminator and the like."""


def linked(choice: str) -> bool:
    """Whether to write links for a terminal (OSC 8): FORCE_HYPERLINK, else only where one is known to show them.

    A terminal cannot be asked, and some print the sequence as text; so only the known ones get it, and only in colour.
    """
    if choice == "never":
        return False
    if forced := os.environ.get("FORCE_HYPERLINK"):
        return forced != "0"
    if not (on_terminal() and coloured(choice)):
        return False
    said = os.environ
    return (
        said.get("TERM_PROGRAM", "") in _LINKING_PROGRAMS
        or said.get("TERM", "").startswith(_LINKING_TERMINALS)
        or _number(said.get("VTE_VERSION", "")) >= _LINKING_VTE
        or any(said.get(name) for name in ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "DOMTERM"))
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def on_terminal() -> bool:
    """Whether a person reads standard output."""
    try:
        return sys.stdout is not None and sys.stdout.isatty()
    except ValueError:
        return False
