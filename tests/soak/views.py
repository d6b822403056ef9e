"""Views of files: filetypes that divide a part of a file among ranks, and random filetypes.

A filetype begins at 0, has its bytes in ascending order, and no byte twice, as MPI wants.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from random import Random

import layouts
from layouts import Layout, Unit, arrayed, listed, loop

Runs = list[tuple[int, int]]  # (first cell, number of cells), in ascending order


@dataclass
class View:
    """The view of one rank: the filetype, and the byte of the file at which it begins."""

    layout: Layout
    at: int
    etype: str
    keep: str = "done"  # as Side.keep

    @property
    def etype_bytes(self) -> int:
        return layouts.BASIC[self.etype][0]

    @property
    def period(self) -> int:
        """The bytes of the stream in one filetype."""
        return self.layout.units * self.etype_bytes

    def holes(self) -> bool:
        return self.period != self.layout.extent


@dataclass
class Division:
    """The views of all ranks, and the bytes of each one's stream that lie in the divided part."""

    views: dict[int, View]
    bytes: dict[int, int]
    periods: int


def dense(etype: str, at: int) -> View:
    return View(layouts.basic(etype), at, etype)


def subarray(random: Random, cell: Layout, sizes: list[int], parts: list[int], starts: list[int]) -> Layout:
    walk, stride, offset, span = cell.walk, cell.extent, 0, 0
    for a in reversed(range(len(sizes))):
        walk = loop(parts[a], stride, walk)
        offset += starts[a] * stride
        span += (parts[a] - 1) * stride
        stride *= sizes[a]
    order, turn = ("MPI_ORDER_C", 1) if random.random() < 0.7 else ("MPI_ORDER_FORTRAN", -1)
    shown = [arrayed(numbers[::turn], "int") for numbers in (sizes, parts, starts)]
    call = f"MPI_Type_create_subarray({len(sizes)}, {', '.join(shown)}, {order}, @old, &@new)"
    text = f"subarray([{listed(sizes)}], [{listed(parts)}], [{listed(starts)}], {cell.text})"
    walk = walk if offset == 0 else layouts.Several([(offset, walk)])
    return cell.over(call, walk, text, math.prod(parts) * cell.units, 0, stride, offset, offset + span + cell.high, True)


