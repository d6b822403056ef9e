"""Checks that each MPI starts two ranks, and that Heddle is in them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from heddle import installations, launch, native
from heddle.checks import Finding, bad, good, poor
from heddle.installations import Installation
from heddle.problem import Problem

# Two ranks exchange a column of a matrix. Each prints whether it received the right data and
# whether Heddle is mapped into it.
_EXCHANGE_PYTHON = """
import ctypes
import os
mpi = ctypes.CDLL(None)
if hasattr(mpi, "ompi_mpi_comm_world"):
    handle, ignore = ctypes.c_void_p, None
    world, number = (handle(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_" + name))) for name in ("comm_world", "int"))
else:
    handle, ignore = ctypes.c_int, ctypes.c_void_p(1)
    world, number = handle(0x44000000), handle(0x4C000405)
mpi.MPI_Init(None, None)
rank, column = ctypes.c_int(), handle()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
other = 1 - rank.value
mpi.MPI_Type_vector(4, 1, 4, number, ctypes.byref(column))
mpi.MPI_Type_commit(ctypes.byref(column))
mine, theirs = (ctypes.c_int * 16)(*range(16)), (ctypes.c_int * 16)()
mpi.MPI_Sendrecv(mine, 1, column, other, 0, theirs, 1, column, other, 0, world, ignore)
heddle = "libheddle_" in open("/proc/self/maps").read()
words = ("exchanged" if theirs[::4] == [0, 4, 8, 12] else "wrong", "heddle" if heddle else "bare")
os.write(1, (" ".join(words) + "\\n").encode())  # in one piece: the ranks share the pipe
mpi.MPI_Finalize()
"""

_EXCHANGE_C = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, mine[16], theirs[16] = {0}, heddle = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 16; ++i) mine[i] = i;
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(mine, 1, column, 1 - rank, 0, theirs, 1, column, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  char line[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) heddle |= strstr(line, "libheddle_") != NULL;
  printf("%s %s\n", theirs[4] == 4 && theirs[12] == 12 ? "exchanged" : "wrong", heddle ? "heddle" : "bare");
  MPI_Type_free(&column);
  return MPI_Finalize();
}
"""


# Empty: the default, whatever files of settings say. The user's reports are those of the user's
# programs.
OF_THE_CHECK = {"HEDDLE": "on", "HEDDLE_REPORT": "", "HEDDLE_TRACE": ""}


def ranks(mpi: str | None = None) -> Iterator[Finding]:
    """Tries each MPI found here, or only the MPI named."""
    found = [installations.named(mpi)] if mpi else installations.find()
    if not found:
        yield bad("MPI", "none found", f"{native.MEND_MPI}, or name one in HEDDLE_MPI_PATH")
    results = [_two_ranks(mpi) for mpi in found]
    for library in installations.without_launcher(found):
        yield poor(library.name, f"{library} has no mpiexec of its own", installations.ALONE.partition(": ")[2])
    ours = native.CHECKOUT / ".mpi"  # an installed copy has no such folder
    for mpi, trouble in zip(found, results):
        title = f"{mpi.name} {mpi.version}"
        if not trouble:
            yield good(title, "two ranks exchange a derived datatype under Heddle")
            continue
        essential = ours in mpi.mpiexec.parents or all(results)
        mend = (
            f"rm -r {ours}, then make build"
            if ours in mpi.mpiexec.parents
            else f"check that {mpi.mpiexec} works without Heddle"
        )
        yield (bad if essential else poor)(title, trouble, mend)


def _two_ranks(mpi: Installation) -> str:
    """The fault of an MPI; empty: none."""
    with tempfile.TemporaryDirectory(prefix="heddle-doctor-") as folder:
        try:
            program = _exchange(mpi, Path(folder))
            command = launch.plan(program, 2, str(mpi.mpiexec))
            answer = subprocess.run(
                command.words,
                executable=command.file,
                env=command.environment | OF_THE_CHECK,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=60,
                stdin=subprocess.DEVNULL,
            )
        except (Problem, OSError) as problem:
            return str(problem)
        except subprocess.TimeoutExpired:
            return "two ranks do not end within a minute"
    if answer.returncode != 0:
        last = [line for line in answer.stderr.splitlines() if line.strip(" -")]
        return f"two ranks end with code {answer.returncode}{': ' + last[0].strip() if last else ''}"
    words = answer.stdout.split()
    if words.count("exchanged") != 2:
        return f"two ranks received wrong data ({' '.join(words) or 'nothing printed'})"
    return "" if words.count("heddle") == 2 else "Heddle did not reach the ranks"


def _exchange(mpi: Installation, folder: Path) -> list[str]:
    """The test program: compiled if this MPI has a working compiler, or else a script that calls
    the preloaded library."""
    if mpi.mpicc:
        source, program = folder / "exchange.c", folder / "exchange"
        source.write_text(_EXCHANGE_C)
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            subprocess.run([mpi.mpicc, source, "-o", program], check=True, capture_output=True, text=True, timeout=60)
            return [str(program)]
    return [os.path.abspath(sys.executable), "-c", _EXCHANGE_PYTHON]
