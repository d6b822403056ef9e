"""Runs all tasks of a command. Estimates decide which tasks SimGrid can afford. The results are
shown, written and drawn."""

from __future__ import annotations

import json as text
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from heddle import written
from heddle.console import console, table_console
from heddle.problem import Problem

from . import estimating, fft2d, machines, simgrid, tasks
from .table import findings, tables


@dataclass(frozen=True)
class Wanted:
    benchmark: tasks.Benchmark
    platform: str
    members: int | None
    ranks: list[int]
    sizes: list[int]
    partners: list[int]
    strides: list[int]
    algorithms: list[str]
    estimate: bool
    side: int = tasks.SIDE  # of fft2d's matrix


def simulate(wanted: Wanted, json: Path | None, plot: Path | None) -> None:
    if plot is not None:
        from .figure import base

        base(plot)
    only_estimated = wanted.estimate or wanted.platform in machines.PROFILES
    if not only_estimated and (why := simgrid.missing()):
        raise Problem(f"{why}; or add --estimate, which works without SimGrid.")
    rows = _rows(wanted, only_estimated)
    for table in tables(wanted.benchmark, rows):
        table_console().print(table)
    for sentence in _findings(wanted, rows):
        console().print(sentence)
    if json is not None:
        try:
            written.write(json, text.dumps(rows, indent=1) + "\n")
        except OSError as error:
            raise Problem(f"cannot write {json} ({error.strerror}).") from None
    if plot is not None:
        from .figure import draw

        # Blocks and partners of an FFT follow from the ranks.
        apart = {"bytes": None, "partners": None} if wanted.benchmark is tasks.FFT2D else {}
        draw(wanted.benchmark, [row | apart for row in rows], plot)
    if wrong := [row for row in rows if row.get("wrong_ranks")]:
        raise Problem(f"{wrong[0]['algorithm']} delivered wrong data to {wrong[0]['wrong_ranks']} ranks in the simulation.")


def _findings(wanted: Wanted, rows: list[dict]) -> Iterator[str]:
    if wanted.benchmark is not tasks.FFT2D:
        return findings(rows)
    named = {machine.name: machine for machine in machines.ALL}
    return fft2d.findings(rows, named[wanted.platform].copy_ns if wanted.platform in named else None)


def _rows(wanted: Wanted, only_estimated: bool) -> list[dict]:
    rows: list[dict] = []
    columns = (TextColumn("{task.description:36}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        for ranks in wanted.ranks:
            sizes, partners = wanted.sizes, wanted.partners
            if wanted.benchmark is tasks.FFT2D:
                sizes, partners = fft2d.exchange(ranks, wanted.side)
            todo = tasks.tasks(wanted.benchmark, ranks, sizes, partners, wanted.strides, wanted.algorithms)
            found = _estimated(estimating.machine_of(wanted.platform, ranks, wanted.members), ranks, todo, progress)
            for row in found:
                row.update(platform=wanted.platform, by="estimate", estimate_us=row["us"])
            if not only_estimated:
                _simulate(machines.by_name(wanted.platform, ranks, wanted.members), ranks, todo, found, progress)
            rows += found
    if wanted.benchmark is tasks.FFT2D:
        return [one for row in rows for one in fft2d.whole(row, wanted.side)]
    return rows


def _estimated(machine: dict, ranks: int, todo: list[dict], progress: Progress) -> list[dict]:
    bar = progress.add_task(f"{ranks:,} ranks, estimating", total=len(todo))
    found: list[dict] = []
    for row in estimating.estimates(machine, todo):
        if "part" not in row:
            found.append(row)
        progress.update(bar, completed=len(found) + row.get("part", 0))
    progress.remove_task(bar)
    return found


def _simulate(machine: machines.Machine, ranks: int, todo: list[dict], found: list[dict], progress: Progress) -> None:
    """Replaces estimates by SimGrid's results for the tasks that SimGrid can afford."""
    chosen = [i for i, row in enumerate(found) if simgrid.affordable(row)]
    if not chosen:
        return
    total = sum(1 + found[i]["messages"] for i in chosen)
    bar = progress.add_task(f"{ranks:,} ranks in SimGrid", total=total)
    for i, row in zip(chosen, simgrid.simulated(machine, ranks, [todo[i] for i in chosen])):
        found[i].update(by="simgrid", us=row["us"], checked=row["checked"], wrong_ranks=row["wrong_ranks"])
        progress.advance(bar, 1 + found[i]["messages"])
        progress.update(bar, description=f"{ranks:,} ranks in SimGrid: {row['algorithm']}, {row['bytes']} B")
    progress.remove_task(bar)
