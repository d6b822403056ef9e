"""A report on the terminal. If the output is no terminal, each row is one line, for grep."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from heddle import listing

from . import PARTS, Algorithm, Communicator, Found, Procedure, Row, Spread
from .advice import advice
from .carried import nothing
from .estimate import Estimates, Range, estimate
from .imbalance import latest
from .lines import missing, places
from .reasons import plain
from .sections import about_sections
from .waits import of_site, unlogged, waits_of
from .words import amount, counted, duration, roughly


def title(found: Found) -> str:
    """The head of the table of procedures."""
    what = "All of MPI" if found.all_of_mpi else "MPI calls that Heddle replaces"
    return f"{what}, {duration(found.elapsed_us)} from MPI_Init to MPI_Finalize" if found.elapsed_us else what


def units(found: Found) -> str:
    """The meaning of the columns."""
    threads = f" Up to {found.threads} threads of a rank call MPI, and their times are added up." if found.threads > 1 else ""
    return UNITS + threads


def speed(row: Row) -> str:
    """GB/s. A slow access has two significant digits, too."""
    speed = row.speed
    if not 0 < speed < 1:
        return "" if math.isnan(speed) else f"{speed:.1f}"
    return f"{speed:.{1 - math.floor(math.log10(speed))}f}"


def shown_places(found: Found) -> dict:
    """The texts for all places of a report."""
    return places([one.place for one in (*found.sites, *found.rows, *found.algorithms)])


APART = 2  # a phase is reported if one rank takes so many times as long as another,
APART_SHARE = 0.1  # and more than this share of the row's time
PREDICTED = re.compile(r"(\d+(?:\.\d+)?) us in all")  # src/select/why.cpp
MUCH_LONGER = 3  # so many times the prediction
DOING = {"search": "analysing the datatype", "pack": "packing", "wait": "waiting", "copy": "copying"}
ALONE = "the prediction is of one message on cores of its own, without waiting"
ROWS = ("datatype", "procedure", "from", "communicator", "side", "way", "calls", "bytes", "time", *PARTS, "GB/s")
ROWS += ("library alone", "ranks differ", "why")
MAY_BE_EMPTY = ("communicator", "side", "library alone", "ranks differ", "why")
LAYOUTS = "heddle report --json has the layouts in the notation of docs/layout.md, with offsets of lists."
PHASES = "Phases are Heddle's own time. They do not include the MPI library's part of these calls."
KEPT = ("communicators", "ranks", "kept as", "how many", "members", "with object", "4 B a rank", "8 B a rank")
ABOUT_KEPT = "Bytes are of one communicator in a process, and of a list of its ranks. How many is the sum over all processes."
MET = "first message"  # src/mpi/communicators/communicator_registry.cpp
NO_CALL = "no call"
ABOUT_MET = ' A row "no call" has MPI_COMM_SELF, or communicators that Heddle or another library has made for itself.'
OF_A_RANK = ("mean", "least", "most", "share")
CAME_OF_IT = ("carried", "handed on", "why")
PROCEDURES = ("procedure", "calls", *OF_A_RANK, *CAME_OF_IT)
WAITED = "waiting for late ranks"
SITES = ("procedure", "from", "datatype", "communicator", "calls", "bytes", *OF_A_RANK, WAITED, *CAME_OF_IT)
UNITS = "Times are of one rank: the mean over all ranks, the least, the most, and the mean's share of the run."
UNITS += " Calls and bytes are sums over all ranks."
ALL = "in all"
ALGORITHMS = ("procedure", "from", "communicator", "algorithm", "ranks", "calls", "bytes", "bytes of a rank")
MAILED = ("short blocks without messages", "ranks", "blocks", "bytes")


def about_communicators(found: Found) -> str:
    """The meaning of the rows and columns below KEPT."""
    return ABOUT_KEPT + (ABOUT_MET if any(one.call == MET for one in found.communicators) else "")


def kept(one: Communicator) -> list[str]:
    """The cells of a line, in the order of KEPT. Bytes are of one process."""
    shared = not one.whole_bytes
    sizes = ["shared", ""] if shared else [f"{one.members_bytes:,} B", f"{one.whole_bytes:,} B"]
    made = NO_CALL if one.call == MET else one.call
    return [made, f"{one.size:,}", one.kept, f"{one.count:,}", *sizes, amount(one.list_bytes), amount(one.pointers_bytes)]


def _range(least: float, most: float, shown=duration) -> str:
    return shown(least) if shown(least) == shown(most) else f"{shown(least)} to {shown(most)}"


def share(us: float, found: Found) -> str:
    """The share of the run, from MPI_Init to MPI_Finalize."""
    return f"{100 * us / found.elapsed_us:.1f} %" if found.elapsed_us > 0 else ""


def _of_a_rank(spread: Spread, found: Found) -> tuple[str, ...]:
    """The cells below OF_A_RANK."""
    times = ("" if us is None else duration(us) for us in (spread.mean, spread.least, spread.most))
    return (*times, share(spread.mean, found))


def _came_of_it(one: Procedure) -> tuple[str, ...]:
    """The cells below CAME_OF_IT. Empty for calls that Heddle carries in no case."""
    return (f"{one.carried:,}", f"{one.handed_on:,}", one.why) if one.carried or one.handed_on else ("", "", "")


def procedures(found: Found) -> list[tuple[str, ...]]:
    """The lines below the heads PROCEDURES. The last line is the sum."""
    lines = [
        (one.name, f"{one.calls:,}", *_of_a_rank(one.of_a_rank(found.ranks), found), *_came_of_it(one))
        for one in found.procedures
    ]
    calls = sum(one.calls for one in found.procedures)
    return [*lines, (ALL, f"{calls:,}", *_of_a_rank(found.in_mpi, found), "", "", "")]


def sites(found: Found, where: dict) -> list[tuple[str, ...]]:
    """The lines below the heads SITES."""
    lines = []
    for one in found.sites:
        names = one.name, where.get(one.place, ""), one.datatype_shown, one.communicator
        size = amount(one.bytes) if one.bytes else ""
        times = _of_a_rank(one.of_a_rank(found.ranks), found)
        lines.append((*names, f"{one.calls:,}", size, *times, of_site(one, found.ranks), *_came_of_it(one)))
    return lines


def bytes_of_a_rank(one: Algorithm) -> str:
    """The least and the most bytes of a rank, and the median."""
    if one.bytes_min is None or one.bytes_max is None:
        return ""
    shown = _range(one.bytes_min, one.bytes_max, amount)
    alike = one.bytes_median is None or one.bytes_min == one.bytes_max or one.ranks < 3
    return shown if alike else f"{shown}, median {amount(one.bytes_median)}"


def algorithms(found: Found, where: dict) -> list[tuple[str, ...]]:
    """The lines below the heads ALGORITHMS."""
    return [
        (
            one.procedure,
            where.get(one.place, ""),
            one.communicator,
            one.algorithm,
            f"{one.ranks:,}",
            f"{one.calls:,}",
            amount(one.bytes) if one.bytes else "",
            bytes_of_a_rank(one) if one.bytes else "",
        )
        for one in found.algorithms
    ]


def mailed(found: Found) -> list[tuple[str, ...]]:
    """The lines below the heads MAILED."""
    return [(one.name, f"{one.ranks:,}", f"{one.blocks:,}", amount(one.bytes)) for one in found.mailed]


def part_of_a_rank(row: Row, part: str) -> str:
    """The least and the most that a rank spent in a phase. Empty: there is one rank, or it is not
    known."""
    return _range(row.least[part], row.most[part]) if row.least and row.ranks > 1 and row.times[part] else ""


def ranks_differ(row: Row) -> str:
    """The phases in which ranks differ much: "wait 3 us to 40 ms"."""
    worth = APART_SHARE * row.time / max(1, row.ranks)
    far = [part for part in row.least if row.most[part] > APART * row.least[part] and row.most[part] > worth]
    return ", ".join(f"{part} {part_of_a_rank(row, part)}" for part in far if row.ranks > 1)


def why(row: Row) -> str:
    """The reason for a way. If messages took much longer than it predicts, it says where the time
    went."""
    predicted, said = PREDICTED.search(row.why), plain(row.why)
    if not predicted or not row.calls:
        return said
    each = row.time / row.calls
    if each < MUCH_LONGER * float(predicted[1]):
        return said
    where = [
        f"{duration(row.times[part] / row.calls)} {DOING[part]}{_longest(row) if part == 'search' else ''}"
        for part in PARTS
        if row.times[part] > row.time / 4
    ]
    return f"{said}. A message took {duration(each)} on average, of which {' and '.join(where)}: {ALONE}"


def _longest(row: Row) -> str:
    """The longest search, if it is most of the time: an average says little about the other
    calls."""
    search = row.times["search"]
    if row.calls < 2 or row.longest_search <= search / 2:
        return ""
    return f" ({duration(row.longest_search)} of {duration(search)} in one call)"


def rows(found: Found, where: dict, estimates: Estimates) -> list[tuple[str, ...]]:
    """The lines below the heads ROWS."""
    return [
        (
            row.title,
            row.called,
            where.get(row.place, ""),
            row.communicator,
            row.side,
            row.way,
            f"{row.calls:,}",
            amount(row.bytes),
            duration(row.time),
            *(f"{100 * row.times[part] / row.time:.0f} %" if row.time else "" for part in PARTS),
            speed(row),
            estimated(estimates.of(row)),
            ranks_differ(row),
            why(row),
        )
        for row in found.rows
    ]


def estimated(us: Range | None) -> str:
    return "" if us is None else roughly(*us)


def show(found: Found, most: int) -> None:
    """First all of MPI, then Heddle's part."""
    where = shown_places(found)
    if found.procedures:
        _show_calls(found, where, most)
        print()
    _show_carried(found, where, most)
    if found.mailed:
        _table(MAILED, mailed(found), most, gap=True)
    if found.algorithms:
        _table(ALGORITHMS, algorithms(found, where), most, gap=True, above=("from", "communicator"), optional=ALGORITHMS[-2:])
    if found.communicators:
        print("\n" + listing.prose(f"Communicators. {about_communicators(found)}"))
        _table(KEPT, [kept(one) for one in found.communicators], most, above=("communicators",))
    for said in filter(None, (missing(where), about_sections(found, where))):
        print("\n" + listing.prose(said))


