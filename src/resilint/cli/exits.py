"""Exit codes, and how everything that can end a command becomes one."""

from __future__ import annotations

from collections.abc import Callable

import click

from resilint.cli.output import OutputError, complain
from resilint.domain import ResilintError

OK, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130


def guarded(run: Callable[[], object]) -> int:
    """Run a command; the result is the exit code. No exception leaves it, unless RESILINT_DEBUG=1."""
    try:
        code = run()
        return code if isinstance(code, int) else OK
    except (KeyboardInterrupt, click.exceptions.Abort):
        complain("interrupted")
        return INTERRUPTED
    except OutputError as problem:
        if problem.code is not None:
            return problem.code
        complain(f"error: {problem}")
    except click.exceptions.NoArgsIsHelpError as problem:
        complain(problem.format_message())
    except click.ClickException as problem:
        complain(f"error: {problem.format_message()}")
        context = getattr(problem, "ctx", None)
        if context is not None:
            complain(f"{context.get_usage()}\nTry: {context.command_path} --help")
    except ResilintError as problem:
        complain(f"error: {problem}")
    except Exception as problem:
        from resilint.check.internal import HINT, debugging, describe

        if debugging():
            raise
        complain(f"internal error: {describe(problem)}\n{HINT}")
    return WRONG
