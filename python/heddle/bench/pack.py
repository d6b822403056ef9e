"""`heddle bench pack`: every data layout of the catalogue through MPI_Pack and MPI_Unpack.

Heddle is compared with the hosts themselves, memcpy of the same bytes, and the yardstick.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from heddle.console import console, table_console
from heddle.families import Family
from heddle.problem import Problem

from . import compare, figure, goals, plot, table, yardstick
from .messages import JsonFile, PlotFile, Rounds, WhichMpi, number_of
from .native import Mpi, With, lines
from .rows import Row, merged, write

CASES_OF_YARDSTICK = 84  # for the progress bar only


class Bench:
    """One run: collects rows and shows the progress."""

    def __init__(self, progress: Progress, between: With, arguments: list[str], source: Path | None):
        self.progress, self.between, self.arguments, self.source = progress, between, arguments, source
        self.rows: list[Row] = []
        self.wrong: list[str] = []
        self.core = -1

    def native(self, family: Family, round_name: str) -> None:
        task = self.progress.add_task(f"{family.name} {round_name}", total=None)
        for line in lines("pack", family, self.between, self.arguments):
            if "plan" in line:
                self._plan(line, family)
                mpi = line["mpi"]
                self.progress.update(task, total=line["plan"])
            elif "bench" in line:
                variant = self.between.value if line["variant"] == "heddle" else line["variant"]
                self.rows.append(Row.of(line, variant=variant, mpi=mpi, core=self.core))
            else:
                if "wrong" in line:
                    self.wrong.append(f"{line['wrong']} ({mpi}): {line['why']}")
                self.progress.advance(task)

    def _plan(self, line: dict, family: Family) -> None:
        self.core = line["core"]
        expected = {With.nothing: "host"}.get(self.between, self.between.value)
        if line["interposer"] != expected:
            found = line["interposer"]
            raise Problem(f"{self.between.value} should stand before {family.name}, but {found} answers its calls")

    def hand_written(self) -> None:
        if self.source is None:
            return
        task = self.progress.add_task("yardstick", total=CASES_OF_YARDSTICK)
        for row in yardstick.run(self.source, self.core):
            self.rows.append(row)
            self.progress.advance(task)


def _rounds(bench: Bench, mpi: Mpi, rounds: int) -> None:
    """MPIs and yardstick alternate, so that a disturbance of the machine affects all of them."""
    for number in range(rounds):
        name = f"({number + 1}/{rounds})" if rounds > 1 else ""
        for family in mpi.families:
            bench.native(family, name)
            bench.hand_written()


def _known(rows: list[Row]) -> Iterator[Row]:
    """The yardstick measures its whole list. We keep the cases that we have measured, too."""
    cases = {row.case for row in rows if row.variant != "yardstick"}
    return (row for row in rows if row.case in cases)


def command(
    mpi: WhichMpi = Mpi.both,
    json: JsonFile = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Short and rough: fewer samples, no cases over 8 MiB, no yardstick.")
    ] = False,
    filter: Annotated[str | None, typer.Option(metavar="REGEX", help="Only cases whose name matches.")] = None,
    source: Annotated[Path | None, typer.Option("--yardstick", metavar="PATH", help="Source of the yardstick.")] = None,
    rounds: Rounds = None,
    bars: PlotFile = None,
    between: Annotated[
        With, typer.Option("--with", help="The preloaded library: heddle, the null Heddle, or nothing.")
    ] = With.heddle,
    core: Annotated[int | None, typer.Option(help="The core to use; the last core by default.")] = None,
) -> None:
    """Pack and unpack the catalogue of data layouts: Heddle, the host MPIs, memcpy and hand-written
    loops."""
    arguments = ["--quick", "--limit", str(8 << 20)] if quick else []
    arguments += ["--filter", filter] if filter else []
    arguments += ["--core", str(core)] if core is not None else []
    if source is None and not quick:
        source = yardstick.default_source()
    started = time.monotonic()
    columns = (TextColumn("{task.description:16}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    if bars is not None:
        figure.base(bars)
    if source is not None:
        yardstick.build(source)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bench = Bench(progress, between, arguments, source)
        _rounds(bench, mpi, number_of(rounds, quick))
    rows = merged(_known(bench.rows))
    if not rows:
        raise Problem(f"no case of the benchmark matches --filter '{filter}'. Without the option, all cases run.")
    if json is not None:
        write(rows, json)
    if bars is not None:
        plot.write(compare.comparisons(rows, between.value), bars)
    report(rows, between.value)
    console().print(f"{len(rows)} rows in {time.monotonic() - started:.0f} s, on core {bench.core}")


def report(rows: list[Row], ours: str) -> None:
    """The tables, from rows measured just now or read from a file."""
    found = compare.comparisons(rows, ours)
    for metric in ("pack", "unpack"):
        table_console().print(table.cases(found, metric, ours))
    console().print(table.families(found))
    goals.show(console(), lambda: table.summary({metric: compare.goals(found, metric) for metric in ("pack", "unpack")}))
    console().print(table.decoding(compare.decoding(rows, ours)))
