"""MPICH's test/mpi: testlist files name programs, ranks and arguments. A correct program prints
`No Errors`.

bcasttest 4
sendself 1 arg=-type=MPI_INT arg=-count=8 timeLimit=300
errfatal 1 resultTest=TestErrFatal
@rmadir@                       # in testlist.in: configure would replace it
coll                           # a directory
"""

from __future__ import annotations

import re
from pathlib import Path

from suites import build
from suites.suite import Case, LeftOut, Outcome, Program, Suite, makefile_variables, revision_of

DIRECTORIES = (
    "attr basic coll comm datatype errhan group info init io mpi_t part pt2pt rma session topo "
    "errors/attr errors/coll errors/comm errors/datatype errors/group errors/io errors/pt2pt errors/rma errors/session "
    "errors/topo threads/comm threads/init threads/mpi_t threads/part threads/pt2pt threads/rma"
).split()
NOT_RUN = {
    "bench": "measures only",
    "perf": "measures only",
    "ckpoint": "needs a checkpointing library",
    "cxx": "needs MPI's C++ bindings, which MPI 3.0 removed",
    "errors/faults": "ends ranks on purpose",
    "f77": "needs a Fortran binding, which the MPIs from PyPI lack",
    "f90": "needs a Fortran binding, which the MPIs from PyPI lack",
    "f08": "needs a Fortran binding, which the MPIs from PyPI lack",
    "ft": "ends ranks on purpose",
    "impls": "is about MPICH's own extensions",
    "manual": "is started by hand",
    "spawn": "starts further processes, which Heddle leaves to the library",
    "errors/spawn": "starts further processes, which Heddle leaves to the library",
    "threads/perf": "measures only",
    "threads/spawn": "starts further processes, which Heddle leaves to the library",
}
# The header that configure would write on Linux with gcc.
CONFIGURATION = """#ifndef MPITESTCONF_H_INCLUDED
#define MPITESTCONF_H_INCLUDED
#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_UNISTD_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1
#define HAVE_GETRUSAGE 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_ATOMIC 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_SPAWN 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define POINTERINT_t long
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SHORT 2
#define SIZEOF_VOID_P 8
#define USE_STRICT_MPI 1
#define ENABLE_STRICTMPI 1
#endif
"""
DTP_TYPES = ("MPI_INT", "MPI_INT:4+MPI_DOUBLE:8")
DTP_MOST = 65530  # elements of a datatype pool's message; the tests with more need gigabytes


def recognised(path: Path, ranks: int) -> Suite | None:
    for root in (path, path / "test/mpi"):
        if (root / "include/mpitest.h").is_file() and (root / "util/mtest.c").is_file():
            return Mpich(root, ranks)
    return None


class Mpich(Suite):
    def __init__(self, root: Path, ranks: int) -> None:
        super().__init__("mpich", "MPICH test/mpi", root, revision_of(root))
        pools = (
            pool_cases((root / "maint/dtp-test-config.txt").read_text())
            if (root / "maint/dtp-test-config.txt").is_file()
            else {}
        )
        for directory in DIRECTORIES:
            for name in ("testlist", "testlist.in"):
                file = root / directory / name
                if file.is_file():
                    lines = file.read_text().splitlines() + pools.get(directory, [])
                    self._take(directory, lines, ranks)
                    break
        for directory, reason in NOT_RUN.items():
            if (root / directory).is_dir():
                self.left_out.append(LeftOut(directory, reason, len(list((root / directory).rglob("*.c*")))))

    def _take(self, directory: str, lines: list[str], ranks: int) -> None:
        folder = self.root / directory
        variables = makefile_variables((folder / "Makefile.am").read_text()) if (folder / "Makefile.am").is_file() else {}
        seen = set()
        skipped: dict[str, set[str]] = {}
        for line in lines:
            entry = parsed(line)
            if entry is None or (folder / entry["name"]).is_dir():
                continue
            if entry["skip"]:
                skipped.setdefault(entry["skip"], set()).add(entry["name"])
                continue
            program = program_of(folder, directory, entry["name"], variables)
            case = Case(
                program,
                min(entry["ranks"], ranks),
                entry["arguments"],
                entry["environment"],
                entry["limit_s"],
                entry["ranks"],
                may_fail=entry["result"] in ("TestErrFatal", "TestStatus", "TestStatusNoErrors"),
            )
            # Lines that differ only in a variable for MPICH itself are one case.
            if case.title not in seen:
                seen.add(case.title)
                self.cases.append(case)
        self.left_out += [LeftOut(directory, reason, len(names)) for reason, names in skipped.items()]

    def helpers(self, mpicc: Path, place: Path) -> list[str]:
        """Archives of the programs' shared sources, and the headers that configure would write."""
        include = place / "include"
        include.mkdir(parents=True, exist_ok=True)
        (include / "mpitestconf.h").write_text(CONFIGURATION)
        (include / "mtest_mpix.h").write_text("")
        # dtpools includes "../dtpoolsconf.h". -I include/ finds the file beside include/.
        (place / "dtpoolsconf.h").write_text("")
        words = [f"-I{include}", f"-I{self.root}/include", f"-I{self.root}/dtpools/include", f"-I{self.root}/util"]
        sources = {
            "libmtest_main.a": ["util/run_mpitests.c"],  # for tests that have a run() and no main()
            "libmtest_single.a": ["util/mtest_single.c"],
            "libmtest_thread.a": ["util/mtest_thread.c"],
            "libmtest.a": [
                *("util/mtest.c", "util/mtest_common.c", "util/dtypes.c"),
                *sorted(str(path.relative_to(self.root)) for path in (self.root / "dtpools/src").glob("*.c")),
            ],
        }
        for archive, files in sources.items():
            build.archive(place / archive, [self.root / file for file in files], words, mpicc)
        return [*words, f"-L{place}"]

    def wrong(self, case: Case, alone: Outcome) -> str:
        if case.may_fail:
            return ""
        if alone.status != 0:
            return f"fails alone (status {alone.status})"
        return "" if re.search(r"No Errors", alone.output, re.IGNORECASE) else "does not say No Errors alone"


