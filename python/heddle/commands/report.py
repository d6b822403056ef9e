"""heddle report: what a program sent, by which way, and where the time went."""

from pathlib import Path
from typing import Annotated, Optional

import typer


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What HEDDLE_REPORT=FILE has written.", show_default=False)],
    html: Annotated[
        Optional[Path], typer.Option("--html", metavar="FILE", help="Write it there as a page.", show_default=False)
    ] = None,
    rows: Annotated[int, typer.Option("--rows", "-r", min=1, help="Show at most so many rows.")] = 20,
) -> None:
    """Show what a program under Heddle sent: by datatype and by the way it took, and where the time went.

    \b
    HEDDLE_REPORT=r.json heddle run -n 4 -- ./app
    heddle report r.json
    heddle report r.json --html r.html
    """
    from heddle.problem import Problem
    from heddle.reported import page, rows_of, table

    found = rows_of(file)
    if html:
        try:
            html.write_text(page.draw(found, str(file)), encoding="utf-8")
        except OSError as error:
            raise Problem(f"cannot write {html} ({error.strerror}).") from None
    table.show(found, rows)
    if html:
        print(f"\nThe page is in {html}.")
