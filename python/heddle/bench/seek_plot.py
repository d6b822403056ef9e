"""Figure 13 of Balaji et al. 2007: the share of search, look-ahead and packing, one panel for each
way."""

from __future__ import annotations

from pathlib import Path

from . import figure
from .rows import Row

PANELS = {
    "single-context": "(a) one context, searching",
    "dual-context": "(b) two contexts (Heddle)",
    "host": "(c) MPICH's MPIX_Type_iov",
}
PARTS = {"search_us": ("search", "#b5542a"), "look_us": ("look ahead", "#d9a441"), "pack_us": ("pack", "#5b7f95")}


def write(rows: list[Row], file: Path) -> None:
    times: dict[str, dict[str, dict[str, float]]] = {}  # variant, case, part
    for row in rows:
        if row.metric in PARTS:
            times.setdefault(row.variant, {}).setdefault(row.case, {})[row.metric] = row.value
    panels = [variant for variant in PANELS if variant in times]
    with figure.panels(file, "The share of search, look-ahead and packing", 1, len(panels), 3, 3.6) as axes:
        for axis, variant in zip(axes[0], panels, strict=True):
            _bars(axis, times[variant])
            axis.set_title(PANELS[variant])
        figure.legend(axes[0][0])


def _bars(axis, cases: dict[str, dict[str, float]]) -> None:
    """Stacked bars of 100 %: search at the bottom."""
    names = [case.removeprefix("transpose ") + "²" for case in cases]
    below = [0.0] * len(cases)
    for part, (name, ink) in PARTS.items():
        shares = [100 * times.get(part, 0.0) / sum(times.values()) for times in cases.values()]
        axis.bar(names, shares, 0.7, below, color=ink, label=name)
        below = [low + share for low, share in zip(below, shares, strict=True)]
    axis.set_yticks(range(0, 101, 25))
    axis.yaxis.set_major_formatter("{x:.0f} %")
    axis.grid(False, axis="x")
