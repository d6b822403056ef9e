"""Estimates the time of the MPI library alone for the data that Heddle has carried, by the profile
of heddle tune: a range.

estimates = estimate(found)
estimates.of(row)       # (least, most) in us, over all ranks; None: the model does not reach this row
estimates.why_not       # "there is no profile of this machine; run heddle tune"

The profile knows messages between two ranks of a node with a core each, with regular blocks and
holes as long as the blocks on both sides. So there is no estimate

- for ranks on several nodes, or for more ranks than cores;
- for a row in which a rank waits: Heddle's time then depends on the other ranks, and so would that
  of the library;
- for datatypes other than one block or one loop of blocks;
- for a gain, if Heddle's packing and copying is a small part of the time of its calls. The rest is
  waiting or the library's own work, and the estimate knows neither.

If Heddle carries a message from rank to rank, both sides are taken to be busy for as long as the
message takes. If Heddle packs and the library carries, as in most collectives, the estimate
compares packing: the extra time of a message with holes over a message in one piece, half of it on
either side.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from . import Found, Row
from .calls import time_of
from .carried import ACCESSES
from .machine import Library, Profile, profile_here
from .words import duration, rough, roughly

CARRIED = frozenset(("bc-spup", "rwg-up", "p-rrs", "multi-w", "direct", "both"))  # ways from rank to rank
PACKED = frozenset(("packed", "unpacked"))
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
COMPARE = "heddle compare"
# The library alone took from LEAST to MOST times the figure of the model where both were measured:
# the table in docs/report.md.
LEAST, MOST = 1 / 8, 5
WAITS = 0.05  # of a row's time: more waiting decides the row's time
SMALL = 1 / 3  # of the time of the calls: if Heddle's part is smaller, it does not decide their time
OURS = "Heddle's packing and copying"
NO_MODEL = "of files and one-sided accesses, for which there is no model"
SHAPE = re.compile(r"(@-?\d+ )?(loop \d+ × \d+ B \{ )?block \d+( \})?")
Range = tuple[float, float]


@dataclass(frozen=True)
class Estimates:
    rows: dict[Row, float] = field(default_factory=dict)  # the model's figure, us
    left: dict[str, int] = field(default_factory=dict)  # rows without an estimate, by reason
    why_not: str = ""
    calls_us: float = 0  # of the program's calls with these rows, over all ranks; 0: not known

    def of(self, row: Row) -> Range | None:
        us = self.rows.get(row)
        return None if us is None else (LEAST * us, MOST * us)

    @property
    def host_us(self) -> Range:
        """The library's time, over all ranks."""
        us = sum(self.rows.values())
        return LEAST * us, MOST * us

    @property
    def us(self) -> float:
        """Heddle's time for the same data."""
        return sum(row.time for row in self.rows)

    def _why(self, ranks: int = 1) -> str:
        """The reason why there is no estimate of a gain. Empty: there is one."""
        if not self.rows:
            return self.why_not or self._lacking or "it knows none of these ways"
        if self.us >= SMALL * self.calls_us:
            return ""
        return f"{OURS} takes {self._ours(ranks)}{self._scope}; the rest is waiting, or the MPI library's work"

    @property
    def _lacking(self) -> str:
        return "; ".join(f"{count} row{'s' * (count > 1)} {why}" for why, count in self.left.items())

    @property
    def _scope(self) -> str:
        rows = len(self.rows) + sum(self.left.values())
        return f", for {len(self.rows)} of {rows} rows" if self.left else ""

    def _ours(self, ranks: int = 1) -> str:
        """Heddle's time, beside the time of its calls: over all ranks, or the mean of `ranks`."""
        us, whole = self.us / ranks, self.calls_us / ranks
        return f"{rough(us)} of the {duration(whole)} in these calls" if whole > us else rough(us)

    @property
    def sentence(self) -> str:
        """The estimate over all ranks, in words."""
        if why := self._why():
            return f"No estimate of what the MPI library alone would take: {why}. {COMPARE} measures it."
        said = f"Rough estimate{self._scope}: {OURS} took {self._ours()}, the MPI library's would have taken"
        more = f" No estimate: {self._lacking}." if self.left else ""
        return f"{said} {roughly(*self.host_us)}.{more} {COMPARE} measures the gain."

    def gain(self, ranks: int, compare: str = COMPARE) -> str:
        """A line about the gain of a rank, on average.
        @param compare: the command that measures the gain."""
        ranks = max(1, ranks)
        if why := self._why(ranks):
            return f"no estimate of the gain ({why}); {compare} measures it"
        ours, least, most = (us / ranks for us in (self.us, *self.host_us))
        sides = f"{OURS} takes a rank {self._ours(ranks)}, the MPI library's would take {roughly(least, most)}{self._scope}"
        if least > ours:
            return f"rough estimate: {sides}; {compare} measures the gain"
        if most < ours:
            return f"the rough estimate finds no gain ({sides}); {compare} measures it"
        return f"the estimate is too rough to tell a gain ({sides}); {compare} measures it"

    def as_json(self) -> dict:
        if why := self._why():
            return {"why_not": why}
        least, most = self.host_us
        times = {"host_us_least": least, "host_us_most": most, "us": self.us, "calls_us": self.calls_us}
        return times | {"rows": len(self.rows), "left": self.left}


def estimate(found: Found, profile: Profile | None = None) -> Estimates:
    """@param profile: None: the profile of this machine."""
    profile = profile or profile_here()
    why_not = _why_not(found, profile)
    if why_not or profile is None:
        return Estimates(why_not=why_not)
    library = profile.libraries[found.run["family"]]
    rows: dict[Row, float] = {}
    left: Counter[str] = Counter()
    for row in found.rows:
        if why := _left(row):
            left[why] += 1
        else:
            rows[row] = _of(row, library)
    return Estimates(rows, dict(left), calls_us=time_of(found, rows))


def _left(row: Row) -> str:
    """Why the model does not reach this row: "of lists"."""
    if row.call in ACCESSES:
        return NO_MODEL
    if row.way not in CARRIED | PACKED:
        return "of other ways"
    if not row.blocks or not row.calls:
        return "without a count of blocks"
    if row.times["wait"] > WAITS * row.time:
        return "with waiting"
    return "" if SHAPE.fullmatch(row.datatype) else "of irregular or nested datatypes"


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


def _of(row: Row, library: Library) -> float:
    pieces = row.blocks <= row.calls  # each message is one piece
    byte_ns = library.byte_ns if pieces else library.holed_byte_ns(row.bytes / row.blocks)
    if row.way in CARRIED:
        return _messages(row.calls, row.bytes, library.one_ns, byte_ns)
    return row.bytes * max(0.0, byte_ns - library.byte_ns) / 2 / 1e3


def in_one_piece(messages: float, size: float, library: Library) -> float:
    """The model's figure for one side of messages in one piece of `size` bytes in all, us. Rows of
    packed data leave it out, as the library carries these messages with Heddle, too."""
    return _messages(messages, size, library.one_ns, library.byte_ns)


def _messages(messages: float, size: float, one_ns: float, byte_ns: float) -> float:
    return (messages * one_ns + size * byte_ns) / 1e3
