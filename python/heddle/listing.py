"""Rows for people and for grep. On a terminal rows fit its width; elsewhere each row is one line
and nothing is cut.

    lines = listing(("name", "calls"), [("MPI_Send", "12")])                 # aligned, two spaces between
    listing(heads, rows, width=80, wraps=("meaning",), above=("datatype",))  # no word and no value is ever split

If a row does not fit, as many columns of `above` as needed go into a line of their own. This line
is above the others if the first column is among them, or else below. Then the columns of `wraps` go
below. The heads have the same places as the cells.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence

from rich.cells import cell_len

GAP = "  "
INDENT = "    "
JOINED = "\0"  # a space at which no line may end


def width_of(stream=None) -> int | None:
    """Columns of the terminal; None: the output is no terminal."""
    from heddle.console import console

    return console().width if (stream or sys.stdout).isatty() else None


def listing(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int | None = None,
    wraps: Sequence[str] = (),
    above: Sequence[str] = (),
    right: Sequence[str] = (),
) -> list[str]:
    """Aligned lines; none if there are no rows. `right`: columns of numbers."""
    first, others = _parts(heads, rows, width, wraps, above, right)
    return first + others


def _parts(heads, rows, width, wraps, above, right) -> tuple[list[str], list[str]]:
    """The lines of the heads, and the lines of the rows."""
    table = [[str(cell) for cell in row] for row in (heads, *rows)]
    if not rows:
        return [], []
    if width is None:
        return _lines(table, _widest(table), heads, right)
    for apart in [*(above[:some] for some in range(len(above) + 1)), (*above, *wraps)]:
        inner = [i for i, head in enumerate(heads) if head not in apart]
        part = [[row[i] for i in inner] for row in table]
        if fitted := _fit(part, [heads[i] for i in inner], width, wraps):
            return _stacked(table, part, fitted, heads, inner, width, wraps, right)
    return _lines(table, _widest(table), heads, right)


def show(heads, rows, indent: str = "", wraps=(), above=(), right=()) -> None:
    width = width_of()
    first, others = _parts(heads, rows, width and width - len(indent), wraps, above, right)
    for line in first:
        print(indent + (f"\033[1m{line}\033[0m" if _coloured() else line))
    for line in others:
        print(indent + line)


def prose(text: str, indent: str = "") -> str:
    """A sentence, wrapped to the width of the terminal; elsewhere one line."""
    width = width_of()
    return indent + text if width is None else "\n".join(_wrapped(text, width, indent))


def _coloured() -> bool:
    from heddle.console import console

    return sys.stdout.isatty() and not console().no_color


def _widest(table: list[list[str]]) -> list[int]:
    return [max(map(cell_len, column)) for column in zip(*table)]


def _fit(table: list[list[str]], heads: list[str], width: int, wraps: Sequence[str]) -> list[int] | None:
    """Widths of the columns. None: the terminal is too narrow, or a wrapped column would hold
    single words."""
    widest = _widest(table)
    room = width - len(GAP) * (len(heads) - 1)
    if sum(widest) <= room:
        return widest
    soft = [i for i, head in enumerate(heads) if head in wraps]
    if not soft:
        return None
    least = [max((cell_len(word) for row in table for word in row[i].split()), default=0) for i in range(len(heads))]
    room -= sum(size for i, size in enumerate(widest) if i not in soft)
    share = room // len(soft)
    if any(share < max(least[i], min(24, widest[i])) for i in soft):
        return None
    return [min(size, share) if i in soft else size for i, size in enumerate(widest)]


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    plain = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent, **plain) or [""]


def _whole(cell: str, width: int) -> str:
    """A cell for _in_cells whose text stays on one line, if it fits."""
    return cell.replace(" ", JOINED) if cell_len(cell) <= width - len(INDENT) else cell


def _in_cells(text: str, width: int, indent: str = "") -> list[str]:
    return [line.replace(JOINED, " ") for line in _wrapped(text, width, indent)]


def _joined(cells: Sequence[str], widths: list[int], heads: Sequence[str], right: Sequence[str]) -> str:
    shown = []
    for cell, size, head in zip(cells, widths, heads):
        space = " " * (size - cell_len(cell))
        shown.append(space + cell if head in right else cell + space)
    return GAP.join(shown).rstrip()


def _lines(table, widths, heads, right) -> tuple[list[str], list[str]]:
    lines = [_joined(row, widths, heads, right) for row in table]
    return lines[:1], lines[1:]


def _stacked(table, part, widths, heads, inner, width, wraps, right) -> tuple[list[str], list[str]]:
    outer = [i for i in range(len(heads)) if i not in inner]
    first = 0 in outer
    names = [heads[i] for i in inner]
    lines, of_heads = [], 0
    for number, (row, cells) in enumerate(zip(table, part)):
        shown = [i for i in outer if row[i]]
        apart = GAP.join(_whole(row[i], width) for i in shown if heads[i] not in wraps)
        if first and apart:
            lines += _in_cells(apart, width)
        split = [_wrapped(cell, size) if head in wraps else [cell] for cell, size, head in zip(cells, widths, names)]
        for turn in range(max(map(len, split))):
            one = [parts[turn] if turn < len(parts) else "" for parts in split]
            lines.append(_joined(one, widths, names, right))
        if not first and apart:
            lines += _in_cells(apart, width, INDENT)
        lines += [line for i in shown if heads[i] in wraps for line in _wrapped(row[i], width, INDENT)]
        of_heads = len(lines) if number == 0 else of_heads
    return lines[:of_heads], lines[of_heads:]
