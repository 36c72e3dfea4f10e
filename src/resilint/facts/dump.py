"""Facts as text for people: ``resilint debug facts`` prints it, tests compare it.

A scope is a paragraph, a step a line. ``$3`` is what call site 3 of the scope returns, ``#2`` the scope 2 as a
value, ``?`` the unknown.
"""

from __future__ import annotations

from collections.abc import Iterator

from resilint.domain import Span
from resilint.facts.module import Argument, ModuleFacts, Parameter, Scope, Site
from resilint.facts.step import (
    Await,
    Bind,
    Branch,
    Break,
    Continue,
    Define,
    Handler,
    Invoke,
    Load,
    Loop,
    Match,
    Raise,
    Return,
    Star,
    Step,
    Try,
    With,
    Yield,
)
from resilint.facts.value import (
    Arithmetic,
    Attribute,
    Awaited,
    Boolean,
    Choice,
    Compare,
    Constant,
    Format,
    Imported,
    Mapping,
    Negative,
    Not,
    Number,
    Reference,
    Result,
    ScopeValue,
    Sequence,
    Slice,
    Spread,
    Subscript,
    Text,
    Value,
    Yielded,
)

_BRACKETS = {"tuple": ("(", ")"), "list": ("[", "]"), "set": ("{", "}")}
_STARS = {"variadic": "*", "keywords": "**"}


def dump(facts: ModuleFacts, *, places: bool = True) -> str:
    """All of ``facts``; without ``places`` only what does not change with the layout of the file."""
    return "\n".join(_module(facts, places)) + "\n"


def _module(facts: ModuleFacts, places: bool) -> Iterator[str]:
    if facts.problem is not None:
        place = f"{facts.problem.span.line}:{facts.problem.span.column}: " if places else ""
        yield f"problem: {place}{facts.problem.message}"
    if facts.generated:
        yield "generated"
    if facts.exports is not None:
        yield f"exports: {', '.join(facts.exports)}"
    for comment in facts.comments:
        place = f"{comment.span.line}:{comment.span.column} " if places else ""
        yield f"comment: {place}{'alone ' if comment.alone else ''}{comment.text}"
    if places and facts.statements:
        yield f"statements: {', '.join(f'{first}-{last}' for first, last in facts.statements)}"
    for index, scope in enumerate(facts.scopes):
        yield from _Scope(scope, places).lines(index)


