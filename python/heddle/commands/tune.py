"""heddle tune: measures the costs of moving bytes on this machine, and between two nodes."""

import itertools
import json
import os
import sys
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import typer


class Messages(str, Enum):
    """The MPI libraries whose messages are measured."""

    both = "both"
    mpich = "mpich"
    openmpi = "openmpi"
    none = "none"


def tune(
    launcher: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[LAUNCHER ...]", help="A launcher's line that starts one rank on each of two nodes.", show_default=False
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: half the time, rougher figures.")] = False,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="Write the profile to FILE.", show_default=False)
    ] = None,
    mpi: Annotated[Messages, typer.Option(help="The MPI libraries whose messages to measure.")] = Messages.both,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Keep the first try of everything, even if the machine is busy.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile itself.")] = False,
) -> None:
    """Measure the costs of moving bytes on this machine, and write them into a profile.

    By the profile Heddle chooses how messages with holes move within a node, which kernels pack
    them, and which algorithm a collective takes. The command writes heddle/profile.json in
    ~/.config (or $XDG_CONFIG_HOME), where every program finds it. If HEDDLE_PROFILE names another
    file, the command writes that file. Keep two cores free while the command runs. It measures
    several times. A figure keeps its built-in value if three tries do not agree within a factor of
    1.5, or if no machine can have it. Other work may slow all tries alike; the command then says
    so.

    With a launcher's line, the command measures messages between two nodes and adds them to the
    profile: messages over libfabric (HEDDLE_FABRIC), and messages of the MPI library. Heddle then
    uses the faster way. Run this once for each MPI library.

    \b
    heddle tune                                      this machine
    heddle tune -- mpiexec -n 2 --host a,b           messages between two nodes
    """
    if launcher:
        measure, steps = partial(_between_nodes, launcher, mpi, quick), 1
    else:
        measure, steps = partial(_messages, mpi, quick, anyway), _steps(mpi)
    answer = _measured(quick, output, measure, steps, anyway or bool(launcher), as_json)
    if as_json:
        for note in answer["without"]:
            print(f"heddle: {note}", file=sys.stderr)
        print(json.dumps(answer["profile"], indent=2))
        return
    from heddle.tuned import show

    show(answer)


def _measured(quick: bool, output: Optional[Path], measure: Callable, steps: int, once: bool, as_json: bool) -> dict:
    """The profile is kept only if all of it is measured."""
    from heddle.draft import Draft
    from heddle.interrupted import Interrupted, interruptible

    with interruptible(), Draft(output) as draft:
        try:
            arguments = [*(["--quick"] if quick else []), "--output", str(draft.file)]
            answer = _with_progress(arguments, measure, steps, once, silent=as_json)
            draft.keep()
        except Interrupted as signal:
            print(f"heddle: {signal.name}: stopped; no profile was written to {draft.target}", file=sys.stderr)
            raise typer.Exit(signal.code) from None
    return answer | {"path": str(draft.target)}


def _steps(mpi: Messages) -> int:
    from heddle.links import STEPS

    return {Messages.both: 2 * STEPS, Messages.none: 0}.get(mpi, STEPS)


def _messages(mpi: Messages, quick: bool, anyway: bool, progress: Callable[[str], None]) -> tuple[list[str], list[str]]:
    """Words for heddle-tool, and notes about measurements that failed or are not sure."""
    from heddle import families
    from heddle.links import AGAIN, measured
    from heddle.problem import Problem

    words: list[str] = []
    notes: list[str] = []
    refused = False
    for family in (families.MPICH, families.OPENMPI):
        if mpi not in (Messages.both, family.name):
            continue
        try:
            if len(os.sched_getaffinity(0)) == 1:
                raise Problem("there is only one core.")
            found = measured(family, quick, progress, anyway)
        except Problem as problem:
            why = str(problem).split(". ")[0].removesuffix(".")
            notes.append(f"messages of {family.title} are not measured ({why}); the built-in figures hold")
            continue
        words += [f"--{family.name}", *(f"{ns:.1f}" for ns in found.ns)] if found.ns else []
        notes += found.notes
        refused = refused or found.refused
    return words, [*notes, *([AGAIN] if refused else [])]


def _between_nodes(
    launcher: list[str], mpi: Messages, quick: bool, progress: Callable[[str], None]
) -> tuple[list[str], list[str]]:
    """Words for heddle-tool about messages between two nodes. A failure is a Problem: the user
    asked for nothing else."""
    from heddle import families, nodes
    from heddle.problem import Problem

    if mpi is Messages.none:
        raise Problem(
            "--mpi none cannot go with a launcher: messages between nodes need an MPI library. Leave one of them out.", code=2
        )
    family = nodes.family_of(launcher) if mpi is Messages.both else families.by_name(mpi.value)
    progress(f"{family.title}, messages between two nodes")
    return ["--add", f"--{family.name}-nodes", *nodes.measured(launcher, family, quick)], []


MESSAGES = 0.7  # of the time, if messages are measured
# The costs of the machine and each step of messages take so many seconds on two quiet cores. Tries
# that do not agree may double them.
MACHINE_S, STEP_S, QUICK = 25, 15, 0.4


def _with_progress(arguments: list[str], measure: Callable, steps: int, once: bool, silent: bool) -> dict:
    """Measures messages, then the machine, and writes the profile.
    @param once: measure the machine once, and do not compare."""
    from rich.progress import BarColumn, Progress, TextColumn

    from heddle import machine_costs
    from heddle.console import console
    from heddle.waited import Waited, in_words

    shown = console().is_terminal and not silent
    state = {"done": 0.0, "what": ""}
    tries = 1 / 3 if once else 1
    expected = (QUICK if "--quick" in arguments else 1) * tries * (MACHINE_S + STEP_S * steps)

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}"))
    with (
        Progress(*columns, console=console(), transient=True, disable=not shown) as progress,
        Waited(lambda: f"{100 * state['done']:.0f} % done; now {state['what']}", not shown) as waited,
    ):
        waited.say(f"measuring for about {in_words(expected)}, or twice as long beside other work")
        bar = progress.add_task("", total=1.0)
        first = MESSAGES if steps else 0.0
        begun = itertools.count()

        def update(done: float, what: str) -> None:
            state.update(done=done, what=what)
            progress.update(bar, completed=done, description=what)

        def step(what: str) -> None:
            update(first * next(begun) / max(1, steps), what)

        words, notes = measure(step)

        def tell(done: float, what: str) -> None:
            update(first + (1 - first) * done, what)

        return machine_costs.measured([*arguments, *words], notes, once, tell)
