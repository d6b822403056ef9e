"""SIGINT and SIGTERM for a command that runs other programs for minutes.

with interruptible():                    # further signals are ignored, so that they disturb no tidying up
    try:
        ...                              # start processes, wait for them; on an exception end(process)
    except Interrupted as signal:
        print(f"{signal.name}: stopped ...")
        raise                            # app.py's caller exits with signal.code
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from heddle.disturbance import REMOTE

ENDING = (signal.SIGINT, signal.SIGTERM)
PATIENCE_S = 1.0  # a launcher ends its ranks within a tenth of it, unless they ignore SIGTERM or the cores are busy
REMOTE_PATIENCE_S = 10.0  # ranks of other nodes have no other way to learn that they should end
_PROC = Path("/proc")


class Interrupted(KeyboardInterrupt):
    """Code that ends processes and files after Ctrl-C does it after SIGTERM, too."""

    def __init__(self, number: int):
        super().__init__(number)
        self.name = signal.Signals(number).name
        self.code = 128 + number


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """The first SIGINT or SIGTERM raises Interrupted. `timeout` and a terminal send more than
    one."""

    def interrupt(number: int, _) -> None:
        for each in taken:
            signal.signal(each, lambda *_: None)
        raise Interrupted(number)

    taken = {each: signal.getsignal(each) for each in ENDING}
    taken = {each: handler for each, handler in taken.items() if handler is not signal.SIG_IGN}  # a job behind `&`
    for each in taken:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each, handler in taken.items():
            signal.signal(each, handler)


def end(process: subprocess.Popen) -> None:
    """Ends a program or a launcher with its ranks. A launcher that ends by itself also removes its
    files, so the ranks are killed before it. A launcher may give each rank a session of its own,
    so no process group has them all."""
    known = _below(process.pid)
    process.terminate()
    remote = Path(str(process.args[0])).name in REMOTE
    if not _ended(process, REMOTE_PATIENCE_S if remote else PATIENCE_S):
        known |= _below(process.pid)
        parents = {parent for parent, _ in _processes().values()}
        _kill({one for one in known if one[0] not in parents})
        if not _ended(process, PATIENCE_S / 2):
            known |= _below(process.pid)
            process.kill()
            process.wait()
    _kill(known)


def _ended(process: subprocess.Popen, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill(processes: set[tuple[int, str]]) -> None:
    now = _processes()
    for number, start in processes:
        if number in now and now[number][1] == start:  # another process may have got the number
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
    give_up = time.monotonic() + PATIENCE_S / 2
    while _living(processes) and time.monotonic() < give_up:
        time.sleep(0.01)


def _living(processes: set[tuple[int, str]]) -> bool:
    now = _processes()
    return any(number in now and now[number][1] == start for number, start in processes)


def _below(number: int) -> set[tuple[int, str]]:
    """The children of a process and theirs: number and start."""
    now = _processes()
    found, last = set(), {number}
    while last:
        last = {child for child, (parent, _) in now.items() if parent in last}
        found |= last
    return {(child, now[child][1]) for child in found}


def _processes() -> dict[int, tuple[int, str]]:
    """Parent and start of every process that has not ended."""
    found = {}
    for file in _PROC.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, *fields = file.read_text(errors="replace").rpartition(") ")[2].split()
            if state not in "ZX":
                found[int(file.parent.name)] = int(parent), fields[17]
    return found
