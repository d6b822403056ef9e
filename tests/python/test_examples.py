"""The programs of examples/ are right alone and under Heddle, on 2 and 4 ranks."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT, launcher, once, prefix
from test_fortran import launcher as launcher_of_debian

EXAMPLES = CHECKOUT / "examples"
SMALL = {"halo": (12, 20), "transpose": (96, 3), "particles": (2000, 10), "gather": (4000, 10)}


def built(folder: Path, what: str, **tools: object) -> None:
    words = ["make", "-s", "-C", EXAMPLES, f"BUILD={folder}", *(f"{name}={tool}" for name, tool in tools.items())]
    subprocess.run([*map(str, words), *(f"{folder}/{what}/{name}" for name in SMALL)], check=True)


@pytest.fixture(scope="module")
def in_c(mpi, tmp_path_factory) -> Path:
    return once(tmp_path_factory, f"examples-{mpi}", lambda to: built(to, "c", MPICC=prefix(mpi) / "bin/mpicc")) / "c"


@pytest.fixture(scope="module")
def in_fortran(mpi, tmp_path_factory) -> Path:
    if shutil.which(f"mpif90.{mpi}") is None:
        pytest.skip(f"Debian's {mpi} for Fortran is not here: scripts/bootstrap --test installs it as root")
    make = once(tmp_path_factory, f"examples-fortran-{mpi}", lambda to: built(to, "fortran", MPIFC=f"mpif90.{mpi}"))
    return make / "fortran"


def right(heddle, name: str, ranks: int, words: list, report: Path, **environment: str) -> None:
    """Runs a program alone and under Heddle.

    Heddle must have carried one of its datatypes, or left it to a library that is as fast between
    these cores."""
    line = [*words, *SMALL[name]]
    alone = {key: value for key, value in os.environ.items() if not key.startswith(("HEDDLE", "LD_PRELOAD"))}
    host = subprocess.run([*map(str, line)], env=alone | environment, capture_output=True, text=True, timeout=90)
    ours = heddle("run", "--", *line, HEDDLE_REPORT=str(report), **environment)
    for done in (host, ours):
        assert done.returncode == 0 and done.stdout.startswith(f"{name}: {ranks} ranks, "), done.stdout + done.stderr
        assert ": right, " in done.stdout and len(done.stdout.splitlines()) == 1, done.stdout
    said = json.loads(report.read_text())
    assert said["rows"] or any("library as fast" in " ".join(procedure.get("passed", {})) for procedure in said["procedures"])


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", SMALL)
def test_c(heddle, mpi, in_c, name, ranks, tmp_path):
    right(heddle, name, ranks, [*launcher(mpi), "-n", ranks, in_c / name], tmp_path / "report.json")


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", SMALL)
def test_fortran(heddle, mpi, in_fortran, name, ranks, tmp_path):
    right(heddle, name, ranks, [*launcher_of_debian(mpi), "-n", ranks, in_fortran / name], tmp_path / "report.json")


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", SMALL)
def test_python(heddle, mpi, name, ranks, tmp_path):
    words = [*launcher(mpi), "-n", ranks, sys.executable, "-m", "mpi4py", EXAMPLES / "python" / f"{name}.py"]
    library = next(prefix(mpi).glob("lib/libmpi.so.*"))
    right(heddle, name, ranks, words, tmp_path / "report.json", MPI4PY_LIBMPI=str(library))


# For each program: the call that moves data, the receive buffer, and the first significant byte of
# a double there.
SPOILED = {
    "halo": ("MPI_Waitall", "u", "(((size_t)side + 1) * side * 8 + 14)"),  # a ghost cell of the face in x
    "transpose": ("MPI_Alltoall", "b", "14"),  # an imaginary part
    "particles": ("MPI_Sendrecv", "(p + count)", "40"),  # a velocity
    "gather": ("MPI_Alltoallw", "ghost", "14"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_wrong_byte_is_an_error(mpi, name, tmp_path):
    """Each program notices one wrong byte in a message."""
    call, data, at = SPOILED[name]
    source = (EXAMPLES / "c" / f"{name}.c").read_text().replace(f"{call}(", "spoiled(")
    macro = f"#define spoiled(...) ({call}(__VA_ARGS__), ++((unsigned char*){data})[{at}])\n"
    (tmp_path / "spoiled.c").write_text(macro + source)
    subprocess.run([prefix(mpi) / "bin/mpicc", tmp_path / "spoiled.c", "-o", tmp_path / name, "-lm"], check=True)
    words = [*launcher(mpi), "-n", 2, tmp_path / name, *SMALL[name]]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=90)
    assert done.returncode != 0 and ": wrong, " in done.stdout, done.stdout + done.stderr
