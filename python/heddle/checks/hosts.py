"""Does each MPI start two ranks, and is Heddle in them?"""

import importlib.util
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

# Two ranks exchange a column of a matrix; each says what it received and whether Heddle is mapped into it.
_EXCHANGE_PYTHON = """
import os
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
column = MPI.INT.Create_vector(4, 1, 4).Commit()
mine, theirs = array("i", range(16)), array("i", [0] * 16)
world.Sendrecv([mine, 1, column], 1 - world.rank, recvbuf=[theirs, 1, column], source=1 - world.rank)
heddle = "libheddle_" in open("/proc/self/maps").read()
words = ("exchanged" if theirs[::4].tolist() == [0, 4, 8, 12] else "wrong", "heddle" if heddle else "bare")
os.write(1, (" ".join(words) + "\\n").encode())  # in one piece: the ranks share the pipe
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


def ranks() -> Iterator[Finding]:
    found = installations.find()
    if not found:
        yield bad("MPI", "none found", "make build (brings MPICH and Open MPI), or name one in HEDDLE_MPI_PATH")
    results = [_two_ranks(mpi) for mpi in found]
    ours = native.CHECKOUT / ".mpi"
    for mpi, trouble in zip(found, results, strict=True):
        title = f"{mpi.name} {mpi.version}"
        if not trouble:
            yield good(title, "two ranks exchange a derived datatype under Heddle")
            continue
        essential = ours in mpi.mpiexec.parents or all(results)
        mend = f"rm -r {ours}, then make build" if ours in mpi.mpiexec.parents else f"see whether {mpi.mpiexec} works by itself"
        yield (bad if essential else poor)(title, trouble, mend)


def _two_ranks(mpi: Installation) -> str:
    """What is wrong with it; empty if nothing."""
    with tempfile.TemporaryDirectory(prefix="heddle-doctor-") as folder:
        try:
            program = _exchange(mpi, Path(folder))
            command = launch.plan(program, 2, str(mpi.mpiexec))
            answer = subprocess.run(
                command.words,
                executable=command.file,
                env=command.environment | {"HEDDLE": "on"},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=60,
                stdin=subprocess.DEVNULL,
            )
        except (Problem, OSError) as problem:
            return str(problem)
        except subprocess.TimeoutExpired:
            return "two ranks do not come to an end within a minute"
        except subprocess.CalledProcessError as error:
            return f"its compiler fails: {(error.stderr or '').strip()[-200:]}"
    if answer.returncode != 0:
        last = [line for line in answer.stderr.splitlines() if line.strip(" -")]
        return f"two ranks end with code {answer.returncode}{': ' + last[0].strip() if last else ''}"
    words = answer.stdout.split()
    if words.count("exchanged") != 2:
        return f"two ranks received something wrong ({' '.join(words) or 'nothing printed'})"
    return "" if words.count("heddle") == 2 else "Heddle did not reach the ranks"


def _exchange(mpi: Installation, folder: Path) -> list[str]:
    """The test program: compiled where this MPI has a compiler, else by mpi4py."""
    if mpi.mpicc:
        source, program = folder / "exchange.c", folder / "exchange"
        source.write_text(_EXCHANGE_C)
        subprocess.run([mpi.mpicc, source, "-o", program], check=True, capture_output=True, text=True, timeout=60)
        return [str(program)]
    if importlib.util.find_spec("mpi4py"):
        return [os.path.abspath(sys.executable), "-c", _EXCHANGE_PYTHON]
    raise Problem("it has no mpicc, and there is no mpi4py here: nothing to try it with")
