"""What to change in the program to gain more: each with the gain that is predicted, the largest first.

for one in advice(found):
    print(one.sentence, one.gain_us, one.change)

A prediction is made of what the report has measured, and of what the profile (heddle tune) says that a message costs. Where
neither says that there is a gain, there is no advice.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import Found, Row
from .machine import profile_here
from .words import duration

LEAST = 0.02  # of the time in MPI calls: less is not worth a change
MOST = 5
BUNDLE = 16  # short messages that are thought of as one
SHORT = 4 << 10


@dataclass(frozen=True)
class Advice:
    gain_us: float  # over all ranks
    at_most: bool  # it may be less: the other side has to come earlier
    what: str
    change: str  # in the program

    @property
    def sentence(self) -> str:
        gain = f"{'up to ' if self.at_most else 'about '}{duration(self.gain_us)}"
        return f"{gain}: {self.what}. {self.change}"


def advice(found: Found, message_ns: float | None = None) -> list[Advice]:
    """@param message_ns: what a message costs, however short; without it what the machine's profile says."""
    if message_ns is None:
        profile = profile_here()
        message_ns = profile.message_ns if profile else None
    whole = sum(one.us for one in found.procedures) or found.time
    said = [one for row in found.rows for one in _of(row, message_ns) if one.gain_us >= max(LEAST * whole, 1)]
    return sorted(said, key=lambda one: -one.gain_us)[:MOST]


def _of(row: Row, message_ns: float | None) -> list[Advice]:
    said = []
    where = f"{row.procedure or row.call} of {row.datatype_name or row.datatype}"
    search, wait = row.times["search"], row.times["wait"]
    again = search - row.ranks * row.longest_search if row.longest_search else 0  # each rank's first look is needed
    if again > 0.3 * row.time:
        said.append(
            Advice(
                again,
                False,
                f"{where} finds out {row.calls:,} times what the datatype looks like",
                "Commit it once and keep it, instead of once for each message.",
            )
        )
    elif wait > 0.5 * row.time:
        other, call = ("receiver", "MPI_Isend") if row.call == "send" else ("sender", "MPI_Irecv")
        said.append(
            Advice(
                wait,
                True,
                f"{where} waits for the {other}, {100 * wait / row.time:.0f} % of its time",
                f"Let the {other} come earlier, or do something else meanwhile ({call}).",
            )
        )
    each = row.bytes / row.calls if row.calls else 0
    if message_ns and 0 < each < SHORT and row.calls >= 1000:
        said.append(
            Advice(
                message_ns * row.calls * (1 - 1 / BUNDLE) / 1e3,
                False,
                f"{row.calls:,} messages of {each:,.0f} bytes by {where}",
                f"{BUNDLE} at a time (a larger count, a datatype of several pieces) cost as many times less to announce.",
            )
        )
    return said
