"""The results of the demo: the check, a table, and rows of JSON."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from statistics import median

from rich.table import Table

from heddle import verdict as verdicts
from heddle.bench import rows
from heddle.bench.rows import Row
from heddle.demo.measure import Run, Setup
from heddle.problem import Problem

METRICS = ("total", "communication")


def by_case(runs: Iterable[Run]) -> dict[tuple[str, str], list[Run]]:
    """Runs of one program under one MPI."""

    def case(run: Run) -> tuple[str, str]:
        return run.program.name, run.mpi.name

    return {key: list(group) for key, group in groupby(sorted(runs, key=case), key=case)}


def errors(run: Run) -> list[float]:
    return [value for key, value in run.report.get("relative_error", {}).items() if key != "tolerance"]


def check(runs: list[Run]) -> None:
    """Checks that every result is that of the serial FFT, and that all runs of a program have the
    same bits."""
    for run in runs:
        allowed = run.report.get("relative_error", {}).get("tolerance", 0)
        if any(not error < allowed for error in errors(run)):
            raise Problem(f"{run.title}: wrong by {max(errors(run)):.2g} against the serial FFT.")
    for name in dict.fromkeys(run.program.name for run in runs):
        seen: dict[str, Run] = {}
        for run in runs:
            if run.program.name == name:
                seen.setdefault(run.report["fingerprint"], run)
        if len(seen) > 1:
            raise Problem(f"these two differ: {' | '.join(run.title for run in seen.values())}.")


def times_of(runs: list[Run], variant: str, metric: str, turn: int | None = None) -> list[float]:
    return [t for run in runs if run.variant == variant and turn in (None, run.round) for t in run.times(metric)]


def gain(runs: list[Run], metric: str) -> verdicts.Verdict | None:
    """The verdict on the rounds' ratios, host over Heddle. None: not both were measured."""
    turns = sorted({run.round for run in runs})
    pairs = [(times_of(runs, "host", metric, turn), times_of(runs, "heddle", metric, turn)) for turn in turns]
    if not all(host and heddle for host, heddle in pairs):
        return None
    return verdicts.judge(median(host) / median(heddle) for host, heddle in pairs)


def _milliseconds(times: list[float]) -> str:
    if not times:
        return "–"
    lower, middle, upper = (1e3 * t for t in verdicts.quartiles(times))
    digits = 0 if upper >= 100 else 1
    return f"{middle:.{digits}f} ± {(upper - lower) / 2:.{digits}f}"


def table(runs: list[Run], setup: Setup) -> Table:
    result = Table(
        title=f"2-D FFT filter, {setup.size} × {setup.size} complex, {setup.ranks} ranks",
        caption="Milliseconds: median of the runs ± half the distance of their quartiles. "
        f"Gain: host over Heddle, the median of the rounds' ratios; {verdicts.BRIEF}.",
        title_style="bold",
        caption_style="dim",
    )
    result.add_column("", no_wrap=True)
    for header in ("host alone", "under Heddle", "gain"):
        result.add_column(header, justify="right", no_wrap=header != "gain")
    for case in by_case(runs).values():
        result.add_row(f"[bold]{case[0].program.name}[/bold], {case[0].mpi.name} {case[0].mpi.version}")
        for metric in METRICS:
            times = [_milliseconds(times_of(case, variant, metric)) for variant in ("host", "heddle")]
            last, found = metric == METRICS[-1], gain(case, metric)
            result.add_row(f"  {metric}", *times, f"[bold]{found.brief if found else '–'}[/bold]", end_section=last)
    return result


def verdict(runs: list[Run]) -> str:
    """The result of check(), in words."""
    worst = max(error for run in runs for error in errors(run))
    return f"All {len(runs)} runs are right: {worst:.1e} from a serial FFT (relative), and bit for bit alike."


def benchmark_rows(runs: list[Run], setup: Setup) -> list[Row]:
    """The times as rows of JSON."""
    result = []
    for case in by_case(runs).values():
        for variant in setup.variants:
            run = next(run for run in case if run.variant == variant)
            size = f"{setup.size}x{setup.size}, {setup.ranks} ranks"
            known = {"bench": "fft2d", "case": f"{run.program.name}, {size}", "variant": variant}
            known |= {"mpi": f"{run.mpi.name} {run.mpi.version}"}
            for metric in run.report["seconds"]:
                times = times_of(case, variant, metric)
                lower, middle, upper = verdicts.quartiles(times)
                measured = {"value": middle, "lower": lower, "upper": upper, "best": min(times), "samples": len(times)}
                result.append(Row(**known, metric=metric, unit="s", **measured))
            result += [Row(**known, metric="relative error", value=error, unit="1") for error in errors(run)]
    return result


def write(runs: list[Run], setup: Setup, halos: list[Row], path: Path) -> None:
    try:
        rows.write(benchmark_rows(runs, setup) + halos, path)
    except OSError as error:
        raise Problem(f"{path} cannot be written ({error.strerror}).") from None
