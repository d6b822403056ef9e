"""Says which ranks the others waited for: in which calls, and why (src/report/late_ranks.hpp).

waits = waits_of(found)          # None: the report has no such times, or nobody waited for long
waits.sentence(where)            # "waiting: 412 ms of a rank's 837 ms in MPI, until late ranks came; 90 % for rank 1, ..."
of_site(site, ranks)             # "412 ms for rank 1 (late sender)"
"""

from __future__ import annotations

from dataclasses import dataclass

from . import Found, Site
from .words import duration, listed

SHARE = 0.05  # of the run, as for imbalance: less waiting is not worth a line
MAIN = 0.1  # of the waiting: a rank or a reason with less is not named
MEANING = {
    "late sender": "the sender began to send after the receiver had begun to wait",
    "late receiver": "the receiver began to receive after the sender had begun to wait",
    "collective": "another rank came to the collective later",
}
UNLOGGED = (
    "The report lacks the times of {missing:,} ends of messages and collectives: the log was full, or had lost their order."
)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %"


def _main(parts: dict, most: int = 2) -> list:
    """The keys with the largest times."""
    whole = sum(parts.values())
    ordered = sorted(parts.items(), key=lambda one: -one[1])
    return [key for key, us in ordered[:most] if us >= MAIN * whole]


def of_site(site: Site, ranks: int) -> str:
    """The time of a rank on average, the rank that most of it was for, and the main reason."""
    if not site.waited_for:
        return ""
    rank, us = max(site.waited_for.items(), key=lambda one: one[1])
    whole = sum(site.waited_for.values())
    share = "" if len(site.waited_for) == 1 else f" ({_percent(us, whole)})"
    reasons = " or ".join(_main(site.waited_us))
    return f"{duration(whole / max(1, ranks))}, for rank {rank}{share}{f': {reasons}' if reasons else ''}"


@dataclass(frozen=True)
class Waits:
    us: float  # of a rank on average
    in_mpi_us: float
    by_rank: dict[int, float]  # time for each rank, of all others
    site: Site  # with most of it
    ranks: int

    @property
    def latest(self) -> int:
        """The rank that most of the time was for."""
        return max(self.by_rank, key=lambda rank: self.by_rank[rank])

    def sentence(self, where: dict) -> str:
        """`where`: the texts of places."""
        whole = sum(self.by_rank.values())
        late = [f"rank {rank} ({_percent(self.by_rank[rank], whole)})" for rank in _main(self.by_rank, most=3)]
        place = where.get(self.site.place, "")
        called = f"{self.site.name} in {place}" if place else self.site.name
        part = f" of {duration(self.in_mpi_us)} in MPI" if self.in_mpi_us else ""
        return (
            f"waiting for late ranks: {duration(self.us)}{part}, for {listed(late) if late else 'all ranks alike'}; "
            f"most in {called}: {of_site(self.site, self.ranks)}"
        )


def waits_of(found: Found) -> Waits | None:
    by_rank: dict[int, float] = {}
    for site in found.sites:
        for rank, us in site.waited_for.items():
            by_rank[rank] = by_rank.get(rank, 0.0) + us
    ranks = max(1, found.ranks)
    us = sum(by_rank.values()) / ranks
    if us <= 0 or us < SHARE * found.elapsed_us:
        return None
    most = max(found.sites, key=lambda one: sum(one.waited_for.values()))
    return Waits(us, found.in_mpi.mean, by_rank, most, ranks)


def unlogged(found: Found) -> str:
    """A sentence if the log of messages was full; or nothing."""
    missing = sum(one.unlogged for one in found.by_rank)
    return UNLOGGED.format(missing=missing) if missing else ""
