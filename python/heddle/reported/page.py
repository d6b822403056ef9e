"""A report as one HTML page, by report.html.j2."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from heddle.pages import Table, render

from . import PARTS, Found, Row, drawings, table, waits
from .advice import advice
from .carried import nothing
from .datatypes import Datatypes
from .drawings import COLOURS
from .estimate import Estimates, estimate
from .imbalance import latest
from .lines import missing
from .sections import about_sections
from .table import ALGORITHMS, KEPT, MAILED, PROCEDURES, SITES, shown_places
from .words import duration

MEANING = {
    "search": "analysing the datatype, choosing the way",
    "pack": "copying data out of the program's buffer",
    "wait": "waiting for the other side",
    "copy": "copying data to their place in the program's buffer",
}
CALL = "call"
TEXTS = {*table.TEXTS, CALL}
BELOW = ("ranks differ", "why")  # not columns of the page
ROWS = ("datatype", CALL, *(head for head in table.ROWS[1:] if head not in BELOW))
WIDTH = 960  # pixels of the columns of sizes


def _table(heads: Sequence[str], lines: Sequence[Sequence], **more) -> Table:
    return Table.of(heads, lines, TEXTS, **more)


def _call(named: dict[str, str]) -> str:
    """The procedure, and below it its place and its communicator."""
    called = ", ".join(filter(None, (named.pop("procedure"), named.pop("side", ""))))
    return "\n".join(filter(None, (called, named.pop("from"), named.pop("communicator", ""))))


def _stacked(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """Puts procedure, side, place and communicator into one column."""
    rows = []
    for cells in lines:
        named = dict(zip(heads, cells))
        rows.append({CALL: _call(named)} | named)
    return _table(list(rows[0]), [list(row.values()) for row in rows])


def _rows(found: Found, where: dict, estimates: Estimates, types: Datatypes) -> Table:
    """The carried data. Parts are times, not shares, with the times of the ranks that spent least
    and most."""
    lines = []
    for row, cells in zip(found.rows, table.rows(found, where, estimates)):
        named = dict(zip(table.ROWS, cells)) | {part: _part(row, part) for part in PARTS}
        named |= {"datatype": types.of(row.named, row.datatype, row.extent, row.lower_bound), CALL: _call(named)}
        lines.append([named[head] for head in ROWS if head in named])
    heads = [head for head in ROWS if head in named]
    heads, lines = table.without_empty(heads, lines, ("library alone",))
    return _table(heads, lines, below=[table.why(row) for row in found.rows])


def _part(row: Row, part: str) -> str:
    """The time of a part over all ranks. Below it are the least and the most of a rank."""
    return f"{duration(row.times[part])}\n{table.part_of_a_rank(row, part)}".strip().replace(" to ", "\nto ")


def _run(found: Found) -> dict[str, str]:
    """The facts about the run."""
    run = found.run
    return {
        "command": shlex.join(run["command"]) if isinstance(run.get("command"), list) else "",
        "MPI": run.get("mpi", ""),
        "ranks": f"{found.ranks:,}, rank 0 on {run['host']}" if run.get("host") else f"{found.ranks:,}",
        "date": run.get("date", ""),
        "Heddle": f"{run.get('version', '')} ({found.heddle})",
        "settings": ", ".join(f"{name}={value}" for name, value in run.get("settings", {}).items()),
        "time": f"{duration(found.elapsed_us)} from MPI_Init to MPI_Finalize" if found.elapsed_us else "",
    }


def _procedures(found: Found, where: dict) -> dict | None:
    if not found.procedures:
        return None
    heads, lines = table.without_empty(PROCEDURES, table.procedures(found), table.CAME_OF_IT)
    late = latest(found)
    waited = waits.waits_of(found)
    notes = [late.sentence] if late else []
    notes += [waited.sentence(where)] if waited else []
    return {"title": table.title(found), "table": _table(heads, lines, sum_last=True), "notes": notes}


def _carried(found: Found, where: dict, estimates: Estimates, types: Datatypes) -> dict | None:
    if not found.rows:
        return None
    waiting = sum(row.times["wait"] for row in found.rows)
    took = (
        f"{duration(found.time)} in all, summed over the ranks; without waiting {duration(found.time - waiting)}. "
        f"{table.PHASES} {estimates.sentence}"
    )
    key = {part: (COLOURS[part], MEANING[part]) for part in PARTS}
    return {"took": took, "key": key, "chart": drawings.by_datatype(found, where, types), "legend": PICTURES}


PICTURES = (
    "A picture shows the memory up to the last byte of a datatype, in rows of its largest stride, or of several strides. "
    "Colours are bytes with data, from blue (packed first) to yellow (packed last); paler ones have holes between them."
)


def _ranks(found: Found) -> dict | None:
    if len(found.by_rank) <= 1:
        return None
    return {
        "chart": drawings.by_rank(found),
        "matrix": drawings.matrix(found),
        "waits": drawings.waits(found),
        "reasons": waits.MEANING,
        "unlogged": waits.unlogged(found),
        "left_out": len(found.by_rank) > drawings.MOST_RANKS,
        "shown": drawings.MOST_RANKS,
        "all": f"{len(found.by_rank):,}",
    }


def _tables(found: Found, where: dict, estimates: Estimates, types: Datatypes) -> list[tuple[str, str, Table]]:
    """Titles, what they are about, and the tables."""
    tables = []
    if found.rows:
        about = "Times are sums over the ranks. Below each are the least and the most that a rank spent. " + table.PHASES
        tables.append(("What Heddle carried", about, _rows(found, where, estimates, types)))
    if found.sites:
        tables.append(("All call sites", table.units(found), _stacked(SITES, table.sites(found, where))))
    if found.algorithms:
        about = "The collectives that Heddle has looked at, with their algorithms and the bytes of a rank: least, most, median."
        lines = table.without_empty(ALGORITHMS, table.algorithms(found, where), ALGORITHMS[-2:])
        tables.append(("Collectives", about, _stacked(*lines)))
    if found.mailed:
        about = "Blocks that were published in memory that both ranks have mapped, or retracted because a message was expected."
        tables.append(("Short blocks within a node", about, _table(MAILED, table.mailed(found))))
    if found.communicators:
        tables.append(
            ("Communicators", table.about_communicators(found), _table(KEPT, [table.kept(one) for one in found.communicators]))
        )
    return tables


def draw(found: Found, source: str) -> str:
    estimates = estimate(found)
    where = shown_places(found)
    types = Datatypes()
    sites = {
        "mean": duration(found.in_mpi.mean),
        "chart": drawings.by_site(found, where),
        "sizes": drawings.sizes(found, WIDTH),
    }
    return render(
        "reported/report.html.j2",
        source=source,
        types=types,
        plain=drawings.PLAIN,
        facts=_run(found),
        units=table.units(found),
        procedures=_procedures(found, where),
        carried=_carried(found, where, estimates, types),
        nothing=nothing(found) if not found.rows else "",
        hints=[one.sentence for one in advice(found, where=where)],
        remarks=[said for said in (missing(where), about_sections(found, where)) if said],
        sites=sites if found.sites else None,
        ranks=_ranks(found),
        tables=_tables(found, where, estimates, types),
    )
