"""Measurements of `heddle tune`, repeated until they agree.

found = repeated(once, slower=True)      # once() → {"one": 812.0, "burst": 5120.0}
found.values                             # the numbers on which the tries agree
found.unsure                             # {"burst": 2.7}: the best two tries differ 2.7-fold; the built-in value holds
found.missing                            # ["long"]: fewer than two tries have this number
found.within                             # 1.08: all others agree within 8 %
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from . import disturbance

AGREE = 1.5  # tries of a number that are not further apart agree
TRIES, MOST_TRIES = 3, 5
QUIET = 0.3  # cores that others may use beside two ranks


class Spoilt(Exception):
    """A try has failed because of other work on the machine."""


@dataclass
class Repeated:
    values: dict[str, float] = field(default_factory=dict)
    unsure: dict[str, float] = field(default_factory=dict)  # number → how many times the tries are apart
    within: float = 1.0
    tries: int = 0
    busy: str = ""  # other work on the machine, as the end of a sentence
    beside: bool = False  # the numbers come from tries beside other work; that they agree proves little
    spoilt: str = ""  # the reason why a try has failed
    missing: list[str] = field(default_factory=list)

    @property
    def sure(self) -> bool:
        return bool(self.values) and not self.unsure and not self.missing


def repeated(
    once: Callable[[], dict[str, float]], slower: bool, anyway: bool = False, quiet: bool = False, tries: int = TRIES
) -> Repeated:
    """A try may give NaN for a number: the try has not measured this number. Tries beside other
    work count only if the machine stays busy.
    @param slower: a disturbance only makes the numbers larger, so the least try counts.
    Otherwise the median counts.
    @param anyway: trust a single try.
    @param quiet: tries beside other work never count."""
    found = Repeated()
    counted: list[dict[str, float]] = []
    disturbed: list[dict[str, float]] = []
    while found.tries < (1 if anyway else MOST_TRIES):
        found.tries += 1
        with disturbance.watched() as others:
            try:
                taken = once()
            except Spoilt as spoilt:
                found.spoilt = str(spoilt)
                taken = None
        if taken is not None:
            found.busy = others.work or found.busy
            (counted if anyway or others.used < QUIET else disturbed).append(taken)
        stays_busy = bool(disturbed) and not counted and found.tries >= TRIES
        if len(counted) >= (1 if anyway else tries):
            _compare(found, counted, slower)
        elif quiet and stays_busy:
            break
        elif not quiet and (stays_busy or found.tries == MOST_TRIES) and disturbed:
            found.beside = True
            _compare(found, [*counted, *disturbed], slower)
        if found.sure:
            break
    return found


def _compare(found: Repeated, tries: Sequence[dict[str, float]], slower: bool) -> None:
    found.values, found.unsure, found.missing, found.within = {}, {}, [], 1.0
    for name in dict.fromkeys(name for one in tries for name in one):
        values = [one[name] for one in tries if name in one and math.isfinite(one[name])]
        if len(values) < min(2, len(tries)):
            found.missing.append(name)
            continue
        value, apart = agreed(values, slower, min(TRIES, len(values)))
        if apart > AGREE:
            found.unsure[name] = apart
        else:
            found.values[name] = value
            found.within = max(found.within, apart)


def agreed(values: Sequence[float], slower: bool, support: int = 2) -> tuple[float, float]:
    """The least of some values, and how many times its neighbour is apart from it. Or the median,
    and how many times the farthest of its nearest values is apart from it.
    @param support: so many values, the median among them. A job that disturbs two tries makes two
    values that agree. Three of five are a majority, and only a disturbance of most tries moves
    their median."""
    ordered = sorted(values)
    if slower:
        return ordered[0], _apart(*ordered[:2]) if len(ordered) > 1 else 1.0
    median = ordered[len(ordered) // 2]
    return median, sorted(_apart(median, other) for other in ordered)[min(support, len(ordered)) - 1]


def _apart(one: float, other: float) -> float:
    if one == other:
        return 1.0
    return max(one, other) / min(one, other) if min(one, other) > 0 else math.inf
