"""Groups of calls that the configuration names must be ones that some catalogue file has."""

from __future__ import annotations

from collections.abc import Iterator

from resilint.catalogue import Catalogue
from resilint.catalogue.schema import Callable_
from resilint.config import Configuration, nearest
from resilint.config.keys import BLOCKING_GROUPS, OFF_GROUPS, OUTBOUND_GROUPS
from resilint.domain import ConfigurationError


def check_groups(configuration: Configuration, catalogue: Catalogue) -> None:
    """Refuse unknown groups.

    Raises:
        ConfigurationError: naming the nearest known one.
    """
    meanings = list(_meanings(catalogue))
    outbound = {*OUTBOUND_GROUPS, *OFF_GROUPS, *(m.outbound for m in meanings if m.outbound)}
    blocking = {*BLOCKING_GROUPS, *(m.blocking for m in meanings if m.blocking)}
    for key, words, known in (
        ("outbound-groups", configuration.outbound_groups, outbound),
        ("blocking-groups", configuration.blocking_groups, blocking),
    ):
        for index, word in enumerate(words):
            if word not in known:
                origin = configuration.origins.get(f"{key}[{index}]", configuration.origin(key))
                hint = nearest(word, known) or f" (known: {', '.join(sorted(known))})"
                raise ConfigurationError(f'no group "{word}" in "{key}"{hint}', origin.path, origin.line)


def _meanings(catalogue: Catalogue) -> Iterator[Callable_]:
    for library in catalogue.libraries:
        yield from library.function.values()
        for klass in library.klass.values():
            yield from klass.method.values()
            yield from (meaning for meaning in (klass.new, klass.enter, klass.call) if meaning is not None)
