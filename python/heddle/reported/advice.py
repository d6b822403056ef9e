"""Changes of the program that would gain more, each with its predicted gain, the largest gain
first.

for one in advice(found):
    print(one.sentence, one.gain_us, one.change)

A prediction comes from the measurements in the report, and from the cost of a message in the
profile (heddle tune). If neither predicts a gain, there is no advice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import Found, Row
from .calls import BEGINS, ENDS, late_ranks_of, time_of
from .cores import shortage
from .lines import Place, places
from .machine import profile_here
from .words import rough

LEAST = 0.02  # of the time in MPI calls: a smaller gain is not worth a change
MOST = 5
BUNDLE = 16  # the advice proposes to join so many short messages
SHORT = 4 << 10
AT_MOST = "up to"
MESSAGES = {name: f"MPI_I{name.lower()}" for name in ("Send", "Ssend", "Bsend", "Rsend", "Recv", "Mrecv")}
MESSAGES |= dict.fromkeys(("Sendrecv", "Sendrecv_replace"), "MPI_Isend and MPI_Irecv")
COLLECTIVE = re.compile(r"(Neighbor_all|All)(gatherv?|toall[vw]?)|Bcast|Gatherv?|Scatterv?", re.IGNORECASE)


@dataclass(frozen=True)
class Advice:
    gain_us: float  # over all ranks
    ranks: int  # of the run
    bound: str  # "up to": less if the other side comes no earlier; "at least": only a part of the loss was measured
    what: str
    change: str  # in the program

    @property
    def at_most(self) -> bool:
        return self.bound == AT_MOST

    @property
    def sentence(self) -> str:
        return f"{self.bound} {rough(self.gain_us / self.ranks)} of a rank: {self.what}. {self.change}"


def advice(found: Found, message_ns: float | None = None, where: dict[Place, str] | None = None) -> list[Advice]:
    """@param message_ns: the cost of a message of any length. None: the cost in the machine's
    profile.
    @param where: the texts for places, if they are known already."""
    if message_ns is None:
        profile = profile_here()
        message_ns = profile.message_ns if profile else None
    if where is None:
        where = places(row.place for row in found.rows)
    whole = sum(one.us for one in found.procedures) or found.time
    said = [one for row in found.rows for one in _of(found, row, message_ns, where) if one.gain_us >= max(LEAST * whole, 1)]
    return sorted(said, key=lambda one: -one.gain_us)[:MOST]


def _of(found: Found, row: Row, message_ns: float | None, where: dict[Place, str]) -> list[Advice]:
    said = []
    ranks = max(1, found.ranks)
    place = where.get(row.place, "")
    call = f"{row.called}{f' in {place}' if place else ''} of {row.shown}"
    search, wait = row.times["search"], row.times["wait"]
    again = search - row.ranks * row.longest_search if row.longest_search else 0  # each rank's first look is needed
    if again > 0.2 * (row.time - wait):
        said.append(
            Advice(
                again,
                ranks,
                "at least",
                f"{call} analyses the datatype {row.calls:,} times",
                "Make the datatype once and keep it, instead of once for each message.",
            )
        )
    elif wait > 0.5 * row.time:
        other = "receiver" if row.call == "send" else "sender"
        late = late_ranks_of(found, row)
        gain = wait if late is None else min(wait, late)
        what = f"{call} waits for the {other}{_share(found, row, gain)}"
        said.append(Advice(gain, ranks, AT_MOST, what, _meanwhile(row, other)))
    each = row.bytes / row.calls if row.calls else 0
    if message_ns and 0 < each < SHORT and row.calls >= 1000:
        said.append(
            Advice(
                message_ns * row.calls * (1 - 1 / BUNDLE) / 1e3,
                ranks,
                "about",
                f"{row.calls:,} messages of {each:,.0f} bytes by {call}",
                f"Join {BUNDLE} of them (a larger count, a datatype of several pieces): one announcement instead of {BUNDLE}.",
            )
        )
    return said


def _share(found: Found, row: Row, gain: float) -> str:
    """The share of the time of the calls, and the doubt that ranks waited for a core."""
    whole = time_of(found, [row])
    calls = "these calls and of those that complete them" if BEGINS.match(row.procedure) else "these calls"
    share = f", {100 * gain / whole:.0f} % of the time of {calls}" if 0 < gain <= whole else ""
    short = shortage(found)
    return f"{share}, or for a core ({short})" if short else share


def _meanwhile(row: Row, other: str) -> str:
    """How to avoid waiting for the other side. For a call that blocks, it names a call that does
    not."""
    earlier = f"Let the {other} come earlier"
    procedure = row.procedure.removesuffix("_c") or {"send": "MPI_Send", "receive": "MPI_Recv"}.get(row.call, "")
    if BEGINS.match(procedure):
        return f"{earlier}, or post it earlier and complete it later, with work in between."
    if ENDS.match(procedure):
        return f"{earlier}, or do more work between the call that begins it and this call."
    name = procedure.removeprefix("MPI_")
    going_on = f"MPI_I{name.lower()}" if COLLECTIVE.fullmatch(name) else MESSAGES.get(name, "")
    return f"{earlier}, or do something else meanwhile ({going_on})." if going_on else f"{earlier}."
