"""The two programs of the demo, and their command lines: by the host MPI alone, or under Heddle."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from heddle import native
from heddle.families import OPENMPI
from heddle.installations import Installation
from heddle.jobs import GIVE_WAY
from heddle.problem import Problem

VARIANTS = ("host", "heddle")
TIMEOUT_S = 300
# A band that keeps the vessels of the retina. It removes differences of wide areas, and the grain.
FILTER = ("--low", "0.01", "--high", "0.1", "--gain", "4")


@dataclass(frozen=True)
class Program:
    name: str
    says: str  # its transposes in MPI's terms
    suffix: str  # of the picture files it reads and writes
    words: Callable[[Installation], list[str]]
    repetitions: int  # in a run


def programs() -> list[Program]:
    return [
        Program("fft2d", "MPI_Alltoall, transpose in the receive type", ".pgm", _fft2d, repetitions=1),
        Program("mpi4py-fft", "MPI_Alltoallw, subarrays", ".npy", _mpi4py_fft, repetitions=1),
    ]


def _fft2d(mpi: Installation) -> list[str]:
    return [str(native.program(f"fft2d-{mpi.family.name}"))]


def _mpi4py_fft(mpi: Installation) -> list[str]:
    # -m mpi4py: an exception on one rank ends all of them, as mpi4py's manual advises.
    return [sys.executable, "-m", "mpi4py", str(native.program("mpi4py_fft_filter.py"))]


def oversubscribed(ranks: int) -> bool:
    return ranks > len(os.sched_getaffinity(0))


def environment(mpi: Installation, ranks: int) -> dict[str, str]:
    """The environment of both variants."""
    result = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    result["MPI4PY_LIBMPI"] = str(mpi.library)
    if oversubscribed(ranks):
        result |= GIVE_WAY
    return result


def command(mpi: Installation, variant: str, ranks: int, words: list[str]) -> list[str]:
    launcher = [str(mpi.mpiexec), "-n", str(ranks)]
    if mpi.family is OPENMPI:
        launcher += ["--oversubscribe"] if oversubscribed(ranks) else []
        launcher += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    heddle = [sys.executable, "-m", "heddle", "run", "--"] if variant == "heddle" else []
    return heddle + launcher + words


def run(words: list[str], env: dict[str, str], folder: Path) -> dict:
    """The line of JSON that the program prints."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=folder)
        try:
            code = process.wait(TIMEOUT_S)
        except BaseException as reason:  # also Ctrl-C: if mpiexec is asked to end, it ends its ranks
            process.terminate()
            process.wait()
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
            raise Problem(f"no answer after {TIMEOUT_S} s from: {' '.join(words)}") from None
        out.seek(0)
        err.seek(0)
        lines = [line for line in out if line.startswith("{")]
        if code != 0 or len(lines) != 1:
            complaint = "".join(err.readlines()[-15:]).strip()
            raise Problem(f"this ended with {code} and {len(lines)} results: {' '.join(words)}\n{complaint}")
        return json.loads(lines[0])
