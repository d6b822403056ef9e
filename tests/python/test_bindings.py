"""Call sites of programs that call MPI through a binding: a library for another language. 2
ranks."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import compiled, prefix
from heddle.reported.lines import places
from heddle.reported.reading import rows_of

# Stands in for a Fortran binding of the checkout's MPIs, which have none. The call passes two
# frames of it.
BINDING = r"""
#include <mpi.h>
static __attribute__((noinline)) int sum(int* from, int* to) {
  return MPI_Allreduce(from, to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) + 0 * *to;
}
void mpi_sum_(int* from, int* to, int* error) { *error = sum(from, to); }
void mpi_barrier_(int* error) { *error = MPI_Barrier(MPI_COMM_WORLD); }
"""
PROGRAM = r"""
#include <mpi.h>
void mpi_sum_(int*, int*, int*);
void mpi_barrier_(int*);
static __attribute__((noinline)) void add(int* all) {
  int one = 1, error;
  mpi_sum_(&one, all, &error); /* line 6 */
  mpi_sum_(&one, all, &error); /* line 7 */
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int all = 0, error;
  for (int i = 0; i < 10; ++i) add(&all);
  mpi_barrier_(&error); /* line 13 */
  MPI_Barrier(MPI_COMM_WORLD); /* line 14 */
  MPI_Finalize();
  return all != 2;
}
"""

HEAT = """\
import sys
import threading
from mpi4py import MPI
from mpi4py.util import pkl5

world = MPI.COMM_WORLD
row = MPI.INT.Create_vector(64, 1, 4).Commit()
row.Set_name("row")
data = bytearray(4 * 64 * 4)


def exchange():
    for _ in range(5):
        other = 1 - world.rank
        world.Sendrecv([data, 1, row], other, 0, bytearray(256), other)  # line 15


if "thread" in sys.argv:
    done = threading.Event()
    threading.Thread(target=done.wait, daemon=True).start()
exchange()
world.Allreduce(MPI.IN_PLACE, [data, 1, MPI.INT])  # line 22
[world.barrier() for _ in range(3)]  # line 23
pkl5.Intracomm(world).bcast([1])  # line 24
if "thread" in sys.argv:
    done.set()
"""


def sites(file) -> dict[tuple[str, str], int]:
    """Calls by procedure and place. mpi4py calls the large forms (MPI_Send_c) of libraries that
    have them."""
    found = rows_of(file).sites
    where = places(one.place for one in found)
    return {(one.name.removesuffix("_c"), where[one.place]): one.calls for one in found}


def test_the_caller_of_a_binding_has_its_line(heddle, mpi, tmp_path):
    (tmp_path / "binding.c").write_text(BINDING)
    (tmp_path / "app.c").write_text(PROGRAM.strip("\n"))
    binding = compiled(mpi, tmp_path / "libmpifort.so.12", "-g", "-O1", "-shared", "-fPIC", tmp_path / "binding.c")
    program = compiled(mpi, tmp_path / "app", "-g", "-O1", tmp_path / "app.c", binding, f"-Wl,-rpath,{tmp_path}")
    for switch in ("on", "off"):
        file = tmp_path / f"{switch}.json"
        done = heddle("run", "-n", 2, "--", program, HEDDLE=switch, HEDDLE_REPORT=str(file))
        assert done.returncode == 0 and not done.stderr, done
        assert sites(file) == {
            ("MPI_Allreduce", "add (app.c:6)"): 20,
            ("MPI_Allreduce", "add (app.c:7)"): 20,
            ("MPI_Barrier", "main (app.c:13)"): 2,
            ("MPI_Barrier", "main (app.c:14)"): 2,
            ("MPI_Finalize", "main (app.c:15)"): 2,
        }


MODULES = {"mpi": "integer", "mpi_f08": "type(MPI_Request)"}


@pytest.mark.parametrize("module", MODULES)
def test_fortran_has_its_lines(heddle, mpi, module, tmp_path):
    if shutil.which(f"mpif90.{mpi}") is None:
        pytest.skip(f"Debian's {mpi} for Fortran is not here: scripts/bootstrap --test installs it as root")
    (tmp_path / "swap.f90").write_text(f"""\
