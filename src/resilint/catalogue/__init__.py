"""What libraries mean, as data: one TOML file a library, read into one table that the linker asks by dotted name."""

from resilint.catalogue.schema import Callable_, Class_, Condition, Library, Registration
from resilint.catalogue.table import Catalogue, load_catalogue

__all__ = ["Callable_", "Catalogue", "Class_", "Condition", "Library", "Registration", "load_catalogue"]
