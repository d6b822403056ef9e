"""Summarizes in a line the data that Heddle carried, or says why it carried nothing with holes.

carried(found)      # "carried: sent 640 MiB in 40 messages, received 640 MiB in 40 messages, with holes, on 2 ranks"
nothing(found)      # "2 ranks, and no message with holes in it."
"""

from __future__ import annotations

from collections import Counter

from . import BY_NATURE, Found, Row
from .words import amount, listed

AS_SET, FILES_OFF = "as set", "files off"  # src/report/call_site.hpp
PLAIN = ("no holes", "off", BY_NATURE)
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
    if rows:
        holes = "with holes" if all(row.has_holes for row in rows) else "with holes and in one piece"
        return f"carried: sent {_sum(rows, True)}, received {_sum(rows, False)}, {holes}, on {found.ranks} ranks{without}"
    left = _left(found)
    if without:
        return f"carried{without.replace(';', ':', 1)}, on {found.ranks} ranks; {left or 'no message with holes'}"
    return left or f"nothing to carry: no message with holes on {found.ranks} ranks"


def nothing(found: Found) -> str:
    """The sentences for a report without rows."""
    if found.heddle == "off":
        return f"{found.ranks} ranks. {OFF}."
    left, without = _left(found), _without_holes(found)
    also = f" Heddle carried{without.lstrip(';')}." if without else ""
    return f"{found.ranks} ranks{f'. {left}.' if left else ', and no message with holes in it.'}{also}"


def _left(found: Found) -> str:
    """The calls that were handed on although their data may have had holes."""
    passed: Counter[str] = Counter()
    names = []
    for one in found.procedures:
        its = {why: calls for why, calls in one.passed.items() if why not in PLAIN}
        passed.update(its)
        names += [one.name] if its else []
    if not passed:
        return ""
    why = (
        f" {AS_SET}" if set(passed) == {AS_SET} else ": " + ", ".join(f"{why} {calls:,}" for why, calls in passed.most_common())
    )
    return f"{sum(passed.values()):,} calls were left to the MPI library{why} ({listed(names)})"


def _outgoing(row: Row) -> bool:
    return row.call in ("send", "put", "file write") or (
        row.call not in ("receive", "get", "file read") and row.way == "packed"
    )


def _sum(rows: list[Row], out: bool) -> str:
    rows = [row for row in rows if _outgoing(row) is out]
    return f"{amount(sum(row.bytes for row in rows))} in {sum(row.calls for row in rows):,} messages"


def _without_holes(found: Found) -> str:
    """Short blocks, and carried calls without a row."""
    said = ""
    short = [one for one in found.mailed if not one.name.startswith("retracted")]
    if short:
        said += (
            f"; {sum(one.blocks for one in short):,} short blocks without messages ({amount(sum(one.bytes for one in short))})"
        )
    seen = {row.procedure for row in found.rows}
    calls = [one for one in found.procedures if one.carried and one.name not in seen] if "" not in seen else []
    if calls:
        said += f"; {sum(one.carried for one in calls):,} calls of {listed([one.name for one in calls])}"
    return said
