"""`heddle bench study`: halos of three codes, packed by hand and by datatypes, each alone and under
Heddle.

The cases are those of Adefemi 2025, "Do MPI Derived Datatypes Actually Help? A Single-Node
Cross-Implementation Study on Shared-Memory Communication" (arXiv 2511.13804). One native program
has the codes and both ways to exchange (bench/study). Its jobs run alone and under Heddle by turns.
All jobs must have the same answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from heddle import families, installations, verdict
from heddle.commands.values import Command
from heddle.disturbance import told
from heddle.families import Family
from heddle.installations import Installation
from heddle.problem import Problem

from . import rows as rows_file
from . import study_picture, study_table
from .jobs import Collector, Run, lines
from .messages import finish
from .native import Mpi, With
from .rows import Row, judged, merged
from .study_table import CODES, COLUMNS, FORWARDED, METRICS, OURS, over_ours

RUNS = (Run("alone", With.nothing), Run("under Heddle", With.heddle))
FORWARDING = Run("forwarded", With.null)
RANKS, SIZES, ROUNDS = (1, 2, 4), (128, 512, 2048), verdict.ROUNDS
QUICK_RANKS, QUICK_SIZES, QUICK_ROUNDS = (2,), (128, 512), 2
INTEL = "intelmpi"
_HELP = """
Exchange halos packed by hand and by datatypes, alone and under Heddle: which of the four is the fastest?

A study of 2025 (arXiv 2511.13804) asks whether derived datatypes help within a node. Its answer: it depends on the code, the
call and the MPI. This command measures the study's three codes. [bold]jacobi[/] has doubles and a halo of 1 cell.
[bold]life[/] is Conway's Game of Life: bytes, 1 cell, and corners, so columns go before rows. [bold]image[/] has cells of 3
floats and a halo of 2 cells. Borders are periodic; one rank is its own neighbour.

Each code exchanges its halo by three kinds of calls. [bold]messages[/]: 4 MPI_Irecv, 4 MPI_Isend, MPI_Waitall.
[bold]neighbour[/]: MPI_Neighbor_alltoallw of datatypes, MPI_Neighbor_alltoallv of packed data. [bold]persistent[/]:
MPI_Startall and MPI_Waitall of requests from MPI_Recv_init and MPI_Send_init. A fourth kind is measured if --calls names it.
[bold]puts[/]: MPI_Put between two MPI_Win_fence, of datatypes into the neighbours' fields, or of packed data into buffers.

The first tables have the time of an exchange, the others the time of a step: an exchange and the computation after it. The
gain is the time of the datatypes alone over their time under Heddle. A row names the ways that are faster than datatypes under
Heddle, if the rounds show a difference. All answers must be equal, bit by bit; otherwise the exit status is 1.

