"""The program's calls behind rows of carried data: their time, and their waiting for late ranks.

time_of(found, rows)       # us over all ranks; 0: not known
late_ranks_of(found, row)  # us over all ranks; None: the report has no notes about such calls
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from . import Found, Row
from .lines import Place

BEGINS = re.compile(r"MPI_(I[a-z]|Start|\w+_init$)")
ENDS = re.compile(r"MPI_(Wait|Test)")
# Calls whose waits the ranks note (src/report/late_ranks.hpp). The waiting of a non-blocking one is
# in the call that completes it.
NOTED = re.compile(
    r"MPI_(I?[sbr]?send|I?m?recv|Sendrecv(_replace)?|Wait\w*|All(gatherv?|toall[vw]?)|Bcast|Gatherv?|Scatterv?)(_c)?",
    re.IGNORECASE,
)


def time_of(found: Found, rows: Collection[Row]) -> float:
    """The time of the program's calls that have moved the data of these rows. For non-blocking
    calls, the calls that complete them count, too. 0: not known."""
    by_place: Counter[tuple[str, Place]] = Counter()
    for site in found.sites:
        by_place[site.name, site.place] += site.us
    by_name = {one.name: one.us for one in found.procedures}
    keys, names = {(row.procedure, row.place) for row in rows}, {row.procedure for row in rows}
    if keys <= by_place.keys():
        us = sum(by_place[key] for key in keys)
    elif names <= by_name.keys():
        us = sum(by_name[name] for name in names)
    else:
        return 0
    if any(BEGINS.match(row.procedure) for row in rows):
        us += sum(one.us for one in found.procedures if ENDS.match(one.name))
    return us


def late_ranks_of(found: Found, row: Row) -> float | None:
    """The waiting of these calls for late ranks. Calls that complete others count if the row's
    calls only begin."""
    if not NOTED.fullmatch(row.procedure) or any(one.unlogged for one in found.by_rank):
        return None
    own = [one for one in found.sites if (one.name, one.place) == (row.procedure, row.place)]
    if not own or not any(one.waited_for for one in found.sites):
        return None
    if BEGINS.match(row.procedure):
        own += [one for one in found.sites if ENDS.match(one.name)]
    return sum(sum(one.waited_for.values()) for one in own)
