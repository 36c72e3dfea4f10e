"""The report for people: a headline, the code with the place underlined, the call path, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resilint.domain import Diagnostic, Severity
from resilint.reports.safe import expanded, safe, safe_path
from resilint.reports.summary import Report, counted, url

CROWD = 50
"""From this many reports on they are grouped, worst first."""
WINDOW = 3
"""Source lines of a place that spans several."""
MAXIMUM = 160
"""Characters of a source line that are shown."""

_CODES = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "path": "1",
    "mark": "1;31",
    "hint": "32",
}


@dataclass(frozen=True, slots=True)
class Style:
    """Colours and links, or none."""

    colour: bool = False
    links: bool = False
    """Whether the terminal knows OSC 8, the sequence for a link."""

    def paint(self, what: str, text: str) -> str:
        return f"\x1b[{_CODES[what]}m{text}\x1b[0m" if self.colour and text else text

    def link(self, target: str, text: str) -> str:
        """``text`` that opens ``target``, an address made here: nothing of a stranger stands in it."""
        return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\" if self.links else text


def text(report: Report, style: Style, *, everything: bool = False, closing: bool = True) -> str:
    """All reports in full; a crowd of them grouped, unless ``everything`` is wanted."""
    crowd = len(report.diagnostics) >= CROWD and not everything
    parts = list(_grouped(report, style) if crowd else _listed(report, style))
    if crowd:
        parts.append(_table(report.diagnostics, style))
    if closing:
        parts.append(_closing(report, style, crowd=crowd))
    return "\n".join(parts)


def _listed(report: Report, style: Style) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield "\n".join(_full(diagnostic, report, style)) + "\n"


def _grouped(report: Report, style: Style) -> Iterator[str]:
    """Worst first; of those that say the same of the same thing the first one, and how many more there are."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for diagnostic in report.diagnostics:
        groups.setdefault((diagnostic.name, diagnostic.cover or diagnostic.subject), []).append(diagnostic)
    ordered = sorted(groups.values(), key=lambda g: (-g[0].severity.ordinal, -len(g), g[0].sort_key))
    for group in ordered:
        first = max(group, key=lambda d: (d.severity.ordinal, d.confidence.ordinal))
        lines = list(_full(first, report, style))
        if len(group) > 1:
            lines.append(style.paint("dim", f"  = {_more(group, first)}"))
        yield "\n".join(lines) + "\n"


def _more(group: Sequence[Diagnostic], first: Diagnostic) -> str:
    others = [d for d in group if d is not first]
    files = len({d.path for d in others})
    note = f"and {len(others)} more in {counted(files, 'file')}"
    covers = Counter(d.cover for d in group if d.cover)
    if covers:
        place, number = covers.most_common(1)[0]
        if number > 1:
            note += f"; {safe(place)} would settle {number} of them"
    elif first.subject:
        note += f" on {safe(first.subject)}"
    return note


def _full(diagnostic: Diagnostic, report: Report, style: Style) -> Iterator[str]:
    at = diagnostic.span
    place = style.paint("path", f"{safe_path(diagnostic.path)}:{at.line}:{at.column}")
    rule = style.paint(diagnostic.severity.value, diagnostic.id)
    yield f"{place} {style.link(url(diagnostic.name), f'{rule} ({diagnostic.name})')} {safe(diagnostic.message)}"
    yield from _frame(diagnostic, report.lines(diagnostic.path), style)
    for number, hop in enumerate(diagnostic.trace):
        lead = "path:" if number == 0 else "   ->"
        yield f"  {style.paint('dim', lead)} {safe(hop.path)}:{hop.line}  {safe(hop.text)}"
    if diagnostic.hint:
        yield f"  {style.paint('hint', 'hint:')} {safe(diagnostic.hint)}"


def _frame(diagnostic: Diagnostic, lines: Sequence[str], style: Style) -> Iterator[str]:
    """The line reported, with the place underlined in it."""
    at = diagnostic.span
    if not 1 <= at.line <= len(lines) or not lines[at.line - 1].strip():
        return
    last = min(at.end_line, len(lines), at.line + WINDOW - 1)
    gutter = len(str(last))
    for number in range(at.line, last + 1):
        line = lines[number - 1]
        shown, cells = expanded(line[:MAXIMUM])
        yield f"  {style.paint('dim', f'{number:>{gutter}} |')} {shown}{'...' if len(line) > MAXIMUM else ''}".rstrip()
        end = at.end_column - 1 if number == at.end_line else len(line.rstrip())
        start = at.column - 1 if number == at.line else len(line) - len(line.lstrip())
        start, end = min(start, len(cells) - 1), min(max(end, start + 1), len(cells) - 1)
        marks = max(cells[end] - cells[start], 1)
        if start < len(cells) - 1 or number == at.line:
            margin = style.paint("dim", f"{'':>{gutter}} |")
            yield f"  {margin} {' ' * cells[start]}{style.paint('mark', '^' * marks)}"


def _table(diagnostics: Sequence[Diagnostic], style: Style) -> str:
    """Reports by rule and severity."""
    counts = Counter((d.severity, d.id, d.name) for d in diagnostics)
    rows = sorted(counts.items(), key=lambda row: (-row[0][0].ordinal, -row[1], row[0]))
    wide = max(len(f"{name} ({rule_id})") for (_, rule_id, name), _ in rows)
    lines = [style.paint("bold", f"{'rule':<{wide}}  severity  reports")]
    for (severity, rule_id, name), number in rows:
        label = f"{name} ({rule_id})"
        lines.append(f"{label:<{wide}}  {style.paint(severity.value, f'{severity.value:<8}')}  {number:>7}")
    return "\n".join(lines) + "\n"


def _closing(report: Report, style: Style, *, crowd: bool) -> str:
    """The last lines: counts a rule, what was left out, how long it took."""
    summary = report.summary
    diagnostics = report.diagnostics
    left_out = [
        f"{number} {what}"
        for number, what in ((summary.suppressed, "suppressed"), (summary.baselined, "in the baseline"))
        if number
    ]
    tail = f"{counted(summary.files, 'file')} in {summary.seconds:.1f} s" + (
        f"; {', '.join(left_out)}" if left_out else ""
    )
    if not diagnostics:
        return f"{style.paint('bold', 'No reports')}: {tail}\n"
    severities = [
        counted(report.count(s), s.value) for s in (Severity.ERROR, Severity.WARNING, Severity.INFO) if report.count(s)
    ]
    line = f"{style.paint('bold', ', '.join(severities))} in {tail}"
    if not crowd:
        rules = Counter(d.name for d in diagnostics)
        line += (
            " ("
            + ", ".join(f"{name} {number}" for name, number in sorted(rules.items(), key=lambda r: (-r[1], r[0])))
            + ")"
        )
        return line + "\n"
    return line + (
        "\nSimilar reports are grouped; --verbose shows each, --output-format concise one a line."
        "\nTo accept what there is and fail on new reports only: resilint baseline, then resilint check --baseline"
        " resilint-baseline.json\n"
    )
