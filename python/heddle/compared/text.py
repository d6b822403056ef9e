"""A comparison on the terminal, and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from heddle import listing
from heddle.console import console, say, table_console
from heddle.foreign import clean
from heddle.reported.words import amount, duration

from . import VERSION, Carried, Compared, Failure, Site
from .outputs import Line, Output, Verdict
from .statistics import Meaning

MOST_ROWS = 10
SITES = ("time of a rank in", "from", "datatype", "calls", "without", "with", "")
CARRIED = ("carried by Heddle", "from", "call", "way", "calls", "bytes", "time of a rank")


def seconds(value: float) -> str:
    return duration(value * 1e6)


def gain_sentence(found: Compared) -> str:
    """The sentence that the wall times allow."""
    ratio, meaning = found.gain.ratio, found.gain.meaning
    if meaning is Meaning.single:
        return f"{ratio.median:.2f} × as fast with Heddle in one round; its scatter is not known"
    span = f"{ratio.least:.2f} – {ratio.most:.2f} in {len(found.rounds)} rounds"
    if meaning is Meaning.scatter:
        return f"no difference beyond the scatter ({span})"
    return f"{ratio.median:.2f} × as fast with Heddle ({span})" + ("; it is slower" if meaning is Meaning.slower else "")


def output_sentence(found: Compared, one: Output) -> str:
    """The sentence about one output."""
    but = " (less the lines of --ignore)" if found.ignored else ""
    if one.verdict is Verdict.unsteady:
        return "not steady by itself: the runs without Heddle differ among themselves, so the comparison proves nothing"
    if one.verdict is Verdict.reordered:
        return f"the same lines, in another order (ranks that print race each other){but}"
    return one.verdict.value + but


def ratio(without: float, ours: float) -> str:
    return f"{without / ours:.2f} ×" if without and ours else ""


def site(one: Site) -> tuple[str, ...]:
    """The cells of a line, in the order of SITES."""
    times = duration(one.without_us), duration(one.with_us), ratio(one.without_us, one.with_us)
    return (one.name, one.place, one.datatype, f"{one.calls:,}", *times)


def show(found: Compared) -> None:
    out = console()
    out.print(Text(found.command, style="bold"))
    facts = [found.mpi, f"Heddle {found.heddle}", *(f"{name}={value}" for name, value in found.settings.items())]
    out.print(Text(", ".join(filter(None, facts)), style="dim"))
    if found.failure:
        return _failure(found.failure)
    _times(found)
    for one in found.outputs:
        _output(found, one)
    _calls(found)
    for note in found.notes:
        out.print(Text(note, style="dim"), soft_wrap=True)
    return None


def _failure(failure: Failure) -> None:
    both = all(code != 0 for code in failure.codes)
    which = "with Heddle and without it" if both else "with Heddle alone" if failure.codes[1] != 0 else "without Heddle alone"
    console().print(Text(f"\nThe program fails {which}.", style="red"))
    for name, code, errors in zip(("without Heddle", "with Heddle"), failure.codes, failure.errors):
        console().print(f"{name}: {'no end in time' if code is None else f'exit code {code}'}")
        if code != 0 and errors:
            console().print(Text("\n".join(f"  {clean(line)}" for line in errors.splitlines()), style="dim"), soft_wrap=True)


def _times(found: Compared) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "median", "least", "most"):
        table.add_column(name, justify="right" if name else "left")
    for name, times in (("without Heddle", found.without), ("with Heddle", found.with_heddle)):
        table.add_row(name, *(seconds(value) for value in (times.median, times.least, times.most)))
    console().print()
    table_console().print(table)
    style = {Meaning.faster: "green", Meaning.slower: "yellow"}.get(found.gain.meaning, "")
    say(Text(gain_sentence(found), style=style))


def _output(found: Compared, one: Output) -> None:
    style = {Verdict.different: "red", Verdict.unsteady: "yellow"}.get(one.verdict, "")
    say(Text(f"\n{one.name}: {output_sentence(found, one)}", style=style))
    names = ("one run", "another") if one.verdict is Verdict.unsteady else ("without Heddle", "with Heddle")
    for name, line in zip(names, (one.without, one.with_heddle)):
        if line:
            console().print(Text(f"  {name:<16}{_line(line)}"), soft_wrap=True)


def _line(line: Line) -> str:
    return f"line {line.number}: {line.text}" if line.number else line.text or "has no line that the other output lacks"


def _calls(found: Compared) -> None:
    if not found.calls:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("time of a rank in", "calls", "without", "with", ""):
        table.add_column(name, justify="left" if name == "time of a rank in" else "right")
    for row in found.calls[:MOST_ROWS]:
        times = (duration(row.without_us), duration(row.with_us), ratio(row.without_us, row.with_us))
        table.add_row(row.name, f"{row.calls:,}", *times)
    sums = [sum(row.without_us for row in found.calls), sum(row.with_us for row in found.calls)]
    table.add_row(
        "all of these", f"{sum(row.calls for row in found.calls):,}", *map(duration, sums), ratio(*sums), style="bold"
    )
    console().print()
    table_console().print(table)
    if any(one.place for one in found.sites):
        cells = [site(one) for one in found.sites[:MOST_ROWS]]
        console().print()
        listing.show(SITES, cells, above=("from", "datatype"), right=SITES[3:])
    cells = [
        (row.datatype_name or row.datatype, row.place, row.called, row.way, *_amounts(row)) for row in found.carried[:MOST_ROWS]
    ]
    if cells:
        console().print()
        listing.show(CARRIED, cells, above=CARRIED[:2], right=CARRIED[4:])


def _amounts(row: Carried) -> tuple[str, str, str]:
    return f"{row.calls:,}", amount(row.bytes), duration(row.us)


def as_json(found: Compared) -> str:
    raw = {"heddle_compare": VERSION, **asdict(found)}
    if found.failure is None:
        raw["gain"] = asdict(found.gain)
        raw["times"] = {"without_s": asdict(found.without), "with_s": asdict(found.with_heddle)}
    raw["outputs"] = [asdict(one) | {"verdict": one.verdict.name} for one in found.outputs]
    if "gain" in raw:
        raw["gain"]["meaning"] = found.gain.meaning.name
    return json.dumps(raw, indent=1, ensure_ascii=False) + "\n"
