"""The changes of calls, by procedure and by call site. They come from two reports: with HEDDLE=off,
where Heddle only takes times, and with Heddle."""

from __future__ import annotations

from heddle.reported import Found, Row, both
from heddle.reported.lines import places

from . import Calls, Carried, Site


def changed(without: Found, with_heddle: Found) -> list[Calls]:
    """Calls by procedure, the dearest first, by the longer of the two times."""
    pairs = both.procedures(without, with_heddle)
    return [Calls(pair.procedure, max(pair.calls), pair.before_us, pair.after_us) for pair in pairs]


def sites(without: Found, with_heddle: Found) -> list[Site]:
    """Calls by place and datatype, in the order of `changed`."""
    pairs = both.sites(without, with_heddle)
    return [Site(pair.procedure, max(pair.calls), pair.before_us, pair.after_us, pair.place, pair.datatype) for pair in pairs]


def carried(found: Found) -> list[Carried]:
    """The data that Heddle carried, the dearest first."""
    ranks = max(1, found.ranks)
    where = places(row.place for row in found.rows)

    def of(row: Row) -> Carried:
        counted = row.calls, row.bytes, row.time / ranks
        names = row.procedure, row.datatype_name, where[row.place]
        return Carried(row.call, row.datatype, row.way, *counted, *names, row.extent, row.lower_bound)

    return [of(row) for row in found.rows]
