"""Figures of simulations: time over bytes, partners, stride or ranks, with the points of the papers
marked."""

from __future__ import annotations

from pathlib import Path

from heddle.problem import Problem

from .tasks import Benchmark

VARIED = ("bytes", "partners", "stride", "ranks")
LABEL = {"bytes": "bytes for each partner", "partners": "partners of a rank", "stride": "stride, ranks", "ranks": "ranks"}


def base(file: Path) -> Path:
    """The file without its suffix. FILE, FILE.svg and FILE.png all mean FILE.svg and FILE.png."""
    if file.suffix not in ("", ".svg", ".png"):
        raise Problem(f"--plot writes SVG and PNG; {file.name} ends in neither .svg nor .png")
    return file.with_suffix("")


def panels(rows: list[dict]) -> list[tuple[str, dict, list[dict]]]:
    """The variable along x, the fixed values, and the rows. A panel for each combination of the
    fixed values, if x has at least three values."""
    found = []
    for along in VARIED:
        others = [name for name in VARIED if name != along]
        fixed: dict[tuple, list[dict]] = {}
        for row in rows:
            fixed.setdefault(tuple(row.get(name) for name in others), []).append(row)
        for values, of in fixed.items():
            if len({row.get(along) for row in of}) > 2:
                found.append((along, dict(zip(others, values)), of))
    return found


def draw(benchmark: Benchmark, rows: list[dict], file: Path) -> None:
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise Problem("--plot needs matplotlib (pip install matplotlib); --json works without it.") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    parts = panels(rows)
    if not parts:
        raise Problem("--plot needs at least three values of --bytes, --partners, --stride or --ranks.", code=2)
    columns = min(3, len(parts))
    lines = -(-len(parts) // columns)
    look = {"font.size": 8, "axes.grid": True, "grid.color": "#e3e3e3", "svg.fonttype": "none", "svg.hashsalt": "heddle"}
    with pyplot.rc_context(look):
        figure, axes = pyplot.subplots(lines, columns, figsize=(4.8 * columns, 3.6 * lines), squeeze=False)
        crosses = f"; crosses: {benchmark.source}" if benchmark.reported else ""
        figure.suptitle(f"{benchmark.name}, {rows[0]['platform']}: filled simulated, hollow estimated{crosses}")
        for axis in axes.flat[len(parts) :]:
            axis.set_visible(False)
        for axis, (along, fixed, of) in zip(axes.flat, parts):
            _panel(axis, benchmark, along, fixed, of)
        figure.tight_layout()
        for suffix in (".svg", ".png"):
            figure.savefig(
                base(file).with_suffix(suffix), dpi=110, **({"metadata": {"Date": None}} if suffix == ".svg" else {})
            )
        pyplot.close(figure)


def _panel(axis, benchmark: Benchmark, along: str, fixed: dict, rows: list[dict]) -> None:
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    for algorithm in algorithms:
        mine = sorted((row for row in rows if row["algorithm"] == algorithm), key=lambda row: row[along])
        is_auto = algorithm == "auto"
        (line,) = axis.plot(
            [row[along] for row in mine],
            [row["us"] for row in mine],
            linewidth=3 if is_auto else 1,
            alpha=0.35 if is_auto else 1,
            label=algorithm,
            zorder=1 if is_auto else 2,
        )
        for hollow in (False, True):
            some = [row for row in mine if (row["by"] == "estimate") == hollow]
            face = "white" if hollow else line.get_color()
            at = [row[along] for row in some], [row["us"] for row in some]
            axis.plot(*at, "o", markersize=3, color=line.get_color(), markerfacecolor=face)
        _reported(axis, benchmark, along, mine, line.get_color())
    if along == "ranks" and "log2_bound_us" in rows[0]:
        bound = sorted({row["ranks"]: row["log2_bound_us"] for row in rows}.items())
        if min(row["us"] for row in rows) < 100 * bound[-1][1]:  # the bound is not for long messages
            axis.plot(*zip(*bound), ":", color="#888", linewidth=0.9, label="log2 P shortest messages")
    title = ", ".join(
        f"{value:,} {name}" for name, value in fixed.items() if value is not None and (name, value) != ("stride", 1)
    )
    axis.set(xlabel=LABEL[along], ylabel="µs", yscale="log", title=title)
    axis.set_xscale("log", base=2)
    axis.legend(fontsize=6)


def _reported(axis, benchmark: Benchmark, along: str, mine: list[dict], color: str) -> None:
    """Draws the numbers of the paper as crosses."""
    for row in mine:
        us = benchmark.reported.get((row["ranks"], row["bytes"], row["algorithm"]))
        usual = row.get("stride", 1) == 1 and row.get("partners") in benchmark.partners
        if us is not None and usual:
            axis.plot([row[along]], [us], "x", color=color, markersize=7, markeredgewidth=1.8)
