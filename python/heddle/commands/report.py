"""heddle report: what a program sent, by which way, and where the time went; or what has changed from one run to another."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What HEDDLE_REPORT=FILE has written.", show_default=False)],
    after: Annotated[
        Optional[Path],
        typer.Argument(metavar="[FILE2]", help="A later one of the same program: what has changed.", show_default=False),
    ] = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", metavar="FILE", help="Write it there as a page.", show_default=False)
    ] = None,
    rows: Annotated[int, typer.Option("--rows", "-r", min=1, help="Show at most so many rows of each table.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as JSON, call sites resolved.")] = False,
) -> None:
    """Show what a program under Heddle sent: by datatype and by the way it took, where its MPI calls come from, and where the
    time went.

    Where output is no terminal each row is one line, to be searched by grep.

    \b
    HEDDLE_REPORT=r.json heddle run -n 4 -- ./app
    heddle report r.json
    heddle report r.json --html r.html
    heddle report before.json after.json             times before, after, ratio
    heddle report r.json --json | jq '.sites[0]'
    """
    from heddle import written
    from heddle.foreign import clean
    from heddle.problem import Problem
    from heddle.reported import both, export, page, rows_of, table

    found = rows_of(file)
    if after:
        if html:
            raise Problem("--html draws one report. `heddle compare --html FILE -- ...` draws a comparison.", code=2)
        later = rows_of(after)
        if as_json:
            print(json.dumps(both.as_json(found, later), indent=2))
        else:
            both.show(found, later, rows)
        return
    if html:
        try:
            written.write(html, page.draw(found, clean(str(file))))
        except OSError as error:
            raise Problem(f"cannot write {html} ({error.strerror}). Name a place that can be written.") from None
    if as_json:
        print(json.dumps(export.as_json(found), indent=2))
        return
    table.show(found, rows)
    if html:
        print(f"\nThe page is in {clean(str(html))}.")
