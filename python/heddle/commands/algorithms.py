"""heddle algorithms: the algorithms that Heddle chooses from."""

import json
from typing import Annotated

import typer


def algorithms(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List the algorithms, formats and protocols that Heddle chooses from, and their cases."""
    from heddle import native

    tables = native.tool("algorithms", "--json")
    if as_json:
        print(json.dumps(tables, indent=2))
        return

    from heddle import listing

    for number, about in enumerate(tables):
        if number:
            print()
        print(about["title"])
        print(listing.prose(f"Choice: {about['choice']}."))
        extra = [name for name in about["rows"][0] if name not in ("name", "description", "when")]
        rows = [[str(row[name]) for name in ("name", "description", "when", *extra)] for row in about["rows"]]
        listing.show(("name", "description", "when", *extra), rows, wraps=("description", "when", *extra))
