"""OSU micro-benchmarks. They also check their messages with `-c`. A few short messages are enough
for that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from suites import build
from suites.suite import Case, LeftOut, Outcome, Program, Suite, revision_of

PAIRS = {"osu_bibw", "osu_bw", "osu_latency", "osu_latency_mt", "osu_latency_mp", "osu_bw_persistent", "osu_bibw_persistent"}
PAIRS |= {"osu_latency_persistent"}
SHORT = ("-i", "4", "-x", "1", "-m", "1:262144")
TYPES = ("-D", "vect:4:8")
TYPED = {"osu_bw", "osu_bibw", "osu_latency", "osu_multi_lat", "osu_mbw_mr"}
DEFINES = ("-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2", '-DPACKAGE_VERSION="7"')


def recognised(path: Path, ranks: int) -> Suite | None:
    return Osu(path, ranks) if (path / "c/util/osu_util_mpi.c").is_file() else None


class Osu(Suite):
    def __init__(self, root: Path, ranks: int) -> None:
        super().__init__("osu", "OSU micro-benchmarks", root, revision_of(root))
        util = root / "c/util"
        self.shared = [util / f"osu_util{name}.c" for name in ("", "_mpi", "_graph", "_papi", "_validation")]
        for makefile in sorted((root / "c/mpi").rglob("Makefile.am")):
            folder = makefile.parent
            part = str(folder.relative_to(root / "c/mpi"))
            if folder.name == "congestion":
                self.left_out.append(LeftOut(part, "needs more than one node", len(list(folder.glob("osu_*.c")))))
                continue
            for source in sorted(folder.glob("osu_*.c")):
                flags = (*DEFINES, f"-I{util}", "-losu", "-lm", "-lpthread")
                program = Program(part, source.stem, (source,), flags)
                self.cases += cases_of(program, ranks)
        for part in ("openshmem", "upc", "upcxx", "xccl"):
            if (root / "c" / part).is_dir():
                self.left_out.append(LeftOut(part, "is not about MPI", len(list((root / "c" / part).glob("**/osu_*.c*")))))

    def default_cases(self) -> list[Case]:
        return [replace(case, arguments=TYPES if case.program.part.endswith(", typed") else ()) for case in self.cases]

    def helpers(self, mpicc: Path, place: Path) -> list[str]:
        words = [*DEFINES, f"-I{self.root}/c/util"]
        build.archive(place / "libosu.a", [source for source in self.shared if source.is_file()], words, mpicc)
        return [f"-L{place}"]

    def wrong(self, case: Case, alone: Outcome) -> str:
        if alone.status == 0 and "Fail" in alone.output:
            return "its own check fails alone"
        return super().wrong(case, alone)


def cases_of(program: Program, ranks: int) -> list[Case]:
    if program.part.startswith("startup"):
        return [Case(program, count) for count in sizes(program, ranks)]
    if program.part.startswith("one-sided"):
        return [Case(program, count, (*SHORT[:4], "-m", "1:65536")) for count in sizes(program, ranks)]
    checked = () if "barrier" in program.name else ("-c", "-t", "2:2") if program.name == "osu_latency_mt" else ("-c",)
    words = SHORT[:4] if "barrier" in program.name else SHORT
    found = [Case(program, count, (*checked, *words)) for count in sizes(program, ranks)]
    if program.name in TYPED:  # a datatype excludes the check
        typed = Program(f"{program.part}, typed", program.name, program.sources, program.flags)
        found += [Case(typed, count, (*words, *TYPES)) for count in sizes(program, ranks)]
    return found


def sizes(program: Program, ranks: int) -> list[int]:
    if program.name in PAIRS or program.part.startswith("one-sided"):
        return [2]
    return [count for count in (2, 4, 8) if count <= ranks]