class _Scope:
    def __init__(self, scope: Scope, places: bool) -> None:
        self._scope = scope
        self._places = places

    def lines(self, index: int) -> Iterator[str]:
        scope = self._scope
        words = [f"#{index}", "async" if scope.is_async else "", "generator" if scope.is_generator else "", scope.kind]
        title = " ".join(word for word in [*words, scope.qualname] if word)
        if scope.parent > 0:
            title += f" in #{scope.parent}"
        if self._places:
            lines = "/".join(map(str, scope.lines))
            title += f"  lines {lines}, header to {scope.header_end}, name at {self._place(scope.span)}"
        yield title
        if scope.docstring:
            yield f"  doc {scope.docstring!r}"
        for decorator in scope.decorators:
            yield f"  @{show(decorator.value)}"
        for variable in scope.type_parameters:
            yield f"  type parameter {variable.name}" + (f": {show(variable.bound)}" if variable.bound else "")
        if scope.bases:
            yield f"  bases {_arguments(scope.bases)}"
        for parameter in scope.parameters:
            yield f"  parameter {_parameter(parameter)}"
        if scope.returns is not None:
            yield f"  -> {show(scope.returns)}"
        if scope.outer:
            yield f"  global {', '.join(scope.outer)}"
        if scope.enclosing:
            yield f"  nonlocal {', '.join(scope.enclosing)}"
        yield from self._steps(scope.body, "  ")

    def _place(self, span: Span) -> str:
        last = f"{span.end_line}:" if span.end_line != span.line else ""
        return f"{span.line}:{span.column}-{last}{span.end_column}"

    def _at(self, span: Span) -> str:
        return f"  @{self._place(span)}" if self._places else ""

    def _steps(self, steps: tuple[Step, ...], indent: str) -> Iterator[str]:
        for step in steps:
            yield from self._step(step, indent)

    def _nested(self, title: str, steps: tuple[Step, ...], indent: str) -> Iterator[str]:
        if steps:
            yield f"{indent}{title}:"
            yield from self._steps(steps, indent + "  ")

    def _step(self, step: Step, indent: str) -> Iterator[str]:
        if isinstance(step, Invoke):
            yield indent + self._site(step.site)
        elif isinstance(step, Await):
            yield f"{indent}await {show(step.value)}{self._at(step.span)}"
        elif isinstance(step, Load):
            yield f"{indent}load {show(step.value)}{self._at(step.span)}"
        elif isinstance(step, Bind):
            yield indent + self._bind(step)
        elif isinstance(step, Star):
            yield f"{indent}from {'.' * step.level}{step.module} import *"
        elif isinstance(step, Define):
            yield f"{indent}define {step.name} = #{step.scope}"
        elif isinstance(step, Loop):
            yield from self._loop(step, indent)
        elif isinstance(step, With):
            yield f"{indent}{'async ' if step.is_async else ''}with{self._at(step.span)}"
            for item in step.items:
                yield from self._steps(item.entering, indent + "  | ")
                target = f" as {show(item.target)}" if item.target is not None else ""
                yield f"{indent}  item {show(item.value)}{target}{self._at(item.span)}"
            yield from self._steps(step.body, indent + "  ")
        elif isinstance(step, Branch):
            yield f"{indent}if {show(step.test)}"
            yield from self._steps(step.body, indent + "  ")
            yield from self._nested("else", step.orelse, indent)
        elif isinstance(step, Match):
            yield from self._match(step, indent)
        elif isinstance(step, Try):
            yield f"{indent}try{'*' if step.is_star else ''}"
            yield from self._steps(step.body, indent + "  ")
            for handler in step.handlers:
                yield f"{indent}except {_handler(handler)}".rstrip()
                yield from self._steps(handler.body, indent + "  ")
            yield from self._nested("else", step.orelse, indent)
            yield from self._nested("finally", step.final, indent)
        elif isinstance(step, Return):
            yield f"{indent}return{_operand(step.value)}{self._at(step.span)}"
        elif isinstance(step, Raise):
            yield f"{indent}raise{_operand(step.value)}{' asserted' if step.asserted else ''}{self._at(step.span)}"
        elif isinstance(step, Yield):
            yield f"{indent}yield{' from' if step.is_from else ''}{_operand(step.value)}{self._at(step.span)}"
        elif isinstance(step, Break):
            yield f"{indent}break"
        elif isinstance(step, Continue):
            yield f"{indent}continue"

    def _site(self, index: int) -> str:
        site: Site = self._scope.sites[index]
        flags = (" awaited" if site.awaited else "") + (" dropped" if site.dropped else "")
        statement = f" statement {site.statement}" if self._places and site.statement != site.span.line else ""
        return f"${index} = {show(site.callee)}({_arguments(site.arguments)}){flags}{self._at(site.span)}{statement}"

    def _bind(self, step: Bind) -> str:
        target = show(step.target)
        annotation = f": {show(step.annotation)}" if step.annotation is not None else ""
        if step.value is None:
            return f"{'declare' if annotation else 'del'} {target}{annotation}{self._at(step.span)}"
        sign = "<-" if step.augmented else "="
        return f"{target}{annotation} {sign} {show(step.value)}{self._at(step.span)}"

    def _loop(self, step: Loop, indent: str) -> Iterator[str]:
        head = f"{indent}{'async ' if step.is_async else ''}{step.kind} "
        if step.kind == "while":
            yield from self._steps(step.condition, indent + "  | ")
            yield f"{head}{show(step.subject)}{self._at(step.span)}"
        else:
            target = show(step.target) if step.target is not None else ""
            yield f"{head}{target} in {show(step.subject)}{self._at(step.span)}"
        yield from self._steps(step.body, indent + "  ")
        yield from self._nested("else", step.orelse, indent)

    def _match(self, step: Match, indent: str) -> Iterator[str]:
        yield f"{indent}match {show(step.subject)}"
        for case in step.cases:
            patterns = " | ".join(show(pattern) for pattern in case.patterns)
            always = " (any)" if case.irrefutable else ""
            yield from self._steps(case.guarding, indent + "  | ")
            guard = f" if {show(case.guard)}" if case.guard is not None else ""
            yield f"{indent}  case {patterns}{always}{guard}".replace("  (", " (")
            yield from self._steps(case.body, indent + "    ")


