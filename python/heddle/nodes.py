"""The times of messages between two nodes, for `heddle tune -- LAUNCHER ...`. bench/links runs a
rank on each node."""

from __future__ import annotations

import shlex

from heddle import launch, links, native, program
from heddle.families import Family
from heddle.jobs import output
from heddle.problem import Problem

TIMES = ("message", "message long", "fabric", "fabric cut", "fabric long", "packed", "gathered")


def measured(launcher: list[str], family: Family, quick: bool) -> list[str]:
    """A provider of libfabric, and numbers in the order of heddle-tool (tool/tune/fit_nodes.hpp).
    Problem: the reason why the measurement fails. `launcher`: a line that starts a rank on each of
    two nodes, without a program."""
    settings = {row["name"]: row["value"] or row["default"] for row in native.tool("settings", "--json")}
    provider = settings["HEDDLE_FABRIC"]
    if provider == "off":
        raise Problem("HEDDLE_FABRIC=off: there is no fabric to measure.", code=2)
    tool = [str(native.program(native.TOOL)), "links", str(links.library(family)), "--case", "nodes"]
    one_node = ["--one-node"] if settings["HEDDLE_NODES"] != "1" else []
    words = [*launcher, *tool, "--provider", provider, *one_node, *(["--quick"] if quick else [])]
    named = None if launch.mpi_of(program.resolve(launcher[0])) else family.name
    command = launch.plan(words, None, named, heddle=False)
    found: dict = {}
    for line in output([str(command.file), *command.words[1:]], command.environment):
        found |= {line["variant"]: line["lower"] * 1e3} if "variant" in line else line
    missing = [name for name in (*TIMES, "provider", "operations") if name not in found]
    if missing:
        raise Problem(f"{' '.join(words)} has not measured: {', '.join(missing)}. Does it start two ranks?")
    return [found["provider"], *(f"{found[name]:.1f}" for name in TIMES), str(found["operations"])]


def family_of(launcher: list[str]) -> Family:
    """The family of the launcher's MPI."""
    asked = launch.mpi_of(program.resolve(launcher[0]))
    if asked is None:
        raise Problem(
            f"{launcher[0]} does not say which MPI it belongs to. "
            f"Name the MPI: heddle tune --mpi mpich|openmpi -- {shlex.join(launcher)}",
            code=2,
        )
    return asked.family
