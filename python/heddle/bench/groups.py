"""`heddle bench groups`: the costs of groups: bytes, look-ups, creation.

The cases are those of Chaarawi and Gabriel 2008 (here: the seed): HPL's communicators at 90,000
processes, and a hierarchy of communicators without their odd ranks. Heddle's groups are compared
with lists of pointers, with the seed's formats as measured here (the difference to a parent, asked
level by level), and with the seed's own tables. Then real ranks play ping-pong over such
communicators.
"""

from __future__ import annotations

import json as json_format
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from heddle import native
from heddle.console import console, wide_console
from heddle.problem import Problem

from . import goals as wanted
from . import groups_plot, groups_ranks, groups_seed
from .messages import JsonFile, Rounds, number_of
from .native import Mpi
from .rows import Row, write
from .wire import Host

# Goals: the largest time of a look-up, ns.
LIMITS = {
    "identity": 5,
    "stride": 5,
    "ranges, 8": 5,
    "grid": 5,
    "chain, 2": None,
    "bitmap": 20,
    "ranges, many": 50,
    "list": None,
}
HPL = "HPL, 300 × 300: dup, row, column"


def measure(arguments: list[str]) -> list[Row]:
    answer = subprocess.run([native.program("heddle-bench-groups"), *arguments], capture_output=True, text=True)
    if answer.returncode != 0:
        raise Problem(answer.stderr.strip() or f"heddle-bench-groups ended with code {answer.returncode}")
    return [Row.of(json_format.loads(line)) for line in answer.stdout.splitlines()]


