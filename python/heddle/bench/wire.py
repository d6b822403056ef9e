"""The way of a benchmark's messages: shared memory, or the wire between two nodes that this machine
plays.

    rows = messages.measure("vector", mpi, wire.over(runs, transport, provider), ...)

Over the fabric each rank is a node of its own, and Heddle uses a provider of libfabric. With the
provider tcp, and with `auto`, the MPI library also uses TCP, so both have the same wire.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from .jobs import Run

# Settings that keep an MPI library from using shared memory instead of the wire: MPICH over UCX and
# libfabric, Open MPI.
HOST_OVER_TCP = {
    "MPIR_CVAR_NOLOCAL": "1",
    "UCX_TLS": "tcp,self",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "tcp,self",
}


class Host(StrEnum):
    """The transport of the MPI library, for messages that Heddle leaves to it."""

    node = "node"
    tcp = "tcp"

    @property
    def title(self) -> str:
        return "of one node" if self is Host.node else "over TCP"

    def settings(self, ranks: int) -> dict[str, str]:
        """The environment of a run over this transport. Over TCP each rank is a node."""
        return {} if self is Host.node else {"HEDDLE_NODES": str(ranks), "HEDDLE_FABRIC": "off"} | HOST_OVER_TCP


class Transport(StrEnum):
    node = "node"
    fabric = "fabric"


Over = Annotated[
    Transport, typer.Option("--transport", help="Within a node, or between two nodes that this machine plays, by libfabric.")
]
Provider = Annotated[
    str, typer.Option("--provider", metavar="NAME", help="The provider of libfabric for --transport fabric (fi_info -l).")
]


def settings(transport: Transport, provider: str, ranks: int = 2) -> dict[str, str]:
    """The environment of a run over this transport."""
    if transport is Transport.node:
        return {}
    host = HOST_OVER_TCP if provider.split(";")[0] in ("auto", "tcp", "net", "sockets") else {}
    return {"HEDDLE_NODES": str(ranks), "HEDDLE_FABRIC": provider} | host


def over(runs: list[Run], transport: Transport, provider: str, ranks: int = 2) -> list[Run]:
    """The runs, over this transport."""
    return [replace(run, settings=run.settings | settings(transport, provider, ranks)) for run in runs]


def title(transport: Transport, provider: str) -> str:
    """The transport in a table's title; nothing within a node."""
    return "" if transport is Transport.node else f", between two nodes over {provider}"
