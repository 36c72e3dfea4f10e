"""What the user configured: ``[tool.resilint]`` in ``pyproject.toml``, or ``resilint.toml``."""

from resilint.config.configuration import Configuration, Origin, Switches
from resilint.config.reading import file_in, load, nearest

__all__ = ["Configuration", "Origin", "Switches", "file_in", "load", "nearest"]