def select(rows: Iterable[Row], metric: str) -> dict[str, dict[str, Row]]:
    """Case → variant → row."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row.metric == metric:
            found.setdefault(row.case, {})[row.variant] = row
    return found


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def memory(rows: list[Row]) -> Table:
    table = _table(
        "Bytes in a process", "communicators", "kept as", "members", "with object", "lists of pointers", "the paper's"
    )
    whole = select(rows, "with_object_bytes")
    for case, cells in select(rows, "members_bytes").items():
        if "pointers" not in cells:
            continue
        variant = next(name for name in cells if name not in ("pointers", "paper"))
        table.add_row(
            case,
            "" if variant == "heddle" else variant,
            f"{cells[variant].value:,.0f}",
            f"{whole[case][variant].value:,.0f}",
            f"{cells['pointers'].value:,.0f}",
            f"{cells['paper'].value:,.0f}" if "paper" in cells else "",
        )
    return table


def formulas(rows: list[Row]) -> Table:
    """Table 1 of the paper beside the bytes of our formats, for the largest measured world."""
    found = _by_variant(rows, "members_bytes")
    size = max(int(case) for case in found["identity"] if case.isdigit())
    table = _table(
        f"Table 1: bytes of each format with {size:,} processes",
        "format",
        "in the paper",
        "bytes",
        "ours",
        "bytes here",
    )
    many = f"{groups_seed.plist_bytes(size):,}"
    for name, formula, theirs, ours in (
        ("PList, all in order", "processes × sizeof(void *)", many, "identity"),
        ("PList, shuffled", "processes × sizeof(void *)", many, "list"),
        ("Range, 8 of them", "ranges × 2 × sizeof(int)", f"{groups_seed.range_bytes(8):,}", "ranges, 8"),
        ("Strided", "3 × sizeof(int)", f"{groups_seed.STRIDED_BYTES}", "stride"),
        ("Bitmap, a random half", "⌈processes / 8⌉", f"{groups_seed.bitmap_bytes(size):,}", "bitmap"),
        ("planes of a cube", "none fits", "", "grid"),
        ("two halves merged", "none fits", "", "chain, 2"),
    ):
        table.add_row(name, formula, theirs, ours, f"{found[ours][str(size)].value:,.0f}")
    table.caption = "Our bitmap has counts for look-ups in constant time; the paper's walks from the first bit."
    return table


def _by_variant(rows: list[Row], metric: str) -> dict[str, dict[str, Row]]:
    turned: dict[str, dict[str, Row]] = {}
    for case, cells in select(rows, metric).items():
        for variant, row in cells.items():
            turned.setdefault(variant, {})[case] = row
    return turned


def lookups(rows: list[Row]) -> Table:
    found = _by_variant(rows, "lookup_ns")
    sizes = list(next(iter(found.values())))
    back = _by_variant(rows, "back_ns")
    titles = [f"{int(size):,}" for size in sizes]
    table = _table(
        "One look-up, rank → world rank, ns, by size of the world",
        "format",
        *titles,
        *(["goal"] if wanted.asked() else []),
        "and back",
    )
    for variant, cells in found.items():
        limit = LIMITS[variant]
        values = [f"{cells[size].value:.1f}" for size in sizes]
        goal = [f"≤ {limit}" if limit else ""] if wanted.asked() else []
        table.add_row(variant, *values, *goal, f"{back[variant][sizes[-1]].value:.1f}")
    lists = [f"{max(row.value for row in cells.values()):.1f}" for cells in select(rows, "list_ns").values()]
    table.add_row("[dim]a list, at most[/]", *lists, style="dim")
    return table


def depths(rows: list[Row]) -> Table:
    found = _by_variant(rows, "depth_ns")
    levels = list(next(iter(found.values())))
    shown = [level for level in levels if level in ("1", "2", "5", "10", "15", "20")]
    table = _table("One look-up at 1,000,000 ranks, ns, by depth of derivation", "format", *shown, "a level more")
    for variant, cells in found.items():
        slope = (cells[levels[-1]].value - cells[levels[0]].value) / max(1, len(levels) - 1)
        table.add_row(variant, *(f"{cells[level].value:.1f}" for level in shown), f"{slope:+.2f}")
    low, high = groups_seed.PER_LEVEL_NS
    table.caption = f"{groups_seed.PAPER}: {low} to {high} ns a level"
    return table


def hierarchy(rows: list[Row]) -> Table:
    """The communicators of the paper's table 4. Its latencies are of whole ping-pongs over Myrinet;
    ours are of look-ups."""
    found = select(rows, "level_ns")
    ways = ("heddle", "list", "paper: range", "paper: strided", "paper: bitmap")
    paper = list(groups_seed.MYRINET)
    titles = [f"{name}, paper" for name in paper]
    table = _table(
        "512 processes without odd ranks, level by level. Here ns to find the last rank, in the paper µs of a ping-pong",
        "level",
        *(way.replace("paper: ", "the paper's ") for way in ways),
        *titles,
    )
    for level, cells in found.items():
        here = [f"{cells[way].value:.1f}" if way in cells else "" for way in ways]
        table.add_row(level, *here, *(f"{groups_seed.MYRINET[name][groups_seed.LAST][int(level)]:.2f}" for name in paper))
    return table


def creations(rows: list[Row]) -> Table:
    table = _table("Creating at 1,000,000 ranks", "", "how", "time")
    for case, cells in select(rows, "create_ns").items():
        for variant, row in cells.items():
            time = f"{row.value:,.0f} ns" if row.value < 1e4 else f"{row.value / 1e3:,.0f} µs"
            table.add_row(case, variant, time)
    return table


def goals(rows: list[Row]) -> Table:
    table = _table("Goals", "goal", "wanted", "here")
    one = select(rows, "members_bytes")[HPL]["heddle"].value
    largest = select(rows, "largest_group_bytes")[HPL]["heddle"].value
    lists = f"{groups_seed.HPL_LISTS:,} as lists"

    def line(text: str, wanted: float, value: float, unit: str) -> None:
        colour = "green" if value <= wanted else "red"
        table.add_row(text, f"≤ {wanted:g} {unit}", f"[{colour}]{value:.3g} {unit}[/]")

    line(f"HPL at 90,000 processes, three communicators ({lists})", groups_seed.HPL_SPARSE, one, "B")
    line("the largest of them with its object", 128, largest, "B")
    for variant, cells in _by_variant(rows, "lookup_ns").items():
        if LIMITS[variant]:
            line(f"look-up, {variant}, any size", LIMITS[variant], max(row.value for row in cells.values()), "ns")
    for variant, cells in _by_variant(rows, "depth_ns").items():
        if LIMITS[variant]:
            line(f"look-up, {variant}, any depth", LIMITS[variant], max(row.value for row in cells.values()), "ns")
    return table


def command(
    json: JsonFile = None,
    figure: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the figure, as FILE.svg and FILE.png.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: small worlds, few samples, 4 ranks.")] = False,
    mpi: Annotated[Mpi, typer.Option(help="MPI libraries whose ranks play ping-pong over such communicators.")] = Mpi.both,
    ranks: Annotated[int, typer.Option(min=0, max=512, help="Ranks that play ping-pong; 0: none.")] = 48,
    rounds: Rounds = None,
    over: Annotated[
        Host,
        typer.Option(
            help="The way of ping-pongs: a node's memory, or TCP with each rank as a node (then only ping-pongs are measured)."
        ),
    ] = Host.node,
) -> None:
    """Show the bytes, look-ups and creation times of groups, beside lists and the formats of
    Chaarawi and Gabriel 2008."""
    arguments = ["--sample-ms", "0.1", "--samples", "3", "--depth", "2", "--sizes", "1000", "100000"] if quick else []
    rows: list[Row] = []
    screen = console()
    if over is Host.node:
        rows = measure(arguments)
        for part in (memory, formulas, lookups, depths, hierarchy, creations):
            screen.print(part(rows))
        wanted.show(screen, lambda: goals(rows))
    elif ranks < 2 or figure is not None:
        raise Problem("--over tcp measures only ping-pongs: it takes two ranks and more, and draws nothing.", code=2)
    if ranks >= 2:
        played = groups_ranks.measure(mpi, 4 if quick else ranks, number_of(rounds, quick), quick, over)
        wide = wide_console() if not screen.is_terminal else screen
        for part in groups_ranks.tables(played, over):
            wide.print(part)
        rows += played
    if json is not None:
        write(rows, json)
    if figure is not None:
        groups_plot.write(rows, figure)
