"""heddle env: the HEDDLE_ variables."""

import json
import os
from typing import Annotated

import typer


def env(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every HEDDLE_ variable: its default, its meaning, and what it is set to now.

    Variables that do not exist, and values that make no sense, are reported,
    here and at the start of a program.
    """
    from heddle import native

    rows = native.tool("settings", "--json")
    if as_json:
        print(json.dumps([row | {"value": os.environ.get(row["name"])} for row in rows], indent=2))
        return

    from rich.table import Table
    from rich.text import Text

    from heddle.console import console

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("variable", "default", "values", "meaning"):
        table.add_column(title, overflow="fold", no_wrap=title == "variable")
    for row in rows:
        now = os.environ.get(row["name"])
        meaning = Text(row["meaning"])
        if now is not None:
            meaning.append(f"\nnow: {now}", style="bold")
        table.add_row(row["name"], row["default"] or "(empty)", row["values"], meaning)
    console().print(table)
