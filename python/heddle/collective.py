"""An explained collective on the terminal."""

from __future__ import annotations

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from heddle.console import console


def show(about: dict) -> None:
    out = console()
    out.print(Text(about["input"], style="bold"))
    out.print()
    out.print(Text(f"{about['ranks']:,} ranks on {about['nodes']:,} node{'s' * (about['nodes'] != 1)}", style="bold cyan"))
    out.print(Padding(_ways(about["ways"]), (0, 0, 0, 2)))
    out.print()
    out.print(Text("chosen", style="bold cyan"))
    out.print(Padding(Text(about["why"]), (0, 0, 0, 2)))
    out.print()
    out.print(Text("messages", style="bold cyan"))
    out.print(Padding(Text(_messages(about["messages"])), (0, 0, 0, 2)))


def _ways(ways: list[dict]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for title in ("rounds", "messages", "bytes on the busiest way", "by model", "all ranks walked"):
        table.add_column(title, justify="right")
    for way in ways:
        name = way["name"]
        if way["radix"] != 2:
            name += f", radix {way['radix']}"
        if way["segment"]:
            name += f", segments of {way['segment']:,} B"
        parts = [part for part in (way["between_nodes"], way["on_node"]) if part]  # none: there are no figures
        sums = [f"{sum(part[of] for part in parts):,.0f}" if parts else "–" for of in ("rounds", "messages", "bytes")]
        table.add_row(name, *sums, _time(way["ns"]), _time(way["walked_ns"]), style="bold" if way["chosen"] else "")
    return table


HOSTS = {"mpich": "MPICH", "openmpi": "Open MPI", "any": "any MPI library"}


def _messages(of: dict) -> str:
    """Whose figures the choice goes by: "of MPICH: one takes 780 ns, ... (built in)"."""
    node = of["on_node"]
    shared = f"on shared cores {of['shared_core_message_ns']:,.0f} ns, and {of['shared_core_turn_ns']:,.0f} ns for a turn"
    one = f"one takes {node['one_ns']:,.0f} ns, each further one {node['further_ns']:,.0f} ns, {shared}"
    source = "built in; heddle tune measures them" if of["source"] == "built in" else f"by {of['source']}"
    return f"of {HOSTS[of['of']]}: {one} ({source})"


def _time(ns: float | None) -> str:
    if ns is None:
        return "–"
    return f"{ns / 1e3:,.1f} µs" if ns < 1e6 else f"{ns / 1e6:,.1f} ms"
