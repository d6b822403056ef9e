"""A comparison on the terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from heddle import listing
from heddle.console import console, say, table_console
from heddle.foreign import clean
from heddle.reported.words import amount, counted, duration, shortened
from heddle.verdict import Meaning

from . import VERSION, Carried, Compared, Failure, Site
from .outputs import Line, Output, Verdict

MOST_ROWS = 10
SITES = ("time of a rank in", "from", "datatype", "calls", "without", "with")
CARRIED = ("carried by Heddle", "from", "call", "way", "calls", "bytes", "time of a rank")


def seconds(value: float) -> str:
    return duration(value * 1e6)


ONE_RUN = (
    "Times of a rank in MPI calls: one more run of each way, with a report that takes time itself. A single run has no "
    "scatter, so these times tell where the time goes. They do not tell the gain."
)

NO_CALL = "Heddle has carried no call, so the difference is start-up cost or chance"
NOT_LOOKED = "The calls were not looked at (--no-calls), so it is not known whether Heddle has carried any."


def gain_sentence(found: Compared) -> str:
    """The sentence that the wall times allow."""
    gain = found.gain
    if gain.meaning in (Meaning.few, Meaning.unknown):
        return gain.words
    how = f"{gain.span} in {gain.rounds} rounds, p = {gain.p:.2g}"
    if gain.meaning is Meaning.same:
        return f"{gain.meaning.value} ({how})"
    if found.carries is False:
        return f"{NO_CALL}: runs with Heddle loaded were {gain.number} × as fast ({how})"
    return f"{gain.number} × as fast with Heddle ({how})" + ("; it is slower" if gain.meaning is Meaning.slower else "")


def doubts(found: Compared) -> list[str]:
    """Reasons to doubt the times: rounds unlike the others, other work on the machine, and a
    difference without a look at the calls."""
    far = [(f"{i + 1}", found.rounds[i]) for i in found.outliers]
    each = "; ".join(f"round {i}: without Heddle {seconds(one.without_s)}, with Heddle {seconds(one.with_s)}" for i, one in far)
    said = f"Unlike the other rounds, and counted like them: {each}." if far else ""
    busy = f"{found.others} More rounds narrow the bracket: --rounds {2 * len(found.rounds) + 1}." if found.others else ""
    return [*filter(None, (said, busy, NOT_LOOKED if found.gain.seen and not found.looked else ""))]


def output_sentence(found: Compared, one: Output) -> str:
    """The sentence about one output."""
    but = " (less the lines of --ignore)" if one.left_out else ""
    if one.verdict is Verdict.unsteady:
        said = "not steady by itself: the runs without Heddle differ among themselves, so "
        return f"{said}the comparison of {one.name} proves nothing; the times stand"
    if one.verdict is Verdict.reordered:
        return f"equal lines, in another order (ranks that print race each other){but}"
    return one.verdict.value + but


def site(one: Site) -> tuple[str, ...]:
    """The cells of a line, in the order of SITES."""
    return (one.name, one.place, one.datatype, f"{one.calls:,}", duration(one.without_us), duration(one.with_us))


def show(found: Compared) -> None:
    show_rounds(found)
    if not found.failure:
        show_calls(found)


def show_rounds(found: Compared) -> None:
    """The times, the verdict and the outputs; or else the failure."""
    out = console()
    out.print(Text(found.command, style="bold"))
    facts = [found.mpi, f"Heddle {found.heddle}", *(f"{name}={value}" for name, value in found.settings.items())]
    out.print(Text(", ".join(filter(None, facts)), style="dim"))
    if found.failure:
        return _failure(found.failure)
    _times(found)
    for one in found.outputs:
        _output(found, one)
    out.file.flush()  # a pipe's reader need not wait for the calls
    return None


def show_calls(found: Compared, told: Compared | None = None) -> None:
    """@param told: what show_rounds has said before the runs for the calls, which may take the
    difference from Heddle."""
    if told and told.carries is None and found.carries is False and found.gain.seen:
        say(Text(f"\n{NO_CALL}.", style="yellow"))
    _calls(found)
    for note in found.notes:
        console().print(Text(note, style="dim"), soft_wrap=True)


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
    styles = {Meaning.faster: "green", Meaning.slower: "yellow"}
    style = "" if found.carries is False else styles.get(found.gain.meaning, "")
    say(Text(gain_sentence(found), style=style))
    for doubt in doubts(found):
        say(Text(doubt, style="yellow"))


def _output(found: Compared, one: Output) -> None:
    style = {Verdict.different: "red", Verdict.unsteady: "yellow"}.get(one.verdict, "")
    say(Text(f"\n{one.name}: {output_sentence(found, one)}", style=style))
    for name, line in differences(one):
        console().print(Text(f"  {name:<16}{line}"), soft_wrap=True)


def differences(one: Output) -> list[tuple[str, str]]:
    """The first lines that differ, each with the name of its run."""
    names = ("one run", "another") if one.verdict is Verdict.unsteady else ("without Heddle", "with Heddle")
    return [(name, _line(line)) for name, line in zip(names, (one.without, one.with_heddle)) if line]


def _line(line: Line) -> str:
    return f"line {line.number}: {line.text}" if line.number else line.text or "has no line that the other output lacks"


def _calls(found: Compared) -> None:
    if not found.calls:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("time of a rank in", "calls", "without", "with"):
        table.add_column(name, justify="left" if name == "time of a rank in" else "right")
    for row in found.calls[:MOST_ROWS]:
        table.add_row(row.name, f"{row.calls:,}", duration(row.without_us), duration(row.with_us))
    sums = [sum(row.without_us for row in found.calls), sum(row.with_us for row in found.calls)]
    table.add_row("in all", f"{sum(row.calls for row in found.calls):,}", *map(duration, sums), style="bold")
    console().print()
    say(Text(ONE_RUN))
    table_console().print(table)
    _more(found.calls)
    if any(one.place for one in found.sites):
        cells = [site(one) for one in found.sites[:MOST_ROWS]]
        console().print()
        listing.show(SITES, cells, above=("from", "datatype"), right=SITES[3:])
        _more(found.sites)
    cells = [
        (row.datatype_name or shortened(row.datatype), row.place, row.called, row.way, *_amounts(row))
        for row in found.carried[:MOST_ROWS]
    ]
    if cells:
        console().print()
        listing.show(CARRIED, cells, above=CARRIED[:2], right=CARRIED[4:])
        _more(found.carried)


def _more(rows: Sequence) -> None:
    left = len(rows) - MOST_ROWS
    if left > 0:
        print(f"… {counted(left, 'more row')}; --json FILE has all of them")


def _amounts(row: Carried) -> tuple[str, str, str]:
    return f"{row.calls:,}", amount(row.bytes), duration(row.us)


def as_json(found: Compared, encoding: str = "utf-8") -> str:
    """`encoding`: of the output. If it is not UTF-8, all letters beyond ASCII are escaped."""
    raw = {"heddle_compare": VERSION, **asdict(found)}
    if found.failure is None:
        gain = found.gain
        raw["gain"] = asdict(gain) | {"meaning": gain.meaning.name, "words": gain.words}
        raw["outliers"] = [i + 1 for i in found.outliers]
        raw["times"] = {"without_s": asdict(found.without), "with_s": asdict(found.with_heddle)}
    raw["outputs"] = [asdict(one) | {"verdict": one.verdict.name} for one in found.outputs]
    return json.dumps(raw, indent=1, ensure_ascii=encoding.lower() != "utf-8") + "\n"
