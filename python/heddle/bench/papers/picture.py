"""All comparisons at a glance: ours over what the paper reports, a dot for each MPI. These are the
numbers; picture.html.j2 draws them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from heddle.reported.drawings import shortened

from .model import Claim, Number, Paper
from .results import Results
from .words import ours

ROOM = 570  # pixels for the words of a line
LOW, HIGH = 1 / 8, 32  # dots beyond them are drawn at the edge
INK = {"MPICH": "#4e79a7", "Open MPI": "#e08a3c", "simulated": "#59a14f", "estimated": "#59a14f"}
OTHER = "#777777"
KEY = ((0, "MPICH"), (90, "Open MPI"), (180, "simulated, estimated"), (330, "others"))  # pixels from the first entry


def glance(papers: Sequence[Paper], found: Results) -> dict:
    """Values of the template. Places are on the logarithmic scale: LOW is 0, HIGH is 1. Empty:
    there is nothing to compare."""
    lines = []
    for paper in papers:
        for name, figure, claim in paper.claims():
            numbers = found.numbers.get(name, {})
            if numbers and claim.factor is not None and claim.comparable:
                label = figure.label.replace("Figure", "fig.").replace("Table", "tab.")
                whole = f"{paper.first}, {label}: {claim.what}"
                dots = [_dot(mpi, claim, number) for mpi, number in numbers.items()]
                lines.append({"name": whole, "words": shortened(whole, ROOM), "dots": dots})
    powers = range(round(math.log2(LOW)), round(math.log2(HIGH)) + 1)
    ticks = [(_place(2.0**power), f"{2**power}" if power >= 0 else f"1/{2**-power}") for power in powers]
    return {"key": [(x, _ink(name), name) for x, name in KEY], "ticks": ticks, "lines": lines} if lines else {}


def _dot(mpi: str, claim: Claim, number: Number) -> tuple[float, str, str]:
    """The place, the colour and the words of a number."""
    return _place(_ratio(claim, number)), _ink(mpi), f"{mpi}: {ours(claim, number)}; the paper: {claim.factor:g}"


def _ratio(claim: Claim, number: Number) -> float:
    """Our number over the paper's; above 1: ours is better."""
    if not claim.at_most:
        return number.value / claim.factor
    return claim.factor / number.value if number.value > 0 else HIGH


def _place(ratio: float) -> float:
    return math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)


def _ink(mpi: str) -> str:
    return next((ink for name, ink in INK.items() if mpi.startswith(name)), OTHER)
