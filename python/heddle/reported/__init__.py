"""What HEDDLE_REPORT has written: read, and looked at for what the program could do better."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from pathlib import Path

from heddle.problem import Problem

VERSION = 1
PARTS = ("search", "pack", "wait", "copy")


@dataclass(frozen=True)
class Row:
    """All calls of one kind with one datatype that went one way, over all ranks."""

    call: str
    datatype: str
    way: str
    ranks: int
    calls: int
    bytes: int
    times: dict[str, float]  # us, by PARTS

    @property
    def time(self) -> float:
        return sum(self.times.values())

    @property
    def speed(self) -> float:
        """GB/s while Heddle was busy; waiting is not its doing."""
        busy = self.time - self.times["wait"]
        return self.bytes / busy / 1e3 if busy > 0 else math.nan


@dataclass(frozen=True)
class Communicator:
    """All communicators of one kind, over all ranks; bytes are those of one of them."""

    call: str
    kept: str
    size: int
    members_bytes: int  # 0: shared with what it is a duplicate of
    whole_bytes: int
    list_bytes: int
    pointers_bytes: int
    count: int


@dataclass(frozen=True)
class Procedure:
    """All calls of one procedure that Heddle stands in for, carried out by it or not, over all ranks."""

    name: str
    ranks: int
    calls: int
    us: float


@dataclass(frozen=True)
class Mailed:
    """Short blocks between ranks of a node that were published in a mailbox, or retracted from it, over all ranks."""

    name: str  # blocking, persistent: published there; retracted by sender, by reader
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

    @property
    def time(self) -> float:
        return sum(row.time for row in self.rows)

    @property
    def in_procedures_us(self) -> float:
        """Of a rank, on average."""
        return sum(one.us for one in self.procedures) / max(1, self.ranks)


def _row(raw: dict) -> Row:
    times = {part: max(0.0, float(raw[f"{part}_us"])) for part in PARTS}
    texts = {name: str(raw[name]) for name in ("call", "datatype", "way")}
    return Row(**texts, **{name: int(raw[name]) for name in ("ranks", "calls", "bytes")}, times=times)


def _communicator(raw: dict) -> Communicator:
    return Communicator(**{field.name: type_(raw[field.name]) for field, type_ in _COMMUNICATOR})


_COMMUNICATOR = [(field, str if field.name in ("call", "kept") else int) for field in fields(Communicator)]


def _procedure(raw: dict) -> Procedure:
    return Procedure(str(raw["name"]), int(raw["ranks"]), int(raw["calls"]), float(raw["us"]))


def _mailed(raw: dict) -> Mailed:
    return Mailed(str(raw["name"]), *(int(raw[name]) for name in ("ranks", "blocks", "bytes")))


def rows_of(file: Path) -> Found:
    try:
        raw = json.loads(file.read_text(encoding="utf-8"))
        if raw["heddle_report"] != VERSION:
            raise Problem(f"{file} is of version {raw['heddle_report']!r}; this heddle reads version {VERSION}.")
        rows = [_row(row) for row in raw["rows"]]
        communicators = [_communicator(one) for one in raw.get("communicators", [])]
        return Found(
            int(raw["ranks"]),
            sorted(rows, key=lambda row: -row.time),
            sorted(communicators, key=lambda one: (-one.size, one.call, one.kept)),
            sorted((_procedure(one) for one in raw.get("procedures", [])), key=lambda one: -one.us),
            float(raw.get("elapsed_us", 0)),
            [_mailed(one) for one in raw.get("mailboxes", [])],
        )
    except OSError as error:
        raise Problem(f"cannot read {file} ({error.strerror}).") from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise Problem(f"{file} is no report. HEDDLE_REPORT={file} makes one when the program ends.") from None


def advice(found: Found) -> list[str]:
    """What to change in the program to gain more; sentences with their numbers."""
    said = []
    total = found.time
    for row in found.rows:
        if len(said) == 5 or total <= 0 or row.time < 0.05 * total:
            break
        name, share = f"{row.call} of {row.datatype}", f"{100 * row.time / total:.0f} % of the time"
        each = row.bytes / row.calls if row.calls else 0
        if row.times["search"] > 0.3 * row.time:
            said.append(
                f"{name} ({share}): {100 * row.times['search'] / row.time:.0f} % of it goes into finding out what the datatype "
                "looks like. Commit it once and keep it, instead of once for each message."
            )
        elif row.times["wait"] > 0.5 * row.time:
            other = "receiver" if row.call == "send" else "sender"
            said.append(
                f"{name} ({share}): {100 * row.times['wait'] / row.time:.0f} % of it is spent waiting for the {other}. "
                "Let it come earlier, or do something else meanwhile (MPI_Isend, MPI_Irecv)."
            )
        elif row.way == "bc-spup" and each >= 64 << 10:
            said.append(
                f"{name} ({share}): packed and unpacked, {each / 1024:,.0f} KiB each. "
                "From a buffer of MPI_Alloc_mem the receiver can move it in one pass."
            )
        elif 0 < each < 4 << 10 and row.calls >= 1000:
            said.append(
                f"{name} ({share}): {row.calls:,} messages of {each:,.0f} bytes. "
                "Fewer and larger ones (a larger count, a datatype of several pieces) cost less each."
            )
    return said
