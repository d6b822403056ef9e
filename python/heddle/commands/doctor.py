"""heddle doctor: what works on this machine."""


def doctor() -> None:
    """Say what works on this machine, and what to do about the rest."""
