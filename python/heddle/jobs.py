"""Jobs of Heddle's own programs, started by mpiexec. The programs print a line of JSON for each
measurement.

preloaded = preload.value(mpi.family, mpi.library)
words, env = start_line(mpi, ["/path/of/program", "--quick"], 2, preloaded, {}, "none")
for line in output(words, env): print(line["metric"], line["median"])
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from heddle import preload
from heddle.families import OPENMPI
from heddle.installations import Installation
from heddle.interrupted import end
from heddle.problem import Problem

TIMEOUT_S = 900
# Waiting ranks let the others work if there are more ranks than cores.
YIELD = "OMPI_MCA_mpi_yield_when_idle"
GIVE_WAY = {
    YIELD: "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
}
# For a rank: MPICH's launcher gives each a session of its own.
_RANK_GOES_FIRST = ("sh", "-c", '{ echo -15 >/proc/self/autogroup; } 2>/dev/null; exec "$@"', "sh")


def start_line(
    mpi: Installation, program: Sequence[str], ranks: int, preloaded: str, settings: Mapping[str, str], binding: str
) -> tuple[list[str], dict[str, str]]:
    """The words and the environment that start `ranks` ranks of a program with preloaded libraries.
    @param binding: "none": the program pins itself, the same way under every MPI. "core": the
    program neither pins itself nor asks for priority."""
    env = {name: value for name, value in os.environ.items() if name != preload.VARIABLE} | dict(settings)
    first = [] if binding == "none" else list(_RANK_GOES_FIRST)
    words = ["-n", str(ranks), *first, *program]
    if binding == "none":
        env = {"I_MPI_PIN": "off"} | env  # Intel MPI's launcher has no -bind-to
    crowded = ranks > len(os.sched_getaffinity(0))
    if crowded:  # programs that pin themselves also make MPICH yield
        env = (GIVE_WAY if binding != "none" else {YIELD: GIVE_WAY[YIELD]}) | env
    if mpi.family is OPENMPI:
        words = preload.for_openmpi(words, preloaded, env) if preloaded else words
        words = ["--bind-to", "none" if crowded else binding, "--oversubscribe", *words]
        words = ["--allow-run-as-root", *words] if os.geteuid() == 0 else words
    else:
        words = ["-bind-to", "core", *words] if binding == "core" and not crowded else words
        words = preload.for_hydra(words, preloaded) if preloaded else words
    return [str(mpi.mpiexec), *words], env


def output(words: list[str], env: dict[str, str]) -> Iterator[dict]:
    """The JSON lines of a job, as they are printed; a Problem if it fails."""
    with tempfile.TemporaryFile("w+") as errors:
        options = {"stdout": subprocess.PIPE, "stderr": errors, "stdin": subprocess.DEVNULL, "start_new_session": True}
        with subprocess.Popen(["timeout", str(TIMEOUT_S), *words], env=env, text=True, **options) as process:
            go_first(process.pid)
            try:
                for line in process.stdout:
                    if line.startswith("{"):
                        yield json.loads(line)
            except BaseException:  # also Ctrl-C
                end(process)
                raise
        errors.seek(0)
        what = errors.read().strip()
        if process.returncode == 124:
            raise Problem(f"no end after {TIMEOUT_S} s: {' '.join(words)}")
        if process.returncode != 0:
            raise Problem(f"{' '.join(words)} ended with code {process.returncode}. {what}".strip())


def go_first(pid: int) -> None:
    """As root, a job gets priority over other programs. Linux weighs sessions first, and a job has
    its own session."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-15")
