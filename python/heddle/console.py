"""The terminal."""

from functools import cache

from rich.console import Console


@cache
def console() -> Console:
    return Console(highlight=False)


@cache
def table_console() -> Console:
    """For tables of many columns: in a file or a pipe, which know no width, none is cut."""
    return console() if console().is_terminal else wide_console()


@cache
def wide_console() -> Console:
    """For tables of paths, which are to be copied: nothing is folded."""
    return Console(highlight=False, width=1000)
