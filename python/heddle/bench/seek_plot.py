"""Figure 13 of Balaji et al. 2007 as SVG: the share of search, look-ahead and packing, one panel for each way."""

from __future__ import annotations

from pathlib import Path

from heddle import written
from heddle.problem import Problem

from .rows import Row

PANELS = {
    "single-context": "(a) one context, searching",
    "dual-context": "(b) two contexts (Heddle)",
    "host": "(c) MPICH's MPIX_Type_iov",
}
PARTS = {"search_us": ("search", "#b5542a"), "look_us": ("look ahead", "#d9a441"), "pack_us": ("pack", "#5b7f95")}
PANEL, GAP, HEIGHT, TOP, LEFT = 230, 40, 220, 60, 50


def require_svg(file: Path) -> None:
    if file.suffix != ".svg":
        raise Problem(f"--plot writes SVG; {file.name} does not end in .svg")


def _bar(times: dict[str, float], x: float, width: float) -> list[str]:
    """One stacked bar of 100 %: search at the bottom."""
    total, y = sum(times.values()), float(TOP + HEIGHT)
    out = []
    for part, (_, ink) in PARTS.items():
        height = HEIGHT * times.get(part, 0.0) / total
        y -= height
        out.append(f'<rect x="{x:.1f}" y="{y:.2f}" width="{width:.1f}" height="{height:.2f}" fill="{ink}"/>')
    return out


def write(rows: list[Row], file: Path) -> None:
    times: dict[str, dict[str, dict[str, float]]] = {}  # variant, case, part
    for row in rows:
        if row.metric in PARTS:
            times.setdefault(row.variant, {}).setdefault(row.case, {})[row.metric] = row.value
    panels = [variant for variant in PANELS if variant in times]
    width = LEFT + len(panels) * (PANEL + GAP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HEIGHT + 50}"',
        ' font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for place, (name, ink) in enumerate(PARTS.values()):
        x = LEFT + 110 * place
        out.append(f'<rect x="{x}" y="12" width="11" height="11" fill="{ink}"/><text x="{x + 16}" y="22">{name}</text>')
    for percent in (0, 25, 50, 75, 100):
        y = TOP + HEIGHT * (1 - percent / 100)
        out.append(f'<line x1="{LEFT}" x2="{width - GAP}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>')
    for number, variant in enumerate(panels):
        left = LEFT + 8 + number * (PANEL + GAP)
        out.append(f'<text x="{left}" y="{TOP - 12}" font-size="13">{PANELS[variant]}</text>')
        step = PANEL / len(times[variant])
        for bar, (case, parts) in enumerate(times[variant].items()):
            x = left + bar * step
            out += _bar(parts, x, 0.7 * step)
            label = case.removeprefix("transpose ") + "²"
            out.append(f'<text x="{x + 0.35 * step:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{label}</text>')
    out.append("</svg>")
    written.write(file, "\n".join(out))
