"""heddle env: the HEDDLE_ variables."""

import json
from typing import Annotated, Optional

import typer


def completed(incomplete: str) -> list[tuple[str, str]]:
    """The values with which a shell completes NAME."""
    from heddle import native

    rows = native.ask("settings", "--json")[0]
    return [(row["name"], row["meaning"]) for row in rows if row["name"].startswith(incomplete)]


def env(
    names: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="NAME",
            help="Only these variables, or all whose names contain this word.",
            show_default=False,
            autocompletion=completed,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List every HEDDLE_ variable: its default, its meaning, its value now, and the place that sets
    it.

    The environment sets variables. NAME=VALUE lines of
    ~/.config/heddle/heddle.conf, or of the file that HEDDLE_CONFIG names, set
    the rest. Lines of /etc/heddle/heddle.conf come last.

    If the output is no terminal, each variable is one line, for grep.

    \b
    heddle env                    all variables
    heddle env HEDDLE_SCHEME      one variable
    heddle env report trace       the variables of reports and traces

    Heddle reports unknown variables and impossible values, here and at the
    start of a program.
    """
    from heddle import native

    rows = native.tool("settings", "--json")
    if names:
        rows = _named(rows, names)
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


def _named(rows: list[dict], names: list[str]) -> list[dict]:
    """The rows with these names. A word that is no name selects all names that contain it."""
    from heddle import near
    from heddle.problem import Problem

    chosen = []
    for name in names:
        wanted = name.upper()
        found = [row for row in rows if row["name"] == wanted] or [row for row in rows if wanted in row["name"]]
        if not found:
            slip = near.closest(wanted.removeprefix("HEDDLE_"), [row["name"].removeprefix("HEDDLE_") for row in rows])
            hint = f" Did you mean HEDDLE_{slip}?" if slip else ""
            raise Problem(f"there is no HEDDLE_ variable called {name}.{hint} `heddle env` lists all of them.", code=2)
        chosen += [row for row in found if row not in chosen]
    return chosen
