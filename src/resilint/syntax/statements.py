"""Statements to steps: one ``lower_X`` for every statement class of LibCST."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Collection
from typing import Any

import libcst as cst

from resilint.facts import (
    Arithmetic,
    Bind,
    Branch,
    Break,
    Continue,
    Decorator,
    Define,
    Handler,
    Imported,
    Loop,
    Raise,
    Reference,
    Return,
    Sequence,
    Star,
    Step,
    Try,
    TypeParameter,
    Value,
    With,
    WithItem,
)
from resilint.facts.module import Argument
from resilint.syntax.expressions import Expressions
from resilint.syntax.literals import string_value
from resilint.syntax.patterns import Patterns
from resilint.syntax.positions import BINARY, Positions
from resilint.syntax.scopes import Frame

_AUGMENTED: dict[type, str] = {getattr(cst, f"{name}Assign"): text for name, text in BINARY.items()}
_BREAK = Break()
_CONTINUE = Continue()


class Statements(Patterns, Expressions):
    """The part of the lowering that knows statements."""

    def __init__(self, module: cst.Module, text: str, positions: Positions) -> None:
        super().__init__(module, text, positions)
        self.statements: list[tuple[int, int]] = []
        self.statement_table: dict[type, Callable[[Any], None]] = {
            cst.SimpleStatementLine: self.lower_simple,
            cst.Expr: self.lower_expression,
            cst.Assign: self.lower_assign,
            cst.AnnAssign: self.lower_annotated,
            cst.AugAssign: self.lower_augmented,
            cst.Return: self.lower_return,
            cst.Raise: self.lower_raise,
            cst.Assert: self.lower_assert,
            cst.Del: self.lower_delete,
            cst.Pass: self.lower_nothing,
            cst.Break: self.lower_break,
            cst.Continue: self.lower_continue,
            cst.Global: self.lower_global,
            cst.Nonlocal: self.lower_nonlocal,
            cst.Import: self.lower_import,
            cst.LazyImport: self.lower_import,
            cst.ImportFrom: self.lower_import_from,
            cst.LazyImportFrom: self.lower_import_from,
            cst.TypeAlias: self.lower_alias,
            cst.If: self.lower_if,
            cst.While: self.lower_while,
            cst.For: self.lower_for,
            cst.With: self.lower_with,
            cst.Try: self.lower_try,
            cst.TryStar: self.lower_try,
            cst.Match: self.lower_match,
            cst.FunctionDef: self.lower_function,
            cst.ClassDef: self.lower_class,
        }

    def close(self) -> None:
        """Lets go of the tables, which hold methods of this object: with the collector off it would stay for ever."""
        self.table.clear()
        self.statement_table.clear()
        self.positions.close()

    # Blocks

    def block(self, nodes: Collection[cst.CSTNode]) -> None:
        table = self.statement_table
        for node in nodes:
            table[node.__class__](node)

    def suite(self, node: cst.BaseSuite) -> None:
        if node.__class__ is cst.IndentedBlock:
            self.block(node.body)
        else:
            self.lower_simple(node)  # type: ignore[arg-type]

    def steps_of(self, node: cst.CSTNode | None) -> tuple[Step, ...]:
        """The steps of the body of ``node``, if there is one, apart from the current ones."""
        if node is None:
            return ()
        steps, self.steps = self.steps, []
        self.suite(node.body)  # type: ignore[attr-defined]
        made = tuple(self.steps)
        self.steps = steps
        return made

    def lower_simple(self, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> None:
        """A line of small statements."""
        table = self.statement_table
        positions = self.positions
        at = self.at
        for small in node.body:
            begin, end = at[id(small)]
            line = self.statement = positions.line(begin)
            last = positions.line(end)
            if last != line and not (small.__class__ is cst.Expr and small.value.__class__ is cst.SimpleString):
                self.statements.append((line, last))
            table[small.__class__](small)

    def header(self, node: cst.CSTNode) -> None:
        """Notes where the header of a compound statement stands."""
        places = self.at[id(node)]
        begin, end = places if len(places) == 2 else places[1:3]
        line = self.statement = self.positions.line(begin)
        last = self.positions.line(end)
        if last != line:
            self.statements.append((line, last))

    # Small statements

    def lower_nothing(self, node: cst.Pass) -> None:
        pass

    def lower_break(self, node: cst.Break) -> None:
        self.steps.append(_BREAK)

    def lower_continue(self, node: cst.Continue) -> None:
        self.steps.append(_CONTINUE)

    def lower_expression(self, node: cst.Expr) -> None:
        value = node.value
        kind = value.__class__
        if kind is cst.Call:
            self.call(value, False, True)  # type: ignore[arg-type]
        elif kind is cst.Await:
            self.awaited(value, True)  # type: ignore[arg-type]
        elif kind is not cst.SimpleString:
            self.value(value)

    def lower_return(self, node: cst.Return) -> None:
        value = None if node.value is None else self.value(node.value)
        self.steps.append(Return(value, self.span(*self.at[id(node)])))

    def lower_raise(self, node: cst.Raise) -> None:
        value = None if node.exc is None else self.value(node.exc)
        if node.cause is not None:
            self.value(node.cause.item)
        self.steps.append(Raise(value, self.span(*self.at[id(node)])))

    def lower_assert(self, node: cst.Assert) -> None:
        test = self.value(node.test)
        steps, self.steps = self.steps, []
        if node.msg is not None:
            self.value(node.msg)
        self.steps.append(Raise(None, self.span(*self.at[id(node)]), True))
        steps.append(Branch(test, (), tuple(self.steps)))
        self.steps = steps

    def lower_assign(self, node: cst.Assign) -> None:
        value = self.value(node.value)
        _, end = self.at[id(node)]
        for target in node.targets:
            bound = self.target(target.target)
            self.steps.append(Bind(bound, value, None, self.span(self.at[id(target)][0], end)))

    def lower_annotated(self, node: cst.AnnAssign) -> None:
        annotation = node.annotation.annotation
        value: Value | None = None
        if node.value is not None:
            is_alias = (
                annotation.value == "TypeAlias"
                if isinstance(annotation, cst.Name)
                else isinstance(annotation, cst.Attribute) and annotation.attr.value == "TypeAlias"
            )
            value = self.annotation(node.value) if is_alias else self.value(node.value)
        target = self.target(node.target)
        meant = self.annotation(annotation)
        self.steps.append(Bind(target, value, meant, self.span(*self.at[id(node)])))

    def lower_augmented(self, node: cst.AugAssign) -> None:
        before = self.value(node.target)
        value = self.value(node.value)
        if before.__class__ is Reference:
            self.modules.discard(before.name)
        operator = _AUGMENTED[node.operator.__class__]
        self.steps.append(Bind(before, Arithmetic(operator, before, value), None, self.span(*self.at[id(node)]), True))

    def lower_delete(self, node: cst.Del) -> None:
        span = self.span(*self.at[id(node)])
        stack: list[cst.CSTNode] = [node.target]
        while stack:
            target = stack.pop()
            if isinstance(target, (cst.Tuple, cst.List)):
                stack.extend([element.value for element in reversed(target.elements)])
            else:
                self.steps.append(Bind(self.target(target), None, None, span))

    def lower_global(self, node: cst.Global) -> None:
        self.frame.outer.extend([self.name(item.name) for item in node.names])

    def lower_nonlocal(self, node: cst.Nonlocal) -> None:
        self.frame.enclosing.extend([self.name(item.name) for item in node.names])

    def lower_alias(self, node: cst.TypeAlias) -> None:
        self.type_parameters(node.type_parameters)
        value = self.annotation(node.value)
        self.steps.append(Bind(Reference(self.name(node.name)), value, None, self.span(*self.at[id(node)])))

    # Imports

    def lower_import(self, node: cst.Import | cst.LazyImport) -> None:
        for alias in node.names:
            module = self._dotted(alias.name)
            if alias.asname is not None:
                name = self._alias(alias.asname)
                value = Imported(module)
            else:
                name = module.partition(".")[0]
                value = Imported(name, 0, None, module if module != name else "")
            self.modules.add(name)
            self.steps.append(Bind(Reference(name), value, None, self.span(*self.at[id(alias)])))

    def lower_import_from(self, node: cst.ImportFrom | cst.LazyImportFrom) -> None:
        module = "" if node.module is None else self._dotted(node.module)
        level = len(node.relative)
        if isinstance(node.names, cst.ImportStar):
            self.steps.append(Star(module, level))
            return
        for alias in node.names:
            imported = self._dotted(alias.name)
            name = imported if alias.asname is None else self._alias(alias.asname)
            self.modules.discard(name)
            value = Imported(module, level, imported)
            self.steps.append(Bind(Reference(name), value, None, self.span(*self.at[id(alias)])))

    def _dotted(self, node: cst.BaseExpression) -> str:
        names = []
        while isinstance(node, cst.Attribute):
            names.append(self.name(node.attr))
            node = node.value
        if isinstance(node, cst.Name):
            names.append(self.name(node))
        return ".".join(reversed(names))

    def _alias(self, node: cst.AsName) -> str:
        return self.name(node.name) if isinstance(node.name, cst.Name) else ""

    # Compound statements

    def lower_if(self, node: cst.If) -> None:
        self.header(node)
        test = self.value(node.test)
        body = self.steps_of(node)
        orelse = node.orelse
        if isinstance(orelse, cst.If):
            steps, self.steps = self.steps, []
            self.lower_if(orelse)
            rest = tuple(self.steps)
            self.steps = steps
        else:
            rest = self.steps_of(orelse)
        self.steps.append(Branch(test, body, rest))

    def lower_while(self, node: cst.While) -> None:
        self.header(node)
        steps, self.steps = self.steps, []
        test = self.value(node.test)
        condition = tuple(self.steps)
        self.steps = steps
        span = self.span(*self.at[id(node)])
        body = self.steps_of(node)
        steps.append(Loop("while", None, test, condition, body, self.steps_of(node.orelse), False, span))

    def lower_for(self, node: cst.For) -> None:
        self.header(node)
        subject = self.value(node.iter)
        span = self.span(*self.at[id(node)])
        steps, self.steps = self.steps, []
        target = self.target(node.target)
        self.suite(node.body)
        body = tuple(self.steps)
        self.steps = steps
        orelse = self.steps_of(node.orelse)
        steps.append(Loop("for", target, subject, (), body, orelse, node.asynchronous is not None, span))

    def lower_with(self, node: cst.With) -> None:
        self.header(node)
        span = self.span(*self.at[id(node)])
        steps, self.steps = self.steps, []
        items = []
        for item in node.items:
            value = self.value(item.item)
            entering = tuple(self.steps)
            # What finds a target runs after its manager is entered, so before the next one.
            self.steps = []
            target = None if item.asname is None else self.target(item.asname.name)
            items.append(WithItem(value, target, self.span(*self.at[id(item.item)]), entering))
        self.suite(node.body)
        body = tuple(self.steps)
        self.steps = steps
        steps.append(With(tuple(items), body, node.asynchronous is not None, span))

    def lower_try(self, node: cst.Try | cst.TryStar) -> None:
        body = self.steps_of(node)
        handlers = tuple([self._handler(handler) for handler in node.handlers])
        orelse = self.steps_of(node.orelse)
        final = self.steps_of(node.finalbody)
        self.steps.append(Try(body, handlers, orelse, final, isinstance(node, cst.TryStar)))

    def _handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> Handler:
        self.header(node)
        steps, self.steps = self.steps, []
        types: tuple[Value, ...] = ()
        if node.type is not None:
            value = self.value(node.type)
            types = value.items if isinstance(value, Sequence) else (value,)
        name = None if node.name is None else self._alias(node.name)
        self.suite(node.body)
        body = tuple(self.steps)
        self.steps = steps
        return Handler(types, name, body)

    # Definitions

    def lower_function(self, node: cst.FunctionDef) -> None:
        decorators = self._decorators(node.decorators)
        self.header(node)
        type_parameters = self.type_parameters(node.type_parameters)
        parameters = self.parameters(node.params)
        returns = None if node.returns is None else self.annotation(node.returns.annotation)
        frame = Frame("function", self.name(node.name), self.frame, len(self.scopes))
        frame.decorators = decorators
        frame.type_parameters = type_parameters
        frame.parameters = parameters
        frame.returns = returns
        frame.is_async = node.asynchronous is not None
        hidden = self.hide(parameters)
        self._define(node, frame)
        self.modules |= hidden

    def lower_class(self, node: cst.ClassDef) -> None:
        decorators = self._decorators(node.decorators)
        self.header(node)
        type_parameters = self.type_parameters(node.type_parameters)
        bases: tuple[Argument, ...] = ()
        if node.bases or node.keywords:
            bases = self.arguments((*node.bases, *node.keywords))
        frame = Frame("class", self.name(node.name), self.frame, len(self.scopes))
        frame.decorators = decorators
        frame.type_parameters = type_parameters
        frame.bases = bases
        self._define(node, frame)

    def _define(self, node: cst.FunctionDef | cst.ClassDef, frame: Frame) -> None:
        """Lowers the body of a definition and binds its name."""
        line = self.positions.line
        first, keyword, colon, last = self.at[id(node)]
        frame.span = self.span(*self.at[id(node.name)])
        frame.lines = (line(first), line(keyword), line(last))
        frame.header_end = line(colon)
        frame.docstring = _docstring(node.body)
        self.scopes.append(None)
        outer, self.frame = self.frame, frame
        steps, self.steps = self.steps, []
        self.suite(node.body)
        self.scopes[frame.index] = frame.finished(self.steps)
        self.frame = outer
        self.steps = steps
        self.modules.discard(frame.name)
        steps.append(Define(frame.name, frame.index))

    def _decorators(self, nodes: Collection[cst.Decorator]) -> tuple[Decorator, ...]:
        made = []
        for node in nodes:
            expression = node.decorator
            begin, end = self.at[id(expression)]
            span = self.span(begin, end)
            self.statement = span.line
            if span.end_line != span.line:
                self.statements.append((span.line, span.end_line))
            made.append(Decorator(self.value(expression), span))
        return tuple(made)

    def type_parameters(self, node: cst.TypeParameters | None) -> tuple[TypeParameter, ...]:
        if node is None:
            return ()
        made = []
        for element in node.params:
            parameter = element.param
            bound = self.annotation(parameter.bound) if isinstance(parameter, cst.TypeVar) and parameter.bound else None
            if element.default is not None:
                self.annotation(element.default)
            made.append(TypeParameter(self.name(parameter.name), bound))
        return tuple(made)


def _docstring(body: cst.BaseSuite) -> str:
    """The first line of a docstring that says something."""
    if not body.body:
        return ""
    statement: cst.CSTNode = body.body[0]
    if isinstance(statement, cst.SimpleStatementLine):
        statement = statement.body[0]
    if not isinstance(statement, cst.Expr):
        return ""
    value = statement.value
    text = ""
    if isinstance(value, cst.SimpleString):
        literal = string_value(value.value)
        text = "" if literal.is_bytes else literal.value
    return text.strip().partition("\n")[0].rstrip()
