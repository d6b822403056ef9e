"""Results of simulations on the terminal: a line for each case, a column for each algorithm, and
conclusions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.table import Table

from .tasks import PLAIN, Benchmark

CASE = ("ranks", "bytes", "partners", "stride")


def case(row: dict) -> tuple:
    return tuple(row.get(name) for name in CASE)


def by_case(rows: list[dict]) -> dict[tuple, dict[str, dict]]:
    """The rows of each case, by algorithm."""
    cases: dict[tuple, dict[str, dict]] = {}
    for row in rows:
        cases.setdefault(case(row), {})[row["algorithm"]] = row
    return cases


def tables(benchmark: Benchmark, rows: list[dict]) -> Iterator[Table]:
    algorithms = list(dict.fromkeys(row["algorithm"] for row in rows))
    table = Table(title=f"{benchmark.name} on {rows[0]['platform']}, us: {benchmark.about}", title_justify="left")
    table.add_column("case", no_wrap=True)
    for algorithm in algorithms:
        table.add_column(algorithm, justify="right")
    if "auto" in algorithms:
        table.add_column("auto takes")
    for (ranks, size, partners, stride), of in by_case(rows).items():
        words = [f"{ranks:,} ranks", f"{size:,} B"]
        if benchmark.partners and partners not in (None, *benchmark.partners):
            words.append(f"{partners} partners")
        if stride not in (None, 1):
            words.append(f"stride {stride}")
        least = min(row["us"] for row in of.values())
        cells = [_cell(of[algorithm], least) if algorithm in of else "" for algorithm in algorithms]
        table.add_row(", ".join(words), *cells, *([of["auto"]["took"]] if "auto" in of else []))
    if any(row["by"] == "estimate" for row in rows):
        table.caption = "~ estimated (LogGP), the others simulated (SimGrid)"
    yield table


def _cell(row: dict, least: float) -> str:
    us = f"{row['us']:,.1f}" if row["us"] < 1e4 else f"{row['us']:,.0f}"
    return ("~" if row["by"] == "estimate" else "") + (f"[bold]{us}[/bold]" if row["us"] == least else us)


def findings(rows: list[dict]) -> Iterator[str]:
    cases = by_case(rows)
    behind = [(of["auto"]["us"] / min(row["us"] for row in of.values()), key) for key, of in cases.items() if "auto" in of]
    if behind:
        worst, (ranks, size, *_) = max(behind)
        yield f"auto is at most {worst - 1:.0%} behind the best algorithm here ({ranks:,} ranks, {size:,} B)."
    tiny = [(of["auto"]["us"] / of["auto"]["log2_bound_us"], key) for key, of in cases.items() if "auto" in of and key[1] <= 8]
    if tiny and rows[0]["bench"] == "alltoallv-sparse":
        worst, (ranks, *_) = max(tiny)
        yield f"Of tiny messages it takes up to {worst:.2f} times log2 P of the shortest message ({ranks:,} ranks)."
    for (ranks, size, *_), of in cases.items():
        if "round-robin" in of and PLAIN in of and size <= 8:
            everybody = of["round-robin"]["us"]
            best = min(row["us"] for row in of.values())
            yield (
                f"{ranks:,} ranks, {size} B: a message to every rank takes {everybody / of[PLAIN]['us']:,.0f} times as long as "
                f"the original router, {everybody / best:,.0f} times as long as the best."
            )
    ratios = [math.log(row["estimate_us"] / row["us"]) for row in rows if row["by"] == "simgrid"]
    if ratios:
        mean = math.exp(sum(abs(ratio) for ratio in ratios) / len(ratios)) - 1
        low, high = math.exp(min(ratios)), math.exp(max(ratios))
        yield f"Estimates of the {len(ratios)} simulated cases: off by {mean:.0%} on average, {low:.2f} to {high:.2f} times."
