"""``match`` statements: what a pattern compares the subject with, and what it binds."""

from __future__ import annotations

import libcst as cst

from resilint.facts import Bind, Case, Mapping, Match, Reference, Sequence, Spread, Step, Value
from resilint.syntax.expressions import Expressions
from resilint.syntax.literals import UNKNOWN


class Patterns(Expressions):
    """The part of the lowering that knows patterns."""

    def lower_match(self, node: cst.Match) -> None:
        self.header(node)
        subject = self.value(node.subject)
        cases = tuple([self._case(case, subject) for case in node.cases])
        self.steps.append(Match(subject, cases))

    def _case(self, node: cst.MatchCase, subject: Value) -> Case:
        self.header(node)
        steps, self.steps = self.steps, []
        patterns, irrefutable = self._alternatives(node.pattern, subject)
        guarding: list[Step] = []
        guard: Value | None = None
        if node.guard is not None:
            # The guard sees what the pattern has bound.
            guard = self.value(node.guard)
            guarding = self.steps
            self.steps = []
        self.suite(node.body)
        body = self.steps
        self.steps = steps
        return Case(patterns, irrefutable, guard, tuple(guarding), tuple(body))

    def _alternatives(self, node: cst.CSTNode, subject: Value) -> tuple[tuple[Value, ...], bool]:
        """What ``node`` compares ``subject`` with, and whether it matches in any case."""
        if isinstance(node, cst.MatchOr):
            values: list[Value] = []
            irrefutable = False
            for element in node.patterns:
                more, always = self._alternatives(element.pattern, subject)
                values.extend(more)
                irrefutable = irrefutable or always
            return tuple(values), irrefutable
        if isinstance(node, cst.MatchAs):
            found: tuple[tuple[Value, ...], bool] = ((), True)
            if node.pattern is not None:
                found = self._alternatives(node.pattern, subject)
            if node.name is not None:
                self._bind(node.name, subject)
            return found
        return (self._pattern(node),), False

    def _pattern(self, node: cst.CSTNode) -> Value:
        """The value that a pattern stands for; whatever may be anything in it is unknown."""
        if isinstance(node, cst.MatchValue):
            return self._constant(node.value)
        if isinstance(node, cst.MatchSingleton):
            return self.value(node.value)
        if isinstance(node, (cst.MatchList, cst.MatchTuple)):
            items: list[Value] = []
            for element in node.patterns:
                if isinstance(element, cst.MatchStar):
                    if element.name is not None:
                        self._bind(element.name, UNKNOWN)
                    items.append(Spread(UNKNOWN))
                else:
                    items.append(self._nested(element.value))
            return Sequence("list", tuple(items))
        if isinstance(node, cst.MatchMapping):
            pairs: list[tuple[Value | None, Value]] = [
                (self._constant(element.key), self._nested(element.pattern)) for element in node.elements
            ]
            if node.rest is not None:
                self._bind(node.rest, UNKNOWN)
            return Mapping(tuple(pairs))
        if isinstance(node, cst.MatchClass):
            value = self._constant(node.cls)
            for positional in node.patterns:
                self._nested(positional.value)
            for keyword in node.kwds:
                self._nested(keyword.pattern)
            return Spread(value)
        return UNKNOWN

    def _nested(self, node: cst.CSTNode) -> Value:
        values, _ = self._alternatives(node, UNKNOWN)
        # Within a sequence a Spread would be a star.
        return values[0] if len(values) == 1 and not isinstance(values[0], Spread) else UNKNOWN

    def _bind(self, name: cst.Name, value: Value) -> None:
        self.steps.append(Bind(Reference(self.name(name)), value, None, self.span(*self.at[id(name)])))

    def _constant(self, node: cst.BaseExpression) -> Value:
        """A dotted name or a literal in a pattern; reading its attributes is not worth a step."""
        steps, self.steps = self.steps, []
        value = self.value(node)
        self.steps = steps
        return value

    def header(self, node: cst.CSTNode) -> None:
        raise NotImplementedError

    def suite(self, node: cst.BaseSuite) -> None:
        raise NotImplementedError
