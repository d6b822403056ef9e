"""Two reports of one program: the changes from the first to the second, by procedure, call site and
datatype.

pairs = sites(before, after)       # the dearest first, by the longer of the two times
show(before, after)                # on the terminal
as_json(before, after)             # the same, for other programs
"""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from pathlib import Path

from heddle import listing

from . import Found, Procedure
from .lines import Place, missing, places
from .words import counted, duration, shortened


@dataclass(frozen=True)
class Pair:
    """A procedure or a site in both reports. Times are of a rank on average, us; 0: not called
    there."""

    procedure: str
    place: str
    datatype: str
    calls: tuple[int, int]
    before_us: float
    after_us: float

    @property
    def ratio(self) -> float:
        """How many times as fast. Not a number: one of the times is missing."""
        return self.before_us / self.after_us if self.before_us and self.after_us else math.nan


def procedures(before: Found, after: Found) -> list[Pair]:
    return _paired(before, after, {one.name: one for one in before.procedures}, {one.name: one for one in after.procedures})


def sites(before: Found, after: Found) -> list[Pair]:
    """Call sites, matched by procedure, place and the datatype's name."""
    return _sites(before, after, _shown(before, after))


def _shown(before: Found, after: Found) -> dict[Place, str]:
    return places(one.place for one in (*before.sites, *after.sites))


def _sites(before: Found, after: Found, where: dict[Place, str]) -> list[Pair]:
    return _paired(before, after, _by_place(before, where), _by_place(after, where))


def _by_place(found: Found, where: dict[Place, str]) -> dict[tuple[str, str, str], Procedure]:
    sums: dict[tuple[str, str, str], Procedure] = {}
    for one in found.sites:
        key = one.name, where[one.place], one.datatype_shown
        had = sums.get(key)
        calls, us = (had.calls, had.us) if had else (0, 0.0)
        sums[key] = Procedure(one.name, one.ranks, calls + one.calls, us + one.us)
    return sums


def _paired(before: Found, after: Found, first: dict, second: dict) -> list[Pair]:
    pairs = []
    for key in dict.fromkeys([*first, *second]):
        name, place, datatype = (key, "", "") if isinstance(key, str) else key
        one, other = first.get(key), second.get(key)
        pairs.append(
            Pair(
                name,
                place,
                datatype,
                (one.calls if one else 0, other.calls if other else 0),
                one.us / max(1, before.ranks) if one else 0.0,
                other.us / max(1, after.ranks) if other else 0.0,
            )
        )
    return sorted(pairs, key=lambda pair: -max(pair.before_us, pair.after_us))


def _ratio(pair: Pair) -> str:
    return "" if math.isnan(pair.ratio) else _times(pair.ratio)


def _times(ratio: float) -> str:
    return f"{ratio:.2f} x" if ratio >= 0.1 else f"{ratio:.1g} x"


def _line(pair: Pair) -> tuple[str, ...]:
    calls = f"{pair.calls[0]:,}" if pair.calls[0] == pair.calls[1] else f"{pair.calls[0]:,} / {pair.calls[1]:,}"
    times = (duration(us) if us else "" for us in (pair.before_us, pair.after_us))
    return (pair.procedure, pair.place, pair.datatype, calls, *times, _ratio(pair))


ONE_RUN = "Each report is of one run, so the ratios have no scatter. heddle compare gives a verdict."
HEADS = ("procedure", "from", "datatype", "calls", "before", "after", "before / after")


def warning(before: Found, after: Found) -> str:
    """A sentence if the reports are not of one program, as far as they name it. The same program
    may lie in another folder, so folders do not count."""
    commands = [found.run.get("command") for found in (before, after)]
    differ = []
    if (
        all(isinstance(words, list) for words in commands)
        and len({tuple(Path(word).name for word in words) for words in commands}) > 1
    ):
        differ.append(" and ".join(f"`{shortened(shlex.join(words))}`" for words in commands))
    if before.ranks != after.ranks:
        differ.append(f"{before.ranks:,} and {counted(after.ranks, 'rank')}")
    libraries = [str(found.run.get("mpi", "")) for found in (before, after)]
    if all(libraries) and libraries[0] != libraries[1]:
        differ.append(" and ".join(shortened(name) for name in libraries))
    return f"The reports are of different runs: {'; '.join(differ)}. Their ratios may mean nothing." if differ else ""


def switched(before: Found, after: Found) -> str:
    """A sentence if only one run had Heddle."""
    if before.heddle == after.heddle:
        return ""
    return f"Heddle was {before.heddle} before and {after.heddle} after, so the changes are not the program's alone."


def show(before: Found, after: Found, most: int) -> None:
    right = HEADS[3:]
    spent = before.in_procedures_us, after.in_procedures_us
    whole = before.elapsed_us, after.elapsed_us
    said = [f"A rank spent {duration(spent[0])} in MPI calls before and {duration(spent[1])} after"]
    if all(spent):
        said[0] += f" ({_times(spent[0] / spent[1])})"
    if all(whole):
        said.append(f"from MPI_Init to MPI_Finalize {duration(whole[0])} and {duration(whole[1])}")
    if why := warning(before, after):
        print(listing.prose(f"→ {why}"))
    for sentence in filter(None, ("; ".join(said) + ".", switched(before, after), ONE_RUN)):
        print(listing.prose(sentence))
    print()
    plain = [(line[0], *line[3:]) for line in map(_line, procedures(before, after))]
    listing.show((HEADS[0], *HEADS[3:]), plain[:most], right=right)
    where = _shown(before, after)
    pairs = _sites(before, after, where)
    if pairs:
        print()
        listing.show(HEADS, [_line(pair) for pair in pairs[:most]], right=right, above=("from", "datatype"))
    if max(len(plain), len(pairs)) > most:
        print("… more rows: --rows")
    if why := missing(where):
        print("\n" + listing.prose(why))


def as_json(before: Found, after: Found) -> dict:
    def rows(pairs: list[Pair]) -> list[dict]:
        return [
            {
                "procedure": pair.procedure,
                **({"from": pair.place, "datatype_name": pair.datatype} if pair.place or pair.datatype else {}),
                "calls_before": pair.calls[0],
                "calls_after": pair.calls[1],
                "us_before": pair.before_us,
                "us_after": pair.after_us,
                "ratio": None if math.isnan(pair.ratio) else pair.ratio,
            }
            for pair in pairs
        ]

    return {
        "heddle_reports_compared": 1,
        **({"warning": why} if (why := warning(before, after)) else {}),
        "heddle_before": before.heddle,
        "heddle_after": after.heddle,
        "us_before": before.in_procedures_us,
        "us_after": after.in_procedures_us,
        "elapsed_us_before": before.elapsed_us,
        "elapsed_us_after": after.elapsed_us,
        "procedures": rows(procedures(before, after)),
        "sites": rows(sites(before, after)),
    }
