"""The terminal."""

from functools import cache

from rich.console import Console


@cache
def console() -> Console:
    return Console(highlight=False)


@cache
def wide_console() -> Console:
    """For tables of paths, which are to be copied: nothing is folded."""
    return Console(highlight=False, width=1000)
