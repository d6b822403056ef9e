"""A report as one HTML page: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape

from . import PARTS, Found, Row, drawings, table
from .advice import advice
from .drawings import COLOURS
from .estimate import Estimates, estimate
from .table import ALGORITHMS, KEPT, MAILED, PROCEDURES, SITES, shown_places
from .words import duration

MEANING = {
    "search": "what the datatype looks like, which way to take",
    "pack": "from the program's buffer to where it travels",
    "wait": "for the other side",
    "copy": "to its place in the program's buffer",
}
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 2px solid #999 }
td, th { padding: .25em .7em .25em 0; vertical-align: top } td.n, th.n { text-align: right; white-space: nowrap }
tr + tr td { border-top: 1px solid #e4e4e4 } code { font-size: .92em; overflow-wrap: anywhere }
.key span { display: inline-block; width: .9em; height: .9em; margin: 0 .35em 0 1.2em; vertical-align: -.1em }
.key span:first-child { margin-left: 0 } figure { margin: 0 } svg { width: 100%; height: auto } li { margin: .4em 0 }
dl { display: grid; grid-template-columns: max-content auto; gap: .1em 1em } dt { color: #666 } dd { margin: 0 }
.wide { overflow-x: auto } td.w { white-space: nowrap } small { color: #666 }
"""


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    sort = [
        " class=w"
        if head in ("way", "call", "algorithm")
        else ""
        if head in table.TEXTS or head == "why" or i == 0
        else " class=n"
        for i, head in enumerate(heads)
    ]
    head = "".join(f"<th{how}>{escape(name)}</th>" for name, how in zip(heads, sort))
    body = "\n".join(
        "<tr>" + "".join(f"<td{how}>{_cell(name, cell)}</td>" for name, cell, how in zip(heads, cells, sort)) + "</tr>"
        for cells in lines
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>\n'


def _cell(head: str, cell: str) -> str:
    if head in PARTS:
        whole, _, of_a_rank = cell.partition("\n")
        lines = escape(of_a_rank).replace(" to ", "<br>to ")  # there are many columns
        return escape(whole) + (f"<br><small>{lines}</small>" if lines else "")
    return f"<code>{escape(cell)}</code>" if head in ("datatype", "from") and cell else escape(cell)


def _rows(found: Found, where: dict, estimates: Estimates) -> str:
    """Times of the parts in full, not as shares, and those of the ranks that spent least and most."""
    shown = table.ROWS[:-1]
    lines = [
        [*cells[:7], *(_part(row, part) for part in PARTS), *cells[11:-1]]
        for row, cells in zip(found.rows, table.rows(found, where, estimates))
    ]
    return _table(*table.without_empty(shown, lines, table.ROWS[-2:]))


def _part(row: Row, part: str) -> str:
    """Of all ranks; below it that of the rank that spent least and of the one that spent most."""
    return f"{duration(row.times[part])}\n{table.part_of_a_rank(row, part)}".strip()


def _section(title: str, about: str, *bodies: str) -> str:
    body = "".join(bodies)
    return f"<h2>{escape(title)}</h2>\n<p>{escape(about)}</p>\n{body}\n" if body else ""


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>" if svg else ""


def _run(found: Found) -> str:
    """What the run was."""
    run = found.run
    known = {
        "command": shlex.join(run["command"]) if isinstance(run.get("command"), list) else "",
        "MPI": run.get("mpi", ""),
        "ranks": f"{found.ranks:,}, rank 0 on {run['host']}" if run.get("host") else f"{found.ranks:,}",
        "date": run.get("date", ""),
        "Heddle": f"{run.get('version', '')} ({found.heddle})",
        "settings": ", ".join(f"{name}={value}" for name, value in run.get("settings", {}).items()),
        "time": f"{duration(found.elapsed_us)} from MPI_Init to MPI_Finalize" if found.elapsed_us else "",
    }
    lines = "".join(f"<dt>{escape(what)}</dt><dd><code>{escape(str(is_))}</code></dd>" for what, is_ in known.items() if is_)
    return f"<dl>{lines}</dl>"


def draw(found: Found, source: str) -> str:
    estimates = estimate(found)
    where = shown_places(found)
    key = "".join(f'<span style="background:{COLOURS[part]}"></span>{part}: {escape(MEANING[part])}' for part in PARTS)
    hints = "".join(f"<li>{escape(one.sentence)}</li>" for one in advice(found))
    waiting = sum(row.times["wait"] for row in found.rows)
    parts = [
        f"<h2>Data with holes: where Heddle's time went</h2>\n<p>{escape(duration(found.time))} in all, added up over the "
        f"ranks; without waiting {escape(duration(found.time - waiting))}. {escape(estimates.sentence)}</p>\n"
        f'<p class="key">{key}</p>\n'
        f"<figure>{drawings.by_datatype(found)}</figure>\n",
        f"<h2>What would gain more</h2><ul>{hints}</ul>\n" if hints else "",
    ]
    if found.sites:
        total = sum(one.us for one in found.sites)
        about = f"Time in MPI calls, {duration(total)} added up over the ranks."
        parts.append(_section("By call site", about, _figure(drawings.by_site(found, where))))
        about = "What the calls send, or have room for: how many of how many bytes. Each bar reaches to the next one's."
        parts.append(_section("By size", about, _figure(drawings.sizes(found))))
    if len(found.by_rank) > 1:
        about = "Time in MPI calls, and outside of them."
        if len(found.by_rank) > drawings.MOST_RANKS:
            about += f" Of {len(found.by_rank):,} ranks the {drawings.MOST_RANKS} that spend least and most."
        parts.append(_section("By rank", about, _figure(drawings.by_rank(found))))
        about = "Bytes that sends and collectives give to each rank of MPI_COMM_WORLD."
        parts.append(_section("Who sends to whom", about, _figure(drawings.matrix(found))))
    if found.rows:
        about = (
            "Times are added up over the ranks; below them those of the rank that spent least and of the one that spent most."
        )
        parts.append(_section("All data with holes", about, _rows(found, where, estimates)))
    if found.sites:
        parts.append("<h2>All call sites</h2>\n" + _table(SITES, table.sites(found, where)))
    if found.algorithms:
        about = "Those that Heddle has looked at, the algorithm chosen, and what a rank has given to them: least, most, median."
        lines = table.without_empty(ALGORITHMS, table.algorithms(found, where), ALGORITHMS[-2:])
        parts.append(_section("Collectives", about, _table(*lines)))
    if found.mailed:
        about = "Published in memory that both ranks have mapped, or retracted from there where a message was expected."
        parts.append(_section("Short blocks within a node", about, _table(MAILED, table.mailed(found))))
    if found.procedures:
        about = f"Added up over the ranks. From MPI_Init to MPI_Finalize {duration(found.elapsed_us)} passed."
        parts.append(_section("Time in MPI calls", about, _table(PROCEDURES, table.procedures(found))))
    if found.communicators:
        about = "Bytes of one communicator in a process, and of a list of its ranks."
        parts.append(_section("Who takes part", about, _table(KEPT, [table.kept(one) for one in found.communicators])))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle: {escape(source)}</title><style>{STYLE}</style></head><body>
<h1>What Heddle did: {escape(source)}</h1>
{_run(found)}
{"".join(parts)}</body></html>
"""