def _handler(handler: Handler) -> str:
    types = ", ".join(show(value) for value in handler.types)
    return f"{types} as {handler.name}" if handler.name else types


def _operand(value: Value | None) -> str:
    return "" if value is None else f" {show(value)}"


def _arguments(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(
        f"{argument.name}{show(argument.value)}"
        if argument.name in ("", "*", "**")
        else f"{argument.name}={show(argument.value)}"
        for argument in arguments
    )


def _parameter(parameter: Parameter) -> str:
    annotation = f": {show(parameter.annotation)}" if parameter.annotation is not None else ""
    default = f" = {show(parameter.default)}" if parameter.default is not None else ""
    kind = f" ({parameter.kind})" if parameter.kind in ("positional", "keyword") else ""
    return f"{_STARS.get(parameter.kind, '')}{parameter.name}{annotation}{default}{kind}"


def show(value: Value | None) -> str:
    """One value, close to how Python writes it."""
    if value is None:
        return ""
    if isinstance(value, Number):
        return repr(value.value)
    if isinstance(value, Text):
        return f"b{value.value!r}" if value.is_bytes else repr(value.value)
    if isinstance(value, Constant):
        return str(value.value)
    if isinstance(value, Reference):
        return value.name
    if isinstance(value, Attribute):
        return f"{_operand_of(value.value)}.{value.name}"
    if isinstance(value, Subscript):
        return f"{_operand_of(value.value)}[{show(value.index)}]"
    if isinstance(value, Slice):
        step = f":{show(value.step)}" if value.step is not None else ""
        return f"{show(value.lower)}:{show(value.upper)}{step}"
    if isinstance(value, Result):
        return f"${value.site}"
    if isinstance(value, Awaited):
        return f"await {_operand_of(value.value)}"
    if isinstance(value, Yielded):
        return "yielded"
    if isinstance(value, (Arithmetic, Compare)):
        return f"{_operand_of(value.left)} {value.operator} {_operand_of(value.right)}"
    if isinstance(value, Negative):
        return f"-{_operand_of(value.value)}"
    if isinstance(value, Not):
        return f"not {_operand_of(value.value)}"
    if isinstance(value, Boolean):
        return f" {value.operator} ".join(_operand_of(operand) for operand in value.values)
    if isinstance(value, Choice):
        return f"{_operand_of(value.body)} if {_operand_of(value.test)} else {_operand_of(value.orelse)}"
    if isinstance(value, Sequence):
        opening, closing = _BRACKETS[value.kind]
        comma = "," if value.kind == "tuple" and len(value.items) == 1 else ""
        return f"{opening}{', '.join(show(item) for item in value.items)}{comma}{closing}"
    if isinstance(value, Mapping):
        pairs = [f"**{show(item)}" if key is None else f"{show(key)}: {show(item)}" for key, item in value.items]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Spread):
        return f"{'lazily ' if value.lazy else ''}{'each ' if value.repeated else '*'}{show(value.value)}"
    if isinstance(value, Format):
        return f"f({', '.join(show(part) for part in value.parts)})"
    if isinstance(value, ScopeValue):
        return f"#{value.scope}"
    if isinstance(value, Imported):
        source = "." * value.level + value.module
        loaded = f" (loads {value.loads})" if value.loads else ""
        return f"import {source}{loaded}" if value.name is None else f"from {source} import {value.name}"
    return "?"


def _operand_of(value: Value) -> str:
    """A value as part of a larger one."""
    text = show(value)
    return f"({text})" if isinstance(value, (Arithmetic, Compare, Boolean, Choice, Not, Awaited, Negative)) else text
