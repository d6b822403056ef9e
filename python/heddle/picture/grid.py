"""Rows of memory. They wrap at a stride of the layout itself, so that a column of a matrix is a
column in the picture."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

ROWS_OF_PLAIN = 16  # cells of a row if the layout has no stride of its own
FEW = 3  # so many rows without data, or more, are drawn as one line


@dataclass(frozen=True)
class Piece:
    """A run of packed bytes inside one row."""

    row: int
    start: int  # bytes from the row's beginning
    length: int
    packed: int  # the place of its first byte in the packed stream

    @property
    def end(self) -> int:
        return self.start + self.length

    def split(self, unit: int) -> Iterator["Piece"]:
        """The run, cut into units that can be numbered."""
        for done in range(0, self.length, unit):
            yield Piece(self.row, self.start + done, min(unit, self.length - done), self.packed + done)


@dataclass(frozen=True)
class Line:
    """A line of a picture: a row, or a number of rows without data."""

    row: int
    untouched: int = 0


@dataclass(frozen=True)
class Grid:
    pieces: list[Piece]
    row_bytes: int
    first_byte: int  # offset of row 0, a multiple of row_bytes
    rows: int  # of the whole type
    unit: int  # bytes; every piece begins and ends at a multiple
    size: int  # packed bytes in all
    whole: bool  # False: only the first pieces were listed

    def window(self, most: int) -> tuple[int, int]:
        """The part of a row to show: the whole row if it has at most so many bytes, or else the
        part with data in any row."""
        if self.row_bytes <= most or not self.pieces:
            return 0, self.row_bytes
        return min(piece.start for piece in self.pieces), max(piece.end for piece in self.pieces)

    def lines(self, most: int) -> tuple[list[Line], int]:
        """The first lines of a picture, and the number of rows left."""
        found, begin = [], 0
        ends = [self.rows] if self.whole else []  # the rows of unlisted pieces are not known
        for row in [*sorted({piece.row for piece in self.pieces}), *ends]:
            empty = row - begin
            found += [Line(begin, empty)] if empty >= FEW else [Line(begin + i) for i in range(empty)]
            found += [Line(row)] if row < self.rows else []
            begin = row + 1
            if len(found) > most:
                break
        shown = found[:most]
        return shown, self.rows - (shown[-1].row + max(1, shown[-1].untouched) if shown else 0)

    def by_row(self) -> dict[int, list[Piece]]:
        rows: dict[int, list[Piece]] = {}
        for piece in sorted(self.pieces, key=lambda piece: (piece.row, piece.start)):
            rows.setdefault(piece.row, []).append(piece)
        return rows


def lay_out(about: dict, columns: int) -> Grid:
    """The grid of an explained type, for a picture that has room for so many cells in a row."""
    segments = about["segments"]
    if not segments:
        return Grid([], 1, 0, 0, 1, 0, True)
    size = about["size"] * about["count"]
    listed = sum(segment["length"] for segment in segments)
    low = min(segment["offset"] for segment in segments)
    high = max(segment["offset"] + segment["length"] for segment in segments)
    pieces = math.gcd(*(value for segment in segments for value in (segment["offset"], segment["length"])))
    fine = math.gcd(pieces, *(entry["length"] for entry in about["type_map"]["entries"]))
    row = _row(_strides(about), pieces, max(abs(low), high), fine)
    first = min(low, _lower_bound(about, low)) // row * row
    cut = list(_cut(segments, row, first))
    touched = max(piece.end for piece in cut) - min(piece.start for piece in cut)
    # A cell is an element if whole rows fit, or else a whole piece, or else an element of the
    # touched part.
    fits = ((fine, row), (pieces, row), (fine, touched))
    unit = math.gcd(next((unit for unit, span in fits if span // unit <= columns), pieces), row)
    last = max(_last_byte(about, high), _upper_bound(about, high))
    return Grid(cut, row, first, (last - first + row - 1) // row, unit, size, listed == size)


def _lower_bound(about: dict, low: int) -> int:
    return about.get("lower_bound", low)


def _upper_bound(about: dict, high: int) -> int:
    return about.get("upper_bound", high) + max(0, (about["count"] - 1) * about["extent"])


def _last_byte(about: dict, high: int) -> int:
    end = about["true_lower_bound"] + about["true_extent"] + max(0, (about["count"] - 1) * about["extent"])
    return max(high, end)


def _strides(about: dict) -> list[int]:
    """Every distance at which the layout repeats, small distances first."""
    found = {abs(about["extent"])} if about["count"] > 1 else set()
    waiting = [about["tree"]]
    while waiting:
        node = waiting.pop()
        if "stride" in node:
            found.add(abs(node["stride"]))
        waiting += [node[key] for key in ("node", "child") if key in node] + node.get("children", [])
    return sorted(found - {0})


def _row(strides: list[int], unit: int, reach: int, fine: int) -> int:
    """The smallest stride that is wide enough for a picture, or else the largest stride, or else a
    few cells."""
    for stride in strides:
        if stride >= 6 * unit:
            return stride
    if strides:
        return strides[-1]
    return reach if reach <= 4 * ROWS_OF_PLAIN * fine else ROWS_OF_PLAIN * fine


def _cut(segments: list[dict], row: int, first: int) -> Iterator[Piece]:
    """Segments, cut at the ends of rows. A huge segment gives at most 1000 rows."""
    for segment in segments:
        offset, length, packed = segment["offset"] - first, segment["length"], segment["packed"]
        for _ in range(1000):
            if length <= 0:
                break
            start = offset % row
            part = min(length, row - start)
            yield Piece(offset // row, start, part, packed)
            offset, length, packed = offset + part, length - part, packed + part