def _show_calls(found: Found, where: dict, most: int) -> None:
    print(listing.prose(f"{title(found)}. {units(found)}"))
    if late := latest(found):
        print(listing.prose(f"→ {late.sentence}"))
    if waits := waits_of(found):
        print(listing.prose(f"→ {waits.sentence(where)}"))
    *lines, whole = procedures(found)
    _table(PROCEDURES, [*lines[:most], whole], most + 1, above=("why", "handed on", "carried"), optional=CAME_OF_IT)
    if len(lines) > most:
        print(f"… {len(lines) - most} more rows")
    if found.sites:
        print("\nCall sites")
        above = ("from", "datatype", "communicator", WAITED, "why", "bytes", "share")
        _table(SITES, sites(found, where), most, above=above, optional=("datatype", "communicator", WAITED, "bytes", "why"))
        if said := unlogged(found):
            print(listing.prose(said))


def _show_carried(found: Found, where: dict, most: int) -> None:
    if not found.rows:
        print(listing.prose(nothing(found)))
        return
    estimates = estimate(found)
    above = ("datatype", "from", "communicator", "procedure", "ranks differ", "library alone")
    _table(ROWS, rows(found, where, estimates), most, above=above, wraps=("why",), optional=MAY_BE_EMPTY)
    left = found.rows[most:]
    more = f"… {len(left)} more rows, {duration(sum(row.time for row in left))}\n\n" if left else "\n"
    print(f"{more}{counted(found.ranks, 'rank')}, {duration(found.time)} in all, summed over the ranks.")
    print(listing.prose(PHASES))
    print(listing.prose(estimates.sentence))
    print(listing.prose(LAYOUTS))
    for one in advice(found, where=where):
        print(listing.prose(f"→ {one.sentence}"))


TEXTS = {"datatype", "from", "side", "way", "communicators", "kept as", "procedure", "communicator", "algorithm"}
TEXTS |= {"why", "ranks differ", WAITED}


def without_empty(heads: Sequence[str], lines: Sequence[Sequence[str]], optional: Sequence[str]) -> tuple[list, list]:
    """Leaves out the optional columns that are empty in all lines."""
    kept = [i for i, head in enumerate(heads) if head not in optional or any(line[i] for line in lines)]
    return [heads[i] for i in kept], [tuple(line[i] for i in kept) for line in lines]


def _table(
    heads: Sequence[str],
    lines: list,
    most: int,
    gap: bool = False,
    above: Sequence[str] = (),
    wraps: Sequence[str] = (),
    optional: Sequence[str] = (),
) -> None:
    if gap:
        print()
    about_rows = heads is ROWS
    heads, lines = without_empty(heads, lines, optional)
    right = [head for head in heads[1:] if head not in TEXTS]
    listing.show(heads, lines[:most], wraps=wraps, above=above, right=right)
    if len(lines) > most and not about_rows:
        print(f"… {len(lines) - most} more rows")
