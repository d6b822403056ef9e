"""`heddle bench files`: all ranks write an array to a file, and read it.

Columns and rows of a matrix, blocks of a cube and of a 4-D lattice, and memory with a gap of 16
bytes.
Heddle (HEDDLE_FILES=auto) is compared with the library alone, with packing by hand, and with
contiguous system calls. If h5py is there and was built with MPI, a program of h5py also runs with
Heddle and without.
"""

from __future__ import annotations

import os
import tempfile
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from heddle.problem import Problem

from . import files_hdf5, messages
from .jobs import Run
from .messages import Figures
from .native import Mpi, With
from .rows import Row

METRICS = {"write": "Writes to a file", "read": "Reads of a file"}
SETTING = "HEDDLE_FILES"
FOLDER = Path("/dev/shm")


class Case(StrEnum):
    matrix = "matrix"
    blocks = "blocks"
    gap = "gap"
    rows = "rows"
    lattice = "lattice"


RANKS = {Case.matrix: 4, Case.blocks: 8, Case.gap: 16, Case.rows: 4, Case.lattice: 16}


def run() -> Run:
    """Heddle carries out files, unless the environment says something else."""
    return Run("heddle", With.heddle, {SETTING: os.environ.get(SETTING, "auto")})


def goals(of_one_mpi: list[Figures]) -> list:
    gains, by_hand = {}, {}
    for figures in of_one_mpi:
        for metric in METRICS:
            gains |= {f"{metric}, {case}": gain for case, gain in figures.gains(metric).items()}
            ratios = figures.series("heddle", f"{metric} over by hand")
            by_hand |= {f"{metric}, {case}": ratio for case, ratio in ratios.items() if not case.startswith(("gap", "rows"))}
    return [
        messages.at_least("never slower than the library (5 % is noise)", 0.95, gains),
        messages.at_most("over packing by hand, matrices, blocks and lattices", 1.1, by_hand),
    ]


def report(rows: list[Row]) -> None:
    of_mpi: dict[str, list[Figures]] = {}
    for figures in messages.by_mpi(rows):
        of_mpi.setdefault(figures.mpi, []).append(figures)
        for metric, title in METRICS.items():
            if figures.cases(metric):
                about = f"{title}, {figures.ranks} ranks"
                messages.screen().print(messages.table(figures, metric, about, beside="by hand"))
    messages.show_goals({mpi: goals(found) for mpi, found in of_mpi.items()})


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: messages.Quick = False,
    rounds: messages.Rounds = None,
    disturb: messages.Disturb = 0,
    ranks: Annotated[
        list[int] | None,
        typer.Option(
            "--ranks",
            min=2,
            max=64,
            metavar="N",
            help="A number of ranks; may be repeated. [matrix and rows: 4, blocks: 8, gap and lattice: 16]",
        ),
    ] = None,
    case: Annotated[list[Case] | None, typer.Option("--case", help="A group of cases; may be repeated.")] = None,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the file, which is removed at the end.")] = FOLDER,
) -> None:
    """Write arrays to a file with all ranks, and read them: Heddle, the library alone, packing by
    hand, and contiguous system calls."""
    started = time.monotonic()
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Problem(f"{folder} is no folder where files can be written. --folder takes another one.", code=2)
    wanted = list(dict.fromkeys(case or Case))
    rows: list[Row] = []
    times = messages.number_of(rounds, quick)
    with tempfile.TemporaryDirectory(prefix="heddle-bench-", dir=folder) as place:
        # Cases with the same number of ranks share a job.
        for counts in dict.fromkeys(tuple(ranks or [RANKS[one]]) for one in wanted):
            together = [one.value for one in wanted if tuple(ranks or [RANKS[one]]) == counts]
            arguments = [*(["--quick"] if quick else []), "--folder", place, "--cases", *together]
            rows += messages.measure("files", mpi, [run()], times, arguments, list(counts), disturb)
        report(rows)
        if Case.blocks in wanted:
            rows += files_hdf5.measure(mpi, list(ranks or [RANKS[Case.blocks]]), times, quick, Path(place), run())
    messages.finish(rows, json, time.monotonic() - started)
