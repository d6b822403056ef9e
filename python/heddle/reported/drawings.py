"""The numbers of the charts of a report's page: bars, sizes of messages, bytes between ranks, waits
of ranks for ranks. Templates draw them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from heddle.pages import Bar, Chart, Stretch

from . import PARTS, Found
from .datatypes import Datatypes
from .words import amount, duration

COLOURS = {"search": "#b07aa1", "pack": "#4e79a7", "wait": "#c9c9c9", "copy": "#59a14f"}
PLAIN = "#4e79a7"
OUTSIDE = "var(--memory)"
LETTER = 6.9  # a letter's width at 12 px, at most
MOST_BARS = 24
MOST_RANKS = 24
MOST_CELLS = 64


def shortened(text: str, room: float) -> str:
    """A text that fits into a picture: cut in the middle."""
    most = max(4, int(room / LETTER))
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1]}…{text[len(text) - tail :]}"


def by_datatype(found: Found, where: dict, types: Datatypes) -> Chart:
    """A bar for each row, as long as its time, in the colours of its parts."""
    bars = []
    for row in found.rows[:MOST_BARS]:
        if row.time > 0:
            place = where.get(row.place, "")
            called = " ".join(filter(None, (row.called, row.side)))
            about = f"{called}{f' in {place}' if place else ''}, {row.way}"
            stretches = [Stretch(row.times[part], COLOURS[part]) for part in PARTS]
            datatype = types.of(row.named, row.datatype, row.extent, row.lower_bound)
            bars.append(Bar("", [(stretches, duration(row.time))], about, datatype))
    return Chart.of("time by datatype and way", bars)


def by_site(found: Found, where: dict) -> Chart:
    bars = []
    for one in found.sites[:MOST_BARS]:
        place = where.get(one.place, "")
        mean = one.of_a_rank(found.ranks).mean
        name = f"{one.name}{f' in {place}' if place else ''}"
        bars.append(Bar(name, [([Stretch(mean, PLAIN)], duration(mean))], one.datatype_shown))
    return Chart.of("time by call site", bars)


def by_rank(found: Found) -> Chart:
    """Time in MPI calls and outside of them. If there are many ranks, those farthest from the
    median are shown."""
    ranks = sorted(found.by_rank, key=lambda one: one.us)
    if len(ranks) > MOST_RANKS:
        ranks = [*ranks[: MOST_RANKS // 2], *ranks[-MOST_RANKS // 2 :]]
    bars = []
    for one in sorted(ranks, key=lambda one: one.rank):
        stretches = [Stretch(one.us, PLAIN), Stretch(max(0.0, one.elapsed_us - one.us), OUTSIDE)]
        bars.append(Bar(f"rank {one.rank}", [(stretches, f"{duration(one.us)} of {duration(one.elapsed_us)}")]))
    return Chart.of("time in MPI calls by rank", bars)


@dataclass(frozen=True)
class Sizes:
    """The number of calls for each range of bytes. A column has the sizes from its label to the
    next label."""

    columns: list[tuple[str, int, str]]  # label, calls, the calls as a short text
    most: int
    pitch: float  # pixels
    labelled: int  # each column of so many has its label: there is no room for more

    def fits(self, text: str) -> bool:
        return len(text) * LETTER <= self.pitch + 4


def sizes(found: Found, width: float) -> Sizes | None:
    counts: dict[int, int] = {}
    for site in found.sites:
        for size, calls in site.sizes.items():
            counts[size] = counts.get(size, 0) + calls
    if not counts:
        return None
    steps = [0, *(1 << i for i in range(max(max(counts), 1).bit_length()))]
    steps = [step for step in steps if min(counts) <= step <= max(counts)]
    pitch = min(70.0, width / len(steps))
    columns = [(amount(step), counts.get(step, 0), _short(counts.get(step, 0))) for step in steps]
    return Sizes(columns, max(*counts.values(), 1), pitch, max(1, math.ceil(8 * LETTER / pitch)))


def _short(calls: int) -> str:
    return "" if not calls else f"{calls:,}" if calls < 10_000 else f"{calls:.0e}".replace("e+0", "e")


@dataclass(frozen=True)
class Matrix:
    """Bytes or times between ranks: a row for each rank of one side, a column for each of the
    other. A cell stands for `group` neighbouring ranks."""

    group: int
    cells: list[list[tuple[str, float]]]  # amount as a text, and the shade from 0 to 1
    most: str
    down: str  # the meaning of rows
    across: str  # and of columns

    @property
    def size(self) -> float:
        """Pixels of a cell."""
        return min(36.0, 560 / len(self.cells))

    @property
    def labelled(self) -> int:
        return max(1, math.ceil(30 / self.size))


def matrix(found: Found) -> Matrix | None:
    ranks = len(found.by_rank)
    if not ranks or any(one.to is None for one in found.by_rank) or not any(one.to for one in found.by_rank):
        return None
    return _between({one.rank: one.to or {} for one in found.by_rank}, ranks, amount, ("from rank", "to rank"))


def waits(found: Found) -> Matrix | None:
    ranks = len(found.by_rank)
    if not any(one.waited_for for one in found.by_rank):
        return None
    return _between({one.rank: one.waited_for for one in found.by_rank}, ranks, duration, ("rank", "waits for rank"))


def _between(
    amounts: Mapping[int, Mapping[int, float]], ranks: int, shown: Callable[[float], str], sides: tuple[str, str]
) -> Matrix:
    """The shade is logarithmic."""
    group = math.ceil(ranks / MOST_CELLS)
    count = math.ceil(ranks / group)
    sums: dict[tuple[int, int], float] = {}
    for one, others in amounts.items():
        for other, size in others.items():
            place = one // group, other // group
            sums[place] = sums.get(place, 0) + size
    most = max(sums.values(), default=1)

    def cell(place: tuple[int, int]) -> tuple[str, float]:
        size = sums.get(place, 0)
        return shown(size), math.log1p(size) / math.log1p(most) if most else 0.0

    return Matrix(group, [[cell((i, j)) for j in range(count)] for i in range(count)], shown(most), *sides)
