"""Makes random datatypes with a given number of units: C code, and a map of the bytes.

    unit = random_unit(random, "mpich")
    layout = tree(random, unit, 24, depth=3)        24 units, in a random arrangement
    layout.text                                     vector(4, 2, 3, subarray(...))
    layout.build                                    C statements that leave the type in t[len - 1]
    layout.walk                                     the places of the bytes, in the order of the packed stream

The bytes of a layout lie between its bounds, so elements an extent apart do not overlap. The only
exception is column(), which is for the outermost level. The hosts round up the bounds of structs
differently (MPI-5.0 5.1.6). So MPI_Type_create_resized sets such bounds before other types depend
on them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from random import Random


# ---- maps: the places of the bytes, in the order of the stream
@dataclass
class Run:
    """Contiguous bytes."""

    bytes: int


@dataclass
class Loop:
    count: int
    stride: int
    inner: Map


@dataclass
class Blocks:
    """Block i has lengths[i] elements `inner`, `stride` apart, from offsets[i] on."""

    offsets: list[int]
    lengths: list[int]
    stride: int
    inner: Map


@dataclass
class Several:
    parts: list[tuple[int, Map]]


Map = Run | Loop | Blocks | Several


def loop(count: int, stride: int, inner: Map) -> Map:
    if count == 1:
        return inner
    if isinstance(inner, Run) and stride == inner.bytes:
        return Run(count * inner.bytes)
    return Loop(count, stride, inner)


def walk_c(m: Map, at: str, level: int, out: list[str], pad: str) -> None:
    """Appends C statements that visit the map's runs from address `at` on."""
    i, j = f"i{level}", f"j{level}"
    match m:
        case Run(bytes=n):
            out.append(f"{pad}run(w, {at}, {n});")
        case Loop(count=n, stride=s, inner=inner):
            out.append(f"{pad}for (long {i} = 0; {i} < {n}; {i}++) {{")
            walk_c(inner, f"{at} + {i} * {s}L", level + 1, out, pad + "  ")
            out.append(pad + "}")
        case Blocks(offsets=offsets, lengths=lengths, stride=s, inner=inner):
            out.append(f"{pad}static const long o{level}[] = {{{listed(offsets)}}}, n{level}[] = {{{listed(lengths)}}};")
            out.append(f"{pad}for (int {i} = 0; {i} < {len(offsets)}; {i}++)")
            if isinstance(inner, Run) and inner.bytes == s:
                out.append(f"{pad}  run(w, {at} + o{level}[{i}], (size_t)n{level}[{i}] * {s});")
            else:
                out.append(f"{pad}  for (long {j} = 0; {j} < n{level}[{i}]; {j}++) {{")
                walk_c(inner, f"{at} + o{level}[{i}] + {j} * {s}L", level + 1, out, pad + "    ")
                out.append(f"{pad}  }}")
        case Several(parts=parts):
            for offset, part in parts:
                out.append(pad + "{")
                walk_c(part, f"{at} + {offset}L", level + 1, out, pad + "  ")
                out.append(pad + "}")


def listed(numbers) -> str:
    return ", ".join(str(n) for n in numbers)


# ---- basic types and units
BASIC = {  # name: bytes, alignment
    "MPI_BYTE": (1, 1), "MPI_CHAR": (1, 1), "MPI_SIGNED_CHAR": (1, 1), "MPI_SHORT": (2, 2), "MPI_INT": (4, 4), "MPI_UNSIGNED": (4, 4),
    "MPI_FLOAT": (4, 4), "MPI_LONG": (8, 8), "MPI_DOUBLE": (8, 8), "MPI_INT64_T": (8, 8), "MPI_UINT16_T": (2, 2),
    "MPI_C_DOUBLE_COMPLEX": (16, 8), "MPI_PACKED": (1, 1), "MPI_2INT": (8, 4), "MPI_FLOAT_INT": (8, 4),
}  # fmt: skip
PAIRS = {  # name: extent, alignment, members as (offset, bytes)
    "MPI_DOUBLE_INT": (16, 8, [(0, 8), (8, 4)]), "MPI_SHORT_INT": (8, 4, [(0, 2), (4, 4)]), "MPI_LONG_INT": (16, 8, [(0, 8), (8, 4)]),
}  # fmt: skip


