"""resilint: whole-program analysis of how long Python services wait, and under which deadline."""

__version__ = "0.1.0"
