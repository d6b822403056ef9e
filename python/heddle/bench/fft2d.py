"""`heddle bench fft2d`: a 2-D FFT whose global transposes are packed by hand, half by datatypes and
all by datatypes, with Heddle and without.

The FFT of Hoefler and Gottlieb 2010: strong scaling, up to 3.8 times as fast by datatypes as packed
by hand.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from heddle import installations, native, verdict
from heddle.problem import Problem

from . import applications, figure, messages
from .applications import HEDDLE, HOST, Job, Measured
from .jobs import Run
from .messages import Figures
from .native import Mpi, loaded_mpi
from .rows import Row

ZERO_COPY, LOCAL, MANUAL = VARIANTS = ("zero-copy", "local-transpose", "manual")
PARTS = {"transposes": "communication", "whole run": "total"}  # the program's names
REPORTED = 3.8  # times as fast by datatypes as packed by hand, "up to"
WANTED = 1.5
TIME = "time"
GAIN = "zero-copy under Heddle over manual on the host"
ALONE = "zero-copy over manual, host alone"
GAINS = {
    GAIN: (("heddle", ZERO_COPY), ("host", MANUAL)),
    "zero-copy over manual, both under Heddle": (("heddle", ZERO_COPY), ("heddle", MANUAL)),
    "zero-copy under Heddle over local-transpose on the host": (("heddle", ZERO_COPY), ("host", LOCAL)),
    "zero-copy over local-transpose, both under Heddle": (("heddle", ZERO_COPY), ("heddle", LOCAL)),
    "zero-copy under Heddle over the same on the host": (("heddle", ZERO_COPY), ("host", ZERO_COPY)),
    ALONE: (("host", ZERO_COPY), ("host", MANUAL)),
}


def runs() -> list[Run]:
    return [
        Run(f"{run.variant}, {variant}", run.between, run.settings, ("--variant", variant))
        for run in (HOST, HEDDLE)
        for variant in VARIANTS
    ]


def rows_of(measured: Measured) -> list[Row]:
    """A round has the times of each variant, host and Heddle."""
    together = {
        who: [
            {"mpi": measured.mpi} | dict(zip(VARIANTS, lines, strict=True))
            for lines in zip(*(measured.found[f"{who}, {variant}"] for variant in VARIANTS), strict=True)
        ]
        for who in (HOST.variant, HEDDLE.variant)
    }
    rows = []
    for part, name in PARTS.items():

        def times(line: dict, name: str = name) -> dict[str, float]:
            return {variant: 1e3 * line[variant]["seconds"][name]["median"] for variant in VARIANTS}

        case = f"{measured.job.case}, {part}"
        rows += applications.rows_of(Measured(measured.job, together), "fft2d", case, TIME, "ms", times, GAINS)
    return rows


def goals(figures: Figures) -> list:
    def of(name: str, part: str) -> dict[str, float]:
        return {case: gain for case, gain in applications.gains_of(figures, name).items() if case.endswith(part)}

    others = [name for name in GAINS if name != ALONE]
    never = {f"{case}: {name}": gain for name in others for case, gain in applications.gains_of(figures, name).items()}
    return [
        *(messages.at_least(f"{GAIN}, {part}", WANTED, of(GAIN, part)) for part in PARTS),
        messages.best(f"{GAIN}, whole run (the paper's factor)", REPORTED, of(GAIN, "whole run")),
        messages.at_least("zero-copy under Heddle over any other", 1.0, never),
    ]


SHOWN = applications.Shown(
    title="2-D FFT",
    metric=TIME,
    gain=GAIN,
    goals=goals,
    picture="2-D FFT",
    gains=(GAIN, ALONE),
    reported=REPORTED,
    text="Hoefler, Gottlieb 2010: up to 3.8",
)


def draw(found: Sequence[Figures], file: Path) -> None:
    """The paper's picture of strong scaling for each MPI. Below it are the gains by ranks, with the
    paper's factor."""
    mpis = list(dict.fromkeys(figures.mpi for figures in found))
    styles = dict(zip(VARIANTS, ("-", "--", ":"), strict=True))
    with figure.panels(file, SHOWN.picture, 2, len(mpis), width=5.4) as axes:
        for column, mpi in enumerate(mpis):
            of_mpi = [figures for figures in found if figures.mpi == mpi]
            for case in of_mpi[0].cases(TIME):
                if not case.endswith("whole run"):
                    continue
                for name in of_mpi[0].variants(TIME):
                    who, variant = name.split(", ")
                    line = {one.ranks: row.value for one in of_mpi if (row := one.row(case, name, TIME))}
                    look = {"marker": ".", "linestyle": styles[variant], "color": figure.ink(who)}
                    axes[0][column].plot(line.keys(), line.values(), label=f"{case.partition(',')[0]}, {name}", **look)
            for case in of_mpi[0].cases(TIME):
                for name in SHOWN.gains:
                    line = {one.ranks: applications.gains_of(one, name).get(case) for one in of_mpi}
                    axes[1][column].plot(line.keys(), line.values(), marker=".", label=f"{case}: {name}")
            axes[0][column].set(xlabel="ranks", ylabel="ms", title=f"{mpi}, whole run", xscale="log", yscale="log")
            axes[1][column].set(xlabel="ranks", ylabel="times as fast", title="gain", xscale="log", ylim=(0, 1.15 * REPORTED))
            axes[1][column].axhline(1, color="#000", linewidth=0.7)
            figure.mark(axes[1][column], REPORTED, SHOWN.text)
            for axis, columns in zip(axes[:, column], (2, 1), strict=True):
                ranks = [one.ranks for one in of_mpi]
                axis.set_xticks(ranks, list(map(str, ranks)))
                axis.xaxis.minorticks_off()
                axis.legend(fontsize=6, loc="upper left", bbox_to_anchor=(0, -0.15), ncols=columns, frameon=False)


