"""The ways of an explained one-sided access, on the terminal."""

from __future__ import annotations

from rich.text import Text

from heddle import listing
from heddle.console import say, section


def show(about: dict, origin: str, target: str) -> None:
    ends = f"{origin} to {target}" if target else origin
    say(Text(f"MPI_Put or MPI_Get of {ends}, {about['bytes']:,} bytes, to a rank of the node", style="bold"))
    if about["off"]:
        say(Text("HEDDLE_WINDOWS=off leaves all accesses to the library. Without that setting:"))
    for library in dict.fromkeys(way["library"] for way in about["ways"]):
        rows = [(way["window"], way["epoch"], way["way"], way["why"]) for way in about["ways"] if way["library"] == library]
        section(library)
        listing.show(("window", "epoch", "way", "why"), rows, indent="  ")
    say(
        Text("The library gets accesses in other epochs, and to other nodes. docs/one-sided.md explains the ways.", style="dim")
    )