def strided(random: Random, cell: Layout, runs: Runs, step: int, period: int) -> tuple[Layout, int]:
    """Runs of equal lengths, at equal distances. Returns the layout, and the bytes to its first
    cell, if the layout does not have them."""
    (first, length), count, e = runs[0], len(runs), cell.extent
    high = (count - 1) * step * e + length * e
    kind = random.choice(["vector", "hvector", "subarray"])
    if kind == "subarray" and period % step == 0 and first % step + length <= step and first // step + count <= period // step:
        return subarray(random, cell, [period // step, step], [count, length], [first // step, first % step]), 0
    walk = loop(count, step * e, loop(length, e, cell.walk))
    distance = step if kind == "vector" else step * e
    name = "MPI_Type_vector" if kind == "vector" else "MPI_Type_create_hvector"
    text = f"{name[9:].removeprefix('create_')}({count}, {length}, {distance}, {cell.text})"
    made = cell.over(f"{name}({count}, {length}, {distance}, @old, &@new)", walk, text, count * length * cell.units, 0, high, 0, high,
                     True)  # fmt: skip
    return made.resized(0, period * e), first * e


def listing(random: Random, cell: Layout, runs: Runs, period: int) -> Layout:
    """Any runs, one by one."""
    e = cell.extent
    places = [first * e for first, _ in runs]
    lengths = [n for _, n in runs]
    high = places[-1] + lengths[-1] * e
    h = random.choice(["", "h"])
    shown = arrayed(places if h else [p // e for p in places], "MPI_Aint" if h else "int")
    if len(set(lengths)) == 1 and random.random() < 0.5:
        call = f"MPI_Type_create_{h}indexed_block({len(runs)}, {lengths[0]}, {shown}, @old, &@new)"
        text = f"{h}indexed_block({len(runs)} of {lengths[0]}, {cell.text})"
    else:
        name = "MPI_Type_create_hindexed" if h else "MPI_Type_indexed"
        call = f"{name}({len(runs)}, {arrayed(lengths, 'int')}, {shown}, @old, &@new)"
        text = f"{h}indexed({len(runs)} runs, {cell.text})"
    made = cell.over(call, layouts.Blocks(places, lengths, e, cell.walk), text, sum(lengths) * cell.units, places[0], high, places[0],
                     high, True)  # fmt: skip
    return made.resized(0, period * e)


def gathered(random: Random, cell: Layout, runs: Runs, period: int) -> tuple[Layout, int]:
    steps = {b - a for (a, _), (b, _) in itertools.pairwise(runs)}
    equal = len({n for _, n in runs}) == 1
    if equal and len(steps) < 2 and (len(runs) > 200 or random.random() < 0.8):
        return strided(random, cell, runs, steps.pop() if steps else period, period)
    return listing(random, cell, runs, period), 0


def shares(random: Random, n: int, ranks: int) -> list[int]:
    """Divides n among ranks. Some get nothing."""
    if n < ranks or random.random() < 0.3:
        cuts = sorted(random.randint(0, n) for _ in range(ranks - 1))
    else:
        cuts = [n * (r + 1) // ranks for r in range(ranks - 1)]
    return [b - a for a, b in zip([0, *cuts], [*cuts, n], strict=False)]


def merged(cells: list[int], rank: int) -> Runs:
    """The runs of the cells that belong to a rank."""
    runs: Runs = []
    for k, owner in enumerate(cells):
        if owner == rank and runs and sum(runs[-1]) == k:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif owner == rank:
            runs.append((k, 1))
    return runs


def a_columns(random, ranks, most):
    widths = shares(random, random.randint(ranks, 4 * ranks), ranks)
    width, rows = sum(widths), random.randint(1, max(1, min(most // ranks, 400)))
    at = [sum(widths[:r]) for r in range(ranks)]
    return rows * width, [[(row * width + at[r], n) for row in range(rows)] if n else [] for r, n in enumerate(widths)]


def a_dealt(random, ranks, most):
    order = random.sample(range(ranks), ranks)
    block, turns = random.choice([1, 1, 2, 5]), random.randint(1, max(1, min(most // ranks, 400)))
    return turns * ranks * block, [[((t * ranks + order[r]) * block, block) for t in range(turns)] for r in range(ranks)]


def a_mixed(random, ranks, most):
    cells: list[int] = []
    while len(cells) < min(most, random.choice([3, 40, 200])):
        cells += [random.randrange(ranks)] * random.choice([1, 1, 2, 3, 9])
    return len(cells), [merged(cells, r) for r in range(ranks)]


def a_lattice(random, ranks, most):
    """Blocks of an array of two or three dimensions."""
    split = [(a, ranks // a) for a in range(1, ranks + 1) if ranks % a == 0]
    grid = list(random.choice(split))
    parts = [random.randint(1, 12), random.randint(1, 12)]
    if most > 300 and random.random() < 0.4:
        grid.insert(random.randint(0, 2), 1)
        parts.append(random.randint(1, 5))
    sizes = [g * p for g, p in zip(grid, parts, strict=False)]
    places = []
    for r in range(ranks):
        where, rest = [], r
        for g, p in zip(grid[::-1], parts[::-1], strict=False):
            where.insert(0, rest % g * p)
            rest //= g
        places.append(where)
    return math.prod(sizes), [(sizes, parts, where) for where in places]


def pieces(random: Random, members: list[int], etype: str, low: int, size: int) -> Division:
    """Each rank has one piece, through a view without holes."""
    e = layouts.BASIC[etype][0]
    views, amounts, at = {}, {}, low
    for rank, n in zip(random.sample(members, len(members)), shares(random, size // e, len(members)), strict=False):
        views[rank], amounts[rank] = dense(etype, at), n * e
        at += n * e
    return Division(views, amounts, 1)


def divided(random: Random, members: list[int], etype: str, low: int, size: int) -> Division:
    """Divides at most `size` bytes from `low` on, without holes."""
    e = layouts.BASIC[etype][0]
    kind = random.choice([a_columns, a_columns, a_dealt, a_dealt, a_mixed, a_lattice, a_lattice, pieces])
    if kind is pieces or size // e < 40 * len(members):
        return pieces(random, members, etype, low, size)
    shortest = max(1, size // e // 12000)  # of a cell, so that there are not too many
    longest = max(shortest, size // e // (8 * len(members)))
    m = int(shortest * (longest / shortest) ** random.random())
    cell = layouts.basic(etype) if m == 1 else layouts.contiguous(layouts.basic(etype), m)
    period, owned = kind(random, len(members), size // e // m)
    if period * m * e > size:
        return pieces(random, members, etype, low, size)
    periods = size // (period * m * e)
    if random.random() < 0.2:
        periods = random.randint(1, periods)
    views, amounts = {}, {}
    for rank, runs in zip(members, owned, strict=False):
        if not runs:
            views[rank], amounts[rank] = dense(etype, low), 0
            continue
        layout, shift = (subarray(random, cell, *runs), 0) if kind is a_lattice else gathered(random, cell, runs, period)
        views[rank] = View(layout, low + shift, etype, random.choice(["kept", "done", "directly"]))
        amounts[rank] = periods * layout.units * e
    return Division(views, amounts, periods)


# ---- views to read through
def ascending(m: layouts.Map, at: int, end: list[int]) -> bool:
    """True if the map's bytes ascend, beginning after end[0]. Moves end[0]. end[1] limits the
    number of runs."""
    end[1] -= 1
    if end[1] < 0:
        return False
    if isinstance(m, layouts.Run):
        good, end[0] = at >= end[0], at + m.bytes
        return good
    if isinstance(m, layouts.Loop):
        return all(ascending(m.inner, at + k * m.stride, end) for k in range(m.count))
    if isinstance(m, layouts.Blocks):
        return all(
            ascending(m.inner, at + o + j * m.stride, end) for o, n in zip(m.offsets, m.lengths, strict=False) for j in range(n)
        )
    return all(ascending(part, at + o, end) for o, part in m.parts)


def random_view(random: Random, etype: str, low: int, size: int) -> tuple[View, int]:
    """A view with holes of a part of the file, and the bytes of its stream."""
    e = layouts.BASIC[etype][0]
    for _ in range(20):
        n = random.choice([1, 2, 6, 12, 48, 120, 600])
        made = layouts.tree(random, Unit([etype]), n, random.randint(1, 3), 1).settle()
        if made.basic or made.low < 0 or not ascending(made.walk, 0, [0, 3000]) or touching(made.walk)[2]:
            continue
        if made.lb != 0 or made.ub < made.high:
            made = made.resized(0, -(-max(made.ub, made.high) // e) * e)
        if made.extent > size or made.extent % e:
            continue
        times = random.randint(1, min(size // made.extent, max(1, 6000 // n)))
        at = low + random.randint(0, (size - times * made.extent) // e) * e
        return View(made, at, etype, random.choice(["kept", "done", "directly"])), times * n * e
    at = random.randrange(size // e) * e
    return dense(etype, low + at), random.randint(0, (size - at) // e) * e


def touching(m: layouts.Map) -> tuple[int, int, bool]:
    """The beginning of the first run, the end of the last, and whether a run begins where the one
    before ends."""
    if isinstance(m, layouts.Run):
        return 0, m.bytes, False
    if isinstance(m, layouts.Loop):
        first, end, touch = touching(m.inner)
        return first, end + (m.count - 1) * m.stride, touch or first + m.stride == end
    if isinstance(m, layouts.Blocks):
        first, end, touch = touching(m.inner)
        whole = isinstance(m.inner, layouts.Run) and m.inner.bytes == m.stride  # a block is one run
        touch = touch or (not whole and first + m.stride == end and max(m.lengths) > 1)
        parts = [(o + first, o + (n - 1) * m.stride + end) for o, n in zip(m.offsets, m.lengths, strict=False)]
    else:
        inner = [(o, touching(part)) for o, part in m.parts]
        touch = any(t for _, (_, _, t) in inner)
        parts = [(o + first, o + end) for o, (first, end, _) in inner]
    touch = touch or any(a[1] == b[0] for a, b in itertools.pairwise(parts))
    return parts[0][0], parts[-1][1], touch