@dataclass
class Unit:
    """The signature that both ends repeat: one basic type, or a record of several basic types."""

    basics: list[str]

    @property
    def bytes(self) -> int:
        return sum(BASIC[b][0] if b in BASIC else sum(n for _, n in PAIRS[b][2]) for b in self.basics)

    @property
    def plain(self) -> bool:
        """True if all hosts count the elements of this type alike. They differ for pair types."""
        return (
            len(self.basics) == 1
            and self.basics[0] in BASIC
            and self.basics[0] not in ("MPI_2INT", "MPI_FLOAT_INT", "MPI_PACKED")
        )


def random_unit(random: Random, mpi: str) -> Unit:
    what = random.random()
    if what < 0.8:
        names = [
            "MPI_BYTE",
            "MPI_CHAR",
            "MPI_SHORT",
            "MPI_INT",
            "MPI_INT",
            "MPI_FLOAT",
            "MPI_LONG",
            "MPI_DOUBLE",
            "MPI_DOUBLE",
            "MPI_INT64_T",
        ]
        return Unit([random.choice(names + ["MPI_C_DOUBLE_COMPLEX"] * (mpi == "mpich"))])
    if what < 0.9:
        return Unit([random.choice([*PAIRS, "MPI_2INT", "MPI_FLOAT_INT"])])
    return Unit(random.choices(["MPI_CHAR", "MPI_SHORT", "MPI_INT", "MPI_DOUBLE", "MPI_LONG"], k=random.randint(2, 3)))


