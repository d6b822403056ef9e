"""Summarizes in a line the data that Heddle carried, or says why it carried nothing with holes.

carried(found)      # "carried: sent 640 MiB in 40 messages, received 640 MiB in 40 messages, with holes, on 2 ranks"
handed_on(found)    # "handed on to the MPI library: 2,400 MPI_Isend, MPI_Irecv (too little), 80 MPI_Bcast (no holes)"
nothing(found)      # "2 ranks, and no message with holes in it."
"""

from __future__ import annotations

from collections import Counter

from . import BY_NATURE, Found, Row
from .words import amount, counted, listed

FILES_OFF = "files off"  # src/report/call_site.hpp
PLAIN = ("no holes", "off", BY_NATURE)
ACCESSES = {  # by Row.call; all other rows are messages
    "file write": ("wrote", "file access", "file accesses"),
    "file read": ("read", "file access", "file accesses"),
    "put": ("put", "one-sided access", "one-sided accesses"),
    "get": ("got", "one-sided access", "one-sided accesses"),
}
DIFFER = "; sent and received differ, as only data count that Heddle packs or copies itself"
OFF = "Heddle was off, and carried nothing: `heddle env` says where HEDDLE=off is set"


def ours(found: Found) -> list[Row]:
    return [row for row in found.rows if row.way != "native"]


def carries(found: Found) -> bool:
    """Heddle has carried a call, in whole or in part."""
    return bool(ours(found) or found.mailed) or any(one.carried for one in found.procedures)


def carried(found: Found) -> str:
    if found.heddle == "off":
        return OFF
    rows, without = ours(found), _without_holes(found)
    where = f"on {counted(found.ranks, 'rank')}"
    if rows:
        holes = "with holes" if all(row.has_holes for row in rows) else "with holes and in one piece"
        return f"carried: {_moved(rows)}, {holes}, {where}{without}{DIFFER if _differ(rows) else ''}"
    if without:
        none = "" if _holed(found) else "; no message with holes"
        return f"carried{without.replace(';', ':', 1)}, {where}{none}"
    return f"carried: nothing, {where}" if _holed(found) else f"nothing to carry: no message with holes {where}"


def nothing(found: Found) -> str:
    """The sentences for a report without rows."""
    if found.heddle == "off":
        return f"{counted(found.ranks, 'rank')}. {OFF}."
    without, handed = _without_holes(found), handed_on(found)
    said = [f"{counted(found.ranks, 'rank')}{'' if _holed(found) else ', and no message with holes in it'}."]
    said += [f"Heddle carried{without.lstrip(';')}."] if without else []
    return " ".join([*said, *([f"{handed[:1].upper()}{handed[1:]}."] if handed else [])])


def handed_on(found: Found) -> str:
    """The calls that were handed on, by reason. Calls that Heddle carries in no case do not
    count."""
    if found.heddle == "off":
        return ""
    calls: Counter[str] = Counter()
    names: dict[str, list[str]] = {}
    for one in found.procedures:
        for why, count in one.passed.items():
            if why != BY_NATURE and count:
                calls[why] += count
                names.setdefault(why, []).append(one.name)
    said = ", ".join(f"{count:,} {listed(names[why])} ({why})" for why, count in calls.most_common())
    return f"handed on to the MPI library: {said}" if said else ""


def _holed(found: Found) -> bool:
    """Calls were handed on although their data may have had holes."""
    return any(count and why not in PLAIN for one in found.procedures for why, count in one.passed.items())


def _messages(rows: list[Row], out: bool) -> list[Row]:
    """The messages that ranks send, or those that they receive."""
    return [row for row in rows if row.call not in ACCESSES and _outgoing(row) is out]


def _outgoing(row: Row) -> bool:
    return row.call == "send" or (row.call != "receive" and row.way == "packed")


def _bytes(rows: list[Row]) -> int:
    return sum(row.bytes for row in rows)


def _differ(rows: list[Row]) -> bool:
    return _bytes(_messages(rows, out=True)) != _bytes(_messages(rows, out=False))


def _moved(rows: list[Row]) -> str:
    """Bytes and messages, then bytes and accesses."""
    sent, received = (_messages(rows, out) for out in (True, False))
    parts = [("sent", ("message",), sent), ("received", ("message",), received)]
    parts += [(verb, nouns, [row for row in rows if row.call == call]) for call, (verb, *nouns) in ACCESSES.items()]
    return ", ".join(
        f"{verb} {amount(_bytes(its))} in {counted(sum(row.calls for row in its), *nouns)}" for verb, nouns, its in parts if its
    )


def _without_holes(found: Found) -> str:
    """Short blocks, and carried calls without a row."""
    said = ""
    short = [one for one in found.mailed if not one.name.startswith("retracted")]
    if short:
        blocks = counted(sum(one.blocks for one in short), "short block")
        said += f"; {blocks} without messages ({amount(sum(one.bytes for one in short))})"
    seen = {row.procedure for row in found.rows}
    calls = [one for one in found.procedures if one.carried and one.name not in seen] if "" not in seen else []
    if calls:
        said += f"; {counted(sum(one.carried for one in calls), 'call')} of {listed([one.name for one in calls])}"
    return said
