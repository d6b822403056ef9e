"""All comparisons at a glance, as SVG: ours over what the paper reports, a dot for each MPI, on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from heddle.reported.drawings import shortened

from .model import Claim, Number, Paper
from .results import Results
from .words import ours

WIDTH, LEFT, RIGHT, PITCH, TOP = 1000, 520, 24, 21, 46
LOW, HIGH = 1 / 8, 32  # dots beyond them are drawn at the edge
INK = {"MPICH": "#4e79a7", "Open MPI": "#e08a3c", "simulated": "#59a14f", "estimated": "#59a14f"}
OTHER = "#777777"


def _ratio(claim: Claim, number: Number) -> float:
    """Our number over the paper's; above 1: ours is better."""
    if not claim.at_most:
        return number.value / claim.factor
    return claim.factor / number.value if number.value > 0 else HIGH


def _short(label: str) -> str:
    return label.replace("Figure", "fig.").replace("Table", "tab.")


def _x(ratio: float) -> float:
    clipped = min(max(ratio, LOW), HIGH)
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(clipped / LOW) / math.log(HIGH / LOW)


def _ink(mpi: str) -> str:
    return next((ink for name, ink in INK.items() if mpi.startswith(name)), OTHER)


def draw(papers: Sequence[Paper], found: Results) -> str:
    """The picture. Empty: there is nothing to compare."""
    lines: list[tuple[str, Claim, dict[str, Number]]] = []
    for paper in papers:
        for name, figure, claim in paper.claims():
            numbers = found.numbers.get(name, {})
            if numbers and claim.factor is not None and claim.comparable:
                lines.append((f"{paper.first}, {_short(figure.label)}: {claim.what}", claim, numbers))
    if not lines:
        return ""
    height = TOP + PITCH * len(lines) + 10
    out = [f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="ours over the papers\'" font-size="11">']
    for place, (name, ink) in enumerate({"MPICH": INK["MPICH"], "Open MPI": INK["Open MPI"]}.items()):
        out.append(_key(LEFT + 90 * place, ink, name))
    out += [_key(LEFT + 180, INK["simulated"], "simulated, estimated"), _key(LEFT + 330, OTHER, "others")]
    for power in range(round(math.log2(LOW)), round(math.log2(HIGH)) + 1):
        x = _x(2.0**power)
        stroke = 'stroke="#333"' if power == 0 else 'stroke="#e4e4e4"'
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{height - 8}" {stroke}/>')
        label = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        out.append(f'<text x="{x:.1f}" y="{TOP - 10}" text-anchor="middle">{label}</text>')
    for place, (name, claim, numbers) in enumerate(lines):
        y = TOP + PITCH * (place + 0.5)
        if place % 2:
            out.append(
                f'<rect x="0" y="{y - PITCH / 2:.1f}" width="{WIDTH}" height="{PITCH}" fill="#000" fill-opacity=".025"/>'
            )
        words = f'<text x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(shortened(name, LEFT + 50))}</text>'
        out.append(f"<g><title>{escape(name)}</title>{words}</g>")
        for mpi, number in numbers.items():
            title = f"<title>{escape(f'{mpi}: {ours(claim, number)}; the paper: {claim.factor:g}')}</title>"
            dot = f'cx="{_x(_ratio(claim, number)):.1f}" cy="{y:.1f}" r="5" fill="{_ink(mpi)}" fill-opacity=".8"'
            out.append(f"<circle {dot}>{title}</circle>")
    return "\n".join([*out, "</svg>"])


def _key(x: float, ink: str, name: str) -> str:
    return f'<circle cx="{x}" cy="12" r="5" fill="{ink}" fill-opacity=".8"/><text x="{x + 10}" y="16">{escape(name)}</text>'
