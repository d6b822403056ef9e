"""A report as one HTML page: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

from html import escape

from . import PARTS, Found, Row, advice
from .table import KEPT, MAILED, PROCEDURES, amount, duration, kept, mailed, procedures, speed

COLOURS = {"search": "#b07aa1", "pack": "#4e79a7", "wait": "#c9c9c9", "copy": "#59a14f"}
MEANING = {
    "search": "what the datatype looks like, which way to take",
    "pack": "from the program's buffer to where it travels",
    "wait": "for the other side",
    "copy": "to its place in the program's buffer",
}
MOST_BARS = 24

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222 }
h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 2px solid #999 }
td, th { padding: .25em .7em .25em 0; vertical-align: top } td.n, th.n { text-align: right; white-space: nowrap }
tr + tr td { border-top: 1px solid #e4e4e4 } code { font-size: .92em; overflow-wrap: anywhere }
.key span { display: inline-block; width: .9em; height: .9em; margin: 0 .35em 0 1.2em; vertical-align: -.1em }
.key span:first-child { margin-left: 0 } figure { margin: 0 } svg { width: 100%; height: auto } li { margin: .4em 0 }
"""


def _bars(found: Found) -> str:
    """One bar a row, as long as its time, in the colours of its parts."""
    rows = [row for row in found.rows[:MOST_BARS] if row.time > 0]
    if not rows:
        return "<p>No time was counted.</p>"
    longest, pitch, left, width = max(row.time for row in rows), 26, 330, 560
    lines = [f'<svg viewBox="0 0 1000 {pitch * len(rows)}" role="img" aria-label="time by datatype and way">']
    for i, row in enumerate(rows):
        y, x = i * pitch, float(left)
        name = f"{row.call}, {row.way}: {row.datatype}"
        shown = name if len(name) <= 50 else name[:49] + "…"
        lines.append(f"<g><title>{escape(name)}</title>")
        lines.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end" font-size="12">{escape(shown)}</text>')
        for part in PARTS:
            length = width * row.times[part] / longest
            lines.append(f'<rect x="{x:.2f}" y="{y + 4}" width="{length:.2f}" height="18" fill="{COLOURS[part]}"/>')
            x += length
        lines.append(f'<text x="{x + 6:.2f}" y="{y + 17}" font-size="12">{escape(duration(row.time))}</text></g>')
    return "\n".join([*lines, "</svg>"])


def _line(row: Row) -> str:
    numbers = [
        f"{row.calls:,}",
        amount(row.bytes),
        duration(row.time),
        *(duration(row.times[part]) for part in PARTS),
        speed(row),
    ]
    words = "".join(f"<td>{cell}</td>" for cell in (f"<code>{escape(row.datatype)}</code>", escape(row.call), escape(row.way)))
    return f"<tr>{words}{''.join(f'<td class=n>{escape(cell)}</td>' for cell in numbers)}</tr>"


def _communicators(found: Found) -> str:
    if not found.communicators:
        return ""
    words = ("communicators", "kept as")
    sort = ["" if name in words else " class=n" for name in KEPT]
    head = "".join(f"<th{how}>{name}</th>" for name, how in zip(KEPT, sort))
    lines = [
        "<tr>" + "".join(f"<td{how}>{escape(cell)}</td>" for cell, how in zip(kept(one), sort)) + "</tr>"
        for one in found.communicators
    ]
    return f"""<h2>Who takes part</h2>
<p>Bytes of one communicator in a process, and of a list of its ranks.</p>
<table><thead><tr>{head}</tr></thead><tbody>
{chr(10).join(lines)}
</tbody></table>
"""


def _simple(heads: tuple[str, ...], all_cells: list[tuple[str, ...]]) -> str:
    """A table of names and numbers."""
    sort = ["", *[" class=n"] * (len(heads) - 1)]
    head = "".join(f"<th{how}>{escape(name)}</th>" for name, how in zip(heads, sort))
    lines = [
        "<tr>" + "".join(f"<td{how}>{escape(cell)}</td>" for cell, how in zip(cells, sort)) + "</tr>" for cells in all_cells
    ]
    return f"""<table><thead><tr>{head}</tr></thead><tbody>
{chr(10).join(lines)}
</tbody></table>
"""


def _procedures(found: Found) -> str:
    if not found.procedures:
        return ""
    return f"""<h2>Time in MPI calls</h2>
<p>Added up over the ranks. From MPI_Init to MPI_Finalize {escape(duration(found.elapsed_us))} passed.</p>
{_simple(PROCEDURES, procedures(found))}"""


def _mailed(found: Found) -> str:
    if not found.mailed:
        return ""
    return f"""<h2>Short blocks within a node</h2>
<p>Published in memory that both ranks have mapped, or retracted from there where a message was expected.</p>
{_simple(MAILED, mailed(found))}"""


def draw(found: Found, source: str) -> str:
    key = "".join(f'<span style="background:{COLOURS[part]}"></span>{part}: {escape(MEANING[part])}' for part in PARTS)
    titles = "".join(f"<th>{title}</th>" for title in ("datatype", "call", "way"))
    titles += "".join(f"<th class=n>{title}</th>" for title in ("calls", "bytes", "time", *PARTS, "GB/s"))
    hints = "".join(f"<li>{escape(sentence)}</li>" for sentence in advice(found))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle: {escape(source)}</title><style>{STYLE}</style></head><body>
<h1>Messages with holes: {escape(source)}</h1>
<p>{found.ranks} ranks, {escape(duration(found.time))} in all, added up over the ranks. Without waiting:
{escape(duration(found.time - sum(row.times["wait"] for row in found.rows)))}.</p>
<h2>Where the time went</h2>
<p class="key">{key}</p>
<figure>{_bars(found)}</figure>
{f"<h2>What would gain more</h2><ul>{hints}</ul>" if hints else ""}
<h2>All of it</h2>
<table><thead><tr>{titles}</tr></thead><tbody>
{chr(10).join(_line(row) for row in found.rows)}
</tbody></table>
{_mailed(found)}{_procedures(found)}{_communicators(found)}</body></html>
"""
