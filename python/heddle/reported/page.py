"""A report as one HTML page: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from html import escape

from . import PARTS, Found, Row, drawings, table
from .advice import advice
from .carried import nothing
from .drawings import COLOURS
from .estimate import Estimates, estimate
from .imbalance import latest
from .lines import about_fortran, missing
from .table import ALGORITHMS, KEPT, MAILED, PROCEDURES, SITES, shown_places
from .words import duration

MEANING = {
    "search": "analysing the datatype, choosing the way",
    "pack": "copying data out of the program's buffer",
    "wait": "waiting for the other side",
    "copy": "copying data to their place in the program's buffer",
}
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222 }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 2px solid #999 }
td, th { padding: .25em .7em .25em 0; vertical-align: top } .n { text-align: right } td.n { white-space: nowrap }
tr + tr td { border-top: 1px solid #e4e4e4 } code { font-size: .92em; overflow-wrap: anywhere }
.key span { display: inline-block; width: .9em; height: .9em; margin-right: .35em; vertical-align: -.1em }
.key i { display: inline-block; font-style: normal; margin-right: 1.2em }
figure { margin: 0 } svg { width: 100%; height: auto; min-width: 44em }
li { margin: .4em 0 } tr.sum td { font-weight: 600; border-top: 2px solid #999 }
dl { display: grid; grid-template-columns: max-content auto; gap: .1em 1em } dt { color: #666 } dd { margin: 0 }
.wide, figure { overflow-x: auto } .w, .w code { white-space: nowrap } .type { min-width: 13em } small { color: #666 }
.w small { display: inline-block; max-width: 32em; white-space: normal; overflow-wrap: break-word }
tr.why td { border: 0; color: #666; padding: 0 0 .4em 1em }
@media (max-width: 75em) { body { margin: 1em auto } table { font-size: 13px } .type { min-width: 11em }
  td, th { padding-right: .5em } }
@media (max-width: 55em) { table { font-size: 11px } .type { min-width: 9em } }
"""


CALL = "call"
BELOW = ("ranks differ", "why")  # not columns of the page


def table_of(heads: Sequence[str], lines: Sequence[Sequence[str]], below: Sequence[str] = (), sum_last: bool = False) -> str:
    """A table. The first line of a cell is the main one, further lines are small. `below`: a sentence under each row, or ""."""
    sort = [f" class={_sort(head, i == 0)}" for i, head in enumerate(heads)]
    head = "".join(f"<th{how}>{escape(name)}</th>" for name, how in zip(heads, sort))
    body = []
    for i, line in enumerate(lines):
        cells = "".join(f"<td{how}>{_cell(name, cell)}</td>" for name, cell, how in zip(heads, line, sort))
        body.append(f"<tr{' class=sum' if sum_last and i == len(lines) - 1 else ''}>{cells}</tr>")
        if below and below[i]:
            body.append(f'<tr class="why"><td colspan={len(heads)}>{escape(below[i])}</td></tr>')
    rows = "\n".join(body)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>\n'


def _sort(head: str, first: bool) -> str:
    """The style of a column. Only datatypes and reasons may be broken into lines."""
    if head in ("datatype", "why"):
        return "type"
    return "w" if head in table.TEXTS or head == CALL or first else "n"


def _cell(head: str, cell: str) -> str:
    first, *more = map(escape, cell.split("\n"))
    text = first + (f"<br><small>{'<br>'.join(more)}</small>" if more else "")
    return f"<code>{text}</code>" if head == "datatype" and text else text


def _call(named: dict[str, str]) -> str:
    """The procedure, and below it its place and its communicator."""
    called = ", ".join(filter(None, (named.pop("procedure"), named.pop("side", ""))))
    return "\n".join(filter(None, (called, named.pop("from"), named.pop("communicator", ""))))


