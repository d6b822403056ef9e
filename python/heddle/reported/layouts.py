"""Reads the layouts of a report (docs/layout.md). The library cuts long layouts at their end.

found = read("@24 loop 128 × 16384 B { block 256 }")   # None: the text is no layout
found.words                                            # "128 blocks of 256 B, 16,384 B apart, from byte 24"
found.pieces(1000)                                     # offsets and lengths of blocks, in packed order
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Union

TOKEN = re.compile(r"-?\d+|[a-z]+|\S", re.IGNORECASE)
LONGEST = 10_000  # letters of a layout
DEEPEST = 40
MOST_DIGITS = 19
MOST_PIECES = 1 << 13


class _End(Exception):
    """The text is cut here."""


Piece = tuple[int, int, float]  # offset, length, and the number of blocks for which it stands


@dataclass(frozen=True)
class Block:
    size: int
    whole = True  # the text has all of it
    depth = 0  # of loops

    def pieces(self, at: int, most: int) -> Iterator[Piece]:
        """Blocks in packed order. If there are more than about `most`, blocks at even distances
        stand for their neighbours."""
        yield at, self.size, 1.0

    def strides(self) -> list[int]:
        return []

    @property
    def words(self) -> str:
        return f"1 block of {self.size:,} B"


@dataclass(frozen=True)
class Loop:
    count: int
    stride: int
    child: Node

    def pieces(self, at: int, most: int) -> Iterator[Piece]:
        taken = min(self.count, max(2, int(most ** (1 / self.depth))))
        for i in range(taken):
            place = at + i * (self.count - 1) // max(1, taken - 1) * self.stride  # the first and the last are always there
            for offset, length, weight in self.child.pieces(place, most // taken):
                yield offset, length, weight * self.count / taken

    def strides(self) -> list[int]:
        return [abs(self.stride), *self.child.strides()]

    @property
    def whole(self) -> bool:
        return self.child.whole

    @property
    def depth(self) -> int:
        return 1 + self.child.depth

    @property
    def words(self) -> str:
        loops, inner = [self], self.child
        while isinstance(inner, Loop):
            loops.append(inner)
            inner = inner.child
        counts = " × ".join(f"{one.count:,}" for one in loops)
        apart = f"{' and '.join(f'{one.stride:,}' for one in loops)} B apart"
        what = f"blocks of {inner.size:,} B" if isinstance(inner, Block) else f"× ({inner.words})"
        return f"{counts} {what}, {apart}"


@dataclass(frozen=True)
class Listed:
    """A child at each offset. The text has the first offsets alone if there are many."""

    offsets: list[int]
    count: int
    child: Node

    def pieces(self, at: int, most: int) -> Iterator[Piece]:
        for offset in self.offsets:
            yield from self.child.pieces(at + offset, most // len(self.offsets))

    def strides(self) -> list[int]:
        return self.child.strides()

    @property
    def whole(self) -> bool:
        return len(self.offsets) == self.count and self.child.whole

    @property
    def depth(self) -> int:
        return self.child.depth

    @property
    def words(self) -> str:
        if isinstance(self.child, Block):
            return f"{self.count:,} blocks of {self.child.size:,} B at listed offsets"
        return f"{self.count:,} × ({self.child.words}) at listed offsets"


@dataclass(frozen=True)
class Pieces:
    offsets: list[int]
    lengths: list[int]
    count: int
    depth = 0

    def pieces(self, at: int, most: int) -> Iterator[Piece]:
        for offset, length in zip(self.offsets, self.lengths):
            yield at + offset, length, 1.0

    def strides(self) -> list[int]:
        return []

    @property
    def whole(self) -> bool:
        return len(self.offsets) == self.count

    @property
    def words(self) -> str:
        return f"{self.count:,} blocks of different lengths"


@dataclass(frozen=True)
class Sequence:
    children: list[tuple[int, Node]]
    count: int  # 0: not known

    def pieces(self, at: int, most: int) -> Iterator[Piece]:
        for offset, child in self.children:
            yield from child.pieces(at + offset, most // len(self.children))

    def strides(self) -> list[int]:
        return [stride for _, child in self.children for stride in child.strides()]

    @property
    def whole(self) -> bool:
        return len(self.children) == self.count and all(child.whole for _, child in self.children)

    @property
    def depth(self) -> int:
        return max(child.depth for _, child in self.children)

    @property
    def words(self) -> str:
        return f"{self.count:,} different parts" if self.count else f"{len(self.children):,} or more different parts"


Node = Union[Block, Loop, Listed, Pieces, Sequence]


@dataclass(frozen=True)
class Layout:
    origin: int  # offset of the first packed byte
    node: Node
    extent: int | None = None  # None: not known
    lower_bound: int = 0

    def pieces(self, most: int) -> list[Piece]:
        return list(islice(self.node.pieces(self.origin, most), 2 * most))

    @property
    def resized(self) -> bool:
        """An element takes other memory than its bytes, so that further elements lie elsewhere."""
        if self.extent is None or not self.node.whole:
            return self.extent is not None
        pieces = self.pieces(MOST_PIECES)
        low = min(offset for offset, _, _ in pieces)
        return (self.lower_bound, self.extent) != (low, max(offset + length for offset, length, _ in pieces) - low)

    @property
    def words(self) -> str:
        begin = f", from byte {self.origin:,}" if self.origin else ""
        return f"{self.node.words}{begin}{f'; extent {self.extent:,} B' if self.resized else ''}"


class _Reader:
    def __init__(self, text: str):
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def peek(self) -> str:
        if self.at == len(self.tokens):
            raise ValueError
        if self.tokens[self.at] == "…" and self.at + 1 == len(self.tokens):
            raise _End
        return self.tokens[self.at]

    def take(self, *wanted: str) -> None:
        for one in wanted:
            if self.peek() != one:
                raise ValueError
            self.at += 1

    def number(self, least: int) -> int:
        text = self.peek()
        self.at += 1
        self.peek()  # digits before the cut are no number
        if len(text.lstrip("-")) > MOST_DIGITS or int(text) < least:
            raise ValueError
        return int(text)

    def of_all(self) -> int:
        """Behind "…": "12 in all"."""
        self.take("…")
        count = self.number(1)
        self.take("in", "all")
        return count

    def numbers(self, least: int) -> tuple[list[int], int]:
        self.take("[")
        found = [self.number(least)]
        while self.peek() == ",":
            self.take(",")
            if self.peek() == "…":
                count = self.of_all()
                self.take("]")
                return found, count
            found.append(self.number(least))
        self.take("]")
        return found, len(found)

    def node(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise ValueError
        kind = self.peek()
        self.take(kind)
        if kind == "block":
            return Block(self.last_number())
        if kind == "loop":
            count = self.number(1)
            self.take("×")
            stride = self.number(-(1 << 62))
            self.take("B")
            return Loop(count, stride, self.braced(depth))
        if kind == "at":
            offsets, count = self.numbers(-(1 << 62))
            return Listed(offsets, count, self.braced(depth))
        if kind == "pieces":
            self.take("at")
            offsets, count = self.numbers(-(1 << 62))
            self.take("of")
            return Pieces(offsets, self.numbers(1)[0], count)
        if kind == "sequence":
            return self.sequence(depth)
        raise ValueError

    def last_number(self) -> int:
        """A number that may end the text."""
        if self.at + 1 < len(self.tokens):
            return self.number(1)
        self.tokens.append("")
        return self.number(1)

    def braced(self, depth: int) -> Node:
        self.take("{")
        child = self.node(depth + 1)
        with suppress(_End):
            self.take("}")
        return child

    def sequence(self, depth: int) -> Node:
        children: list[tuple[int, Node]] = []
        try:
            self.take("{")
            while self.peek() != "}":
                if self.peek() == "…":
                    count = self.of_all()
                    self.take("}")
                    return Sequence(children, count)
                self.take(*([";"] if children else []), "@")
                offset = self.number(-(1 << 62))
                children.append((offset, self.node(depth + 1)))
            self.take("}")
        except _End:
            if not children:
                raise
            return Sequence(children, 0)
        if not children:
            raise ValueError
        return Sequence(children, len(children))


def read(text: str, extent: int | None = None, lower_bound: int = 0) -> Layout | None:
    """The layout of a text. None: the text is none, or it is cut before its first block."""
    if len(text) > LONGEST:
        return None
    reader, origin = _Reader(text), 0
    try:
        if reader.peek() == "@":
            reader.take("@")
            origin = reader.number(-(1 << 62))
        node = reader.node(0)
    except (ValueError, _End):
        return None
    return Layout(origin, node, extent, lower_bound) if reader.tokens[reader.at :] in ([], [""], ["…"]) else None
