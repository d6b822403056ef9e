"""The demo's second part: the halo exchange of a Jacobi solver, by hand and by datatypes, alone and
under Heddle (`heddle bench study` has more codes, sizes and calls)."""

import time
from dataclasses import dataclass

from heddle.bench import study, study_table
from heddle.bench.rows import Row, verdict_of
from heddle.console import console
from heddle.demo.measure import Setup
from heddle.verdict import Meaning

CODE, METRIC = "jacobi", "exchange"
CALLS = ("--calls", "messages", "neighbour")


@dataclass(frozen=True)
class Halo:
    """The measurements, in the terms of the study."""

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
    found = [
        verdict_of(row) for row in rows if row.metric == study_table.over_ours(METRIC) and row.variant == study_table.ALONE
    ]
    if any(one.meaning in (Meaning.same, Meaning.slower) for one in found):
        console().print(
            "Rows of a halo lie in one piece, so Heddle hands them on. Columns are packed either way. A gain needs a "
            "library that packs slowly, or a call that Heddle can carry at once: MPI_Neighbor_alltoallw."
        )