def _stacked(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Puts procedure, side, place and communicator into one column."""
    rows = []
    for cells in lines:
        named = dict(zip(heads, cells))
        rows.append({CALL: _call(named)} | named)
    return list(rows[0]), [list(row.values()) for row in rows]


def _rows(found: Found, where: dict, estimates: Estimates) -> str:
    """The carried data. Parts are times, not shares, with the times of the ranks that spent least and most."""
    lines = []
    for row, cells in zip(found.rows, table.rows(found, where, estimates)):
        named = dict(zip(table.ROWS, cells)) | {part: _part(row, part) for part in PARTS}
        named["datatype"] = "\n".join(filter(None, (row.datatype_name, row.datatype)))
        lines.append([named[head] for head in table.ROWS if head not in BELOW])
    heads, lines = table.without_empty(
        [head for head in table.ROWS if head not in BELOW], lines, ("communicator", "side", "library alone")
    )
    return table_of(*_stacked(heads, lines), below=[row.why for row in found.rows])


def _part(row: Row, part: str) -> str:
    """The time of a part over all ranks. Below it are the least and the most of a rank."""
    return f"{duration(row.times[part])}\n{table.part_of_a_rank(row, part)}".strip().replace(" to ", "\nto ")


def _section(title: str, about: str, *bodies: str) -> str:
    body = "".join(bodies)
    return f"<h2>{escape(title)}</h2>\n<p>{escape(about)}</p>\n{body}\n" if body else ""


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>" if svg else ""


def _run(found: Found) -> str:
    """The facts about the run."""
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


def _all_calls(found: Found) -> str:
    if not found.procedures:
        return ""
    heads, lines = table.without_empty(PROCEDURES, table.procedures(found), table.CAME_OF_IT)
    late = latest(found)
    said = f"<p>→ {escape(late.sentence)}</p>\n" if late else ""
    return _section(table.title(found), table.units(found), table_of(heads, lines, sum_last=True), said)


def draw(found: Found, source: str) -> str:
    estimates = estimate(found)
    where = shown_places(found)
    key = "".join(f'<i><span style="background:{COLOURS[part]}"></span>{part}: {escape(MEANING[part])}</i> ' for part in PARTS)
    hints = "".join(f"<li>{escape(one.sentence)}</li>" for one in advice(found, where=where))
    waiting = sum(row.times["wait"] for row in found.rows)
    took = (
        f"{duration(found.time)} in all, summed over the ranks; without waiting {duration(found.time - waiting)}. "
        f"{table.PHASES} {estimates.sentence}"
    )
    bars = f'<p class="key">{key}</p>\n<figure>{drawings.by_datatype(found, where)}</figure>\n'
    parts = [
        _all_calls(found),
        f"<h2>Where Heddle's time went</h2>\n<p>{escape(took)}</p>\n{bars}"
        if found.rows
        else f"<p>{escape(nothing(found))}</p>\n",
        f"<h2>Changes that would gain more</h2><ul>{hints}</ul>\n" if hints else "",
    ]
    parts += [f"<p>{escape(said)}</p>\n" for said in (missing(where), about_fortran(where)) if said]
    if found.sites:
        about = f"Time in MPI calls, {duration(found.in_mpi.mean)} of a rank on average. Bars are means over the ranks."
        parts.append(_section("By call site", about, _figure(drawings.by_site(found, where))))
        about = "Calls by their bytes, sent or room to receive. A bar has the sizes from its label to the next label."
        parts.append(_section("By size", about, _figure(drawings.sizes(found))))
    if len(found.by_rank) > 1:
        about = "Time in MPI calls, and outside of them."
        if len(found.by_rank) > drawings.MOST_RANKS:
            about += f" The page shows those {drawings.MOST_RANKS} of {len(found.by_rank):,} ranks that spend least and most."
        parts.append(_section("By rank", about, _figure(drawings.by_rank(found))))
        about = "Bytes that sends and collectives give to each rank of MPI_COMM_WORLD."
        parts.append(_section("Who sends to whom", about, _figure(drawings.matrix(found))))
    if found.rows:
        about = "Times are sums over the ranks. Below each are the least and the most that a rank spent. " + table.PHASES
        parts.append(_section("What Heddle carried", about, _rows(found, where, estimates)))
    if found.sites:
        parts.append(_section("All call sites", table.units(found), table_of(*_stacked(SITES, table.sites(found, where)))))
    if found.algorithms:
        about = "The collectives that Heddle has looked at, with their algorithms and the bytes of a rank: least, most, median."
        lines = table.without_empty(ALGORITHMS, table.algorithms(found, where), ALGORITHMS[-2:])
        parts.append(_section("Collectives", about, table_of(*_stacked(*lines))))
    if found.mailed:
        about = "Blocks that were published in memory that both ranks have mapped, or retracted because a message was expected."
        parts.append(_section("Short blocks within a node", about, table_of(MAILED, table.mailed(found))))
    if found.communicators:
        about = "Bytes of one communicator in a process, and of a list of its ranks."
        parts.append(_section("Communicators", about, table_of(KEPT, [table.kept(one) for one in found.communicators])))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle: {escape(source)}</title><style>{STYLE}</style></head><body>
<h1>What Heddle did: {escape(source)}</h1>
{_run(found)}
{"".join(parts)}</body></html>
"""
