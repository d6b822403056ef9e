"""The tables of `heddle bench pack` on the terminal."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from rich.table import Table

from .compare import Comparison, Decoding, Goal, geometric_mean


def human(count: int) -> str:
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.{3 if count < 1000 * size else 4}g} {unit}"
    return f"{count} B"


def speed(gbs: float) -> str:
    return f"{gbs:.1f}" if gbs < 100 else f"{gbs:.0f}"


def ratio(value: float | None, wanted: float) -> str:
    """A coloured number: red if it misses its goal, green if it doubles its goal."""
    if value is None:
        return ""
    colour = "red" if value < wanted else "green" if value >= 2 * wanted else "default"
    return f"[{colour}]{value:.2f}[/]"


def cases(found: Iterable[Comparison], metric: str, ours: str) -> Table:
    """A line for each case: GB/s of each host, of Heddle in the same process and of memcpy, and the
    two ratios."""
    mine = [one for one in found if one.metric == metric]
    mpis = list(dict.fromkeys(mpi for one in mine for mpi in one.hosts))
    table = Table(title=f"{metric}, GB/s (medians; {ours}: beside each host, in its process)", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("bytes", *(f"{mpi}\n→ {ours}" for mpi in mpis), "× better\nhost", "memcpy", "× yard-\nstick"):
        table.add_column(name, justify="right")
    for one in mine:
        pairs = [
            f"{speed(one.hosts[mpi])} → {speed(one.ours[mpi])}" if mpi in one.hosts and mpi in one.ours else "" for mpi in mpis
        ]
        floor = 1.0 if one.family in ("transpose", "struct") else 0.9
        name = one.case if one.irregular else f"[dim]{one.case}[/]"
        table.add_row(
            name,
            human(one.bytes),
            *pairs,
            ratio(one.gain, 0.95),
            speed(one.memcpy),
            ratio(one.of_yardstick, floor),
        )
    table.caption = "dim: regular cases"
    return table


def families(found: Iterable[Comparison]) -> Table:
    """A line for each family: the geometric mean over the better host, and the best case, for each
    metric."""
    found = list(found)
    metrics = list(dict.fromkeys(one.metric for one in found))
    table = Table(title="Over the better host: geometric mean (best case)", title_justify="left")
    for name in ("family", "cases", *metrics):
        table.add_column(name, justify="left" if name == "family" else "right")
    kinds = sorted({(not one.irregular, one.family) for one in found})
    for regular, family in kinds:
        of = {m: [o.gain for o in found if (not o.irregular, o.family, o.metric) == (regular, family, m)] for m in metrics}
        numbers = [f"{geometric_mean(gains):.2f} ({max(gains):.1f})" if gains else "" for gains in of.values()]
        table.add_row(f"[dim]{family}[/]" if regular else family, str(max(map(len, of.values()))), *numbers)
    table.caption = "dim: regular cases"
    return table


def verdict(goal: Goal) -> str:
    if not goal.applies:
        return "[dim]not measured[/]"
    word = "[green]{:.2f} reached[/]" if goal.reached else "[red]{:.2f} missed[/]"
    return word.format(goal.value) + f"\n[dim]{goal.detail}[/]"


def summary(by_metric: dict[str, list[Goal]]) -> Table:
    table = Table(title="Goals", title_justify="left")
    table.add_column("goal")
    table.add_column("wanted", justify="right")
    for metric in by_metric:
        table.add_column(metric)
    for line in zip(*by_metric.values(), strict=True):
        table.add_row(line[0].text, f"≥ {line[0].wanted:g}", *map(verdict, line))
    return table


def decoding(found: list[Decoding]) -> str:
    """A paragraph about the cost of decoding, and the number of packs that pay it back."""
    if not found:
        return ""
    paying = sorted(one.uses for one in found if one.uses is not None)
    cost = [one.ns / 1e3 for one in found]
    dearest = max(found, key=lambda one: one.ns)
    text = (
        f"Commit and first use of a type cost {statistics.median(cost):.1f} µs more than a warm use (median; most: "
        f"{dearest.ns / 1e3:.0f} µs for {dearest.case}). "
    )
    if paying:
        within = ", ".join(f"{sum(uses <= limit for uses in paying)} within {limit}" for limit in (1, 10, 100))
        text += f"Paid back after {statistics.median(paying):.1f} packs (median); of {len(found)} types {within} packs, "
        text += f"{len(found) - len(paying)} never (not faster than their host)."
    return text