def agree(found: Sequence[Measured]) -> None:
    """Checks that all results of a size have the same bits, for all numbers of ranks and MPIs."""
    seen: dict[str, dict[str, str]] = {}
    for one in found:
        line = next(iter(one.found.values()))[0]
        seen.setdefault(one.job.case, {})[line["fingerprint"]] = f"{one.mpi}, {one.job.ranks} ranks"
    for case, prints in seen.items():
        if len(prints) > 1:
            raise Problem(f"fft2d, {case}: the results of {' and of '.join(prints.values())} differ.")


def command(
    mpi: messages.WhichMpi = Mpi.both,
    json: messages.JsonFile = None,
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: two rounds of 512^2 on 2 ranks.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Runs of each variant.")] = verdict.ROUNDS,
    ranks: Annotated[
        list[int] | None,
        typer.Option("--ranks", min=1, max=64, metavar="N", help="A number of ranks; may be repeated. [1, 2, 4]"),
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option("--size", min=8, metavar="N", help="A matrix of N x N; may be repeated. [1024, 4096]")
    ] = None,
    plot: messages.PlotFile = None,
) -> None:
    """Filter with a 2-D FFT. Its transposes are by hand, half by datatypes or all by datatypes,
    with Heddle and without."""
    if plot is not None:
        figure.base(plot)
    started = time.monotonic()
    jobs = []
    for family in mpi.families:
        binary = native.program(f"fft2d-{family.name}")
        host = installations.at_path(loaded_mpi(binary, family))
        for count in ranks or ([2] if quick else [1, 2, 4]):
            for side in size or ([512] if quick else [1024, 4096]):
                repetitions = 3 if quick or side > 2048 else 9
                words = ("--size", str(side), "--repetitions", str(repetitions))
                jobs.append(Job(f"{side}^2", host, binary, count, words))
    measured = applications.by_turns(jobs, runs(), 2 if quick else rounds, lambda line: line["fingerprint"])
    agree(measured)
    rows = [row for one in measured for row in rows_of(one)]
    applications.present(rows, SHOWN, json, None, time.monotonic() - started)
    if plot is not None:
        draw(messages.by_mpi(rows), plot)
