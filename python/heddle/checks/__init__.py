"""The checks of `heddle doctor`. A check is a function that yields Findings: a state each and, if
it is bad, its mend."""

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    good = "✓"
    poor = "!"  # works, slower or with less
    bad = "✗"  # Heddle does not work without it


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    what: str
    seen: str
    mend: str = ""


def good(what: str, seen: str) -> Finding:
    return Finding(Verdict.good, what, seen)


def poor(what: str, seen: str, mend: str) -> Finding:
    return Finding(Verdict.poor, what, seen, mend)


def bad(what: str, seen: str, mend: str) -> Finding:
    return Finding(Verdict.bad, what, seen, mend)
