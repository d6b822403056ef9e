"""heddle doctor: what works on this machine, and what to do about the rest."""

from collections.abc import Callable, Iterable
from typing import Annotated

import typer


def doctor(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Say what works on this machine, and what to do about the rest.

    Every MPI found is tried with two ranks. The exit code is 1 if something fails that Heddle cannot do without.
    """
    import json

    from heddle.checks import Verdict, built, hosts, machine

    groups: dict[str, Iterable[Callable]] = {
        "Heddle": (built.libraries, built.environment),
        "MPI": (hosts.ranks,),
        "machine": (machine.processor, machine.memory, machine.kernel),
    }
    found = []
    for group, checks in groups.items():
        found += [(group, finding) for check in checks for finding in check()]
    failed = sum(finding.verdict is Verdict.bad for _, finding in found)
    if as_json:
        print(
            json.dumps(
                [{"group": group, **vars(finding), "verdict": finding.verdict.name} for group, finding in found], indent=2
            )
        )
    else:
        _print(found, failed)
    raise typer.Exit(1 if failed else 0)


def _print(found: list, failed: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from heddle.checks import Verdict
    from heddle.console import console

    colours = {Verdict.good: "green", Verdict.poor: "yellow", Verdict.bad: "red"}
    table = Table(box=None, pad_edge=False, show_header=False)
    for ratio in (None, None, 3):
        table.add_column(overflow="fold", ratio=ratio)
    before = ""
    for group, finding in found:
        if group != before:
            table.add_row("", Text(("\n" if before else "") + group, style="bold"))
            before = group
        seen = Text(finding.seen)
        if finding.mend:
            seen.append(f"\n→ {finding.mend}", style=colours[finding.verdict])
        table.add_row(Text(finding.verdict.value, style=colours[finding.verdict]), finding.what, seen)
    console().print(table)
    poor = sum(finding.verdict is Verdict.poor for _, finding in found)
    if failed:
        console().print(f"\n[red]{failed} to mend before Heddle works here.[/]")
    else:
        console().print("\nHeddle works here." + (f" {poor} could be better." if poor else ""))
