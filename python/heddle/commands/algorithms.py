"""heddle algorithms: what Heddle chooses from."""

import json
from typing import Annotated

import typer


def algorithms(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List what Heddle chooses from, and when what is chosen."""
    from heddle import native

    tables = native.tool("algorithms", "--json")
    if as_json:
        print(json.dumps(tables, indent=2))
        return

    from rich.table import Table
    from rich.text import Text

    from heddle.console import console

    for number, about in enumerate(tables):
        if number:
            console().print()
        console().print(Text(about["title"], style="bold cyan"))
        console().print(Text(f"Chosen is {about['choice']}.", style="dim"))
        table = Table(box=None, pad_edge=False, header_style="bold")
        extra = [name for name in about["rows"][0] if name not in ("name", "description", "when")]
        for title in ("name", "description", "when", *extra):
            table.add_column(title, overflow="fold", no_wrap=title == "name")
        for row in about["rows"]:
            table.add_row(row["name"], row["description"], row["when"], *(str(row[name]) for name in extra))
        console().print(table)
