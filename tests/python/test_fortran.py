"""Fortran programs, by all three interfaces, on Debian 12's Open MPI (4.1) and MPICH (4.0)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import MPIS, prefix
from conftest import launcher as launcher_of_checkout

SOURCE = Path(__file__).parent / "fortran" / "columns.f90"
OF_INTEGERS = ["-DCOMM_TYPE=integer", "-DDATATYPE=integer", "-DREQUEST=integer"]
OF_TYPES = ["-DCOMM_TYPE=type(MPI_Comm)", "-DDATATYPE=type(MPI_Datatype)", "-DREQUEST=type(MPI_Request)"]
INTERFACES = {
    "mpif.h": ["-DOLD", *OF_INTEGERS],
    "mpi": ["-DMODULE=mpi", *OF_INTEGERS],
    "mpi_f08": ["-DF08", "-DMODULE=mpi_f08", *OF_TYPES],
}

# Loads Open MPI's bindings after MPI_Init, as a module of a Python program does, and receives
# through them.
LATE = r"""
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  enum { n = 512 };
  static double from[n][n], to[n][n];
  MPI_Init(&argc, &argv);
  int rank, source = 0, tag = 0, count = n * n, error;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(n, n / 2, n, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < n * n; ++i) from[0][i] = i;
  MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD), type = MPI_Type_c2f(MPI_DOUBLE), status[64];
  if (rank == 0) MPI_Send(from, 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    void* bindings = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    void (*receive)() = bindings ? (void (*)())dlsym(bindings, "mpi_recv_") : NULL;
    if (!receive) return 2;
    receive(to, &count, &type, &source, &tag, &comm, status, &error);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n / 2; ++j) wrong += ((double*)to)[i * n / 2 + j] != from[i][j];
    puts(wrong ? "wrong" : "right");
  }
  MPI_Finalize();
}
"""


# Its own binding, which finds the MPI library where Heddle cannot see it.
UNHEARD = r"""
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
void mpi_recv_(void* data, int* count) {
  int (*receive)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*) = dlsym(RTLD_DEFAULT, "PMPI_Recv");
  receive(data, *count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  enum { n = 512 };
  static double from[n][n], to[n][n];
  MPI_Init(&argc, &argv);
  int rank, wrong = 0, count = n * n / 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(n, n / 2, n, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < n * n; ++i) from[0][i] = i;
  if (rank == 0) MPI_Send(from, 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    mpi_recv_(to, &count);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n / 2; ++j) wrong += ((double*)to)[i * n / 2 + j] != from[i][j];
    puts(wrong ? "wrong" : "right");
  }
  MPI_Finalize();
}
"""


def launcher(mpi: str) -> list[str]:
    if mpi == "mpich":
        return ["mpiexec.mpich"]
    return ["mpiexec.openmpi", *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe"]


@pytest.fixture(params=MPIS)
def mpi(request) -> str:
    if shutil.which(f"mpif90.{request.param}") is None:
        pytest.skip(f"Debian's {request.param} for Fortran is not here: scripts/bootstrap --test installs it as root")
    return request.param


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("interface", INTERFACES)
def test_fortran_is_right_and_announced(heddle, mpi, interface, ranks, tmp_path):
    program, report = tmp_path / "columns", tmp_path / "report.json"
    compiler = [f"mpif90.{mpi}", "-cpp", *INTERFACES[interface]]
    subprocess.run([*compiler, SOURCE, "-o", program], check=True, cwd=tmp_path)
    for environment in ({"HEDDLE": "off"}, {"HEDDLE_REPORT": str(report)}):
        done = heddle("run", "--", *launcher(mpi), "-n", ranks, program, **environment)
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr

    ways = {(row["call"], row["way"]) for row in json.loads(report.read_text())["rows"]}
    assert any(call == "send" and way not in ("packed", "native") for call, way in ways), ways
    assert any(call == "receive" and way not in ("unpacked", "native") for call, way in ways), ways


def test_bindings_that_come_later_are_heard(heddle, tmp_path):
    if shutil.which("mpicc.openmpi") is None:
        pytest.skip("Debian's openmpi is not here: scripts/bootstrap --test installs it as root")
    program, report = tmp_path / "late", tmp_path / "report.json"
    (tmp_path / "late.c").write_text(LATE)
    subprocess.run(["mpicc.openmpi", tmp_path / "late.c", "-o", program, "-ldl"], check=True)
    line = [*launcher("openmpi"), "-n", 2, program, "libmpi_mpifh.so.40"]
    done = heddle("run", "--", *line, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    ways = {row["way"] for row in json.loads(report.read_text())["rows"] if row["call"] == "receive"}
    assert ways and not ways & {"unpacked", "native"}, ways


@pytest.mark.parametrize("mpi", MPIS)
def test_nothing_is_announced_where_fortran_is_not_heard(heddle, mpi, tmp_path):
    program, report = tmp_path / "unheard", tmp_path / "report.json"
    (tmp_path / "unheard.c").write_text(UNHEARD)
    subprocess.run([prefix(mpi) / "bin/mpicc", "-rdynamic", tmp_path / "unheard.c", "-o", program, "-ldl"], check=True)
    done = heddle("run", "--", *launcher_of_checkout(mpi), "-n", 2, program, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stdout + done.stderr
    assert {row["way"] for row in json.loads(report.read_text())["rows"]} <= {"packed", "unpacked", "native"}
