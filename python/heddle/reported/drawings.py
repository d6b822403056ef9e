"""The pictures of a report's page, as SVG: bars, sizes of messages, bytes between ranks. Nothing is fetched from elsewhere.

Labels that are too long for their room are cut in the middle. The tooltip has the whole label.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from html import escape

from . import PARTS, Found, Row
from .words import amount, duration

COLOURS = {"search": "#b07aa1", "pack": "#4e79a7", "wait": "#c9c9c9", "copy": "#59a14f"}
PLAIN = "#4e79a7"
WIDTH = 1000
LEFT, BARS = 400, 440  # where bars begin, and the longest
LETTER = 6.9  # a letter's width at 12 px, at most
OF_LINE = re.compile(r"\(([^()]+:\d+)\)$")  # "exchange (halo.c:42)"
MOST_BARS = 24
MOST_RANKS = 24
MOST_CELLS = 64


def shortened(text: str, room: float) -> str:
    most = max(4, int(room / LETTER))
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1]}…{text[len(text) - tail :]}"


def _svg(height: float, what: str, parts: Sequence[str]) -> str:
    return "\n".join([f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(what)}">', *parts, "</svg>"])


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12">{escape(words)}</text>'


def _rect(x: float, y: float, width: float, height: float, colour: str) -> str:
    return f'<rect x="{x:.2f}" y="{y:.1f}" width="{max(0.0, width):.2f}" height="{height:.1f}" fill="{colour}"/>'


def bars(lines: Sequence[tuple], what: str, pitch: int = 26) -> str:
    """A bar for each line: its name, stretches of (length, colour), the text behind the bar, and perhaps a longer name."""
    longest = max((sum(length for length, _ in line[1]) for line in lines), default=0)
    if longest <= 0:
        return "<p>No time was counted.</p>"
    parts = []
    for i, (name, stretches, behind, *whole) in enumerate(lines):
        y, x = i * pitch, float(LEFT)
        parts += [f"<g><title>{escape(*whole or [name])}</title>", _text(LEFT - 8, y + 17, shortened(name, LEFT - 12), "end")]
        for length, colour in stretches:
            parts.append(_rect(x, y + 4, BARS * length / longest, pitch - 8, colour))
            x += BARS * length / longest
        parts.append(_text(x + 6, y + 17, behind) + "</g>")
    return _svg(pitch * len(lines), what, parts)


def by_datatype(found: Found, where: dict) -> str:
    """A bar for each row, as long as its time, in the colours of its parts. Its name has the line of the call."""
    rows: list[Row] = [row for row in found.rows[:MOST_BARS] if row.time > 0]
    lines = []
    for row in rows:
        place = where.get(row.place, "")
        called = f", {' '.join(filter(None, (row.called, row.side)))}"
        line = OF_LINE.search(place)
        how = f"{called} in {line[1]}, {row.way}" if line else f"{called}, {row.way}"
        whole = f"{row.title}{called}{f' in {place}' if place else ''}, {row.way}"
        name = shortened(row.datatype_name or row.datatype, LEFT - 12 - LETTER * len(how)) + how
        lines.append((name, [(row.times[part], COLOURS[part]) for part in PARTS], duration(row.time), whole))
    return bars(lines, "time by datatype and way")


def by_site(found: Found, where: dict) -> str:
    lines = []
    for one in found.sites[:MOST_BARS]:
        place = where.get(one.place, "")
        about = f", {one.datatype_name}" if one.datatype_name else ""
        called = f"{one.name}{f' in {place}' if place else ''}"
        line = OF_LINE.search(place)
        brief = f"{one.name} in {line[1]}" if line and LETTER * len(called + about) > LEFT - 12 else called
        name = brief + shortened(about, LEFT - 12 - LETTER * len(brief))
        mean = one.of_a_rank(found.ranks).mean
        lines.append((name, [(mean, PLAIN)], duration(mean), called + about))
    return bars(lines, "time by call site")


def by_rank(found: Found) -> str:
    """Time in MPI calls and outside of them. If there are many ranks, those farthest from the median are shown."""
    ranks = sorted(found.by_rank, key=lambda one: one.us)
    if len(ranks) > MOST_RANKS:
        ranks = [*ranks[: MOST_RANKS // 2], *ranks[-MOST_RANKS // 2 :]]
    lines = [
        (
            f"rank {one.rank}",
            [(one.us, PLAIN), (max(0.0, one.elapsed_us - one.us), "#eeeeee")],
            f"{duration(one.us)} of {duration(one.elapsed_us)}",
        )
        for one in sorted(ranks, key=lambda one: one.rank)
    ]
    return bars(lines, "time in MPI calls by rank", pitch=20)


def sizes(found: Found) -> str:
    """The number of calls for each range of bytes."""
    counts: dict[int, int] = {}
    for site in found.sites:
        for size, calls in site.sizes.items():
            counts[size] = counts.get(size, 0) + calls
    if not counts:
        return "<p>No sizes were counted.</p>"
    steps = [0, *(1 << i for i in range(max(max(counts), 1).bit_length()))]
    steps = [step for step in steps if min(counts) <= step <= max(counts)]
    pitch, height = min(70.0, (WIDTH - 40) / len(steps)), 160
    most = max(counts.values())
    parts = []
    for i, step in enumerate(steps):
        calls, x = counts.get(step, 0), 20 + i * pitch
        tall = height * calls / most
        label = amount(step)
        parts.append(f"<g><title>{label} and more: {calls:,} calls</title>")
        parts.append(_rect(x + 2, height + 20 - tall, pitch - 4, tall, PLAIN))
        shown = f"{calls:,}" if calls < 10_000 else f"{calls:.0e}".replace("e+0", "e")
        if calls and len(shown) * LETTER <= pitch + 4:
            parts.append(_text(x + pitch / 2, height + 16 - tall, shown, "middle"))
        every = max(1, math.ceil(8 * LETTER / pitch))
        if i % every == 0:
            parts.append(_text(x + pitch / 2, height + 36, label, "middle"))
        parts.append("</g>")
    return _svg(height + 44, "calls by their bytes", parts)


def matrix(found: Found) -> str:
    """Bytes between ranks: a row sends, a column receives. If there are many ranks, a cell stands for a group of neighbours."""
    ranks = len(found.by_rank)
    if not ranks or any(one.to is None for one in found.by_rank) or not any(one.to for one in found.by_rank):
        return ""
    group = math.ceil(ranks / MOST_CELLS)
    cells = math.ceil(ranks / group)
    sums: dict[tuple[int, int], int] = {}
    for one in found.by_rank:
        for to, count in (one.to or {}).items():
            place = one.rank // group, to // group
            sums[place] = sums.get(place, 0) + count
    most = max(sums.values(), default=1)
    size = min(36.0, 560 / cells)
    left, top = 110.0, 40.0
    parts = [_text(left, 14, "to rank"), _text(0, top + size / 2 + 4, "from rank")]
    for i in range(cells):
        if i % max(1, math.ceil(30 / size)) == 0:
            parts.append(_text(left + (i + 0.5) * size, top - 4, str(i * group), "middle"))
            parts.append(_text(left - 6, top + (i + 0.5) * size + 4, str(i * group), "end"))
        for j in range(cells):
            count = sums.get((i, j), 0)
            shade = math.log1p(count) / math.log1p(most) if most else 0
            colour = f"rgb({255 - 177 * shade:.0f},{255 - 134 * shade:.0f},{255 - 88 * shade:.0f})" if count else "#f6f6f6"
            title = f"<title>{i * group} to {j * group}: {amount(count)}</title>"
            cell = _rect(left + j * size, top + i * size, size - 1, size - 1, colour)
            parts.append(f"<g>{title}{cell}</g>")
    parts.append(_text(left + cells * size + 16, top + 12, f"darkest: {amount(most)}"))
    return _svg(top + cells * size + 8, "bytes from rank to rank", parts)
