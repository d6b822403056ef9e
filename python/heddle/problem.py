"""Errors that the user can mend. They are printed as a message, without a traceback."""


class Problem(Exception):
    """The message says what failed, why, and how to mend it. `code` becomes the exit status."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code
