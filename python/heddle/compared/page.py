"""A comparison as one HTML page for a ticket or a talk: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

from html import escape

from heddle.reported.page import STYLE, table_of
from heddle.reported.words import amount, duration

from . import INK, Carried, Compared
from .outputs import Line
from .text import ONE_RUN, doubts, gain_sentence, output_sentence, seconds, site

MOST_BARS = 12
LEFT, WIDTH, RIGHT = 190, 560, 130
SITES = ("procedure", "from", "datatype", "calls", "without Heddle", "with Heddle")
MORE = """
.gain { font-size: 1.25em; margin: .6em 0 } .facts td:first-child { color: #666; white-space: nowrap; width: 1% }
tr.sum td { font-weight: 600; border-top: 2px solid #999 !important } text { fill: #222 } figure { max-width: 60em }
figure + table { margin-top: 1em }
"""


def _svg(height: float, title: str, lines: list[str]) -> str:
    head = f'<svg viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" role="img" aria-label="{escape(title)}" font-size="13">'
    return "\n".join([head, f"<title>{escape(title)}</title>", *lines, "</svg>"])


def _words(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _times(found: Compared) -> str:
    """A bar to the median, and a dot for every run. The runs of a round have the same height."""
    sides = {
        "without Heddle": ([one.without_s for one in found.rounds], found.without.median),
        "with Heddle": ([one.with_s for one in found.rounds], found.with_heddle.median),
    }
    longest = max(max(values) for values, _ in sides.values())
    pitch, thick = 58, 38
    lines = []
    for i, (name, (values, median)) in enumerate(sides.items()):
        top = 6 + i * pitch
        lines.append(_words(LEFT - 10, top + thick / 2 + 5, name, "end"))
        size = f'width="{WIDTH * median / longest:.2f}" height="{thick}"'
        lines.append(f'<rect x="{LEFT}" y="{top}" {size} fill="{INK[name]}" fill-opacity=".3"/>')
        for j, value in enumerate(values):
            y = top + thick * (j + 0.5) / len(values)
            place = f'cx="{LEFT + WIDTH * value / longest:.2f}" cy="{y:.2f}" r="4"'
            lines.append(f'<circle {place} fill="{INK[name]}"><title>round {j + 1}: {escape(seconds(value))}</title></circle>')
        right = LEFT + WIDTH * max(*values, median) / longest
        lines.append(_words(right + 12, top + thick / 2 + 5, f"median {seconds(median)}"))
    return _svg(6 + 2 * pitch - 14, "wall time of every run", lines)


def _bars(found: Compared) -> str:
    rows = [row for row in found.calls[:MOST_BARS] if max(row.without_us, row.with_us) > 0]
    if not rows:
        return ""
    longest = max(max(row.without_us, row.with_us) for row in rows)
    pitch, thick, lines = 44, 15, []
    for i, row in enumerate(rows):
        top = 4 + i * pitch
        lines.append(_words(LEFT - 10, top + thick + 5, row.name, "end"))
        for j, (name, value) in enumerate(zip(INK, (row.without_us, row.with_us))):
            y, length = top + j * (thick + 1), WIDTH * value / longest
            lines.append(f'<rect x="{LEFT}" y="{y}" width="{length:.2f}" height="{thick}" fill="{INK[name]}"/>')
            lines.append(_words(LEFT + length + 8, y + 12, duration(value)))
    return f"<figure>{_svg(4 + pitch * len(rows), 'time in MPI calls', lines)}</figure>"


def _calls(found: Compared) -> str:
    notes = "".join(f"<p>{escape(note)}</p>" for note in found.notes)
    if not found.calls:
        return notes
    rows = [(one.name, f"{one.calls:,}", duration(one.without_us), duration(one.with_us)) for one in found.calls]
    sums = sum(one.without_us for one in found.calls), sum(one.with_us for one in found.calls)
    rows.append(("all of these", f"{sum(one.calls for one in found.calls):,}", *map(duration, sums)))
    said = f"<h2>Time of a rank in MPI calls, on average</h2><p>{ONE_RUN}</p>{_bars(found)}"
    said += table_of(("procedure", "calls", "without Heddle", "with Heddle"), rows, sum_last=True)
    if any(one.place for one in found.sites):
        said += "<h2>By call site</h2>"
        said += table_of(SITES, [site(one) for one in found.sites])
    if found.carried:
        rows = [
            (_datatype(one), _call(one), one.way, f"{one.calls:,}", amount(one.bytes), duration(one.us))
            for one in found.carried
        ]
        said += "<h2>What Heddle carried</h2>"
        said += table_of(("datatype", "call", "way", "calls", "bytes", "time of a rank"), rows)
    return said + notes


def _datatype(one: Carried) -> str:
    return f"{one.datatype_name}\n{one.datatype}" if one.datatype_name else one.datatype


def _call(one: Carried) -> str:
    return f"{one.called}\n{one.place}" if one.place else one.called


def _outputs(found: Compared) -> str:
    lines = []
    for one in found.outputs:
        pairs = [(name, line) for name, line in (("without", one.without), ("with", one.with_heddle)) if line]
        shown = "".join(f"<br>{name}: <code>{escape(_line(line))}</code>" for name, line in pairs) if one.without else ""
        lines.append(f"<li>{escape(one.name)}: {escape(output_sentence(found, one))}{shown}</li>")
    return f"<h2>What it wrote</h2><ul>{''.join(lines)}</ul>"


def _line(line: Line) -> str:
    return f"{line.number}: {line.text}" if line.number else line.text


def _facts(found: Compared) -> str:
    settings = " ".join(f"{name}={value}" for name, value in found.settings.items()) or "none"
    facts = {
        "command": found.command,
        "MPI": found.mpi or "not known",
        "Heddle": found.heddle,
        "settings": settings,
        "machine": found.machine,
        "date": found.date,
        "rounds": f"{len(found.rounds)}, each with a run of both ways in random order",
        "interval": "of the median of the rounds' ratios, at least 95 % (sign test)",
    }
    lines = [f"<tr><td>{name}</td><td><code>{escape(value)}</code></td></tr>" for name, value in facts.items()]
    return f'<table class="facts">{"".join(lines)}</table>'


def draw(found: Compared) -> str:
    key = "".join(f'<i><span style="background:{colour}"></span>{name}</i> ' for name, colour in INK.items())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>With Heddle and without: {escape(found.command)}</title>
<style>{STYLE}{MORE}</style></head><body>
<h1>With Heddle and without: <code>{escape(found.command)}</code></h1>
<p class="gain">{escape(gain_sentence(found))}</p>
{"".join(f"<p>{escape(doubt)}</p>" for doubt in doubts(found))}
<p class="key">{key}</p>
<h2>Wall time: every run, and the medians</h2>
<figure>{_times(found)}</figure>
{_outputs(found)}
{_calls(found)}
<h2>How it was measured</h2>
{_facts(found)}
</body></html>
"""
