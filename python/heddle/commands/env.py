"""heddle env: the HEDDLE_ variables."""

import json
from typing import Annotated

import typer


def env(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every HEDDLE_ variable: its default, its meaning, what it is set to now, and where.

    They are set in the environment; then by NAME=VALUE lines of
    ~/.config/heddle/heddle.conf, or of the file that HEDDLE_CONFIG names; then
    by those of /etc/heddle/heddle.conf.

    Variables that do not exist, and values that make no sense, are reported,
    here and at the start of a program.
    """
    from heddle import native

    rows = native.tool("settings", "--json")
    if as_json:
        print(json.dumps(rows, indent=2))
        return

    from rich.table import Table
    from rich.text import Text

    from heddle.console import console

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("variable", "default", "values", "meaning"):
        table.add_column(title, overflow="fold", no_wrap=title == "variable")
    for row in rows:
        meaning = Text(row["meaning"])
        if row["value"] is not None:
            where = "" if row["from"] == "environment" else f"  ({row['from']})"
            meaning.append(f"\nnow: {row['value']}{where}", style="bold")
        table.add_row(row["name"], row["default"] or "(empty)", row["values"], meaning)
    console().print(table)
