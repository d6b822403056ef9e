"""`heddle bench hpl`: High-Performance Linpack with Heddle and without, in turn: table 5 of
Chaarawi and Gabriel 2008.

Debian's hpcc (`apt-get install hpcc`), which is linked to Open MPI 4.1, runs on the Open MPI of
this checkout: the two share an ABI. Its other benchmarks run before HPL, and their results are
ignored. HPL sends its panels as structs.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from heddle import families, installations, native, preload, verdict
from heddle.console import console
from heddle.disturbance import told
from heddle.jobs import go_first
from heddle.problem import Problem

from . import goals
from .messages import JsonFile, gain_cell
from .native import With, loaded_mpi
from .rows import Row, judged, write

GRIDS = ((1, 2), (2, 1))
WITHIN = 1.01  # the goal: at most so many times the time without Heddle
INPUT = """HPLinpack benchmark input file
by heddle bench hpl
HPL.out
8 device out
{count} problem sizes
{sizes}
1 block sizes
80
0 row-major
{grids} grids
{rows}
{columns}
16.0 threshold
1 panel factorization
2
1 recursive stopping criterium
4
1 panels in recursion
2
1 recursive panel factorization
1
1 broadcast
1
1 lookahead depth
1
2 swap
64
0 L1 transposed
0 U transposed
1 equilibration
8 memory alignment
"""


def _times(size: int, repeats: int, between: With) -> dict[tuple[int, int], list[float]]:
    """The seconds of one run of hpcc, by grid."""
    family = families.OPENMPI
    mpi = installations.at_path(loaded_mpi(native.program("heddle-bench-hierarchy-openmpi"), family))
    env = {name: value for name, value in os.environ.items() if name != preload.VARIABLE}
    env["LD_LIBRARY_PATH"] = str(mpi.library.parent)
    words = ["-n", "2", "-x", "LD_LIBRARY_PATH", "hpcc"]
    if between is With.heddle:
        words = preload.for_openmpi(words, preload.value(family, mpi.library), env)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        text = INPUT.format(
            count=repeats,
            sizes=" ".join([str(size)] * repeats),
            grids=len(GRIDS),
            rows=" ".join(str(grid[0]) for grid in GRIDS),
            columns=" ".join(str(grid[1]) for grid in GRIDS),
        )
        Path(folder, "hpccinf.txt").write_text(text)
        line = [str(mpi.mpiexec), *root, "--oversubscribe", "--bind-to", "core", *words]
        with subprocess.Popen(
            line, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            go_first(process.pid)
            _, errors = process.communicate()
        found: dict[tuple[int, int], list[float]] = {}
        output = Path(folder, "hpccoutf.txt")
        for words in (line.split() for line in output.read_text().splitlines()) if output.exists() else ():
            if len(words) == 7 and words[0].startswith("WR"):
                found.setdefault((int(words[3]), int(words[4])), []).append(float(words[5]))
        if process.returncode != 0 or set(found) != set(GRIDS):
            raise Problem(f"hpcc ended with code {process.returncode} and {len(found)} results. {errors.strip()}")
        if min(min(seconds) for seconds in found.values()) <= 0:
            raise Problem(f"order {size} takes less than 10 ms, the resolution of hpcc. Use a larger --size.")
        if " 0 tests completed and failed residual checks" not in output.read_text():
            raise Problem("HPL's results are wrong: residual checks failed.")
    return found


def command(
    size: Annotated[int, typer.Option("--size", min=100, help="Order of the matrix: 4,500 takes about 5 s.")] = 4500,
    repeats: Annotated[int, typer.Option(min=1, max=20, help="Solutions on each grid in a run.")] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="Pairs of runs with Heddle and without, in random order.")] = 10,
    json: JsonFile = None,
) -> None:
    """Run High-Performance Linpack (Debian's hpcc) over Open MPI, two ranks, with Heddle and
    without."""
    if shutil.which("hpcc") is None:
        raise Problem("hpcc is missing. Debian has it: apt-get install --no-install-recommends hpcc.")
    times: dict[tuple[tuple[int, int], With], list[float]] = {}
    paired: dict[tuple[int, int], list[float]] = {}
    with told():
        for _ in range(rounds):
            pair: dict[With, dict[tuple[int, int], list[float]]] = {}
            for between in verdict.shuffled((With.nothing, With.heddle)):
                pair[between] = _times(size, repeats, between)
                for grid, found in pair[between].items():
                    times.setdefault((grid, between), []).extend(found)
            for grid in GRIDS:
                ratio = statistics.median(pair[With.nothing][grid]) / statistics.median(pair[With.heddle][grid])
                paired.setdefault(grid, []).append(ratio)
    table = Table(
        title=f"HPL of order {size:,} on 2 ranks of Open MPI: least and quartiles of {rounds} pairs of runs in s",
        title_justify="left",
    )
    for name in ("grid", "host alone", "under Heddle", "times as fast"):
        table.add_column(name, justify="left" if name == "grid" else "right")
    rows = []
    for grid in GRIDS:
        case = f"{grid[0]} × {grid[1]}"
        shown = []
        for between in (With.nothing, With.heddle):
            found = times[grid, between]
            low, middle, high = verdict.quartiles(found)
            shown.append(f"{min(found):.2f}, {low:.2f} {middle:.2f} {high:.2f}")
            who = "host" if between is With.nothing else "heddle"
            known = {"lower": low, "upper": high, "best": min(found), "samples": len(found), "ranks": 2}
            rows.append(Row("hpl", case, who, "time", middle, "s", "Open MPI", **known))
        row = judged(
            Row("hpl", case, "heddle", "time over host", 0, "1", "Open MPI", ranks=2), [1 / one for one in paired[grid]]
        )
        rows.append(replace(row, best=min(times[grid, With.heddle]) / min(times[grid, With.nothing])))
        table.add_row(case, *shown, gain_cell(verdict.judge(paired[grid])))
    table.caption = f"times as fast: {verdict.BRIEF}"
    if goals.asked():
        table.caption += f"; goal: at most {WITHIN} of the time without Heddle"
    console().print(table)
    if json is not None:
        write(rows, json)
