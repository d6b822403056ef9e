"""heddle tune: what moving bytes costs on this machine, and between two nodes."""

import json
import os
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import typer


class Messages(str, Enum):
    """Of which MPI libraries messages are measured."""

    both = "both"
    mpich = "mpich"
    openmpi = "openmpi"
    none = "none"


def tune(
    launcher: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[LAUNCHER ...]", help="A line that starts two ranks, one on each of two nodes.", show_default=False
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: half the time, rough.")] = False,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", metavar="FILE", help="Write the profile there.", show_default=False)
    ] = None,
    mpi: Annotated[Messages, typer.Option(help="Whose messages to measure.")] = Messages.both,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile itself.")] = False,
) -> None:
    """Measure what moving bytes costs on this machine, and write it down.

    Heddle chooses by it how messages with holes move within a node, by which kernels they are packed, and which algorithm a
    collective takes. The profile is written to heddle/profile.json in ~/.config (or $XDG_CONFIG_HOME), where every later
    program finds it; HEDDLE_PROFILE names another one. Two cores should have nothing else to do meanwhile.

    With a launcher's line that starts two ranks on two nodes, messages between these are measured and added: those over
    libfabric (HEDDLE_FABRIC) and those of the MPI library, by which Heddle chooses between the two. Once for each MPI library.

    \b
    heddle tune                                      this machine
    heddle tune -- mpiexec -n 2 --host a,b           what goes between its node and another
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
    """Words for heddle-tool, and what could not be measured."""
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
    """The same for what is measured between two nodes. A Problem if it cannot be: nothing else was asked for."""
    from heddle import families, nodes
    from heddle.problem import Problem

    if mpi is Messages.none:
        raise Problem("--mpi none and a launcher: messages between nodes are those of an MPI library. Leave one out.", code=2)
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
