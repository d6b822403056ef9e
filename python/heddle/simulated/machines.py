"""The simulated machines, every number with its source. One file for both the estimator and
SimGrid's platforms.

    machine = machines.by_name("torus", ranks=8192)
    machine.estimator()              input of heddle-tool estimate and heddle-smpi
    machine.platform(), .hosts(n)    input of smpirun

LogGP's letters (Alexandrov et al. 1995): o is `send_ns` and `receive_ns`, L is `hop_ns` for each
link, G is 1 / `link_GB`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

from heddle.problem import Problem


@dataclass(frozen=True)
class Machine:
    name: str
    title: str
    kind: str  # of network: torus, fat-tree, dragonfly
    size: Callable[[int], list[int]]  # of a network with so many nodes, in the form of sim/model/network.hpp
    members: int  # ranks of a node, numbered node by node
    send_ns: float  # a processor's time for a message that it sends
    receive_ns: float  # and for a short one that it receives
    hop_ns: float  # a link, and the switch behind it
    link_GB: float  # GB/s of a link, each way
    copy_ns: float  # a byte from memory to memory, when all ranks of the node copy
    # Estimates, the same for all machines. Short messages within a node differ from others only by
    # their way, as in SMPI.
    node_ns: float = 50
    node_GB: float = 8
    eager_bytes: int = 8 << 10  # shorter messages travel before their receive is posted; the default of many MPI libraries
    block_ns: float = 20  # a packet in a bundle: as select/collective/links.hpp has it
    nodes: int = 1

    @property
    def sizes(self) -> list[int]:
        return self.size(self.nodes)

    def estimator(self) -> dict:
        ends = {"send_ns": self.send_ns, "receive_ns": self.receive_ns}
        return {
            "name": self.name,
            "local": {**ends, "latency_ns": self.node_ns, "byte_ns": 1 / self.node_GB},
            "network": {**ends, "latency_ns": self.hop_ns, "byte_ns": 1 / self.link_GB},
            "eager_bytes": self.eager_bytes,
            "copy_ns": self.copy_ns,
            "block_ns": self.block_ns,
            "members": self.members,
            "joined": {"kind": self.kind, "sizes": self.sizes},
        }

    def platform(self) -> str:
        sizes = self.sizes
        topology, parameters = {
            "torus": lambda: ("TORUS", ",".join(map(str, sizes))),
            # Leaves of so many nodes, with one link up from each leaf to each spine.
            "fat-tree": lambda: ("FAT_TREE", f"2;{sizes[0]},{sizes[1]};1,{sizes[2]};1,1"),
            "dragonfly": lambda: ("DRAGONFLY", f"{sizes[0]},1;{sizes[1]},1;{sizes[2]},1;{sizes[3]}"),
        }[self.kind]()
        hosts = math.prod(sizes[:2] if self.kind == "fat-tree" else sizes)
        return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
<cluster id="{self.kind}" prefix="n" suffix="" radical="0-{hosts - 1}" speed="1Gf" core="{self.members}"
 bw="{self.link_GB}GBps" lat="{self.hop_ns}ns" sharing_policy="SPLITDUPLEX"
 loopback_bw="{self.node_GB}GBps" loopback_lat="{self.node_ns}ns" topology="{topology}" topo_parameters="{parameters}"/>
</zone></platform>
"""

    def hosts(self, ranks: int) -> str:
        return "".join(f"n{rank // self.members}\n" for rank in range(ranks))


def box(nodes: int) -> list[int]:
    """A torus of about equal sides for so many nodes, with few to spare. SimGrid's torus has no
    sides of one."""
    best = None
    for short in range(2, round(nodes ** (1 / 3)) + 3):
        for middle in range(short, math.isqrt(max(nodes // short, 1)) + 2):
            long = max(middle, -(-nodes // (short * middle)))
            found = (long > 2 * short, short * middle * long - nodes, long - short, [long, middle, short])
            best = min(best or found, found)
    return best[3]


def leaves(nodes: int) -> list[int]:
    """Leaf switches of 16 nodes with 16 spines: as much goes up as comes in."""
    return [16, max(2, -(-nodes // 16)), 16]


def groups(nodes: int) -> list[int]:
    """Groups of 32 switches of 16 nodes, all of a group joined, one link from each group to each
    other."""
    return [max(2, -(-nodes // 512)), 1, 32, 16]


# Lindgren, the machine of Schliephake and Laure (2013, §4): a Cray XE6 with two 12-core Opteron
# 6172 a node, Gemini torus.
#   24 ranks a node, numbered node by node      the paper
#   4.7 GB/s a link, 105 ns a hop               Alverson, Roweth, Kaplan: The Gemini System Interconnect, HOTI 2010
#   0.9 + 0.5 us at the ends                    with a hop 1.5 us, about what MPI takes for a short message there; how it
#                                               is shared between the ends is an estimate
#   0.56 ns for a byte that is copied           eight channels of DDR3-1333 bring 85 GB/s to 24 ranks; a copy reads and writes.
#                                               A bound: copies within the caches are quicker
# Here each node has its own place in the torus, and its links are the only limit. Two real nodes
# share a router.
TORUS = Machine(
    name="torus",
    title="Cray XE6, Gemini torus",
    kind="torus",
    size=box,
    members=24,
    send_ns=900,
    receive_ns=500,
    hop_ns=105,
    link_GB=4.7,
    copy_ns=0.56,
)

# An InfiniBand cluster of about 2021: two levels of switches, no blocking.
#   25 GB/s a link                              HDR, 200 Gbit/s
#   130 ns a switch, 25 ns a cable              port to port of HDR switches (their data sheets); four links have three switches
#   0.3 + 0.3 us at the ends                    estimate: with the way about 1 us for a short message
#   64 ranks a node, 0.31 ns for a byte copied  two sockets with eight channels of DDR4-3200: 410 GB/s; a copy reads and writes
FAT_TREE = Machine(
    name="fat-tree",
    title="InfiniBand HDR, fat tree",
    kind="fat-tree",
    size=leaves,
    members=64,
    send_ns=300,
    receive_ns=300,
    hop_ns=120,
    link_GB=25,
    copy_ns=0.31,
)

# Slingshot: dragonfly with groups of 32 switches of 16 nodes.
# Links, ends and nodes are those of the fat tree, but for
#   350 ns a switch (25 GB/s a link as well)    De Sensi et al.: An In-Depth Analysis of the Slingshot Interconnect, SC 2020
#   0.63 ns for a byte copied                   one socket with eight channels of DDR4-3200: 205 GB/s
# There is one link between two groups, where real machines have several, so traffic between groups
# is slower here.
DRAGONFLY = dataclasses.replace(
    FAT_TREE, name="dragonfly", title="Slingshot, dragonfly", kind="dragonfly", size=groups, hop_ns=350, copy_ns=0.63
)

ALL = (TORUS, FAT_TREE, DRAGONFLY)
# From the profile of `heddle tune` (else the built-in one). Only estimated.
PROFILES = ("mpich", "openmpi")
NAMES = (*(machine.name for machine in ALL), *PROFILES)


def by_name(name: str, ranks: int, members: int | None = None) -> Machine:
    for machine in ALL:
        if machine.name == name:
            members = members or machine.members
            return dataclasses.replace(machine, members=members, nodes=-(-ranks // members))
    raise Problem(f"no machine is called {name}; there are {', '.join(NAMES)}", code=2)
