"""`heddle bench seek`: the cost of finding the place again in a pipelined noncontiguous send.

It makes Figure 13 of Balaji et al. 2007: a matrix of three doubles, sent transposed, in segments,
with a look at the next 15 blocks before each segment. It also measures the time of one seek against
the offset. Dual-context is Heddle's cursor. Single-context is a build that loses its place when it
looks ahead, and searches for it from the start. The host is MPICH's MPIX_Type_iov, if MPICH has it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from heddle import families, native
from heddle.console import console
from heddle.problem import Problem

from . import figure, seek_plot
from .messages import JsonFile, PlotFile
from .native import With, lines
from .rows import Row, write

VARIANTS = ("dual-context", "single-context", "host")
TITLES = {
    "dual-context": "dual-context (Heddle)",
    "single-context": "single-context, searching",
    "host": "host (MPICH's MPIX_Type_iov)",
}


def measure(arguments: list[str], screen: Console) -> list[Row]:
    """Heddle's side and the host's. The host's program answers look and search in one."""
    rows = [Row.of(found) for found in native.tool("seek", "--json", *arguments)]
    try:
        for line in lines("seek", families.MPICH, With.nothing, arguments):
            rows.append(Row.of(line))
    except Problem as problem:
        screen.print(f"[dim]without the host's side: {problem}[/]")
    return [replace(row, best=row.lower) for row in rows]


def by_case(rows: list[Row], metrics: tuple[str, ...]) -> dict[str, dict[tuple[str, str], Row]]:
    """case → (variant, metric) → row."""
    found: dict[str, dict[tuple[str, str], Row]] = {}
    for row in rows:
        if row.metric in metrics:
            found.setdefault(row.case, {})[row.variant, row.metric] = row
    return found


def _us(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def breakdown(rows: list[Row]) -> Table:
    """The parts of the time of a message. The host looks and searches in one call."""
    table = Table(title="One message, µs: look ahead + search for the place | pack | search, % of all", title_justify="left")
    table.add_column("matrix")
    for variant in VARIANTS:
        table.add_column(TITLES[variant], justify="right")
    for case, cells in by_case(rows, ("look_us", "search_us", "pack_us", "share")).items():
        line = []
        for variant in VARIANTS:
            if (variant, "pack_us") not in cells:
                line.append("")
                continue
            look = cells[variant, "look_us"].value if (variant, "look_us") in cells else 0.0
            search, pack = cells[variant, "search_us"].value, cells[variant, "pack_us"].value
            line.append(f"{_us(look + search)} | {_us(pack)} | {100 * cells[variant, 'share'].value:.1f} %")
        table.add_row(case.removeprefix("transpose ") + "²", *line)
    return table


def flatness(rows: list[Row]) -> Table:
    table = Table(title="One seek, ns", title_justify="left")
    table.add_column("to")
    for variant in VARIANTS:
        table.add_column(TITLES[variant], justify="right")
    for case, cells in by_case(rows, ("seek_ns",)).items():
        values = [f"{cells[v, 'seek_ns'].value:,.1f}" if (v, "seek_ns") in cells else "" for v in VARIANTS]
        table.add_row(case.removeprefix("transpose "), *values)
    return table


def command(
    json: JsonFile = None,
    shares: PlotFile = None,
    segment: Annotated[int, typer.Option(min=24, max=1 << 30, help="Bytes of a segment of the pipeline.")] = 65536,
    quick: Annotated[bool, typer.Option("--quick", help="Small matrices, few samples.")] = False,
) -> None:
    """Show the cost of finding the place again, with one context and with two."""
    if shares is not None:
        figure.base(shares)
    sizes = ["64", "128", "256"] if quick else ["64", "128", "256", "512", "1024"]
    screen = console()
    rows = measure(
        ["--segment", str(segment), "--samples", "3" if quick else "7", "--sizes", *sizes],
        screen,
    )
    screen.print(breakdown(rows))
    screen.print(flatness(rows))
    ours = [row.value for row in rows if row.metric == "seek_ns" and row.variant == "dual-context"]
    screen.print(
        f"A seek with the dual-context cursor takes {min(ours):.1f} to {max(ours):.1f} ns, wherever it goes.",
        highlight=False,
    )
    if json is not None:
        write(rows, json)
    if shares is not None:
        seek_plot.write(rows, shares)
