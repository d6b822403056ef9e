"""heddle env: the HEDDLE_ variables."""

import difflib
import os
from typing import Annotated

import typer


def env(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List every HEDDLE_ variable: its default, its meaning, and what it is set to now."""
    import json

    from heddle import native

    rows = native.tool("settings", "--json")
    known = [row["name"] for row in rows]
    stray = sorted(name for name in os.environ if (name == "HEDDLE" or name.startswith("HEDDLE_")) and name not in known)
    if as_json:
        print(json.dumps([row | {"value": os.environ.get(row["name"])} for row in rows], indent=2))
    else:
        _print(rows)
    for name in stray:
        near = difflib.get_close_matches(name, known, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        typer.echo(f"heddle: no variable is called {name}; it has no effect.{hint}", err=True)


def _print(rows: list[dict]) -> None:
    from rich.table import Table

    from heddle.console import console

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("variable", "default", "now", "meaning"):
        table.add_column(title, overflow="fold", no_wrap=title == "variable")
    for row in rows:
        now = os.environ.get(row["name"])
        table.add_row(row["name"], row["default"], f"[bold]{now}[/]" if now else "", row["meaning"])
    console().print(table)
