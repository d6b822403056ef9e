"""An explained collective on the terminal."""

from __future__ import annotations

from rich.text import Text

from heddle import listing
from heddle.console import say, section

SUMS = ("rounds", "messages", "bytes")  # on the busiest way


def show(about: dict) -> None:
    say(Text(about["input"], style="bold"))
    section(f"{about['ranks']:,} ranks on {about['nodes']:,} node{'s' * (about['nodes'] != 1)}")
    heads = ("", *SUMS, "by model", "all ranks walked")
    listing.show(heads, [_way(way) for way in about["ways"]], above=("",), right=heads[1:], indent="  ")
    section("chosen", Text(about["why"] + _walked(about["ways"])))
    section("messages", Text(_messages(about["messages"])))


def _way(way: dict) -> tuple[str, ...]:
    name = ("→ " if way["chosen"] else "  ") + way["name"]
    if way["radix"] != 2:
        name += f", radix {way['radix']}"
    if way["segment"]:
        name += f", segments of {way['segment']:,} B"
    parts = [part for part in (way["between_nodes"], way["on_node"]) if part]  # none: there are no figures
    sums = (f"{sum(part[of] for part in parts):,.0f}" if parts else "–" for of in SUMS)
    return (name, *sums, _time(way["ns"]), _time(way["walked_ns"]))


def _walked(ways: list[dict]) -> str:
    """Says why the model decides, if the last column has another least algorithm."""
    walked = [way for way in ways if way["walked_ns"] is not None]
    chosen = next((way for way in walked if way["chosen"]), None)
    least = min(walked, key=lambda way: way["walked_ns"], default=None)
    if chosen is None or least["walked_ns"] >= chosen["walked_ns"]:
        return ""
    times = f"{_time(least['walked_ns'])}, not {_time(chosen['walked_ns'])}"
    return (
        f"\nWith all ranks walked {least['name']} takes less ({times}). Heddle still decides by the model: the model needs "
        "only sums and largest values, on which ranks can agree within a call. Walking takes longer than the call."
    )


HOSTS = {"mpich": "MPICH", "openmpi": "Open MPI", "any": "any MPI library"}


def _messages(of: dict) -> str:
    """The library whose figures decide, and the figures: "of MPICH: 780 ns, ... (built in)"."""
    node = of["on_node"]
    shared = f"{of['shared_core_message_ns']:,.0f} ns on shared cores, and {of['shared_core_turn_ns']:,.0f} ns for a turn"
    one = f"{node['one_ns']:,.0f} ns, each further message {node['further_ns']:,.0f} ns, {shared}"
    source = "built in; heddle tune measures them" if of["source"] == "built in" else f"by {of['source']}"
    return f"of {HOSTS[of['of']]}: {one} ({source})"


def _time(ns: float | None) -> str:
    if ns is None:
        return "–"
    return f"{ns / 1e3:,.1f} µs" if ns < 1e6 else f"{ns / 1e6:,.1f} ms"
