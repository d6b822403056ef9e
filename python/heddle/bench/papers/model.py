"""The data model of a paper's figure: its claims, the command that measures ours, the number from
its rows, the verdict.

    figure = Figure(("Figure 12",), "A matrix, transposed by sending it", (
        Claim("1024²: over 85 % less time", 6.7, TRANSPOSE, "over the host's datatypes", gain("latency", best)),
    ))

The tables are balaji.py, schliephake.py, wu.py, chaarawi.py and hoefler.py; `heddle bench all`, its
page and docs/papers.md read them, and know nothing else of the papers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Number:
    """One number of ours. `at`: the case."""

    value: float
    at: str = ""
    error: float = 0  # 0: not known


Numbers = dict[str, Number]  # by MPI, or by another means of measurement
Take = Callable[[list[dict]], Numbers]  # takes them from the rows of a command


@dataclass(frozen=True)
class Step:
    """A command that makes rows. `words` begin with the program: heddle, python or one of Heddle's
    native ones."""

    name: str
    words: tuple[str, ...]
    quick: tuple[str, ...]  # instead of `words`
    seconds: int  # roughly, on two busy cores
    quick_seconds: int
    draws: bool = True  # takes --plot
    missing: Callable[[], str] = lambda: ""  # why it cannot run here; empty: it can
    instead: tuple[str, ...] = ()  # words to add if something is missing, so that the command runs all the same

    def wanted(self, quick: bool) -> tuple[str, ...]:
        words = self.quick if quick else self.words
        return words + (self.instead if self.instead and self.missing() else ())

    def about(self, quick: bool) -> int:
        return self.quick_seconds if quick else self.seconds


class Verdict(StrEnum):
    passed = "passed"  # better than the paper's number by a tenth or more
    reached = "reached"
    missed = "missed"
    open = "open"  # the error is larger than the distance from the paper's number
    shown = "shown"  # the paper gives no number
    apart = "not comparable"  # our number measures another thing, or the paper used hardware that is not here
    unknown = "not run"


@dataclass(frozen=True)
class Claim:
    """A statement of a figure, and our number beside it."""

    says: str
    factor: float | None  # as the paper reports it, in `unit`; None: the paper has no number
    step: Step
    what: str  # the meaning of our number
    take: Take
    unit: str = "×"
    at_most: bool = False  # less is better
    comparable: bool = True

    def verdict(self, number: Number) -> Verdict:
        if self.factor is None or not self.comparable:
            return Verdict.shown if self.factor is None else Verdict.apart
        if abs(number.value - self.factor) < number.error:
            return Verdict.open
        ratio = self.factor / number.value if self.at_most and number.value > 0 else number.value / self.factor
        if self.at_most and number.value <= 0:
            return Verdict.passed
        return Verdict.passed if ratio >= 1.1 else Verdict.reached if ratio >= 1 else Verdict.missed


@dataclass(frozen=True)
class Quote:
    """A more careful measurement, and the page that has it. A test checks that the page has its
    numbers."""

    text: str
    source: str  # a page of docs/, with the anchor


class Made(StrEnum):
    """Why a figure has no claims."""

    measured = ""
    drawing = "nothing to measure"
    elsewhere = "not done"
    bygone = "makes no sense today"


@dataclass(frozen=True)
class Figure:
    labels: tuple[str, ...]  # "Figure 12", "Table 1", or the contents of a slide
    title: str
    claims: tuple[Claim, ...] = ()
    why: str = ""  # facts that the reader needs; for a figure without claims, why there are none
    made: Made = Made.measured
    command: str = ""  # draws or prints the same, if nothing is measured
    quotes: tuple[Quote, ...] = ()

    @property
    def label(self) -> str:
        """Figures 1, 2, 3 in a row are "Figures 1 to 3"."""
        kinds = {label.rpartition(" ")[0] for label in self.labels}
        numbers = [label.rpartition(" ")[2] for label in self.labels]
        if len(self.labels) == 1 or len(kinds) > 1 or not all(one.isdigit() for one in numbers):
            return ", ".join(self.labels)
        run = [int(one) for one in numbers] == list(range(int(numbers[0]), int(numbers[0]) + len(numbers)))
        said = f"{numbers[0]} to {numbers[-1]}" if run and len(numbers) > 2 else ", ".join(numbers)
        return f"{kinds.pop()}s {said}"


@dataclass(frozen=True)
class Paper:
    key: str  # balaji2007
    authors: str
    title: str
    venue: str
    machine: str  # of the paper's measurements
    has: tuple[str, ...]  # all its figures and tables
    figures: tuple[Figure, ...]
    headline: tuple[str, int] = ("", 0)  # the claim in README.md: its figure, and its place there

    @property
    def first(self) -> str:
        """The first author's name."""
        return self.authors.partition(",")[0].rpartition(" ")[2]

    @property
    def year(self) -> str:
        return re.search(r"\d{4}", self.venue)[0]

    def claims(self) -> Iterator[tuple[str, Figure, Claim]]:
        """All claims. A name lasts as long as the claim's place in the table."""
        for figure in self.figures:
            for place, claim in enumerate(figure.claims, 1):
                yield f"{self.key}, {figure.labels[0]}, {place}", figure, claim

    def steps(self) -> list[Step]:
        return list(dict.fromkeys(claim.step for _, _, claim in self.claims()))


def numbered(kind: str, first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{kind} {number}" for number in range(first, last + 1))
