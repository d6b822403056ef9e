"""Which calls changed: from a report with HEDDLE=off, where Heddle only takes the time, and one with Heddle."""

from __future__ import annotations

from heddle.reported import Found

from . import Calls, Carried


def changed(without: Found, with_heddle: Found) -> list[Calls]:
    """The dearest first, by whichever way takes longer."""
    sides = [{one.name: one for one in found.procedures} for found in (without, with_heddle)]
    names = dict.fromkeys([*sides[0], *sides[1]])
    ranks = max(1, without.ranks), max(1, with_heddle.ranks)

    def time(side: int, name: str) -> float:
        return sides[side][name].us / ranks[side] if name in sides[side] else 0.0

    rows = [
        Calls(name, max(side[name].calls for side in sides if name in side), time(0, name), time(1, name)) for name in names
    ]
    return sorted(rows, key=lambda row: -max(row.without_us, row.with_us))


def carried(found: Found) -> list[Carried]:
    """The dearest first."""
    ranks = max(1, found.ranks)
    return [Carried(row.call, row.datatype, row.way, row.calls, row.bytes, row.time / ranks) for row in found.rows]