Example: heddle bench study --quick --ranks 1 2 --codes life --calls messages
"""
HELP = "\n\n".join(" ".join(paragraph.split()) for paragraph in _HELP.split("\n\n"))  # typer keeps the ends of lines


class Calls(StrEnum):
    messages = "messages"
    neighbour = "neighbour"
    persistent = "persistent"
    puts = "puts"


USUAL = (Calls.messages, Calls.neighbour, Calls.persistent)


@dataclass
class Answers:
    """The checksums of each problem. They must be the same in all runs, by all calls, on all
    MPIs."""

    found: dict[tuple, tuple[str, list[int]]] = field(default_factory=dict)

    def take(self, problem: tuple, who: str, checksums: list[int]) -> None:
        """@param problem  everything that the answer depends on. `who`: the variant that gave this answer."""
        first, right = self.found.setdefault(problem, (who, checksums))
        if checksums != right:
            ranks = [rank for rank, (one, other) in enumerate(zip(checksums, right, strict=True)) if one != other]
            raise Problem(f"the answers differ on rank {', '.join(map(str, ranks))}: {who}, and {first}")


@dataclass(frozen=True)
class Setting:
    """The problem of a pair of jobs: one code at one size."""

    mpi: Family | Installation
    ranks: int
    code: str
    size: int

    def __str__(self) -> str:
        return f"{self.mpi.name}, {self.ranks} rank{'s' * (self.ranks > 1)}, {self.code} {self.size}"


def job(setting: Setting, run: Run, arguments: Sequence[str], answers: Answers) -> list[Row]:
    """The rows of one job; a variant is "by hand alone", for example."""
    collector = Collector(setting.mpi, run, setting.ranks)
    words = ["--codes", setting.code, "--sizes", str(setting.size), *arguments]
    for line in lines("study", setting.mpi, run, setting.ranks, words):
        collector.take(line)
        if "answer" in line:
            problem = (setting.code, setting.size, setting.ranks, line["steps"])
            who = f"{line['answer']}, {line['variant']} {run.variant} on {setting.mpi.name}"
            answers.take(problem, who, line["checksums"])
    return [replace(row, variant=f"{row.variant} {run.variant}") for row in collector.rows]


def gains(rounds: Sequence[Sequence[Row]]) -> list[Row]:
    """For each case, the times of the other columns over those of the datatypes under Heddle: the
    median of the rounds' ratios, and its interval. Only times at the same distance of the cores are
    compared."""
    ratios: dict[tuple, list[float]] = {}
    about: dict[tuple, Row] = {}
    for found in rounds:
        ours = {(row.case, row.metric, row.cores): row.value for row in found if row.variant == OURS}
        for row in found:
            key = (row.case, row.metric, row.cores)
            if row.variant in (*COLUMNS, FORWARDED) and row.variant != OURS and key in ours:
                ratios.setdefault((row.variant, *key), []).append(row.value / ours[key])
                about[(row.variant, *key)] = row
    return [judged(replace(about[key], metric=over_ours(about[key].metric)), values) for key, values in ratios.items()]


def measure(settings: Sequence[Setting], rounds: int, arguments: Sequence[str], forwarding: bool = False) -> list[Row]:
    columns = (TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    answers, rows = Answers(), []
    runs = (*RUNS, FORWARDING) if forwarding else RUNS
    with told(), Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(settings) * rounds * len(runs))
        for setting in settings:
            of_rounds: list[list[Row]] = []
            for _ in range(rounds):
                of_rounds.append([])
                for run in verdict.shuffled(runs):
                    progress.update(bar, description=f"{setting}, {run.variant}")
                    of_rounds[-1] += job(setting, run, arguments, answers)
                    progress.advance(bar)
            rows += merged(row for found in of_rounds for row in found) + gains(of_rounds)
    return rows


def libraries(names: Iterable[str] | None) -> list[Family | Installation]:
    """The named MPIs. Without names: the checkout's two MPIs, and Intel MPI if this machine has
    it."""
    if not names:
        return [*Mpi.both.families, *(mpi for mpi in installations.find() if mpi.name == INTEL)]
    found: list[Family | Installation] = []
    for name in names:
        if name in list(Mpi):
            found += Mpi(name).families
            continue
        mpi = installations.named(name)
        if mpi.family not in (families.MPICH, families.OPENMPI):
            raise Problem(f"{mpi.name} is of the family {mpi.family.title}, which has no built bench.", code=2)
        found.append(mpi)
    return list(dict.fromkeys(found))


class Lists(Command):
    """Options of this command take several values: `--ranks 1 2` means `--ranks 1 --ranks 2`."""

    REPEATED = ("--mpi", "--ranks", "--sizes", "--codes", "--calls")

    def parse_args(self, ctx, args: list[str]) -> list[str]:
        return super().parse_args(ctx, list(self._single(args)))

    def _single(self, words: Iterable[str]) -> Iterator[str]:
        option, values = "", 0
        for word in words:
            if word.startswith("-"):
                option, values = word if word in self.REPEATED else "", 0
            elif option:
                if values > 0:
                    yield option
                values += 1
            yield word


def command(
    mpi: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME...",
            help="mpich, openmpi, a name of `heddle mpi`, or an MPI's folder. Otherwise mpich, openmpi, and intelmpi if found.",
        ),
    ] = None,
    ranks: Annotated[
        list[int] | None, typer.Option(min=1, max=64, metavar="N...", help="Numbers of ranks. [1 2 4; quick: 2]")
    ] = None,
    sizes: Annotated[
        list[int] | None,
        typer.Option(
            min=4, max=16384, metavar="N...", help="Each rank has N × N cells, and a halo. [128 512 2048; quick: 128 512]"
        ),
    ] = None,
    codes: Annotated[list[str] | None, typer.Option(metavar="CODE...", help="Only these: jacobi, life, image.")] = None,
    calls: Annotated[
        list[Calls] | None,
        typer.Option(metavar="CALL...", help="Only these: messages, neighbour, persistent, puts. [the first three]"),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pairs of jobs: one alone, one under Heddle. [7; quick: 2]")
    ] = None,
    forwarding: Annotated[
        bool,
        typer.Option(
            "--forwarding",
            help="Also measure a library that only forwards each call to the MPI: the least cost of interposing.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: 2 ranks, two sizes.")] = False,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the rows as JSON.")] = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw the exchanges as bars.")] = None,
    rows: Annotated[
        Path | None,
        typer.Option("--rows", metavar="FILE", help="Measure nothing: show and draw the rows of an earlier --json."),
    ] = None,
) -> None:
    if picture is not None:
        study_picture.require_svg(picture)
    started = time.monotonic()
    if rows is not None:
        found = rows_file.read(rows)
    else:
        unknown = sorted(set(codes or ()) - {*CODES})
        if unknown:
            raise Problem(f"there is no code {', '.join(unknown)}. --codes takes: {', '.join(CODES)}.", code=2)
        settings = [
            Setting(library, count, code, size)
            for library in libraries(mpi)
            for count in ranks or (QUICK_RANKS if quick else RANKS)
            for code in codes or CODES
            for size in sizes or (QUICK_SIZES if quick else SIZES)
        ]
        arguments = ["--calls", *(call.value for call in calls or USUAL), *(["--quick"] if quick else [])]
        found = measure(settings, rounds or (QUICK_ROUNDS if quick else ROUNDS), arguments, forwarding)
    for metric in METRICS:
        study_table.show(found, metric)
    finish(found, json, time.monotonic() - started)
    if picture is not None:
        study_picture.draw(found, picture)
