"""heddle doctor: checks this machine, or one program, and says how to mend faults."""

import os
from collections.abc import Iterator
from typing import Annotated, Optional

import typer

from .starting import Mpi, RanksOrOne

LONGEST_NAME = 24  # cells; a longer name shifts its line


def doctor(
    words: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[PROGRAM [ARGS]... | LAUNCHER ...]",
            help="The program to check. If none is given, this machine is checked.",
            show_default=False,
        ),
    ] = None,
    ranks: RanksOrOne = None,
    mpi: Mpi = None,
    timeout: Annotated[int, typer.Option("--timeout", min=1, help="Seconds that the program may take to reach MPI_Init.")] = 60,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Check this machine, or one program, and say how to mend faults.

    Without a program, the command tries every MPI that it finds, or the MPI of --mpi, with two
    ranks. It starts a program as `heddle run` does, on one rank unless -n gives another number. The
    program ends at the end of its MPI_Init, before its own work. The command then says which parts
    of Heddle will be in effect. The exit code is 1 if a check fails without which Heddle cannot
    work.

    \b
    heddle doctor                               this machine
    heddle doctor -- ./app input.dat            a program
    heddle doctor -n 4 -- ./app input.dat       a program that needs four ranks
    heddle doctor -- mpiexec -n 4 ./app         a program, by your own launcher
    """
    import json

    from heddle.checks import Verdict
    from heddle.problem import Problem

    if ranks and not words:
        raise Problem(
            f"-n needs a program: heddle doctor -n {ranks} -- ./app. If no program is named, two ranks try each MPI.", code=2
        )
    found = list(_of_program(words, ranks, mpi, timeout) if words else _of_machine(mpi))
    failed = sum(finding.verdict is Verdict.bad for _, finding in found)
    if as_json:
        print(
            json.dumps(
                [{"group": group, **vars(finding), "verdict": finding.verdict.name} for group, finding in found], indent=2
            )
        )
    else:
        _print(found, failed, _where(words) if words else "here")
    raise typer.Exit(1 if failed else 0)


def _of_machine(mpi: Optional[str]) -> Iterator[tuple]:
    from functools import partial

    from heddle.checks import built, hosts, machine, settings

    groups = {
        "Heddle": (built.libraries, settings.environment),
        "MPI": (partial(hosts.ranks, mpi),),
        "machine": (machine.processor, machine.memory, machine.kernel, machine.profile),
    }
    for group, checks in groups.items():
        yield from ((group, finding) for check in checks for finding in check())


def _of_program(words: list[str], ranks: Optional[int], mpi: Optional[str], timeout: int) -> Iterator[tuple]:
    from heddle.checks import Finding, program

    os.environ["HEDDLE_DOCTOR"] = "on"  # in the environment, because launchers pass it to ranks of other nodes, too
    for step in program.before(words, ranks, mpi):
        if isinstance(step, Finding):
            yield "before it starts", step
        else:
            yield from (("at the end of MPI_Init", finding) for finding in program.at_init(step, timeout))


def _where(words: list[str]) -> str:
    """With which program: the program in a launcher's line, if it can be told from the launcher's
    own words."""
    from heddle import launch, program

    if launch.is_launcher(words[0]):
        words = [word for word in words[1:] if not word.startswith("-") and program.exists(word)] or words
    return f"with {words[0]}"


def _print(found: list, failed: int, where: str) -> None:
    from rich.cells import cell_len
    from rich.text import Text

    from heddle.checks import Verdict
    from heddle.console import console, say

    colours = {Verdict.good: "green", Verdict.poor: "yellow", Verdict.bad: "red"}
    widest = min(LONGEST_NAME, max((cell_len(finding.what) for _, finding in found), default=0))
    before = ""
    for group, finding in found:
        if group != before:
            say(Text(("\n" if before else "") + group, style="bold"))
            before = group
        mark = Text(f"{finding.verdict.value} ", style=colours[finding.verdict])
        name = finding.what + " " * (widest - cell_len(finding.what))
        say(Text.assemble(mark, f"{name}  {finding.seen}"), further=" " * (widest + 4))
        if finding.mend:
            say(Text(f"→ {finding.mend}", style=colours[finding.verdict]), " " * (widest + 4), " " * (widest + 6))
    poor = sum(finding.verdict is Verdict.poor for _, finding in found)
    off = any(finding.what == "Heddle" and finding.seen.startswith("off") for _, finding in found)
    if failed:
        console().print(f"\n[red]{failed} to mend before Heddle works {where}.[/]")
    elif off:
        console().print(f"\nHeddle will be off {where}.")
    else:
        console().print(f"\nHeddle works {where}." + (f" {poor} could be better." if poor else ""))
