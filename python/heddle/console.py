"""The terminal."""

from functools import cache

from rich.console import Console


@cache
def console() -> Console:
    return Console(highlight=False)
