"""A comparison as one HTML page for a ticket or a talk, by comparison.html.j2."""

from __future__ import annotations

from heddle.pages import Bar, Chart, Stretch, Table, render
from heddle.reported.datatypes import Datatypes
from heddle.reported.words import amount, duration

from . import INK, Carried, Compared
from .text import ONE_RUN, differences, doubts, gain_sentence, output_sentence, seconds, site

MOST_BARS = 12
SITES = ("procedure", "from", "datatype", "calls", "without Heddle", "with Heddle")
CARRIED = ("datatype", "call", "way", "calls", "bytes", "time of a rank")
TEXTS = {"procedure", "from", "datatype", "call", "way"}


def _sides(found: Compared) -> list[dict]:
    """Both ways of running the program: the runs, their median and the longest of both."""
    times = ([one.without_s for one in found.rounds], found.without), ([one.with_s for one in found.rounds], found.with_heddle)
    return [
        {
            "name": name,
            "colour": colour,
            "runs": [(value, seconds(value)) for value in values],
            "median": spread.median,
            "shown": seconds(spread.median),
            "most": max(*values, spread.median),
        }
        for (name, colour), (values, spread) in zip(INK.items(), times)
    ]


def _chart(found: Compared) -> Chart:
    rows = [row for row in found.calls[:MOST_BARS] if max(row.without_us, row.with_us) > 0]
    return Chart.of(
        "time in MPI calls",
        [
            Bar(row.name, [([Stretch(us, ink)], duration(us)) for ink, us in zip(INK.values(), (row.without_us, row.with_us))])
            for row in rows
        ],
    )


def _calls(found: Compared, types: Datatypes) -> dict | None:
    if not found.calls:
        return None
    rows = [(one.name, f"{one.calls:,}", duration(one.without_us), duration(one.with_us)) for one in found.calls]
    sums = sum(one.without_us for one in found.calls), sum(one.with_us for one in found.calls)
    rows.append(("all of these", f"{sum(one.calls for one in found.calls):,}", *map(duration, sums)))
    table = Table.of(("procedure", "calls", "without Heddle", "with Heddle"), rows, TEXTS, sum_last=True)
    more = []
    if any(one.place for one in found.sites):
        more.append(("By call site", Table.of(SITES, [site(one) for one in found.sites], TEXTS)))
    if found.carried:
        more.append(("What Heddle carried", Table.of(CARRIED, [_carried(one, types) for one in found.carried], TEXTS)))
    return {"chart": _chart(found), "table": table, "more": more}


def _carried(one: Carried, types: Datatypes) -> tuple:
    """The cells of a line, in the order of CARRIED."""
    call = "\n".join(filter(None, (one.called, one.place)))
    datatype = types.of(one.datatype_name, one.datatype, one.extent, one.lower_bound)
    return datatype, call, one.way, f"{one.calls:,}", amount(one.bytes), duration(one.us)


def _facts(found: Compared) -> dict[str, str]:
    return {
        "command": found.command,
        "MPI": found.mpi or "not known",
        "Heddle": found.heddle,
        "settings": " ".join(f"{name}={value}" for name, value in found.settings.items()) or "none",
        "machine": found.machine,
        "date": found.date,
        "rounds": f"{len(found.rounds)}, each with a run of both ways in random order",
        "interval": "holds the median of the rounds' ratios with at least 95 % (sign test)",
    }


def draw(found: Compared) -> str:
    types = Datatypes()
    sides = _sides(found)
    return render(
        "compared/comparison.html.j2",
        command=found.command,
        gain=gain_sentence(found),
        doubts=doubts(found),
        key={name: (colour, "") for name, colour in INK.items()},
        sides=sides,
        longest=max(side["most"] for side in sides),
        outputs=[(one.name, output_sentence(found, one), differences(one)) for one in found.outputs],
        one_run=ONE_RUN,
        calls=_calls(found, types),
        notes=found.notes,
        facts=_facts(found),
        types=types,
    )
