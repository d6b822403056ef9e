"""The figure of `heddle bench groups`: look-ups by size and by level, bytes beside lists."""

from __future__ import annotations

from pathlib import Path

from . import groups_seed
from .rows import Row

INK = ("#b5542a", "#5b7f95", "#d9a441", "#6a8f5b", "#8a6a9a", "#444444", "#b08b6e", "#3a6ea5")


def _of(rows: list[Row], metric: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.metric == metric:
            found.setdefault(row.variant, []).append(row)
    return found


def write(rows: list[Row], file: Path) -> None:
    """Draws the figure as SVG and as PNG. The suffix of the file does not matter."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (sizes, levels, bytes_) = pyplot.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    for ink, (variant, found) in zip(INK, _of(rows, "lookup_ns").items(), strict=False):
        sizes.plot([int(row.case) for row in found], [row.value for row in found], "o-", color=ink, label=variant, ms=4)
    most = max((row.value for row in rows if row.metric == "lookup_ns"), default=1.0)
    sizes.set(title="One look-up, by size of the world", xlabel="ranks", ylabel="ns", xscale="log", ylim=(0, 1.5 * most))
    sizes.legend(fontsize=8, ncols=2, loc="upper left")

    for ink, (variant, found) in zip(INK, _of(rows, "level_ns").items(), strict=False):
        levels.plot([int(row.case) for row in found], [row.value for row in found], "o-", color=ink, label=variant, ms=4)
    for ink, name in zip(INK[2:], ("Range", "Strided", "Bitmap"), strict=False):
        added = [
            max(1.0, 1000 * (theirs - lists))
            for theirs, lists in zip(*(groups_seed.MYRINET[each][groups_seed.LAST] for each in (name, "PList")), strict=True)
        ]
        levels.plot(range(1, len(added)), added[1:], "x:", color=ink, label=f"{name.lower()}, added in the paper", ms=5, lw=1)
    levels.set(
        title="Finding the last rank, by level (512 processes)", xlabel="level", ylabel="ns", yscale="log", ylim=(0.8, 1e6)
    )
    levels.legend(fontsize=7, ncols=2, loc="upper left")

    cases: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.metric == "members_bytes" and not row.case.isdigit():
            name = row.variant if row.variant in ("pointers", "paper") else "heddle"
            cases.setdefault(row.case, {})[name] = row.value
    names = list(cases)[::-1]
    for name, ink, height in (("pointers", "#bbbbbb", 0.8), ("heddle", INK[0], 0.5)):
        bytes_.barh(range(len(names)), [cases[case].get(name, 0) for case in names], height, color=ink, label=name)
    bytes_.set(title="Bytes in a process", xscale="log", xlim=(1, None), yticks=range(len(names)))
    bytes_.set_yticklabels(names, fontsize=6)
    bytes_.legend(fontsize=8)
    for suffix in (".svg", ".png"):
        figure.savefig(file.with_suffix(suffix), dpi=150)
    pyplot.close(figure)
