"""Bars of gain over the better host, one a case, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from pathlib import Path

from heddle import written
from heddle.problem import Problem

from .compare import Comparison

LINE, LABEL, WIDTH, TOP = 14, 250, 640, 50
INK = {True: "#b5542a", False: "#5b7f95"}  # irregular, regular


def require_svg(file: Path) -> None:
    if file.suffix != ".svg":
        raise Problem(f"--plot writes SVG; {file.name} does not end in .svg")


def write(found: Iterable[Comparison], file: Path, metric: str = "pack") -> None:
    """Bars on a logarithmic scale; the line at 1 is the better host."""
    mine = [one for one in found if one.metric == metric]
    low, high = math.log2(0.5), math.log2(max([4.0, *(one.gain for one in mine)]))

    def place(gain: float) -> float:
        return LABEL + WIDTH * (min(max(math.log2(gain), low), high) - low) / (high - low)

    height = TOP + LINE * len(mine) + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + 60}" height="{height}"',
        ' font-family="sans-serif" font-size="10">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="18" font-size="13">Speed of {metric} over the better host MPI, case by case</text>',
    ]
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = place(2.0**power)
        stroke = "#000" if power == 0 else "#ddd"
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 16}" stroke="{stroke}"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{2.0**power:g}×</text>')
    for line, one in enumerate(mine):
        y = TOP + LINE * line
        left, right = sorted((place(1.0), place(one.gain)))
        out.append(f'<text x="{LABEL - 6}" y="{y + 9}" text-anchor="end">{escape(one.case)}</text>')
        size = f'width="{max(right - left, 0.5):.1f}" height="{LINE - 4}"'
        out.append(f'<rect x="{left:.1f}" y="{y + 1}" {size} fill="{INK[one.irregular]}"/>')
        out.append(f'<text x="{right + 4:.1f}" y="{y + 9}">{one.gain:.2f}</text>')
    out.append("</svg>")
    written.write(file, "\n".join(out))
