"""heddle tune: what moving bytes costs on this machine."""

import json
from pathlib import Path
from typing import Annotated

import typer


def tune(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions: a second instead of some.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the profile there.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the profile itself.")] = False,
) -> None:
    """Measure what moving bytes costs on this machine, and write it down.

    Heddle chooses by it how messages with holes move within a node. The profile is written to
    heddle/profile.json in ~/.config (or $XDG_CONFIG_HOME), where every later program finds it;
    HEDDLE_PROFILE names another one. Two cores should have nothing else to do meanwhile.
    """
    from heddle import native

    arguments = [*(["--quick"] if quick else []), *(["--output", str(output)] if output else [])]
    if as_json:
        print(json.dumps(native.tool("tune", *arguments, "--json")["profile"], indent=2))
        return
    answer = _with_progress(arguments)
    from heddle.tuned import show

    show(answer)


def _with_progress(arguments: list[str]) -> dict:
    from rich.progress import BarColumn, Progress, TextColumn

    from heddle import native
    from heddle.console import console

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}"))
    answer: dict = {}
    with Progress(*columns, console=console(), transient=True) as progress:
        bar = progress.add_task("", total=1.0)
        for line in native.stream("tune", *arguments, "--progress", "--json"):
            if "done" in line:
                progress.update(bar, completed=line["done"], description=line["what"])
            else:
                answer = line
    return answer
