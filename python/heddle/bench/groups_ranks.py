"""The part of `heddle bench groups` with real ranks: ping-pong over communicators without odd
ranks, level by level.

Tables 2 to 4 of Chaarawi and Gabriel 2008. No rank yields while it waits (HEDDLE_YIELD,
mpi_yield_when_idle): two ranks work at a time, on a core each, and the others sleep.
"""

from __future__ import annotations

import math
import statistics

from rich.table import Table

from . import groups_seed
from .groups_seed import ENDS
from .jobs import Collector, Run, lines
from .native import Mpi, With
from .rows import Row, merged
from .wire import Host

ALONE = "host alone"
MESSAGES = {"8 B": "8 contiguous bytes, to and fro", "64 KiB with holes": "64 KiB in pieces of 128 bytes, one way"}
SPINNING = {"HEDDLE_YIELD": "off", "OMPI_MCA_mpi_yield_when_idle": "0"}


def measure(mpi: Mpi, ranks: int, rounds: int, quick: bool, over: Host) -> list[Row]:
    rows = []
    settings = SPINNING | over.settings(ranks)
    for turn in range(rounds):
        for family in mpi.families:
            for between in (With.nothing, With.heddle) if turn % 2 == 0 else (With.heddle, With.nothing):
                collector = Collector(family, Run(between.value, between, settings), ranks)
                for line in lines("hierarchy", family, collector.run, ranks, ["--quick"] if quick else []):
                    collector.take(line)
                if collector.wrong:
                    raise RuntimeError("\n".join(collector.wrong))
                alone = between is With.nothing
                rows += [Row.of(row.__dict__, variant=ALONE) if alone else row for row in collector.rows]
    return merged(rows)


def slope(values: list[float]) -> tuple[float, float]:
    """The time that a further level adds, and its standard error."""
    levels = range(len(values))
    if len(values) < 3:
        return (values[-1] - values[0] if len(values) == 2 else 0.0), math.nan
    line = statistics.linear_regression(levels, values)
    off = sum((value - line.intercept - line.slope * level) ** 2 for level, value in zip(levels, values, strict=True))
    spread = sum((level - statistics.fmean(levels)) ** 2 for level in levels)
    return line.slope, math.sqrt(off / (len(values) - 2) / spread)


def _cells(rows: list[Row], metric: str, variant: str, end: str) -> list[Row]:
    """The rows of a metric, level by level."""
    found = {row.case: row for row in rows if (row.metric, row.variant) == (metric, variant) and row.case.endswith(end)}
    return [found[f"level {level}, {end}"] for level in range(len(found))]


def table(rows: list[Row], metric: str) -> Table:
    """The table of one MPI and one message."""
    some = rows[0]
    shown = Table(
        title=f"{MESSAGES[metric]}, {some.ranks} ranks, without odd ranks level by level, {some.mpi}, us one way",
        title_justify="left",
    )
    shown.add_column("level")
    shown.add_column("kept as")
    columns: list[list[float]] = []
    for end in ENDS:
        for variant, title in ((ALONE, ALONE), ("host", "PMPI_"), ("heddle", "Heddle")):
            shown.add_column(f"{end}\n{title}", justify="right")
            columns.append([row.value for row in _cells(rows, metric, variant, end)])
    formats = [row.pattern for row in _cells(rows, metric, "heddle", ENDS[0])]
    for level, kept in enumerate(formats):
        shown.add_row(str(level), kept, *(f"{column[level]:.3g}" for column in columns))
    levels = [f"{1000 * slope(column)[0]:+.1f}" for column in columns]
    shown.add_section()
    shown.add_row("+1", "ns", *levels)
    return shown


def paper(rows: list[Row], title: str, theirs: groups_seed.Latencies, over: Host) -> Table:
    """A table of the paper, beside our ping-pong of the same kind under each MPI."""
    mpis = list(dict.fromkeys(row.mpi for row in rows))
    shown = Table(
        title=f"{title}, µs, of Chaarawi and Gabriel 2008; beside it 8 B of {rows[0].ranks} ranks {over.title} under Heddle",
        title_justify="left",
    )
    shown.add_column("level")
    columns: list[list[float]] = []
    for name, ends in theirs.items():
        for end in ENDS:
            shown.add_column(f"{name}\n{end}", justify="right")
            columns.append(ends[end])
    for mpi in mpis:
        of = [row for row in rows if row.mpi == mpi]
        for end in ENDS:
            shown.add_column(f"{' '.join(mpi.split()[:-1])}\n{end}", justify="right")
            columns.append([row.value for row in _cells(of, "8 B", "heddle", end)])
    for level in range(max(map(len, columns))):
        shown.add_row(str(level), *(f"{column[level]:.3g}" if level < len(column) else "" for column in columns))
    shown.add_section()
    shown.add_row("+1, ns", *(f"{1000 * slope(column)[0]:+.1f}" for column in columns))
    return shown


def tables(rows: list[Row], over: Host) -> list[Table]:
    shown = []
    summary = Table(title="A further level adds, ns, ± standard error", title_justify="left")
    for name in ("MPI", "message", "between", ALONE, "PMPI_ under Heddle", "Heddle"):
        summary.add_column(name, justify="left" if name in ("MPI", "message", "between") else "right")
    low, _ = groups_seed.PER_LEVEL_NS
    summary.caption = f"{groups_seed.PAPER}: {low} ns and more"
    for mpi in dict.fromkeys(row.mpi for row in rows):
        of = [row for row in rows if row.mpi == mpi]
        for metric in MESSAGES:
            shown.append(table(of, metric))
            for end in ENDS:
                series = [[row.value for row in _cells(of, metric, variant, end)] for variant in (ALONE, "host", "heddle")]
                more = [slope(values) for values in series]
                summary.add_row(mpi, metric, end, *(_with_error(1000 * each, 1000 * error) for each, error in more))
    of_network = groups_seed.TABLES.items() if over is Host.node else [(groups_seed.OVER_TCP, groups_seed.ETHERNET)]
    seeds = [paper(rows, title, theirs, over) for title, theirs in of_network]
    return [*shown, *seeds, summary]


def _with_error(number: float, error: float) -> str:
    """Two levels (--quick) give a line, but no error."""
    return f"{number:+.1f}" if math.isnan(error) else f"{number:+.1f} ± {error:.1f}"
