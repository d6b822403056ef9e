"""Fixtures of the command line's tests. They run it, and compile programs with each MPI."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from heddle.native import CHECKOUT

HEDDLE = Path(sys.executable).parent / "heddle"
MPIS = ("mpich", "openmpi")
# btl/ofi of Open MPI cannot be used here, and sleeps for a second in each MPI_Init before it
# closes.
os.environ.setdefault("OMPI_MCA_btl", "^ofi")
# A shell starts a job behind `&` with Ctrl-C ignored, and programs inherit that. Some tests
# interrupt programs.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Prints which Heddle is mapped into the process, copies its input, and exits with the given code.
WHO = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  const char* set = getenv("LD_PRELOAD");
  char preload[4096] = "";
  if (set) strncpy(preload, set, sizeof preload - 1);
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char line[4096], heddle[64] = "none";
  for (FILE* maps = fopen("/proc/self/maps", "r"); fgets(line, sizeof line, maps);) {
    const char* name = strstr(line, "libheddle_");
    if (name) sscanf(name, "%63[a-z_]", heddle);
  }
  char input[64] = "";
  if (argc > 2 && rank == 0 && fgets(input, sizeof input, stdin)) input[strcspn(input, "\n")] = 0;
  printf("rank %d of %d: %s, preload %s, input '%s'\n", rank, size, heddle, preload, input);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


# Rank 0 sends ten messages of 64 KiB with holes. (Heddle leaves longer ones to Open MPI if the two
# cores are near.) With a second argument, the program prints its input. It exits with the given
# code. -1: it exits early.
COLUMNS = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(128, 128, 4096, MPI_INT, &column);
  MPI_Type_commit(&column);
  int* matrix = calloc(128 * 4096, sizeof(int));
  for (int i = 0; i < 10; ++i) {
    if (rank == 0) MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(matrix, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  char line[64] = "";
  if (rank == 0 && argc > 2 && fgets(line, sizeof line, stdin)) printf("read %s", line);
  if (argc > 1 && atoi(argv[1]) < 0) _exit(5);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""


# A row of a report: a datatype as the library writes it, and its description in words.
COLUMN = "loop 128 × 16384 B { block 256 }"
IN_WORDS = "128 blocks of 256 B, 16,384 B apart"


def row(**more) -> dict:
    """A row of a report, with what differs from ten sends of COLUMN."""
    plain = {"call": "send", "datatype": COLUMN, "way": "bc-spup", "ranks": 2, "calls": 10, "bytes": 10 << 20}
    return plain | {"search_us": 1.0, "pack_us": 300.0, "wait_us": 20.5, "copy_us": 0.0} | more


def report(*rows: dict) -> dict:
    return {"heddle_report": 1, "ranks": 4, "rows": list(rows)}


def until(holds: Callable[[], object], process: subprocess.Popen | None = None) -> None:
    """Waits for a condition as long as the process lives. The limit is only for a hang."""
    give_up = time.monotonic() + 300
    while not holds():
        assert process is None or process.poll() is None, f"exit status {process.returncode}"
        assert time.monotonic() < give_up, "it has not come about in 300 s"
        time.sleep(0.02)


def clean_environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HEDDLE", "LD_PRELOAD"))}
    plain = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
    # Leaves out the user's settings for all programs, and Heddle's cache of facts about programs.
    return kept | plain | {"HEDDLE_CACHE": "off", "XDG_CONFIG_HOME": "/nonexistent"} | more


@pytest.fixture(autouse=True)
def own_session_directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed launcher of Open MPI 5.0.11 leaves its session directory, and the next launcher with
    the same process number then fails. Therefore each test has its own folder for session
    directories."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("sessions")))


@pytest.fixture(scope="module", params=MPIS)
def mpi(request) -> str:
    """Each MPI of the checkout, one after the other."""
    return request.param


def compiled(mpi: str, to: Path, *words: object) -> Path:
    """Compiles sources with an MPI's mpicc and these options. Returns the program."""
    subprocess.run([prefix(mpi) / "bin/mpicc", *map(str, words), "-o", to, "-ldl"], check=True)
    return to


@pytest.fixture
def written(tmp_path):
    """written(report(...)) writes the file of a report, and returns its name."""

    def write(content) -> str:
        file = tmp_path / "r.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(file)

    return write


@pytest.fixture
def heddle() -> Callable[..., subprocess.CompletedProcess]:
    """heddle("run", "-n", 2, ...) runs the command line as a user does."""

    def call(*arguments: object, stdin: str = "", cwd: Path | None = None, timeout: int = 240, **environment: str):
        process = subprocess.Popen(
            [HEDDLE, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=clean_environment(**environment),
            cwd=cwd,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return call


def once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills for all workers. Tests must not change it (see own_copy)."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fresh = folder.with_suffix(".fresh")
            fresh.mkdir()
            make(fresh)
            fresh.rename(folder)
    return folder


def own_copy(folder: Path, to: Path) -> Path:
    """A copy made of links, in which a test may add and remove files."""
    return shutil.copytree(folder, to, symlinks=True, copy_function=os.link)


def prefix(mpi: str) -> Path:
    return CHECKOUT / ".mpi" / mpi


def launcher(mpi: str) -> list[str]:
    """The launcher line of an MPI, as a user types it."""
    if mpi == "mpich":
        return [str(prefix(mpi) / "bin/mpiexec")]
    return [str(prefix(mpi) / "bin/mpirun"), *(["--allow-run-as-root"] if os.geteuid() == 0 else []), "--oversubscribe"]


@pytest.fixture(scope="session")
def who(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """WHO, compiled for each ABI."""
    folder = tmp_path_factory.mktemp("who")
    source = folder / "who.c"
    source.write_text(WHO)
    compilers = {mpi: prefix(mpi) / "bin/mpicc" for mpi in MPIS} | {"abi": prefix("mpich") / "bin/mpicc_abi"}
    for name, compiler in compilers.items():
        subprocess.run([compiler, source, "-o", folder / f"who-{name}"], check=True)
    return {name: folder / f"who-{name}" for name in compilers}
