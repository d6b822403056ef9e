"""heddle env: the HEDDLE_ variables."""

import json
import os
from typing import Annotated

import typer


def env(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every HEDDLE_ variable: its default, its meaning, and what it is set to now.

    Where output is no terminal each variable is one line: heddle env | grep REPORT.

    Variables that do not exist, and values that make no sense, are reported,
    here and at the start of a program.
    """
    from heddle import native

    rows = native.tool("settings", "--json")
    if as_json:
        print(json.dumps([row | {"value": os.environ.get(row["name"])} for row in rows], indent=2))
        return

    from heddle import listing

    heads = ("variable", "default", "values", "meaning")
    lines = []
    for row in rows:
        now = os.environ.get(row["name"])
        meaning = row["meaning"] + (f" (now: {now})" if now is not None else "")
        lines.append((row["name"], row["default"] or "(empty)", row["values"], meaning))
    listing.show(heads, lines, wraps=("values", "meaning"))
