"""The datatypes of a page: a title, a small picture, and the layout.

types = Datatypes()
types.of("column", "loop 128 × 16384 B { block 256 }")   # a Datatype; parts.html.j2 draws it
types.pictures                                            # all pictures, each once
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from heddle.picture import colours

from .layouts import MOST_PIECES, Layout, Piece, read

WIDTH, PITCH, TALL = 144, 6, 5  # of a picture: pixels, and those of a row
MOST_ROWS = 8  # if the memory has more rows, a row of the picture stands for several
MOST_CELLS = 72  # of a row
MOST_MARKS = 1 << 16
BEFORE = 256  # the picture begins at the buffer's first byte, if at most so many times the bytes of the data are before them
SHADES = 4
STEPS = 12  # of colour
LONGEST = 80  # letters of a title
MOST_PICTURES = 100  # of a page. Datatypes met later have words alone
# The key is a row and a cell. The value: bytes with data, times the cells of a row, and the first
# piece.
Marked = dict[tuple[int, int], tuple[float, int]]


@dataclass(frozen=True)
class Run:
    """Neighbouring cells of one colour. Lengths are in pixels."""

    x: str
    y: int
    width: str
    colour: str
    shade: str  # the share of bytes with data


@dataclass(frozen=True)
class Picture:
    """Memory in rows, and the bytes with data in the colours of their packed order."""

    id: str
    title: str
    rows: list[int]  # y
    runs: list[Run]
    width = WIDTH
    tall = TALL

    @property
    def height(self) -> int:
        return PITCH * len(self.rows)


@dataclass(frozen=True)
class Datatype:
    """A datatype as a page shows it."""

    title: str  # its name, or the words
    words: str  # a short description below the name
    layout: str  # "": the title has all of it
    picture: Picture | None


class Datatypes:
    """The datatypes of a page."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int | None, int], tuple[str, Picture | None]] = {}

    def of(self, name: str, text: str, extent: int | None = None, lower_bound: int = 0) -> Datatype:
        key = text, extent, lower_bound
        words, picture = self._known.get(key) or self._known.setdefault(key, self._made(*key))
        return Datatype(name or words, words if name else "", text if text != words else "", picture)

    def _made(self, text: str, extent: int | None, lower_bound: int) -> tuple[str, Picture | None]:
        layout = read(text, extent, lower_bound)
        if not layout:
            return (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"), None
        number = len(self._known)
        return layout.words, _draw(layout, f"layout-{number}") if number < MOST_PICTURES else None

    @property
    def pictures(self) -> list[Picture]:
        return [picture for _, picture in self._known.values() if picture]


def _draw(layout: Layout, name: str) -> Picture:
    pieces = layout.pieces(MOST_PIECES)
    low = min(offset for offset, _, _ in pieces)
    high = max(offset + length for offset, length, _ in pieces)
    low, high, whole = _with_extent(layout, low, high)
    first = 0 if 0 < low <= BEFORE * (high - low) else low
    unit = math.gcd(*(value for offset, length, _ in pieces for value in (offset - first, length)))
    row = _row_bytes(layout, pieces, high - first, unit)
    rows = -(-(high - first) // row)
    group = -(-rows // MOST_ROWS)  # rows of memory for a row of the picture
    shown = -(-rows // group)
    cells = min(row // math.gcd(row, unit), _cells(layout, row))
    marked = _marked(pieces, first, row, group, cells)
    part = "" if layout.node.whole else "only a part: "
    begin = f"from byte {first:,} of the buffer, " if first else ""
    title = f"{part}{high - first:,} B of memory{whole}, {begin}in rows of {row * group:,} B"
    runs = [run for y in range(shown) for run in _runs(marked, y, cells, row * min(group, rows - y * group), len(pieces))]
    return Picture(name, title, [PITCH * y for y in range(shown)], runs)


def _with_extent(layout: Layout, low: int, high: int) -> tuple[int, int, str]:
    """The memory to draw: all of the extent, unless the data would be hard to see in it."""
    if layout.extent is None:
        return low, high, ""
    begin, end = min(low, layout.lower_bound), max(high, layout.lower_bound + layout.extent)
    if (begin, end) == (low, high) or end - begin > BEFORE * (high - low):
        return low, high, ""
    return begin, end, " (the extent)"


def _row_bytes(layout: Layout, pieces: list[Piece], span: int, unit: int) -> int:
    """The largest stride, if it is longer than every block. Otherwise all memory if a row has the
    cells, or an eighth of it."""
    row = max(layout.node.strides(), default=0)
    if max(length for _, length, _ in pieces) <= row < span:
        return row
    return span if span <= unit * MOST_CELLS else -(-span // (unit * MOST_ROWS)) * unit


def _cells(layout: Layout, row: int) -> int:
    """Cells of a row. If possible, the next smaller stride is a multiple of a cell, so that its
    repetitions look alike."""
    times = row // max((stride for stride in layout.node.strides() if 0 < stride < row), default=row)
    return MOST_CELLS // times * times if times < MOST_CELLS else MOST_CELLS


def _marked(pieces: list[Piece], first: int, row: int, group: int, cells: int) -> Marked:
    marked: Marked = {}
    marks = 0
    for number, (offset, length, weight) in enumerate(pieces):
        at, end = (offset - first) * cells, (offset - first + length) * cells  # a cell has `row` of these
        while at < end and marks < MOST_MARKS:
            step = min(end, (at // row + 1) * row)
            line, cell = divmod(at // row, cells)
            place = line // group, cell
            before, since = marked.get(place, (0.0, number))
            marked[place] = before + (step - at) * weight, since
            at, marks = step, marks + 1
    return marked


def _runs(marked: Marked, y: int, cells: int, full: int, pieces: int) -> Iterator[Run]:
    """The cells of a row. Neighbours that look alike are one run."""
    looks: list[tuple[int, int, str, str]] = []  # begin, end, colour, shade
    for cell in range(cells):
        covered, number = marked.get((y, cell), (0.0, 0))
        if not covered:
            continue
        shade = f"{0.25 + 0.75 * math.ceil(SHADES * min(1.0, covered / full)) / SHADES:.2f}"
        colour = colours.hexadecimal(number * STEPS // pieces / (STEPS - 1))
        if looks and looks[-1][1:] == (cell, colour, shade):
            looks[-1] = looks[-1][0], cell + 1, colour, shade
        else:
            looks.append((cell, cell + 1, colour, shade))
    wide = WIDTH / cells
    for begin, end, colour, shade in looks:
        yield Run(f"{begin * wide:.1f}", PITCH * y, f"{(end - begin) * wide:.1f}", colour, shade)
