"""Prints prose and tables on the terminal."""

from __future__ import annotations

import re
from functools import cache

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

SPACE = "\ue000"  # a space at which no line may end


@cache
def console() -> Console:
    return Console(highlight=False)


@cache
def table_console() -> Console:
    """A console for tables of many columns. A file or a pipe has no width, so no column is cut
    there."""
    return console() if console().is_terminal else wide_console()


@cache
def wide_console() -> Console:
    """A console that folds no lines, for tables with paths that a user copies."""
    return Console(highlight=False, width=1000)


def say(text: Text, indent: str = "", further: str | None = None) -> None:
    """Prints lines of prose. On a terminal they are wrapped to its width, and no word is split.
    Elsewhere each line stays one line, for grep. `further`: the indent of a line's second and later
    parts."""
    out = console()
    further = indent if further is None else further
    for line in text.split("\n", allow_blank=True):
        parts = _wrapped(line, max(20, out.width - len(further))) if out.is_terminal else [line]
        for number, part in enumerate(parts):
            part.rstrip()
            part.plain = part.plain.replace(SPACE, " ")
            out.print(Text.assemble(further if number else indent, part), soft_wrap=True)


def _wrapped(line: Text, width: int) -> list[Text]:
    """Wraps a line between words. Rich itself splits words that are longer than the line, or cuts
    them off."""
    ends, column = [], 0
    for word in re.finditer(r" *[^ ]+", line.plain):
        cells = cell_len(word[0])
        if column and column + cells > width:
            ends.append(word.end() - len(word[0].lstrip(" ")))
            cells = cell_len(word[0].lstrip(" "))
            column = 0
        column += cells
    return list(line.divide(ends))


def section(title: str, text: Text | None = None) -> None:
    console().print()
    say(Text(title, style="bold cyan"))
    if text is not None:
        say(text, "  ")
