"""Estimates the time of the MPI library alone for the data that Heddle has carried, by the profile of heddle tune.

estimates = estimate(found)
estimates.of(row)       # us, over all ranks; None: not known
estimates.why_not       # "there is no profile of this machine; run heddle tune"

The profile knows messages between two ranks of a node with a core each, with holes as long as the blocks on both sides. So
there is no estimate for ranks on several nodes, or for more ranks than cores. If Heddle carries a message from rank to rank,
both sides are taken to be busy for as long as the message takes. If Heddle packs and the library carries, as in most
collectives, the estimate compares packing: the extra time of a message with holes over a message in one piece, half of it on
either side.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from . import Found, Row
from .machine import Library, Profile, profile_here
from .words import duration

CARRIED = frozenset(("bc-spup", "rwg-up", "p-rrs", "multi-w", "direct", "both"))  # ways from rank to rank
PACKED = frozenset(("packed", "unpacked"))
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
COMPARE = "heddle compare"
CAVEAT = "an order of magnitude; heddle compare measures it"


@dataclass(frozen=True)
class Estimates:
    rows: dict[Row, float] = field(default_factory=dict)
    why_not: str = ""

    def of(self, row: Row) -> float | None:
        return self.rows.get(row)

    @property
    def host_us(self) -> float:
        """The library's estimated time, over all ranks."""
        return sum(self.rows.values())

    @property
    def us(self) -> float:
        """Heddle's time for the same data."""
        return sum(row.time for row in self.rows)

    @property
    def wait_us(self) -> float:
        """Heddle's waiting for a late rank, or for the other side's work. The library would wait, too."""
        return sum(row.times["wait"] for row in self.rows)

    @property
    def sentence(self) -> str:
        """The estimate over all ranks, in words."""
        if not self.rows:
            why = self.why_not or "it knows none of these ways"
            return f"No estimate of what the MPI library alone would take: {why}. {COMPARE} measures it."
        ours = duration(self.us) + (f", {duration(self.wait_us)} of it waiting" if self.wait_us > 0 else "")
        host = f"the MPI library alone would have taken about {duration(self.host_us)} ({CAVEAT})"
        return f"Estimate: {host}. Heddle took {ours}."

    def gain(self, ranks: int, compare: str = COMPARE) -> str:
        """A line about the gain of a rank, on average.
        @param compare: the command that measures the gain."""
        if not self.rows:
            why = self.why_not or "the profile knows none of these ways"
            return f"no estimate of the gain ({why}); {compare} measures it"
        host, ours = (duration(us / max(1, ranks)) for us in (self.host_us, self.us))
        won = (self.host_us - self.us) / max(1, ranks)
        if won <= 0:
            return f"the estimate finds no gain ({CAVEAT})"
        waiting = f", {duration(self.wait_us / max(1, ranks))} of it waiting" if self.wait_us > 0 else ""
        sides = f"Heddle took {ours}{waiting}; the MPI library alone would take about {host}"
        return f"estimated gain: about {duration(won)} a rank ({sides}): {CAVEAT}"

    def as_json(self) -> dict:
        if not self.rows:
            return {"why_not": self.why_not}
        return {"host_us_estimated": self.host_us, "us": self.us, "wait_us": self.wait_us}


def estimate(found: Found, profile: Profile | None = None) -> Estimates:
    """@param profile: None: the profile of this machine."""
    profile = profile or profile_here()
    why_not = _why_not(found, profile)
    if why_not or profile is None:
        return Estimates(why_not=why_not)
    library = profile.libraries[found.run["family"]]
    return Estimates({row: us for row in found.rows if (us := _of(row, library)) is not None})


def _why_not(found: Found, profile: Profile | None) -> str:
    if profile is None:
        return "there is no profile of this machine; run heddle tune"
    if not all(name in found.run for name in ("family", "processor", "cores")) or not all(one.host for one in found.by_rank):
        return "the report does not name its machine: run the program again"
    if (profile.processor, profile.cores) != (found.run["processor"], found.run["cores"]):
        return "the profile is of another machine: run heddle tune where the program ran"
    if len({one.host for one in found.by_rank}) > 1:
        return "messages between nodes are not in the profile"
    if found.ranks > profile.cores:
        return "there are more ranks than cores"
    library = profile.libraries.get(found.run["family"])
    if library is None or not library.holes_ns:
        name = NAMES.get(found.run["family"], "this MPI")
        return f"the profile lacks messages of {name} with holes; run heddle tune"
    return ""


def _of(row: Row, library: Library) -> float | None:
    if not row.blocks or not row.calls:
        return None
    pieces = row.blocks <= row.calls  # each message is one piece
    byte_ns = library.byte_ns if pieces else library.holed_byte_ns(row.bytes / row.blocks)
    if row.way in CARRIED:
        return (row.calls * library.one_ns + row.bytes * byte_ns) / 1e3
    if row.way in PACKED:
        return row.bytes * max(0.0, byte_ns - library.byte_ns) / 2 / 1e3
    return None
