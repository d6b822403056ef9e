"""Judges the wall times of alternate runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Spread:
    median: float
    least: float
    most: float


class Meaning(str, Enum):
    faster = "faster"
    slower = "slower"
    scatter = "no difference beyond the scatter"
    single = "one round: its scatter is not known"


@dataclass(frozen=True)
class Gain:
    """How many times as fast the program is with Heddle, by round. A disturbance affects both runs of a round."""

    ratio: Spread
    meaning: Meaning


def spread(values: Iterable[float]) -> Spread:
    values = list(values)
    return Spread(statistics.median(values), min(values), max(values))


def gain(pairs: Iterable[tuple[float, float]]) -> Gain:
    """The gain of pairs (without, with)."""
    ratios = [without / with_heddle for without, with_heddle in pairs]
    ratio = spread(ratios)
    if len(ratios) == 1:
        return Gain(ratio, Meaning.single)
    if ratio.least <= 1 <= ratio.most:
        return Gain(ratio, Meaning.scatter)
    return Gain(ratio, Meaning.faster if ratio.least > 1 else Meaning.slower)
