"""`heddle bench startup`: the time of a job that does nothing, alternately without Heddle,
preloaded, and by `heddle run`.

The bench measures the launcher's whole time, and the times of MPI_Init and MPI_Finalize. It also
measures Heddle's part of MPI_Init by itself: the scatter of the library's own start would hide it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from json import loads
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress
from rich.table import Table

from heddle import verdict
from heddle.console import console
from heddle.families import Family
from heddle.jobs import TIMEOUT_S
from heddle.problem import Problem

from .jobs import Run, command
from .messages import JsonFile, WhichMpi
from .native import Mpi, With
from .rows import Row, write

BARE, PRELOADED, STARTED = "host", "preloaded", "heddle run"
METRICS = ("job", "init", "finalize")
PARTS = ("part", "work")  # Heddle's part of MPI_Init, and a rank's own work in it


@dataclass(frozen=True)
class Job:
    """One start: its MPI and milliseconds by metric."""

    mpi: str
    took: dict[str, float]


def start(family: Family, way: str, ranks: int) -> Job:
    between = With.heddle if way == PRELOADED else With.nothing
    words, env = command("startup", family, Run(way, between), ranks, [])
    if way == STARTED:
        words = [str(Path(sys.executable).parent / "heddle"), "run", "--", *words]
    begin = time.perf_counter()
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    job = 1e3 * (time.perf_counter() - begin)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != 1:
        raise Problem(f"{' '.join(words)} ended with code {done.returncode}. {done.stderr.strip()}".strip())
    found = loads(lines[0])
    expected = "host" if way == BARE else "heddle"
    if found["interposer"] != expected:
        raise Problem(f"{expected} should answer MPI calls, but {found['interposer']} does: {' '.join(words)}")
    return Job(found["mpi"], {"job": job, **{metric: found[f"{metric}_ms"] for metric in (*METRICS[1:], *PARTS)}})


def added(jobs: dict[str, list[Job]]) -> dict[tuple[str, str], float]:
    """Milliseconds that Heddle adds, by metric and way: medians over the rounds, against the host's
    start of the same round."""

    def of(metric: str, way: str) -> float:
        return statistics.median(
            ours.took[metric] - host.took[metric] for ours, host in zip(jobs[way], jobs[BARE], strict=True)
        )

    return {(metric, way): of(metric, way) for metric in METRICS for way in (PRELOADED, STARTED)}


def rows_of(jobs: dict[str, list[Job]], ranks: int) -> list[Row]:
    rows = []
    for way, starts in jobs.items():
        for metric in (*METRICS, *(PARTS if way != BARE else ())):
            taken = sorted(job.took[metric] for job in starts)
            lower, middle, upper = verdict.quartiles(taken)
            known = {
                "mpi": starts[0].mpi,
                "lower": lower,
                "upper": upper,
                "best": taken[0],
                "samples": len(taken),
                "ranks": ranks,
            }
            rows.append(Row("startup", f"{ranks} ranks", way, metric, middle, "ms", **known))
    return rows


def bench(
    mpi: WhichMpi = Mpi.both,
    ranks: Annotated[list[int] | None, typer.Option(min=1, help="Ranks of a job; may be repeated. [2, 16]")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of all ways in turn.")] = 15,
    quick: Annotated[bool, typer.Option("--quick", help="Three rounds of 2 ranks.")] = False,
    json: JsonFile = None,
) -> None:
    """Show the time that Heddle adds to a job's start and end: to the whole job, to MPI_Init and to
    MPI_Finalize."""
    sizes = ranks or ([2] if quick else [2, 16])
    rounds = 3 if quick else rounds
    ways = (BARE, PRELOADED, STARTED)
    table = Table("MPI", "ranks", "alone, ms", "preloaded", "heddle run", "Init", "Finalize", "part", "work")
    rows: list[Row] = []
    with Progress(console=console(), transient=True) as progress:
        bar = progress.add_task("jobs", total=len(sizes) * len(mpi.families) * (rounds + 1) * len(ways))
        for family in mpi.families:
            for size in sizes:
                jobs: dict[str, list[Job]] = {way: [] for way in ways}
                for turn in range(rounds + 1):  # the first round finds files and caches cold, and does not count
                    for way in verdict.shuffled(ways):
                        job = start(family, way, size)
                        if turn > 0:
                            jobs[way].append(job)
                        progress.advance(bar)
                more, host = added(jobs), statistics.median(job.took["job"] for job in jobs[BARE])
                cells = [more["job", PRELOADED], more["job", STARTED], more["init", PRELOADED], more["finalize", PRELOADED]]
                parts = (statistics.median(job.took[part] for job in jobs[PRELOADED]) for part in PARTS)
                added_cells = (f"{value:+.1f}" for value in cells)
                part_cells = (f"{value:.1f}" for value in parts)
                table.add_row(jobs[BARE][0].mpi, str(size), f"{host:.0f}", *added_cells, *part_cells)
                rows += rows_of(jobs, size)
    console().print(table)
    console().print(f"medians of {rounds} starts of each way, in random order; {len(os.sched_getaffinity(0))} cores")
    console().print("preloaded, heddle run: the time that Heddle adds to a job, ms")
    console().print("Init, Finalize: the time that Heddle adds to MPI_Init and MPI_Finalize, preloaded, ms")
    console().print("part: the time of a median rank in Heddle's part of MPI_Init, ms; work: its time on a core in this part")
    if json is not None:
        write(rows, json)
