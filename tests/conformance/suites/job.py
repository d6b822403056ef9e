"""One MPI job. It runs in a folder of its own, ends at its time limit, and leaves no rank
behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

from suites.suite import Outcome

MARK = "SUITES_JOB"  # in the environment of all processes of a job
MOST = 1 << 20  # bytes of output that are kept


def environment(more: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Our environment without Heddle's settings. Open MPI's ranks may outnumber the cores, and
    yield."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE") and name != "LD_PRELOAD"}
    kept |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    kept |= {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    return kept | dict(more)


def run(command: list[str], limit_s: float, more: tuple[tuple[str, str], ...] = ()) -> Outcome:
    mark = uuid.uuid4().hex
    folder = tempfile.mkdtemp(prefix="heddle-suites-")
    began = time.monotonic()
    try:
        with tempfile.TemporaryFile() as output:
            started = subprocess.Popen(
                command,
                cwd=folder,
                env=environment(more) | {MARK: mark, "TMPDIR": folder},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            status: int | None
            try:
                status = started.wait(limit_s)
            except subprocess.TimeoutExpired:
                status = None
                os.killpg(started.pid, signal.SIGTERM)  # a launcher ends its ranks then
                try:
                    started.wait(5)
                except subprocess.TimeoutExpired:
                    os.killpg(started.pid, signal.SIGKILL)
                    started.wait()
            finally:
                end_all(mark)
            output.seek(0)
            text = output.read(MOST).decode(errors="replace")
        return Outcome(status, text, time.monotonic() - began)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def end_all(mark: str) -> None:
    """Ends the processes that a launcher has left. Ranks have process groups of their own."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if wanted in (entry / "environ").read_bytes().split(b"\0"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            continue  # the process has ended, or is not ours
