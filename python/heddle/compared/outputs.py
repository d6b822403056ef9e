"""Compares the outputs of a program with Heddle and without. Ranks that print race each other, and
many programs print times. So the runs without Heddle are compared among themselves first."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Verdict(str, Enum):
    same = "the same, byte by byte"
    reordered = "equal lines, in another order"
    unsteady = "not steady by itself"
    different = "different"


@dataclass(frozen=True)
class Content:
    """The output of a run in one place, without the ignored lines."""

    bytes: str  # digests
    lines: str  # in any order


@dataclass(frozen=True)
class Line:
    """The first line that the other side lacks. Number 0: there is none."""

    number: int
    text: str


@dataclass(frozen=True)
class Output:
    name: str
    verdict: Verdict
    without: Line | None = None
    with_heddle: Line | None = None
    left_out: bool = False  # lines of --ignore were left out


def kept(data: bytes, ignore: Sequence[re.Pattern[bytes]]) -> bytes:
    """The text without lines in which a pattern is found. Binary data has no lines, and stays: a
    pattern could hide a difference there."""
    if not ignore or b"\0" in data:
        return data
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if not any(pattern.search(line) for pattern in ignore))


def content(data: bytes) -> Content:
    ordered = sorted(hashlib.sha256(line).digest() for line in data.split(b"\n"))
    return Content(hashlib.sha256(data).hexdigest(), hashlib.sha256(b"".join(ordered)).hexdigest())


def judge(without: Iterable[Content | None], with_heddle: Iterable[Content | None]) -> Verdict:
    """Compares one output over all runs. A content of None: a run did not write it."""
    host, ours = set(without), set(with_heddle)
    if len(host | ours) == 1:
        return Verdict.same
    lines = [{one.lines if one else None for one in side} for side in (host, ours)]
    if len(lines[0] | lines[1]) == 1:
        return Verdict.reordered
    return Verdict.unsteady if len(lines[0]) > 1 else Verdict.different


def first_difference(without: bytes, with_heddle: bytes) -> tuple[Line, Line]:
    """For each side, the first line that the other side lacks at any place."""
    sides = without.split(b"\n"), with_heddle.split(b"\n")
    return _lacking(sides[0], sides[1]), _lacking(sides[1], sides[0])


def _lacking(lines: list[bytes], other: list[bytes]) -> Line:
    left = Counter(other)
    for number, line in enumerate(lines, 1):
        left[line] -= 1
        if left[line] < 0:
            return Line(number, _readable(line))
    return Line(0, "")


def _readable(line: bytes, most: int = 160) -> str:
    text = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in line.decode("utf-8", "replace"))
    return text if len(text) <= most else text[:most] + "…"
