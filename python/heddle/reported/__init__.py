"""A report that HEDDLE_REPORT has written, in memory: rows of messages, call sites, procedures,
ranks. The file is read in reading.py.

found = rows_of(Path("r.json"))
found.rows[0].title, found.rows[0].time
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .layouts import read
from .lines import NOWHERE, Place
from .words import shortened

VERSION = 3
ALL_OF_MPI = 3  # from this version on, a report has all of MPI; before, it had the procedures that Heddle replaces
PARTS = ("search", "pack", "wait", "copy")
LEAST = {part: f"{part}_us_min" for part in PARTS}
MOST = {part: f"{part}_us_max" for part in PARTS} | {"search": "search_us_rank_max"}  # search_us_max is of one call
SIDES = ("send", "receive")
BY_NATURE = "by nature"
FENCE = "fence"  # a way, src/mpi/window/one_sided.cpp
LAST = "MPI_Finalize"  # its time is the wait until all ranks are there


def _in_words(text: str, extent: int | None, lower_bound: int) -> str:
    """A layout as a page says it: "512 blocks of 4,096 B, 8,192 B apart"."""
    layout = read(text, extent, lower_bound)
    return layout.words if layout else shortened(text)


@dataclass(frozen=True, eq=False)
class Row:
    """All calls of one kind with one datatype that went one way, over all ranks."""

    call: str
    datatype: str
    way: str
    ranks: int
    calls: int
    bytes: int
    times: dict[str, float]  # us, by PARTS
    procedure: str = ""  # the program called it
    place: Place = NOWHERE  # of the call
    datatype_name: str = ""  # by MPI_Type_set_name
    longest_search: float = 0  # us, of one call
    communicator: str = ""
    blocks: int = 0  # contiguous pieces, of all calls; 0: not counted
    why: str = ""  # the reason for this way
    least: dict[str, float] = field(default_factory=dict)  # us, by PARTS, of the rank that spent least; empty: not known
    most: dict[str, float] = field(default_factory=dict)
    extent: int | None = None  # bytes, of an element; None: not known
    lower_bound: int = 0

    @property
    def named(self) -> str:
        """The name of the layout. A file access names the datatype in memory. Its layout is that of
        the view."""
        return "view of the file" if self.way == "file" else self.datatype_name

    @property
    def title(self) -> str:
        """The name, if there is one, and the layout in words."""
        words = _in_words(self.datatype, self.extent, self.lower_bound)
        return f"{self.named}: {words}" if self.named else words

    @property
    def shown(self) -> str:
        """The name of the datatype. If it has none: its layout in words."""
        return self.datatype_name or _in_words(self.datatype, self.extent, self.lower_bound)

    @property
    def has_holes(self) -> bool:
        """A message has more than one block. Without a count of blocks, messages are taken to have
        holes."""
        return not 0 < self.blocks <= self.calls

    @property
    def called(self) -> str:
        """The procedure that the program called. If it is not known: send, receive, or a family of
        collectives."""
        return self.procedure or self.call

    @property
    def side(self) -> str:
        """Send or receive, if the procedure alone does not tell."""
        return self.call if self.procedure and self.call in SIDES else ""

    @property
    def time(self) -> float:
        return sum(self.times.values())

    @property
    def speed(self) -> float:
        """GB/s while Heddle was busy. Waiting does not count. NaN if this side moved nothing: the
        receiver fetches a message that is sent directly, and MPI_Win_fence moves data of one-sided
        accesses, but its time is in no row."""
        busy = self.time - self.times["wait"]
        moved = self.times["copy"] or (self.times["pack"] and self.way != FENCE)
        if not moved:
            return math.nan
        return self.bytes / busy / 1e3 if busy > 0 else math.nan


@dataclass(frozen=True)
class Communicator:
    """All communicators of one kind, over all ranks. Bytes are those of one communicator."""

    call: str
    kept: str
    size: int
    members_bytes: int  # 0: shared with the communicator that it duplicates
    whole_bytes: int
    list_bytes: int
    pointers_bytes: int
    count: int


@dataclass(frozen=True)
class Spread:
    """A time of a rank, us: the mean over all ranks, the least and the most. None: not known."""

    mean: float
    least: float | None
    most: float | None


@dataclass(frozen=True)
class Procedure:
    """All calls of one procedure, over all ranks."""

    name: str
    ranks: int
    calls: int
    us: float
    us_min: float = 0  # of the rank that spent least
    us_max: float = 0
    carried: int = 0  # calls that Heddle has carried, in whole or in part
    passed: dict[str, int] = field(default_factory=dict)  # calls that were handed on, by reason

    def of_a_rank(self, ranks: int) -> Spread:
        """The time of a rank, of `ranks` ranks in all. A rank that does not call the procedure
        spends nothing in it."""
        return Spread(self.us / max(1, ranks), self.us_min if self.ranks >= ranks else 0.0, self.us_max)

    @property
    def handed_on(self) -> int:
        """Calls that were handed on. Calls that Heddle carries in no case do not count."""
        return sum(calls for why, calls in self.passed.items() if why != BY_NATURE)

    @property
    def why(self) -> str:
        """Why calls were handed on: "no holes"; "off 3, no holes 4"."""
        found = {why: calls for why, calls in self.passed.items() if why != BY_NATURE}
        if len(found) == 1:
            return next(iter(found))
        return ", ".join(f"{why} {calls:,}" for why, calls in sorted(found.items(), key=lambda one: -one[1]))


@dataclass(frozen=True)
class Site(Procedure):
    """The calls of a procedure from one place with one datatype on one communicator."""

    place: Place = NOWHERE
    datatype_name: str = ""
    communicator: str = ""
    bytes: int = 0
    sizes: dict[int, int] = field(default_factory=dict)  # calls by the largest power of two within their bytes
    datatype: str = ""  # its layout, if it is a derived datatype without a name
    extent: int | None = None
    lower_bound: int = 0
    waited_us: dict[str, float] = field(default_factory=dict)  # time of all ranks until late ranks came, by reason
    waited_for: dict[int, float] = field(default_factory=dict)  # the same by the late rank

    @property
    def datatype_shown(self) -> str:
        """The name of the datatype. If it has none: its layout in words."""
        return self.datatype_name or (self.datatype and _in_words(self.datatype, self.extent, self.lower_bound))


@dataclass(frozen=True)
class Algorithm:
    """Calls of a collective from one place that went by one algorithm."""

    procedure: str
    place: Place
    communicator: str
    algorithm: str
    ranks: int
    calls: int
    bytes: int = 0  # of all ranks
    bytes_min: int | None = None  # of the rank that moves least; None: not counted
    bytes_median: int | None = None
    bytes_max: int | None = None


@dataclass(frozen=True)
class OfRank:
    rank: int
    elapsed_us: float
    us: float  # in MPI calls
    calls: int
    bytes: int
    to: dict[int, int] | None  # bytes to other ranks; None: not counted
    host: str = ""
    threads: int = 1  # that call MPI; their times are added up
    waited_us: dict[str, float] = field(default_factory=dict)  # time until late ranks came, by reason
    waited_for: dict[int, float] = field(default_factory=dict)  # the same by the late rank
    unlogged: int = 0  # ends of messages and collectives whose times the report does not have
    cpu_us: float | None = None  # on cores from MPI_Init to MPI_Finalize, of all threads; None: not known


@dataclass(frozen=True)
class Mailed:
    """Short blocks between ranks of a node that were published in a mailbox, or retracted from it,
    over all ranks."""

    name: str  # published by blocking or persistent calls, or retracted by sender or reader
    ranks: int
    blocks: int
    bytes: int


@dataclass(frozen=True)
class Found:
    ranks: int
    rows: list[Row]  # the dearest first
    communicators: list[Communicator]  # the largest first
    procedures: list[Procedure] = field(default_factory=list)  # the dearest first; none in reports of older builds
    elapsed_us: float = 0  # from MPI_Init to MPI_Finalize
    mailed: list[Mailed] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)  # the dearest first
    algorithms: list[Algorithm] = field(default_factory=list)
    by_rank: list[OfRank] = field(default_factory=list)
    run: dict = field(default_factory=dict)  # command, mpi, host, date, version, settings
    heddle: str = "on"
    version: int = VERSION

    @property
    def all_of_mpi(self) -> bool:
        """The report has all procedures that communicate or wait."""
        return self.version >= ALL_OF_MPI

    @property
    def in_mpi(self) -> Spread:
        """The time of a rank in MPI calls, us."""
        times = [one.us for one in self.by_rank] if len(self.by_rank) == self.ranks else []
        return Spread(self.in_procedures_us, min(times, default=None), max(times, default=None))

    @property
    def threads(self) -> int:
        """The most threads of a rank that call MPI."""
        return max((one.threads for one in self.by_rank), default=1)

    @property
    def time(self) -> float:
        return sum(row.time for row in self.rows)

    @property
    def in_procedures_us(self) -> float:
        """Time in MPI calls, of a rank on average."""
        return sum(one.us for one in self.procedures) / max(1, self.ranks)
