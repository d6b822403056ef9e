"""All runs of the demo. Each round has a run with Heddle and a run without, in random order (see
heddle.verdict)."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np

from heddle import verdict
from heddle.demo import photograph, programs
from heddle.demo.programs import Program
from heddle.installations import Installation


@dataclass(frozen=True)
class Setup:
    size: int
    ranks: int
    rounds: int
    mpis: list[Installation]
    variants: tuple[str, ...]
    folder: Path  # scratch


@dataclass(frozen=True)
class Run:
    program: Program
    mpi: Installation
    variant: str
    round: int
    report: dict  # what the program printed
    output: Path

    def times(self, metric: str) -> list[float]:
        return self.report["seconds"][metric]["all"]

    @property
    def title(self) -> str:
        return f"{self.program.name}, {self.mpi.name} {self.mpi.version}, {self.variant}"


def planned(setup: Setup) -> list[tuple[Program, int, Installation, str]]:
    """The runs in their order: each round goes through all MPIs, with the variants in random
    order."""
    return [
        (program, turn, mpi, variant)
        for program in programs.programs()
        for turn in range(setup.rounds)
        for mpi in setup.mpis
        for variant in verdict.shuffled(setup.variants)
    ]


def runs(setup: Setup, tell: Callable[[str], None]) -> Iterator[Run]:
    """All runs. Call save() before.

    @param tell  gets the name of each run before it starts
    """
    for program, turn, mpi, variant in planned(setup):
        tell(f"{program.name} · {mpi.name} {mpi.version} · {'under Heddle' if variant == 'heddle' else 'host alone'}")
        output = setup.folder / f"{program.name}-{mpi.name}-{variant}{program.suffix}"
        # One round is compared with the serial FFT. The fingerprints show that the other rounds
        # have the same result.
        more = ["--no-check"] if turn > 0 else ["--output", str(output)]
        yield Run(program, mpi, variant, turn, _run(program, mpi, variant, setup, more), output)


def save(setup: Setup, picture: np.ndarray) -> None:
    """Writes the picture to the files that the programs read."""
    pgm = photograph.save(picture, setup.folder / "picture.pgm")
    np.save(pgm.with_suffix(".npy"), picture)


def tried(setup: Setup) -> float:
    """Runs each program once with each MPI. Returns the seconds that all planned runs will take,
    roughly."""
    seconds = 0.0
    runs = Counter((program.name, mpi.name) for program, _, mpi, _ in planned(setup))
    for program in programs.programs():
        for mpi in setup.mpis:
            begun = time.monotonic()
            _run(program, mpi, setup.variants[-1], setup, ["--no-check"])
            seconds += (time.monotonic() - begun) * runs[program.name, mpi.name]
    return seconds


def report_of(run: Run, setup: Setup, file: Path) -> None:
    """Runs once more as `run`, and writes Heddle's report to `file`."""
    _run(run.program, run.mpi, run.variant, setup, ["--no-check"], {"HEDDLE_REPORT": str(file.resolve())})


def _run(
    program: Program, mpi: Installation, variant: str, setup: Setup, more: list[str], env: Mapping = MappingProxyType({})
) -> dict:
    words = [*program.words(mpi), "--input", str(setup.folder / f"picture{program.suffix}"), "--size", str(setup.size)]
    words += ["--repetitions", str(program.repetitions), *programs.FILTER, *more]
    command = programs.command(mpi, variant, setup.ranks, words)
    return programs.run(command, programs.environment(mpi, setup.ranks) | env, setup.folder)
