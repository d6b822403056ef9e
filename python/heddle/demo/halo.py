"""The demo's second part: the halo exchange of a Jacobi solver, by hand and by datatypes, alone and
under Heddle (`heddle bench study` has more codes, sizes and calls)."""

import time
from dataclasses import dataclass

from heddle.bench import study, study_table
from heddle.bench.rows import Row
from heddle.demo.measure import Setup

CODE, METRIC = "jacobi", "exchange"
CALLS = ("--calls", "messages", "neighbour")


@dataclass(frozen=True)
class Halo:
    """What is measured, in the terms of the study."""

    settings: list[study.Setting]
    arguments: list[str]
    rounds: int

    @property
    def jobs(self) -> int:
        return len(self.settings) * len(study.RUNS) * self.rounds


def planned(setup: Setup, quick: bool) -> Halo:
    sizes = (128,) if quick else (512, 2048)
    # The bench knows the checkout's libraries as families.
    libraries = [mpi.family if mpi.name == mpi.family.name else mpi for mpi in setup.mpis]
    settings = [study.Setting(library, 2, CODE, size) for library in libraries for size in sizes]
    return Halo(settings, [*CALLS, *(["--quick"] if quick else [])], setup.rounds)


def tried(halo: Halo) -> float:
    """Runs one job. Returns the seconds that all jobs will take, roughly."""
    begun = time.monotonic()
    study.job(halo.settings[0], study.RUNS[0], halo.arguments, study.Answers())
    return (time.monotonic() - begun) * halo.jobs


def measure(halo: Halo) -> list[Row]:
    return study.measure(halo.settings, halo.rounds, halo.arguments)


def show(rows: list[Row]) -> None:
    study_table.show(rows, METRIC)
