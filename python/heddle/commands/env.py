"""heddle env: the HEDDLE_ variables."""

import json
from typing import Annotated

import typer


def env(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every HEDDLE_ variable: its default, its meaning, what it is set to now, and where.

    They are set in the environment; then by NAME=VALUE lines of
    ~/.config/heddle/heddle.conf, or of the file that HEDDLE_CONFIG names; then
    by those of /etc/heddle/heddle.conf.

    Where output is no terminal each variable is one line: heddle env | grep REPORT.

    Variables that do not exist, and values that make no sense, are reported,
    here and at the start of a program.
    """
    from heddle import native

    rows = native.tool("settings", "--json")
    if as_json:
        print(json.dumps(rows, indent=2))
        return

    from heddle import listing

    heads = ("variable", "default", "values", "meaning")
    lines = []
    for row in rows:
        meaning = row["meaning"]
        if row["value"] is not None:
            meaning += f" (now: {row['value']}" + (")" if row["from"] == "environment" else f", {row['from']})")
        lines.append((row["name"], row["default"] or "(empty)", row["values"], meaning))
    listing.show(heads, lines, wraps=("values", "meaning"))
