"""Other work on this machine while we measure.

with watched() as others:
    ...                          # runs, as children of this process
others.words                     # "The machine was busy: other processes used 0.9 of 2 cores (soak) ..."; "": it was not
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heddle.foreign import clean

PROC = Path("/proc")
CORES = 0.1  # so much work of others counts as busy
STOLEN = 0.02  # of the time of all cores, taken by other virtual machines
REMOTE = frozenset(("srun", "aprun", "jsrun", "prun", "flux", "ssh", "qsub", "sbatch"))  # their ranks are not our children
NAMED = 3
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Seen:
    """Counters of one moment, in seconds."""

    at: float
    work: float  # of all cores of the machine
    stolen: float
    whole: float
    ours: float  # this process and its ended children
    by_process: dict[tuple[int, str], float]  # (start and number, name) → time on a core
    running: frozenset[str]  # names of the processes that have a core, or wait for one


@dataclass
class Others:
    cores: int = 1
    used: float = 0.0  # cores that others used, on average
    stolen: float = 0.0  # share of the time of all cores
    load: float = 0.0  # before our first run
    names: tuple[str, ...] = ()

    @property
    def busy(self) -> bool:
        return self.used >= CORES or self.stolen >= STOLEN

    @property
    def words(self) -> str:
        """Empty: the machine was quiet."""
        said = self._said(f", and the load was {self.load:.1f} before the first run")
        return f"The machine was busy: {said}." if said else ""

    @property
    def work(self) -> str:
        """The end of a sentence. Empty: the machine was quiet."""
        return self._said()

    def _said(self, load: str = "") -> str:
        said = []
        if self.used >= CORES:
            named = f" ({', '.join(map(clean, self.names))})" if self.names else ""
            of = f"{self.used:.1f} of {self.cores} core{'s' * (self.cores > 1)}{named}"
            said.append(f"other processes used {of}{load}")
        if self.stolen >= STOLEN:
            said.append(f"other virtual machines took {100 * self.stolen:.0f} % of the cores' time (steal)")
        return "; ".join(said)


@contextlib.contextmanager
def watched(launcher: str = "") -> Iterator[Others]:
    """The result is complete at the end of the block. `launcher`: starts the ranks."""
    others = Others(load=os.getloadavg()[0])
    before = _seen()
    try:
        yield others
    finally:
        _compare(others, before, _seen(), Path(launcher).name not in REMOTE)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """The words on stderr, after the block."""
    with watched() as others:
        yield
    if others.busy:
        print(others.words, file=sys.stderr)


def _compare(others: Others, before: Seen | None, after: Seen | None, children: bool) -> None:
    if before is None or after is None or after.at - before.at < 0.2 or after.whole <= before.whole:
        return
    seconds = after.at - before.at
    others.cores = os.cpu_count() or 1
    others.stolen = (after.stolen - before.stolen) / (after.whole - before.whole)
    spent: Counter[str] = Counter()
    for process, used in after.by_process.items():
        spent[process[1]] += used - before.by_process.get(process, used)
    lasting = sum(spent.values())
    short_too = after.work - before.work - (after.ours - before.ours) if children else 0.0
    others.used = max(lasting, short_too) / seconds
    long = [name for name, used in spent.most_common() if used >= CORES / 2 * seconds]
    short = sorted((before.running | after.running) - {*long})
    others.names = tuple([*long, *short][:NAMED])


def _seen() -> Seen | None:
    try:
        fields = (PROC / "stat").read_text().partition("\n")[0].split()[1:9]
        user, nice, system, idle, waiting, hard, soft, stolen = (int(field) / TICKS for field in fields)
    except (OSError, ValueError):
        return None
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ours = sum(one.ru_utime + one.ru_stime for one in spent)
    work = user + nice + system + hard + soft
    by_process, running = _processes()
    return Seen(time.monotonic(), work, stolen, work + idle + waiting + stolen, ours, by_process, running)


def _processes() -> tuple[dict[tuple[int, str], float], frozenset[str]]:
    """All processes but this one: their time so far, and the names of those that run. A process
    that starts later, such as a rank, is not compared."""
    spent, running = {}, set()
    for file in PROC.glob("[0-9]*/stat"):
        try:
            number, _, rest = file.read_text(errors="replace").partition(" (")
        except OSError:  # it has ended
            continue
        name, _, values = rest.rpartition(") ")
        fields = values.split()
        if int(number) == os.getpid():
            continue
        spent[int(number) + (int(fields[19]) << 32), name] = (int(fields[11]) + int(fields[12])) / TICKS
        if fields[0] == "R":
            running.add(name)
    return spent, frozenset(running)
