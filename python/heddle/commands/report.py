"""heddle report: shows a program's time in MPI and the messages that Heddle carried, or the changes
from one run to another."""

import json
from pathlib import Path
from typing import Annotated, Optional

import typer


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A report, written by HEDDLE_REPORT=FILE.", show_default=False)],
    after: Annotated[
        Optional[Path],
        typer.Argument(metavar="[FILE2]", help="A later report of the same program: show the changes.", show_default=False),
    ] = None,
    html: Annotated[
        Optional[Path], typer.Option("--html", metavar="FILE", help="Write the report as a page.", show_default=False)
    ] = None,
    rows: Annotated[int, typer.Option("--rows", "-r", min=1, help="Show at most so many rows of each table.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as JSON, call sites resolved.")] = False,
) -> None:
    """Show the time of a program in all of MPI, by procedure and call site. Also show the messages
    that Heddle carried, by datatype and scheme.

    If the output is no terminal, each row is one line, for grep.

    \b
    HEDDLE_REPORT=r.json heddle run -n 4 -- ./app
    heddle report r.json
    heddle report r.json --html r.html
    heddle report before.json after.json             times before, after, ratio
    heddle report r.json --json | jq '.sites[0]'
    """
    from heddle import pages, written
    from heddle.foreign import clean
    from heddle.problem import Problem
    from heddle.reported import both, export, page, table
    from heddle.reported.reading import rows_of

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
        pages.require()
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
