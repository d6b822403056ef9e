"""Reads a file that HEDDLE_REPORT has written (docs/report.md has its schema).

found = rows_of(Path("r.json"))          # of this build, or of an earlier version
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from pathlib import Path

from heddle.foreign import json_of
from heddle.problem import Problem

from .layouts import read
from .lines import NOWHERE, Place
from .words import shortened

VERSION = 3
READABLE = (1, 2, 3)
ALL_OF_MPI = 3  # from this version on, a report has all of MPI; before, it had the procedures that Heddle replaces
PARTS = ("search", "pack", "wait", "copy")
LEAST = {part: f"{part}_us_min" for part in PARTS}
MOST = {part: f"{part}_us_max" for part in PARTS} | {"search": "search_us_rank_max"}  # search_us_max is of one call
WAITED = ("waited_for", "waited_us")
LONGEST_US = 1e15  # of a wait
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


def _count(value: object) -> int:
    """A number that the library counts in 64 bits."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number < 1 << 63:
        raise ValueError(f"{value!r:.40} is no count")
    return number


def _bytes(value: object) -> int:
    """A number of bytes that may be negative."""
    return -_count(-value) if isinstance(value, int) and value < 0 else _count(value)


def _size(value: object) -> int:
    """0, or a power of two."""
    number = _count(value)
    if number & (number - 1):
        raise ValueError(f"{number} is no size")
    return number


def _us(value: object) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise ValueError(f"{value!r:.40} is no time")
    return number


def _row(raw: dict) -> Row:
    times = {part: _us(raw[f"{part}_us"]) for part in PARTS}
    texts = {name: str(raw[name]) for name in ("call", "datatype", "way")}
    numbers = {name: _count(raw[name]) for name in ("ranks", "calls", "bytes")}
    return Row(
        **texts,
        **numbers,
        times=times,
        longest_search=_us(raw.get("search_us_max", 0)),
        blocks=_count(raw.get("blocks", 0)),
        **_of_a_rank(raw),
        procedure=str(raw.get("procedure", "")),
        why=str(raw.get("why", "")),
        **_bounds(raw),
        **_from(raw),
    )


def _of_a_rank(raw: dict) -> dict[str, dict[str, float]]:
    """The least and the most of each phase. Reports of version 1 have none of them."""
    extremes = {"least": LEAST, "most": MOST}
    if not any(name in raw for names in extremes.values() for name in names.values()):
        return {}
    return {which: {part: _us(raw[name]) for part, name in names.items()} for which, names in extremes.items()}


def _from(raw: dict) -> dict:
    """The place, datatype and communicator of calls. Reports of version 1 do not have them."""
    place = Place(*(str(raw.get(name, "")) for name in ("module", "offset", "symbol", "line", "no_line", "build_id")))
    return {"place": place, **{name: str(raw.get(name, "")) for name in ("datatype_name", "communicator")}}


def _bounds(raw: dict) -> dict:
    """The extent and the lower bound of a layout."""
    return {name: _bytes(raw[name]) for name in ("extent", "lower_bound") if name in raw}


def _communicator(raw: dict) -> Communicator:
    return Communicator(**{field.name: type_(raw[field.name]) for field, type_ in _COMMUNICATOR})


_COMMUNICATOR = [(field, str if field.name in ("call", "kept") else _count) for field in fields(Communicator)]


def _counted(raw: dict) -> dict:
    us = _us(raw["us"])
    return {
        **{name: _count(raw[name]) for name in ("ranks", "calls")},
        "us": us,
        **{name: _us(raw.get(name, us)) for name in ("us_min", "us_max")},
        "carried": _count(raw.get("carried", 0)),
        "passed": {str(why): _count(calls) for why, calls in raw.get("passed", {}).items()},
    }


def _procedure(raw: dict) -> Procedure:
    return Procedure(str(raw["name"]), **_counted(raw))


def _waited(raw: dict) -> dict[str, dict]:
    """Times until late ranks came, by the rank and by the reason. Times of 0 have no entry."""
    by_rank, by_reason = ({str(key): _us(us) for key, us in raw.get(name, {}).items()} for name in WAITED)
    if max([*by_rank.values(), *by_reason.values()], default=0) > LONGEST_US:
        raise ValueError("a wait of more than 30 years is no time")
    return {
        "waited_for": {_count(rank): us for rank, us in by_rank.items() if us > 0},
        "waited_us": {reason: us for reason, us in by_reason.items() if us > 0},
    }


