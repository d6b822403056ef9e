"""Finds the rank that works longest outside MPI. The other ranks wait for it in MPI, so that MPI
looks slow.

late = latest(found)       # Late(rank=1, us=2.1e6, mean_us=1.4e6); None: the ranks are even, or the report cannot tell
late.sentence              # "imbalance: rank 1 spends 2.1 s outside MPI, 1.5 × the mean; the other ranks wait for it"
"""

from __future__ import annotations

from dataclasses import dataclass

from . import LAST, Found
from .words import duration

FACTOR = 1.1  # Less is no imbalance.
SHARE = 0.05  # of the run: a shorter excess is not worth a change


@dataclass(frozen=True)
class Late:
    rank: int
    us: float  # outside MPI
    mean_us: float

    @property
    def sentence(self) -> str:
        times = f"{self.us / self.mean_us:.1f} × the mean" if self.mean_us > 0 else "the mean is 0"
        return f"imbalance: rank {self.rank} spends {duration(self.us)} outside MPI, {times}; the other ranks wait for it"


def latest(found: Found) -> Late | None:
    """With several threads in MPI, a rank's time outside MPI is not known. It is not known, either,
    if the wait in MPI_Finalize was not timed: ranks that come early would seem to work there."""
    ranks = found.by_rank
    if not found.all_of_mpi or len(ranks) < 2 or len(ranks) != found.ranks or found.threads > 1:
        return None
    if not any(one.name == LAST and one.ranks == found.ranks for one in found.procedures):
        return None
    outside = {one.rank: max(0.0, one.elapsed_us - one.us) for one in ranks}
    mean = sum(outside.values()) / len(outside)
    rank, most = max(outside.items(), key=lambda one: one[1])
    if most < FACTOR * mean or most - mean < SHARE * found.elapsed_us:
        return None
    return Late(rank, most, mean)