# ---- layouts
@dataclass
class Layout:
    units: int
    lb: int
    ub: int
    low: int  # its bytes lie from low ...
    high: int  # ... to high - 1
    align: int
    walk: Map
    text: str
    build: list[str] = field(default_factory=list)  # statements. @k stands for the k-th handle. The last one is the type
    basic: str = ""  # a predefined type: there is nothing to build
    settled: bool = True  # all hosts agree on the bounds

    @property
    def extent(self) -> int:
        return self.ub - self.lb

    def over(self, call: str, walk: Map, text: str, units: int, lb: int, ub: int, low: int, high: int, settled: bool) -> Layout:
        """A level above this type: `call` with @old for this type, and @new for the new type."""
        old = self.basic or f"@{len(self.build) - 1}"
        statement = call.replace("@old", old).replace("@new", f"@{len(self.build)}")
        return Layout(units, lb, ub, low, high, self.align, walk, text, [*self.build, statement], "", settled)

    def resized(self, lb: int, ub: int) -> Layout:
        call = f"MPI_Type_create_resized(@old, {lb}, {ub - lb}, &@new)"
        text = f"resized({self.text}, {lb}, {ub - lb})"
        return self.over(call, self.walk, text, self.units, lb, ub, self.low, self.high, True)

    def settle(self) -> Layout:
        """Returns the layout with bounds on which all hosts agree."""
        if self.settled:
            return self
        lb = self.lb - self.lb % self.align
        return self.resized(lb, lb + -(-(self.ub - lb) // self.align) * self.align)


def basic(name: str) -> Layout:
    if name in PAIRS:
        extent, align, members = PAIRS[name]
        high = members[-1][0] + members[-1][1]
        return Layout(1, 0, extent, 0, high, align, Several([(at, Run(n)) for at, n in members]), name, [], name)
    size, align = BASIC[name]
    return Layout(1, 0, size, 0, size, align, Run(size), name, [], name)


def arrayed(numbers, kind: str) -> str:
    return f"({kind}[]){{{listed(numbers)}}}"


def record(random: Random, parts: list[tuple[int, Layout]], grain: int) -> Layout:
    """MPI_Type_create_struct: parts in the order of the stream, at random places. Sets bounds."""
    places: list[int] = [0] * len(parts)
    at = random.choice([0, 0, 0, -64, 8, 40])
    align = max(p.align for _, p in parts)
    order = list(range(len(parts)))
    random.shuffle(order)
    for k in order:
        count, p = parts[k]
        step = p.align if grain else 1
        at = -(-at // step) * step + random.choice([0, 0, 1, 3]) * step
        places[k] = at - p.lb  # no byte lies before its lower bound
        at += count * p.extent
    build: list[str] = []
    handles = []
    for _, p in parts:
        shift = len(build)  # number of its first handle
        build += [re.sub(r"@(\d+)", lambda found, shift=shift: f"@{int(found[1]) + shift}", statement) for statement in p.build]
        handles.append(p.basic or f"@{len(build) - 1}")
    low = min(places[k] + p.low for k, (_, p) in enumerate(parts))
    high = max(places[k] + (c - 1) * p.extent + p.high for k, (c, p) in enumerate(parts))
    lb = min(places[k] + p.lb for k, (_, p) in enumerate(parts))
    counts = [c for c, _ in parts]
    types = f"(MPI_Datatype[]){{{', '.join(handles)}}}"
    build.append(
        f"MPI_Type_create_struct({len(parts)}, {arrayed(counts, 'int')}, {arrayed(places, 'MPI_Aint')}, {types}, &@{len(build)})"
    )
    walk = Several([(places[k], loop(c, p.extent, p.walk)) for k, (c, p) in enumerate(parts)])
    text = "struct(" + ", ".join(f"{c} {p.text} @ {places[k]}" for k, (c, p) in enumerate(parts)) + ")"
    units = sum(c * p.units for c, p in parts)
    made = Layout(units, lb, at, low, high, align, walk, text, build, "", False)
    return made.settle()


def unit_layout(random: Random, unit: Unit, grain: int) -> Layout:
    if len(unit.basics) == 1:
        return basic(unit.basics[0])
    made = record(random, [(1, basic(b)) for b in unit.basics], grain)
    made.units = 1
    return made


def divisors(n: int) -> list[int]:
    small = [d for d in range(1, min(math.isqrt(n), 2000) + 1) if n % d == 0]
    return sorted({*small, *(n // d for d in small)})


def partition(random: Random, n: int, most: int) -> list[int]:
    k = random.randint(1, min(most, n))
    cuts = sorted(random.sample(range(1, n), k - 1)) if n < 10**6 else sorted({random.randrange(1, n) for _ in range(k - 1)})
    return [b - a for a, b in zip([0, *cuts], [*cuts, n], strict=False)]


def tree(random: Random, unit: Unit, n: int, depth: int, grain: int) -> Layout:
    """A layout of `n` units. grain = 1: displacements are multiples of the alignment, because Open
    MPI garbles others."""
    if depth <= 0 or n == 1:
        inner = unit_layout(random, unit, grain)
        if n > 1:
            return contiguous(inner, n)
        return decorated(random, inner) if random.random() < 0.3 and depth > 0 else inner
    kind = random.choice(KINDS)
    return kind(random, unit, n, depth, grain).settle()


def contiguous(inner: Layout, k: int) -> Layout:
    lb, ub = inner.lb, inner.lb + k * inner.extent
    return inner.over(f"MPI_Type_contiguous({k}, @old, &@new)", loop(k, inner.extent, inner.walk), f"contiguous({k}, {inner.text})",
                      k * inner.units, lb, ub, inner.low, inner.high + (k - 1) * inner.extent, inner.settled)  # fmt: skip


def decorated(random: Random, inner: Layout) -> Layout:
    if random.random() < 0.5:
        return inner.over(
            "MPI_Type_dup(@old, &@new)",
            inner.walk,
            f"dup({inner.text})",
            inner.units,
            inner.lb,
            inner.ub,
            inner.low,
            inner.high,
            True,
        )
    a = inner.align
    return inner.resized(inner.lb - a * random.randint(0, 2), inner.ub + a * random.randint(0, 3))


def split_up(random: Random, n: int) -> tuple[int, int]:
    """Returns factors of n: outer × inner. Small inner parts are more frequent, like real
    blocks."""
    d = divisors(n)
    inner = random.choice(d[: max(1, (len(d) + 1) // 2)]) if random.random() < 0.7 else random.choice(d)
    return n // inner, inner


def a_contiguous(random, unit, n, depth, grain):
    k, m = split_up(random, n)
    return contiguous(tree(random, unit, m, depth - 1, grain), k)


def a_vector(random, unit, n, depth, grain, in_bytes=False):
    k, m = split_up(random, n)
    count, length = split_up(random, k)
    inner = tree(random, unit, m, depth - 1, grain)
    e = inner.extent
    backwards = random.random() < 0.15
    if in_bytes:
        gap = random.choice([0, 1, 2, 5, 16]) * (inner.align if grain else random.choice([1, inner.align]))
        stride = length * e + gap
    else:
        stride = (length + random.choice([0, 1, 1, 1, 2, 3, 7, length])) * e
    stride = -stride if backwards else stride
    first, last = 0, (count - 1) * stride
    low, high = min(first, last) + inner.low, max(first, last) + (length - 1) * e + inner.high
    lb, ub = min(first, last) + inner.lb, max(first, last) + length * e + inner.lb
    walk = loop(count, stride, loop(length, e, inner.walk))
    if in_bytes:
        call, text = (
            f"MPI_Type_create_hvector({count}, {length}, {stride}, @old, &@new)",
            f"hvector({count}, {length}, {stride}, {inner.text})",
        )
    else:
        call, text = (
            f"MPI_Type_vector({count}, {length}, {stride // e}, @old, &@new)",
            f"vector({count}, {length}, {stride // e}, {inner.text})",
        )
    made = inner.over(call, walk, text, n, lb, ub, low, high, inner.settled)
    made.settled = (ub - lb) % made.align == 0
    return made


def a_hvector(random, unit, n, depth, grain):
    return a_vector(random, unit, n, depth, grain, True)


def a_indexed(random, unit, n, depth, grain, in_bytes=False, same=False):
    k, m = split_up(random, n)
    if same:
        blocks, length = split_up(random, k)
        if blocks > 300:
            return a_vector(random, unit, n, depth, grain, in_bytes)
        lengths = [length] * blocks
    else:
        lengths = partition(random, k, random.choice([3, 8, 40, 200]))
    inner = tree(random, unit, m, depth - 1, grain)
    e = inner.extent
    step = (inner.align if grain or random.random() < 0.5 else 1) if in_bytes else e
    order = list(range(len(lengths)))
    if random.random() < 0.4:
        random.shuffle(order)
    places = [0] * len(lengths)
    at = random.choice([0, 0, 0, 1, -5, 9]) * step
    for b in order:
        places[b] = at
        at += lengths[b] * e + random.choice([0, 1, 1, 2, 5]) * step
        at = -(-at // step) * step
    low = min(p + inner.low for p in places)
    high = max(p + (lengths[b] - 1) * e + inner.high for b, p in enumerate(places))
    lb = min(places) + inner.lb
    ub = max(p + lengths[b] * e for b, p in enumerate(places)) + inner.lb
    shown = places if in_bytes else [p // e for p in places]
    h = "h" if in_bytes else ""
    kind = "MPI_Aint" if in_bytes else "int"
    if same:
        name = f"MPI_Type_create_{h}indexed_block"
        call = f"{name}({len(lengths)}, {lengths[0]}, {arrayed(shown, kind)}, @old, &@new)"
        text = f"{h}indexed_block({lengths[0]}, [{listed(shown)}], {inner.text})"
    else:
        name = "MPI_Type_create_hindexed" if in_bytes else "MPI_Type_indexed"
        call = f"{name}({len(lengths)}, {arrayed(lengths, 'int')}, {arrayed(shown, kind)}, @old, &@new)"
        text = f"{h}indexed([{listed(lengths)}], [{listed(shown)}], {inner.text})"
    made = inner.over(call, Blocks(places, lengths, e, inner.walk), text, n, lb, ub, low, high, inner.settled)
    made.settled = (ub - lb) % made.align == 0
    return made


def a_hindexed(random, unit, n, depth, grain):
    return a_indexed(random, unit, n, depth, grain, True)


def a_indexed_block(random, unit, n, depth, grain):
    return a_indexed(random, unit, n, depth, grain, False, True)


def a_hindexed_block(random, unit, n, depth, grain):
    return a_indexed(random, unit, n, depth, grain, True, True)


def a_struct(random, unit, n, depth, grain):
    parts = []
    for share in partition(random, n, random.choice([1, 2, 3, 5])):
        count, m = split_up(random, share) if random.random() < 0.5 else (1, share)
        parts.append((count, tree(random, unit, m, depth - 1, grain)))
    return record(random, parts, grain)


def a_subarray(random, unit, n, depth, grain):
    k, m = split_up(random, n)
    dims = []
    for _ in range(random.randint(0, 2)):
        k, d = split_up(random, k)
        dims.append(d)
    dims.append(k)
    random.shuffle(dims)
    inner = tree(random, unit, m, depth - 1, grain)
    if inner.lb != 0:  # the array begins at 0, for all elements
        return a_contiguous(random, unit, n, depth, grain)
    starts = [random.choice([0, 0, 1, 2, 3]) for _ in dims]
    sizes = [d + s + random.choice([0, 0, 1, 4]) for d, s in zip(dims, starts, strict=False)]
    if math.prod(sizes) * inner.extent > 64 << 20:
        sizes, starts = dims, [0] * len(dims)
    c_order = random.random() < 0.6
    # Begins with the dimension that runs fastest.
    axes = range(len(dims))[::-1] if c_order else range(len(dims))
    walk, stride, offset = inner.walk, inner.extent, 0
    for a in axes:
        walk = loop(dims[a], stride, walk)
        offset += starts[a] * stride
        stride *= sizes[a]
    span = sum(
        (dims[a] - 1) * inner.extent * math.prod(sizes[b] for b in (range(a + 1, len(dims)) if c_order else range(a)))
        for a in axes
    )
    order = "MPI_ORDER_C" if c_order else "MPI_ORDER_FORTRAN"
    call = f"MPI_Type_create_subarray({len(dims)}, {arrayed(sizes, 'int')}, {arrayed(dims, 'int')}, {arrayed(starts, 'int')}, {order}, @old, &@new)"
    text = f"subarray([{listed(sizes)}], [{listed(dims)}], [{listed(starts)}], {'c' if c_order else 'fortran'}, {inner.text})"
    walk = walk if offset == 0 else Several([(offset, walk)])
    return inner.over(call, walk, text, n, inner.lb, inner.lb + stride, offset + inner.low, offset + span + inner.high, True)


def a_darray(random, unit, n, depth, grain):
    """A block or cyclic part of an array that is distributed evenly."""
    k, m = split_up(random, n)
    dims = []
    if random.random() < 0.6:
        k, d = split_up(random, k)
        dims.append(d)
    dims.append(k)
    inner = tree(random, unit, m, depth - 1, grain)
    if inner.lb != 0 or inner.low < 0 or math.prod(dims) * inner.extent > 8 << 20:
        return a_contiguous(random, unit, n, depth, grain)
    sizes, grid, dist, dargs, mine, parts = [], [], [], [], [], []
    for d in dims:
        p = random.choice([1, 2, 2, 3])
        coord = random.randrange(p)
        how = random.choice(["BLOCK", "CYCLIC", "NONE"])
        if how == "NONE":
            p, coord = 1, 0
            arg, runs = "MPI_DISTRIBUTE_DFLT_DARG", (1, d, 0, 0)
        elif how == "BLOCK":
            arg, runs = "MPI_DISTRIBUTE_DFLT_DARG", (1, d, 0, coord * d)
        else:
            rounds, block = split_up(random, d)
            arg, runs = str(block), (rounds, block, p * block, coord * block)
        (
            sizes.append(d * p),
            grid.append(p),
            dist.append(f"MPI_DISTRIBUTE_{how}"),
            dargs.append(arg),
            mine.append(coord),
            parts.append(runs),
        )
    rank = 0
    for p, coord in zip(grid, mine, strict=False):
        rank = rank * p + coord
    c_order = random.random() < 0.6
    axes = range(len(dims))[::-1] if c_order else range(len(dims))
    walk, stride, offset, span = inner.walk, inner.extent, 0, 0
    for a in axes:
        rounds, block, period, start = parts[a]
        walk = loop(rounds, period * stride, loop(block, stride, walk))
        offset += start * stride
        span += ((rounds - 1) * period + block - 1) * stride
        stride *= sizes[a]
    order = "MPI_ORDER_C" if c_order else "MPI_ORDER_FORTRAN"
    call = (f"MPI_Type_create_darray({math.prod(grid)}, {rank}, {len(dims)}, {arrayed(sizes, 'int')}, (int[]){{{', '.join(dist)}}}, "
            f"(int[]){{{', '.join(dargs)}}}, {arrayed(grid, 'int')}, {order}, @old, &@new)")  # fmt: skip
    text = f"darray({math.prod(grid)}, {rank}, [{listed(sizes)}], [{', '.join(x[15:].lower() for x in dist)}], [{listed(grid)}], {inner.text})"
    return inner.over(call, Several([(offset, walk)]), text, n, 0, stride, offset + inner.low, offset + span + inner.high, True)


def a_decorated(random, unit, n, depth, grain):
    return decorated(random, tree(random, unit, n, depth - 1, grain))


KINDS = [a_contiguous, a_vector, a_vector, a_hvector, a_hvector, a_indexed, a_hindexed, a_indexed_block, a_hindexed_block, a_struct,
         a_struct, a_subarray, a_subarray, a_darray, a_decorated]  # fmt: skip


def column(random: Random, unit: Unit, rows: int, columns: int) -> Layout:
    """A column of a row-major matrix. Its extent is an entry, so `columns` columns are the
    matrix."""
    inner = unit_layout(random, unit, 1)
    e = inner.extent
    row = (columns + random.choice([0, 0, 1, 5])) * e
    walk = loop(rows, row, inner.walk)
    made = inner.over(f"MPI_Type_create_hvector({rows}, 1, {row}, @old, &@new)", walk, f"hvector({rows}, 1, {row}, {inner.text})", rows,
                      inner.lb, inner.lb + (rows - 1) * row + e, inner.low, inner.high + (rows - 1) * row, False)  # fmt: skip
    return made.resized(inner.lb, inner.lb + e)