def _site(raw: dict) -> Site:
    sizes = {_size(size): _count(calls) for size, calls in raw.get("sizes", {}).items() if _count(calls) > 0}
    layout = {"datatype": str(raw.get("datatype", "")), **_bounds(raw)}
    counted = {"bytes": _count(raw["bytes"]), "sizes": sizes}
    return Site(str(raw["procedure"]), **_counted(raw), **_from(raw), **counted, **layout, **_waited(raw))


def _algorithm(raw: dict) -> Algorithm:
    numbers = (_count(raw[name]) for name in ("ranks", "calls"))
    found = _from(raw)
    spread = {name: _count(raw[name]) for name in ("bytes_min", "bytes_median", "bytes_max") if name in raw}
    named = str(raw.get("procedure", "")), found["place"], found["communicator"], str(raw["algorithm"])
    return Algorithm(*named, *numbers, bytes=_count(raw.get("bytes", 0)), **spread)


def _of_rank(raw: dict) -> OfRank:
    to = {_count(rank): _count(count) for rank, count in raw["to"].items()} if "to" in raw else None
    times = (_us(raw[name]) for name in ("elapsed_us", "us"))
    counted = _count(raw["calls"]), _count(raw["bytes"])
    more = {"threads": _count(raw.get("threads", 1)), "unlogged": _count(raw.get("unlogged", 0)), **_waited(raw)}
    more |= {"cpu_us": _us(raw["cpu_us"])} if "cpu_us" in raw else {}
    return OfRank(_count(raw["rank"]), *times, *counted, to, str(raw.get("host", "")), **more)


def _mailed(raw: dict) -> Mailed:
    return Mailed(str(raw["name"]), *(_count(raw[name]) for name in ("ranks", "blocks", "bytes")))


def _run(raw: dict) -> dict:
    """The facts about the run. Values are texts, except for the command, the settings and
    numbers."""
    run = {str(name): value if isinstance(value, (int, float)) else str(value) for name, value in raw.items()}
    if isinstance(raw.get("command"), list):
        run["command"] = [str(word) for word in raw["command"]]
    run["settings"] = {str(name): str(value) for name, value in raw.get("settings", {}).items()}
    return run


def rows_of(file: Path) -> Found:
    try:
        raw = json_of(file)
        if not isinstance(raw, dict):
            raise ValueError("it is no JSON object")
        if "traceEvents" in raw and "heddle_report" not in raw:
            raise Problem(f"{file} is a timeline; open it in Perfetto (https://ui.perfetto.dev).")
        if raw["heddle_report"] not in READABLE:
            raise Problem(
                f"{file} is of version {raw['heddle_report']!r}; this heddle reads versions up to {VERSION}. Read it with the "
                "heddle that made it, or run the program again."
            )
        rows = [_row(row) for row in raw["rows"]]
        communicators = [_communicator(one) for one in raw.get("communicators", [])]
        return Found(
            _count(raw["ranks"]),
            sorted(rows, key=lambda row: -row.time),
            sorted(communicators, key=lambda one: (-one.size, one.call, one.kept)),
            sorted((_procedure(one) for one in raw.get("procedures", [])), key=lambda one: -one.us),
            _us(raw.get("elapsed_us", 0)),
            [_mailed(one) for one in raw.get("mailboxes", [])],
            sorted((_site(one) for one in raw.get("sites", [])), key=lambda one: -one.us),
            [_algorithm(one) for one in raw.get("algorithms", [])],
            sorted((_of_rank(one) for one in raw.get("by_rank", [])), key=lambda one: one.rank),
            _run(raw.get("run", {})),
            str(raw.get("heddle", "on")),
            raw["heddle_report"],
        )
    except IsADirectoryError:
        raise Problem(f"{file} is a folder. Name a report in it.") from None
    except FileNotFoundError as error:
        from heddle import near

        makes = f" `heddle run --report={file} -- ...` makes one."
        raise Problem(f"cannot read {file} ({error.strerror}).{near.file(file) or makes}") from None
    except OSError as error:
        raise Problem(f"cannot read {file} ({error.strerror}).") from None
    except MemoryError:
        raise Problem(f"{file} is too large for the memory of this machine.") from None
    except KeyError as error:
        raise _no_report(file, f"{error} is missing in it") from None
    except ValueError as error:
        raise _no_report(file, str(error)) from None
    except (TypeError, AttributeError):
        raise _no_report(file, "it has a value of another kind than expected") from None


def _no_report(file: Path, why: str) -> Problem:
    return Problem(f"{file} is no report: {why}. HEDDLE_REPORT=r.json heddle run ... makes one, r.json, when the program ends.")
