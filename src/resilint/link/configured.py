"""The user's own entries (``[tool.resilint.outbound]`` and its like) as one more library of the catalogue."""

from __future__ import annotations

from resilint.catalogue import Callable_, Catalogue, Class_, Library
from resilint.link.inputs import Settings


def configured_library(settings: Settings) -> Library:
    """Classes (or functions, where no methods are listed) of the house: outbound, blocking, enqueueing."""
    functions: dict[str, Callable_] = {}
    methods: dict[str, dict[str, Callable_]] = {}
    for table, meaning in (
        (settings.outbound, Callable_(is_async=True, outbound="http")),
        (settings.blocking, Callable_(blocking="core")),
        (settings.enqueue, Callable_(enqueue=True)),
    ):
        for name, listed in table:
            if not listed:
                functions[name] = meaning
            for method in listed:
                methods.setdefault(name, {})[method] = meaning
    classes = {
        name: Class_(method=listed, client="http" if any(m.outbound for m in listed.values()) else None)
        for name, listed in methods.items()
    }
    return Library(library="configuration", function=functions, klass=classes)


def with_configured(catalogue: Catalogue, settings: Settings) -> Catalogue:
    """The catalogue with the configuration's entries last; itself where there are none."""
    library = configured_library(settings)
    if not library.function and not library.klass:
        return catalogue
    return Catalogue([*catalogue.libraries, library])
