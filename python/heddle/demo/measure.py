"""All runs of the demo. Each round has a run with Heddle and a run without, in random order (see
heddle.verdict)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


def runs(setup: Setup, picture: np.ndarray, tell: Callable[[str], None]) -> Iterator[Run]:
    """All runs.

    @param tell  gets the name of each run before it starts
    """
    pgm = photograph.save(picture, setup.folder / "picture.pgm")
    np.save(pgm.with_suffix(".npy"), picture)
    for program, turn, mpi, variant in planned(setup):
        tell(f"{program.name} · {mpi.name} {mpi.version} · {'under Heddle' if variant == 'heddle' else 'host alone'}")
        output = setup.folder / f"{program.name}-{mpi.name}-{variant}{program.suffix}"
        words = [*program.words(mpi), "--input", str(pgm.with_suffix(program.suffix)), "--size", str(setup.size)]
        words += ["--repetitions", str(program.repetitions), *programs.FILTER]
        # One round is compared with the serial FFT. The fingerprints show that the other rounds
        # have the same result.
        words += ["--no-check"] if turn > 0 else ["--output", str(output)]
        command = programs.command(mpi, variant, setup.ranks, words)
        report = programs.run(command, programs.environment(mpi, setup.ranks), setup.folder)
        yield Run(program, mpi, variant, turn, report, output)
