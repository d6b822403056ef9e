"""A report on the terminal."""

from __future__ import annotations

import math

from rich.table import Table
from rich.text import Text

from heddle.console import console

from . import PARTS, Communicator, Found, Row, advice


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def amount(count: float) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{_digits(count / size)} {unit}"
    return f"{count:.0f} B"


def duration(us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{_digits(us / size)} {unit}"
    return f"{_digits(us)} us"


def speed(row: Row) -> str:
    return "" if math.isnan(row.speed) else f"{row.speed:.1f}"


KEPT = ("communicators", "ranks", "kept as", "how many", "members", "with object", "4 B a rank", "8 B a rank")


def kept(one: Communicator) -> list[str]:
    """The cells of a line, as KEPT heads them: bytes in each process."""
    shared = not one.whole_bytes
    sizes = ["shared", ""] if shared else [f"{one.members_bytes:,} B", f"{one.whole_bytes:,} B"]
    return [one.call, f"{one.size:,}", one.kept, f"{one.count:,}", *sizes, amount(one.list_bytes), amount(one.pointers_bytes)]


def _communicators(found: Found, most: int) -> None:
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in KEPT:
        table.add_column(name, justify="left" if name in ("communicators", "kept as") else "right", overflow="fold")
    for one in found.communicators[:most]:
        table.add_row(*(Text(cell) for cell in kept(one)))
    out.print("\nWho takes part: bytes of one communicator in a process, and of a list", style="bold")
    out.print(table)
    if len(found.communicators) > most:
        out.print(f"… {len(found.communicators) - most} more rows", style="dim")


def _simple(heads: tuple[str, ...], lines: list[tuple[str, ...]]) -> None:
    """A name, and numbers."""
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in heads:
        table.add_column(name, justify="left" if name == heads[0] else "right")
    for cells in lines:
        table.add_row(*(Text(cell) for cell in cells))
    out.print()
    out.print(table)


PROCEDURES = ("calls that Heddle stands in for", "ranks", "calls", "time")


def procedures(found: Found) -> list[tuple[str, ...]]:
    """The lines that PROCEDURES heads."""
    return [(one.name, f"{one.ranks:,}", f"{one.calls:,}", duration(one.us)) for one in found.procedures]


def _procedures(found: Found, most: int) -> None:
    _simple(PROCEDURES, procedures(found)[:most])
    if found.elapsed_us > 0:
        share = f"{100 * found.in_procedures_us / found.elapsed_us:.0f} %"
        whole = f"{duration(found.elapsed_us)} from MPI_Init to MPI_Finalize"
        console().print(f"\n{duration(found.in_procedures_us)} of a rank on average, {share} of {whole}.", style="dim")


MAILED = ("short blocks without messages", "ranks", "blocks", "bytes")


def mailed(found: Found) -> list[tuple[str, ...]]:
    """The lines that MAILED heads."""
    return [(one.name, f"{one.ranks:,}", f"{one.blocks:,}", amount(one.bytes)) for one in found.mailed]


def show(found: Found, most: int) -> None:
    if found.rows:
        _rows(found, most)
    else:
        console().print(f"{found.ranks} ranks, and no message with holes in it.")
    if found.mailed:
        _simple(MAILED, mailed(found))
    if found.procedures:
        _procedures(found, most)
    if found.communicators:
        _communicators(found, most)


def _rows(found: Found, most: int) -> None:
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("datatype", overflow="fold")
    table.add_column("call")
    table.add_column("way")
    for name in ("calls", "bytes", "time", *PARTS, "GB/s"):
        table.add_column(name, justify="right")
    for row in found.rows[:most]:
        times = [f"{100 * row.times[part] / row.time:.0f} %" if row.time else "" for part in PARTS]
        cells = [f"{row.calls:,}", amount(row.bytes), duration(row.time), *times, speed(row)]
        table.add_row(Text(row.datatype), Text(row.call), Text(row.way), *cells)
    out.print(table)
    left = found.rows[most:]
    if left:
        out.print(f"… {len(left)} more rows, {duration(sum(row.time for row in left))}", style="dim")
    out.print(f"\n{found.ranks} ranks, {duration(found.time)} in all, added up over the ranks.", style="dim")
    for sentence in advice(found):
        out.print(Text(f"→ {sentence}"))
