"""Verdicts on speed, from pairs of runs: the one place with statistics of ratios.

    for way in shuffled(ways): ...                     # one round: every way once, in random order
    found = judge([2.01, 1.98, 2.05, 1.97, 2.0, 2.02, 1.99])     # ratios of seven rounds, without Heddle over with it
    found.words                                        # "2.00 × as fast (1.97 – 2.05)"

The interval and the test are those of the sign test, by scipy.stats.binomtest. They hold their
level with few rounds and under any noise:

- A machine's noise has heavy tails, drifts, comes in bursts and is not independent from run to run.
  The order of the runs in a round is random. So without a difference each ratio is above 1 with
  probability 1/2, whatever the noise was. The signs are independent, and the level is exact: with 7
  rounds a false verdict has probability 2/2^7 = 1.6 %.
- With 7 rounds, the interval for the median is from the least to the most ratio, and has a level of
  98.4 %. The bootstrap has a lower level than it claims there: resamples of 7 values rarely hold
  the tails. tests/python/test_verdict.py shows its false verdicts beside ours.
- Wilcoxon's test would hold its level, too. But its interval needs ratios that are symmetric around
  their median, and a single burst has the largest rank.
- The median always lies in the interval, as both are order statistics.

With 5 rounds, even equal signs have p = 6.3 %, so there is no verdict. With 9 rounds or more, one
spoilt round does not prevent a verdict. The import of SciPy takes a second, so only judge() imports
it.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.util import find_spec
from typing import TypeVar

ROUNDS = 7  # of a comparison, unless the user asks for another number
LEVEL = 0.95
LEAST_ROUNDS = 6  # 2/2^6 = 3.1 %
FEW = "too few rounds for a verdict"
NO_SCIPY = "no verdict: this Python lacks SciPy (pip install scipy)"
BRIEF = f"in brackets its interval (95 %); no difference: the interval holds 1; no verdict: fewer than {LEAST_ROUNDS} rounds"
APART = 3.5  # an outlier is so many times the usual distance from the median (Iglewicz and Hoaglin 1993),
APART_SHARE = 0.1  # and at least so far away


class Meaning(str, Enum):
    faster = "faster"
    slower = "slower"
    same = "no difference seen"
    few = FEW
    unknown = NO_SCIPY


@dataclass(frozen=True)
class Spread:
    median: float
    least: float
    most: float


@dataclass(frozen=True)
class Verdict:
    """How many times as fast, and the interval of this number. If there is no verdict (`few`,
    `unknown`), the interval is only the range of the rounds."""

    median: float
    low: float
    high: float
    rounds: int
    meaning: Meaning
    p: float | None = None

    @property
    def seen(self) -> bool:
        """A difference was seen."""
        return self.meaning in (Meaning.faster, Meaning.slower)

    @property
    def span(self) -> str:
        return f"{_number(self.low, self._digits)} – {_number(self.high, self._digits)}"

    @property
    def number(self) -> str:
        return _number(self.median, self._digits)

    @property
    def words(self) -> str:
        """A verdict in a few words, for a table."""
        if self.meaning is Meaning.same:
            return f"{self.meaning.value} ({self.span})"
        if self.seen:
            return f"{self.number} × as fast ({self.span})"
        if self.rounds == 1:
            return f"{self.number} × as fast in one round; {self.meaning.value}"
        return f"{self.span} × as fast in {self.rounds} rounds; {self.meaning.value}"

    @property
    def brief(self) -> str:
        """A verdict for a narrow column. BRIEF explains it in the caption."""
        if self.seen:
            return f"{self.number} ({self.span})"
        if self.meaning is Meaning.same:
            return f"no difference ({self.span})"
        return f"{self.number if self.rounds == 1 else self.span}, no verdict"

    @property
    def _digits(self) -> int:
        """Digits after the point. A difference of less than a percent must not look like 1.00."""
        nearest = self.low if self.meaning is Meaning.faster else self.high
        return next((digits for digits in (2, 3, 4) if not self.seen or float(f"{nearest:.{digits}f}") != 1), 5)


def judge(ratios: Iterable[float]) -> Verdict:
    """@param ratios: of the rounds, the time without Heddle over the time with Heddle: above 1,
    Heddle is faster."""
    values = list(ratios)
    known = (statistics.median(values), min(values), max(values), len(values))
    if len(values) < LEAST_ROUNDS:
        return Verdict(*known, Meaning.few)
    if find_spec("scipy") is None:
        return Verdict(*known, Meaning.unknown)
    ordered = sorted(values)
    few = len(values) - max(sum(value > 1 for value in values), sum(value < 1 for value in values))  # equal ones decide nothing
    skipped = _skipped(len(values))
    return again(known[0], ordered[skipped], ordered[-1 - skipped], len(values), _p(min(few, len(values) // 2), len(values)))


@cache
def _p(few: int, rounds: int) -> float:
    """The probability that so few rounds, or fewer, have one sign if there is no difference."""
    from scipy.stats import binomtest

    return float(binomtest(few, rounds).pvalue)


@cache
def _skipped(rounds: int) -> int:
    """The ordered ratios outside of the interval, at each end. The interval holds the gains that
    the test does not reject."""
    return next(few for few in range(rounds) if _p(few, rounds) > 1 - LEVEL) - 1


def again(median: float, low: float, high: float, rounds: int, p: float | None = None) -> Verdict:
    """The verdict of an interval that judge() has found before."""
    if rounds < LEAST_ROUNDS:
        meaning = Meaning.few
    else:
        meaning = Meaning.faster if low > 1 else Meaning.slower if high < 1 else Meaning.same
    return Verdict(median, low, high, rounds, meaning, p)


def spread(values: Iterable[float]) -> Spread:
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values))


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile: a description, not an interval."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    return low, middle, high


def outliers(ratios: Sequence[float]) -> list[int]:
    """The rounds whose ratios lie far from the others. They count in the verdict like the
    others."""
    middle = statistics.median(ratios)
    usual = statistics.median(abs(ratio - middle) for ratio in ratios) / 0.6745  # a normal distribution's deviation
    far = max(APART * usual, APART_SHARE * middle)
    return [i for i, ratio in enumerate(ratios) if abs(ratio - middle) > far]


Way = TypeVar("Way")


def shuffled(ways: Sequence[Way]) -> list[Way]:
    """The ways in random order: a fair coin for two of them. The test relies on it."""
    return random.sample(list(ways), len(ways))


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits if value < 10 else 1 if value < 100 else 0}f}"