def parsed(line: str) -> dict | None:
    """A line of a testlist. None: nothing to run. `skip`: the reason not to run this line."""
    words = re.sub(r"@\w+@", "", line.split("#")[0]).split()
    if not words:
        return None
    ranks = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
    entry = {
        "name": words[0],
        "ranks": ranks or 1,
        "arguments": (),
        "environment": (),
        "limit_s": 0.0,
        "result": "",
        "skip": "",
    }
    for word in words[2:]:
        key, _, value = word.partition("=")
        if key == "arg":
            entry["arguments"] += (value,)
        elif key == "env":
            entry["environment"] += (tuple(value.split("=", 1)),)
        elif key == "timeLimit":
            entry["limit_s"] = float(value)
        elif key == "resultTest":
            entry["result"] = value
        elif key == "xfail":
            entry["skip"] = "MPICH expects it to fail"
        elif key == "hasgpu":
            entry["skip"] = "needs a GPU"
        elif key == "mpiexecarg":
            entry["skip"] = "needs options of MPICH's own launcher"
        elif key == "mem" and float(value) > 2:
            entry["skip"] = "needs more than 2 GB"
        elif key == "strict" and value == "false":
            entry["skip"] = "uses extensions of MPICH"
    return entry if ranks else None  # a name alone is a directory


def pool_cases(text: str) -> dict[str, list[str]]:
    """Testlist lines of programs that take their datatypes from MPICH's pools, by directory. Only
    the smallest tests.

    pt2pt/sendself::1 512 262144:timeLimit=600:1:32:1024:0       path, arguments, counts, more, ranks, least and most tests
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        fields = line.split(":")
        if line.startswith("#") or len(fields) < 6:
            continue
        directory, _, name = fields[0].rpartition("/")
        for kind in DTP_TYPES:
            for seed, count in enumerate(fields[2].split(), 1):
                if int(count) > DTP_MOST:
                    continue
                counts = (
                    [f"arg=-sendcnt={count}", f"arg=-recvcnt={count}"]
                    if directory in ("pt2pt", "part")
                    else [f"arg=-count={count}"]
                )
                words = [name, fields[4], f"arg=-type={kind}", *counts, f"arg=-seed={seed}", f"arg=-testsize={fields[5]}"]
                words += [f"arg={argument}" for argument in fields[1].split()] + fields[3].split()
                found.setdefault(directory, []).append(" ".join(words))
    return found


def program_of(folder: Path, directory: str, name: str, variables: dict[str, str]) -> Program:
    sources = variables.get(f"{name}_SOURCES", f"{name}.c").split()
    flags = [word for word in variables.get(f"{name}_CPPFLAGS", "").split() if word.startswith("-D")]
    library = "thread" if directory.startswith("threads") else "single"
    flags += ["-DMTEST_USE_THREAD"] if library == "thread" else []
    libraries = ["-lmtest_main", "-lmtest", f"-lmtest_{library}", "-lpthread", "-lm"]
    return Program(directory, name, tuple(folder / source for source in sources if source.endswith(".c")), (*flags, *libraries))
