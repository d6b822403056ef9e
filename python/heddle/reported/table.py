"""A report on the terminal, and as lines for grep where output is no terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from heddle import listing

from . import PARTS, Communicator, Found, Procedure, Row
from .advice import advice
from .lines import places
from .words import amount, duration


def speed(row: Row) -> str:
    return "" if math.isnan(row.speed) else f"{row.speed:.1f}"


def shown_places(found: Found) -> dict:
    """Of all that calls in it."""
    return places([one.place for one in (*found.sites, *found.rows, *found.algorithms)])


ROWS = ("datatype", "from", "call", "way", "calls", "bytes", "time", *PARTS, "GB/s")
KEPT = ("communicators", "ranks", "kept as", "how many", "members", "with object", "4 B a rank", "8 B a rank")
PROCEDURES = ("procedure", "ranks", "calls", "time", "a rank", "carried", "handed on", "why")
SITES = ("procedure", "from", "datatype", "communicator", "calls", "bytes", "time", "a rank", "carried")
ALGORITHMS = ("collective", "from", "communicator", "algorithm", "ranks", "calls")
MAILED = ("short blocks without messages", "ranks", "blocks", "bytes")


def kept(one: Communicator) -> list[str]:
    """The cells of a line, as KEPT heads them: bytes in each process."""
    shared = not one.whole_bytes
    sizes = ["shared", ""] if shared else [f"{one.members_bytes:,} B", f"{one.whole_bytes:,} B"]
    return [one.call, f"{one.size:,}", one.kept, f"{one.count:,}", *sizes, amount(one.list_bytes), amount(one.pointers_bytes)]


def of_a_rank(one: Procedure) -> str:
    """From the one that spent least to the one that spent most."""
    least, most = duration(one.us_min), duration(one.us_max)
    return least if least == most else f"{least} to {most}"


def procedures(found: Found) -> list[tuple[str, ...]]:
    """The lines that PROCEDURES heads."""
    return [
        (
            one.name,
            f"{one.ranks:,}",
            f"{one.calls:,}",
            duration(one.us),
            of_a_rank(one),
            f"{one.carried:,}" if one.carried or one.handed_on else "",
            f"{one.handed_on:,}" if one.carried or one.handed_on else "",
            one.why,
        )
        for one in found.procedures
    ]


def sites(found: Found, where: dict) -> list[tuple[str, ...]]:
    """The lines that SITES heads."""
    return [
        (
            one.name,
            where.get(one.place, ""),
            one.datatype_name,
            one.communicator,
            f"{one.calls:,}",
            amount(one.bytes) if one.bytes else "",
            duration(one.us),
            of_a_rank(one),
            f"{one.carried:,}" if one.carried or one.handed_on else "",
        )
        for one in found.sites
    ]


def algorithms(found: Found, where: dict) -> list[tuple[str, ...]]:
    """The lines that ALGORITHMS heads."""
    return [
        (one.procedure, where.get(one.place, ""), one.communicator, one.algorithm, f"{one.ranks:,}", f"{one.calls:,}")
        for one in found.algorithms
    ]


def mailed(found: Found) -> list[tuple[str, ...]]:
    """The lines that MAILED heads."""
    return [(one.name, f"{one.ranks:,}", f"{one.blocks:,}", amount(one.bytes)) for one in found.mailed]


def rows(found: Found, where: dict) -> list[tuple[str, ...]]:
    """The lines that ROWS heads."""
    return [
        (
            row.title,
            where.get(row.place, ""),
            row.call,
            row.way,
            f"{row.calls:,}",
            amount(row.bytes),
            duration(row.time),
            *(f"{100 * row.times[part] / row.time:.0f} %" if row.time else "" for part in PARTS),
            speed(row),
        )
        for row in found.rows
    ]


def show(found: Found, most: int) -> None:
    where = shown_places(found)
    if found.rows:
        _table(ROWS, rows(found, where), most, above=("datatype", "from"))
        left = found.rows[most:]
        more = f"… {len(left)} more rows, {duration(sum(row.time for row in left))}\n\n" if left else "\n"
        print(f"{more}{found.ranks} ranks, {duration(found.time)} in all, added up over the ranks.")
        for one in advice(found):
            print(listing.prose(f"→ {one.sentence}"))
    else:
        print(f"{found.ranks} ranks, and no message with holes in it.")
    if found.mailed:
        _table(MAILED, mailed(found), most, gap=True)
    if found.procedures:
        print("\nCalls that Heddle stands in for")
        _table(PROCEDURES, procedures(found), most, above=("why", "ranks"))
        if found.elapsed_us > 0:
            share = f"{100 * found.in_procedures_us / found.elapsed_us:.0f} %"
            whole = f"{duration(found.elapsed_us)} from MPI_Init to MPI_Finalize"
            print(listing.prose(f"{duration(found.in_procedures_us)} of a rank on average, {share} of {whole}."))
    if found.sites:
        print("\nWhere the calls come from")
        _table(SITES, sites(found, where), most, above=("from", "datatype", "communicator"))
    if found.algorithms:
        _table(ALGORITHMS, algorithms(found, where), most, gap=True, above=("from",))
    if found.communicators:
        print("\nWho takes part: bytes of one communicator in a process, and of a list")
        _table(KEPT, [kept(one) for one in found.communicators], most, above=("communicators",))


TEXTS = {"datatype", "from", "call", "way", "communicators", "kept as", "procedure", "communicator", "collective", "algorithm"}


def _table(heads: Sequence[str], lines: list, most: int, gap: bool = False, above: Sequence[str] = ()) -> None:
    if gap:
        print()
    right = [head for head in heads[1:] if head not in TEXTS and head != "why"]
    listing.show(heads, lines[:most], above=above, right=right)
    if len(lines) > most and heads is not ROWS:
        print(f"… {len(lines) - most} more rows")