program swaps
  use {module}
  integer error, i, me
  real(8) from(64, 64), to(64, 64)
  from = 1
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  do i = 1, 10
    call swap
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
contains
  subroutine swap
    {MODULES[module]} request
    call MPI_Irecv(to, 4096, MPI_REAL8, 1 - me, 0, MPI_COMM_WORLD, request, error)
    call MPI_Send(from, 4096, MPI_REAL8, 1 - me, 0, MPI_COMM_WORLD, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  end subroutine
end
""")
    compiler = [f"mpif90.{mpi}", "-g", "-O1", "-w", "-fallow-argument-mismatch"]
    subprocess.run([*compiler, tmp_path / "swap.f90", "-o", tmp_path / "swap"], check=True, cwd=tmp_path)
    words = ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])] if mpi == "openmpi" else []
    line = [f"mpiexec.{mpi}", *words, "-n", 2, tmp_path / "swap"]
    file = tmp_path / "r.json"
    done = heddle("run", "--", *line, HEDDLE_REPORT=str(file))
    assert done.returncode == 0, done
    found = {name: where.split()[-1] for name, where in sites(file)}
    wait = found.pop("MPI_Wait")  # gfortran gives the call the line of the subroutine if the request is a structure
    # The last call of the program may be a jump. Its caller is then the main function, in line 1.
    assert found.pop("MPI_Finalize") in ("(swap.f90:1)", "(swap.f90:12)")
    calls = {"MPI_Irecv": 16, "MPI_Send": 17, "MPI_Barrier": 11}
    assert found == {name: f"(swap.f90:{line})" for name, line in calls.items()}
    assert wait in ("(swap.f90:14)", "(swap.f90:18)")
    assert "MPI_SUBARRAYS_SUPPORTED" in heddle("report", file).stdout


def test_python_has_its_lines(heddle, mpi, tmp_path):
    script, file, trace = tmp_path / "heat.py", tmp_path / "r.json", tmp_path / "t.json"
    script.write_text(HEAT)
    line = ("--mpi", prefix(mpi), "-n", 2, "--", sys.executable, script)
    wanted = {"HEDDLE_TRACE": str(trace), "HEDDLE_EXPLAIN": "exchange,heat.py:15,nowhere"}
    done = heddle("run", *line, HEDDLE_REPORT=str(file), **wanted)
    assert done.returncode == 0, done
    assert " from exchange (heat.py:15)" in done.stderr and "has met nothing called nowhere," in done.stderr
    found = sites(file)
    assert found["MPI_Sendrecv", "exchange (heat.py:15)"] == 10
    assert found["MPI_Allreduce", "<module> (heat.py:22)"] == 2
    assert sum(calls for (name, where), calls in found.items() if name == "MPI_Barrier" and "heat.py:23" in where) == 6
    assert found["MPI_Bcast", "<module> (heat.py:24)"] >= 2  # from a line of mpi4py/util/pkl5.py
    assert {(name, where) for name, where in found if "mpi4py" in where} <= {("MPI_Finalize", "the end of Python (mpi4py)")}
    events = json.loads(trace.read_text())["traceEvents"]
    assert ("heat.py:15", "exchange") in {
        (one["args"].get("from"), one["args"].get("function")) for one in events if "args" in one
    }
    shown = heddle("report", file).stdout
    assert "exchange (heat.py:15)" in shown and "no file and line" not in shown


def test_python_with_threads_has_the_binding(heddle, tmp_path):
    """Another thread may hold the interpreter's lock while it waits for this call, so Heddle does
    not wait for the lock."""
    script, file = tmp_path / "heat.py", tmp_path / "r.json"
    script.write_text(HEAT)
    done = heddle("run", "--mpi", prefix("mpich"), "-n", 2, "--", sys.executable, script, "thread", HEDDLE_REPORT=str(file))
    assert done.returncode == 0, done
    found = {where for name, where in sites(file) if name == "MPI_Sendrecv"}
    assert len(found) == 1 and found.pop().endswith("(mpi4py)")
