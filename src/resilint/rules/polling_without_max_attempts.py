"""R-RES-ASYNC-1: a worker tries again and again, and nothing ends it."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Confidence, Role, Severity
from resilint.rule import Finding, Rule
from resilint.summaries import Analysis
from resilint.summaries.attempts import Rescheduling, reschedulings
from resilint.summaries.polls import Poll, polls

HINT = "Compare the attempts with a limit before the next try; after it mark the task FAILED and raise an alert."
UNCAPPED = " Cap the delay too, min(2**attempts, 300), for it grows without a bound."
POLL_HINT = "Count the polls or set a deadline; when it is reached mark the task FAILED and raise an alert."


def check(analysis: Analysis) -> Iterator[Finding]:
    """Tasks that are rescheduled without a limit, and loops that poll for ever."""
    for one in reschedulings(analysis):
        yield _rescheduled(analysis, one)
    for poll in polls(analysis):
        yield _polled(analysis, poll)


def _rescheduled(analysis: Analysis, one: Rescheduling) -> Finding:
    what = {"call": f"{one.what} is called", "due": f"{one.what} is set", "count": f"{one.what} is raised"}[one.kind]
    return Finding(
        path=analysis.path(one.func),
        span=one.span,
        message=f"{what} with no limit of attempts on the way: the task is tried for ever",
        role=Role.WORKER,
        subject=one.what,
        function=analysis.qualname(one.func),
        hint=HINT + (UNCAPPED if one.uncapped else ""),
        confidence=Confidence.MEDIUM,
    )


def _polled(analysis: Analysis, poll: Poll) -> Finding:
    what = f"repeats {poll.asks} until it succeeds" if poll.repeats else f"polls {poll.asks} until its answer changes"
    return Finding(
        path=analysis.path(poll.func),
        span=poll.span,
        message=f"an endless loop {what}, with neither a count of attempts nor a deadline",
        role=Role.WORKER,
        subject=poll.asks,
        function=analysis.qualname(poll.func),
        hint=POLL_HINT,
        confidence=Confidence.MEDIUM,
    )


RULE = Rule(
    id="R-RES-ASYNC-1",
    name="polling-without-max-attempts",
    severity=Severity.ERROR,
    summary="a worker reschedules or polls without a limit of attempts",
    check=check,
)
