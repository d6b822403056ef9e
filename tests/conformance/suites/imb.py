"""Intel MPI Benchmarks, built with -DCHECK. They compare each result, and the last column counts
defects."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Lock

from suites.suite import Case, LeftOut, NotBuilt, Outcome, Program, Suite, revision_of

# Programs and their benchmarks, as a built program lists them (IMB-X -list).
BENCHMARKS = {
    "MPI1": "PingPong PingPing Sendrecv Exchange Allreduce Reduce Reduce_local Reduce_scatter Reduce_scatter_block Allgather "
    "Allgatherv Scatter Scatterv Gather Gatherv Alltoall Alltoallv Bcast Barrier Uniband Biband PingPongSpecificSource "
    "PingPingSpecificSource PingPongAnySource PingPingAnySource",
    "NBC": "Ibcast Iallgather Iallgatherv Igather Igatherv Iscatter Iscatterv Ialltoall Ialltoallv Ireduce Ireduce_scatter "
    "Iallreduce Ibarrier",
    "RMA": "Unidir_put Unidir_get Bidir_put Bidir_get One_put_all One_get_all All_put_all All_get_all Put_local Get_local "
    "Put_all_local Get_all_local Exchange_put Exchange_get Accumulate Fetch_and_op Compare_and_swap Get_accumulate",
    "EXT": "Window Unidir_Get Unidir_Put Bidir_Get Bidir_Put Accumulate",
}
PAIRS = {"PingPong", "PingPing", "PingPongSpecificSource", "PingPingSpecificSource", "PingPongAnySource", "PingPingAnySource"}
SHORT = ("-iter", "10", "-iter_policy", "off", "-msglog", "0:16", "-time", "20")


def recognised(path: Path, ranks: int) -> Suite | None:
    return Imb(path, ranks) if (path / "src_c/IMB_benchmark.h").is_file() and (path / "src_cpp").is_dir() else None


class Imb(Suite):
    def __init__(self, root: Path, ranks: int) -> None:
        super().__init__("imb", "Intel MPI Benchmarks", root, revision_of(root))
        self.building = Lock()  # benchmarks share a program
        for part, names in BENCHMARKS.items():
            for name in names.split():
                program = Program(f"IMB-{part}", name, ())
                for count in [2] if name in PAIRS else [count for count in (2, 4, 8) if count <= ranks]:
                    self.cases.append(Case(program, count, (name, *SHORT, "-npmin", str(count))))
        self.left_out += [
            LeftOut("IMB-IO", "measures only", 1),
            LeftOut("IMB-MT", "checks nothing", 1),
            LeftOut("IMB-P2P", "checks nothing", 1),
        ]

    def default_cases(self) -> list[Case]:
        return [replace(case, arguments=(case.arguments[0], "-npmin", str(case.ranks))) for case in self.cases]

    def helpers(self, mpicc: Path, place: Path) -> list[str]:
        """A copy of the sources, because their Makefile builds beside them."""
        for folder in ("src_c", "src_cpp"):
            if not (place / folder).is_dir():
                shutil.copytree(self.root / folder, place / folder)
        return []

    def build(self, program: Program, mpicc: Path, place: Path, helpers: list[str]) -> Path:
        binary = place / "src_cpp" / program.part
        with self.building:
            if not binary.exists():
                self.make(program.part.removeprefix("IMB-"), mpicc, place)
        return binary

    def make(self, target: str, mpicc: Path, place: Path) -> None:
        words = [f"CC={mpicc}", f"CXX={mpicc.parent / 'mpicxx'}", "CPPFLAGS=-DCHECK", "CFLAGS=-w", "CXXFLAGS=-w"]
        command = ["make", "-C", str(place / "src_cpp"), f"TARGET={target}", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            complaints = [line for line in done.stderr.splitlines() if "error" in line]
            raise NotBuilt(complaints[0] if complaints else "does not compile")

    def wrong(self, case: Case, alone: Outcome) -> str:
        if alone.status == 0 and re.search(
            r"not available|No valid benchmarks|Invalid benchmark|Try -list", alone.output, re.IGNORECASE
        ):
            return "this version has no such benchmark"
        return super().wrong(case, alone)

    def normal(self, line: str) -> str:
        """Keeps bytes, repetitions and the column of defects. Drops times."""
        words = line.split()
        if re.fullmatch(r"\d+ \d+( \d+(\.\d+)?)+", " ".join(words)):
            return f"{words[0]} bytes {words[1]} times: {words[-1].replace('.', ',')} defects"
        return "" if line.startswith("#") else line
