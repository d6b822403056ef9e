"""Open MPI's public tests (ompi-tests-public) and the tests of its datatypes that need only
mpi.h."""

from __future__ import annotations

import re
from pathlib import Path

from suites.suite import Case, LeftOut, Program, Suite, makefile_variables, revision_of

NOT_RUN = {
    "packaging": "examines a build of Open MPI",
    "runtime": "is about Open MPI's launcher",
    "singleton": "is started without a launcher, or starts further processes",
    "ulfm-testing": "ends ranks on purpose",
    "status": "needs a Fortran binding, which the MPIs from PyPI lack",
}
# The bytes that a collective of collective-big-count moves. The suite's default of 2 GB fills the
# memory of a small machine.
BYTES = 1 << 20


def recognised(path: Path, ranks: int) -> Suite | None:
    if (path / "collective-big-count").is_dir() and (path / "partitioned-communication").is_dir():
        return Public(path, ranks)
    for folder in (path, path / "ompi/test/datatype", path / "test/datatype"):
        if folder.name == "datatype" and (folder / "to_self.c").is_file():
            return Datatype(folder)
    return None


class Public(Suite):
    def __init__(self, root: Path, ranks: int) -> None:
        super().__init__("ompi-tests-public", "Open MPI's public tests", root, revision_of(root))
        for folder in sorted(path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")):
            if reason := NOT_RUN.get(folder.name):
                self.left_out.append(LeftOut(folder.name, reason, len(list(folder.rglob("*.c")))))
                continue
            for source in sorted([*folder.glob("*.c"), *folder.glob("src/*.c")]):
                if "main" in re.findall(r"\bmain\b", source.read_text(errors="replace")):
                    self._take(folder, source, ranks)
            if (folder / "src/alltoallv_ddt.cpp").is_file():
                self.left_out.append(
                    LeftOut(folder.name, "is written in C++ with MPI's removed bindings, or needs its own configure", 2)
                )

    def _take(self, folder: Path, source: Path, ranks: int) -> None:
        flags = [f"-I{folder}", "-lm", "-lpthread"]
        sources = [source]
        if folder.name == "collective-big-count":
            flags.insert(0, f"-DTEST_PAYLOAD_SIZE={BYTES}")
        if folder.name == "events" and source.name != "events_common.c":
            sources += [path for path in (folder / "events_common.c",) if path.is_file()]
        arguments = ("mpi://world",) if source.name == "sessions_ex2.c" else ()
        # The tests of errors in partitioned communication end with an error or hang, depending on
        # the library.
        may_fail = folder.name == "partitioned-communication"
        wanted = 2 if folder.name in ("partitioned-communication", "events") else min(4, ranks)
        program = Program(folder.name, source.stem, tuple(sources), tuple(flags))
        self.cases.append(Case(program, wanted, arguments, may_fail=may_fail))


class Datatype(Suite):
    def __init__(self, root: Path) -> None:
        super().__init__("ompi-datatype", "Open MPI's test/datatype", root, revision_of(root))
        variables = makefile_variables((root / "Makefile.am").read_text()) if (root / "Makefile.am").is_file() else {}
        names = variables.get("TESTS", "").split() + variables.get("MPI_CHECKS", "").split()
        internal = 0
        for name in names or ["to_self"]:
            sources = [root / word for word in variables.get(f"{name}_SOURCES", f"{name}.c").split() if word.endswith(".c")]
            if any(re.search(r'#\s*include\s+"(ompi|opal)', source.read_text(errors="replace")) for source in sources):
                internal += 1
                continue
            program = Program("datatype", name, tuple(sources), (f"-I{root}", "-lm"))
            self.cases.append(Case(program, 1))
        if internal:
            self.left_out.append(LeftOut("datatype", "uses internals of Open MPI", internal))
