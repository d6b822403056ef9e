"""heddle tune: measures the costs of moving bytes on this machine, and between two nodes."""

import json
import os
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
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile itself.")] = False,
) -> None:
    """Measure the costs of moving bytes on this machine, and write them into a profile.

    By the profile Heddle chooses how messages with holes move within a node, which kernels pack them, and which algorithm a
    collective takes. The command writes heddle/profile.json in ~/.config (or $XDG_CONFIG_HOME), where every program finds it.
    HEDDLE_PROFILE names another profile. Keep two cores free while the command runs.

    With a launcher's line, the command measures messages between two nodes and adds them to the profile: messages over
    libfabric (HEDDLE_FABRIC), and messages of the MPI library. Heddle then uses the faster way. Run this once for each MPI
    library.

    \b
    heddle tune                                      this machine
    heddle tune -- mpiexec -n 2 --host a,b           messages between two nodes
    """
    from heddle import native

    arguments = [*(["--quick"] if quick else []), *(["--output", str(output)] if output else [])]
    measure = partial(_between_nodes, launcher, mpi, quick) if launcher else partial(_messages, mpi, quick)
    if as_json:
        words, _ = measure(lambda what: None)
        print(json.dumps(native.tool("tune", *arguments, *words, "--json")["profile"], indent=2))
        return
    answer = _with_progress(arguments, measure)
    from heddle.tuned import show

    show(answer)


def _messages(mpi: Messages, quick: bool, progress: Callable[[str], None]) -> tuple[list[str], list[str]]:
    """Words for heddle-tool, and the measurements that failed."""
    from heddle import families
    from heddle.links import measured
    from heddle.problem import Problem

    words: list[str] = []
    without: list[str] = []
    for family in (families.MPICH, families.OPENMPI):
        if mpi not in (Messages.both, family.name):
            continue
        try:
            if len(os.sched_getaffinity(0)) == 1:
                raise Problem("there is only one core.")
            words += [f"--{family.name}", *(f"{ns:.1f}" for ns in measured(family, quick, progress))]
        except Problem as problem:
            why = str(problem).split(". ")[0].removesuffix(".")
            without.append(f"messages of {family.title} are not measured ({why}); the built-in figures hold")
    return words, without


def _between_nodes(
    launcher: list[str], mpi: Messages, quick: bool, progress: Callable[[str], None]
) -> tuple[list[str], list[str]]:
    """Words for heddle-tool about messages between two nodes. A failure is a Problem: the user asked for nothing else."""
    from heddle import families, nodes
    from heddle.problem import Problem

    if mpi is Messages.none:
        raise Problem(
            "--mpi none cannot go with a launcher: messages between nodes need an MPI library. Leave one of them out.", code=2
        )
    family = nodes.family_of(launcher) if mpi is Messages.both else families.by_name(mpi.value)
    progress(f"{family.title}, messages between two nodes")
    return ["--add", f"--{family.name}-nodes", *nodes.measured(launcher, family, quick)], []


def _with_progress(arguments: list[str], measure: Callable) -> dict:
    from rich.progress import BarColumn, Progress, TextColumn

    from heddle import native
    from heddle.console import console

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}"))
    answer: dict = {}
    with Progress(*columns, console=console(), transient=True) as progress:
        bar = progress.add_task("", total=1.0)
        words, without = measure(lambda what: progress.update(bar, description=what))
        for line in native.stream("tune", *arguments, *words, "--progress", "--json"):
            if "done" in line:
                progress.update(bar, completed=line["done"], description=line["what"])
            else:
                answer = line
    answer["without"] = [*([answer["without"]] if answer["without"] else []), *without]
    return answer
