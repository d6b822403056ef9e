"""The command lines of a job: alone, and under Heddle."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from suites import build, job
from suites.suite import Case

HOOK = Path(__file__).with_name("take_turns.c")
ADDED = 'LD_PRELOAD="$0${LD_PRELOAD:+ $LD_PRELOAD}" exec "$@"'  # before Heddle's library


@dataclass(frozen=True)
class Launch:
    """The launcher of an MPI. `hook` is a library that lets MPICH's ranks yield."""

    prefix: Path
    heddle: Path
    hook: Path | None = None

    @property
    def mpi(self) -> str:
        return self.prefix.name

    @classmethod
    def of(cls, prefix: Path, heddle: Path, place: Path) -> Launch:
        """Builds the hook in `place`. Raises NotBuilt if that fails."""
        if prefix.name != "mpich":  # Open MPI's ranks yield by a setting (job.environment)
            return cls(prefix, heddle)
        return cls(prefix, heddle, build.library(HOOK, prefix / "bin/mpicc", place / "take_turns.so"))

    def alone(self, case: Case, binary: Path) -> list[str]:
        words = [str(binary), *case.arguments]
        if self.hook and case.ranks > len(os.sched_getaffinity(0)):
            words = ["sh", "-c", ADDED, str(self.hook), *words]
        return [str(self.prefix / "bin/mpiexec"), "-n", str(case.ranks), *words]

    def under_heddle(self, line: list[str]) -> list[str]:
        return [str(self.heddle), "run", "--mpi", str(self.prefix), "--", *line]

    def compares(self) -> bool:
        """True if Heddle is loaded into the ranks of the second job only. Otherwise a comparison is
        void."""
        line = [str(self.prefix / "bin/mpiexec"), "-n", "1", "grep", "-c", "libheddle_", "/proc/self/maps"]
        return [job.run(words, 60).status == 0 for words in (line, self.under_heddle(line))] == [False, True]
