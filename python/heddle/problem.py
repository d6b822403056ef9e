"""What goes wrong and can be mended by the user: printed as one sentence, without a traceback."""


class Problem(Exception):
    """What, why, what now. `code` becomes the exit status."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code
