"""What can go wrong because of what the user gave; everything else is a defect of resilint."""


class ResilintError(Exception):
    """Base class. ``str()`` is a complete message for the user: what, where, what to do."""


class UsageError(ResilintError):
    """The command line cannot be carried out (exit code 2)."""


class ConfigurationError(ResilintError):
    """The configuration or a catalogue file is broken (exit code 2)."""

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        place = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(place + message)
        self.path = path
        self.line = line
