"""Finds the rank that spends most time outside MPI. The other ranks wait for it in MPI, so that MPI
looks slow.

late = latest(found)       # Late(rank=1, us=2.1e6, mean_us=1.4e6, ...); None: the ranks are even, or it cannot be told
late.sentence              # "imbalance: rank 1 spends 2.1 s outside MPI, 1.5 × the mean; the other ranks wait for it"
late.sure                  # the rank itself works so long: it did not wait for a core

A rank without a core looks like a rank with more work. With the time on cores (`cpu_us`), a rank
surely worked outside MPI for its time there, less all time that it had no core. Without this time,
nothing is sure. If the report has notes about late ranks, they must name the same rank.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import LAST, Found
from .cores import crowded, lacking
from .waits import waits_of
from .words import duration

FACTOR = 1.1  # Less is no imbalance.
SHARE = 0.05  # of the run: a shorter excess is not worth a change
SHORTEST_US = 1e6  # In a shorter run, a few time slices of other processes look like imbalance.


@dataclass(frozen=True)
class Late:
    rank: int
    us: float  # outside MPI
    mean_us: float
    lacking_us: float | None  # without a core, in MPI or outside; None: not known
    crowded: bool  # more ranks than cores
    sure: bool

    @property
    def sentence(self) -> str:
        times = f"{self.us / self.mean_us:.1f} × the mean" if self.mean_us > 0 else "the mean is 0"
        said = f"imbalance: rank {self.rank} spends {duration(self.us)} outside MPI, {times}; the other ranks wait for it"
        return said if self.sure else f"{said}. {self._doubt}"

    @property
    def _doubt(self) -> str:
        if self.lacking_us is not None:
            up_to = duration(min(self.us, self.lacking_us))
            return f"It had no core for up to {up_to} of this: it slept, or waited for a file or for a core"
        if self.crowded:
            return "It works longest, or waited for a core: there are more ranks than cores"
        return "It works longest, or waited for a core"

    @property
    def advice(self) -> str:
        even = "divide the work more evenly among the ranks"
        return even if self.sure else f"{even}, unless rank {self.rank} waited for a core"


def latest(found: Found) -> Late | None:
    """With several threads in MPI, a rank's time outside MPI is not known. It is not known, either,
    if the wait in MPI_Finalize was not timed: ranks that come early would seem to work there."""
    ranks = found.by_rank
    if not found.all_of_mpi or len(ranks) < 2 or len(ranks) != found.ranks or found.threads > 1:
        return None
    if found.elapsed_us < SHORTEST_US or not any(one.name == LAST and one.ranks == found.ranks for one in found.procedures):
        return None
    outside = {one.rank: max(0.0, one.elapsed_us - one.us) for one in ranks}
    mean = sum(outside.values()) / len(outside)
    late = max(ranks, key=lambda one: outside[one.rank])
    us = outside[late.rank]

    def uneven(us: float) -> bool:
        return us >= FACTOR * mean and us - mean >= SHARE * found.elapsed_us

    waits = waits_of(found)
    if not uneven(us) or (waits and waits.latest != late.rank):
        return None
    without = lacking(late)
    return Late(late.rank, us, mean, without, crowded(found, late.host), without is not None and uneven(us - without))
