"""Chaarawi, Gabriel 2008: tables 1 to 5."""

from heddle.bench import groups_seed
from heddle.bench.groups import HPL

from . import steps
from .model import Claim, Figure, Paper, Quote, numbered
from .take import best, bytes_of, depth_ns, level_ns, slowest, value

LEVEL = "Ping-pongs are of real ranks of one node, two of which work at a time."

PAPER = Paper(
    "chaarawi2008",
    "M. Chaarawi, E. Gabriel",
    "Evaluating sparse data storage techniques for MPI groups and communicators",
    "2008",
    "48 processes on 24 nodes, InfiniBand and Gigabit Ethernet; 512 on 128 nodes, Myrinet; Open MPI",
    numbered("Table", 1, 5),
    (
        Figure(
            ("Table 1",),
            "Memory of each format",
            (
                Claim(
                    "HPL's communicators, 90,000 processes: 58 bytes in a process instead of 724,800",
                    groups_seed.HPL_SPARSE,
                    steps.GROUPS,
                    "bytes for the same three communicators",
                    bytes_of(HPL, {"heddle": "Heddle"}),
                    unit="B",
                    at_most=True,
                ),
                Claim(
                    "as lists of pointers: 724,800",
                    None,
                    steps.GROUPS,
                    "the same as lists",
                    bytes_of(HPL, {"pointers": "lists"}),
                    unit="B",
                ),
            ),
            "Only members count, as in the paper. The first two tables of the command have all formulas, and the planes, "
            "unions "
            "and merged groups for which the paper has no format. The host keeps its own lists: these are "
            "Heddle's bytes.",
        ),
        Figure(
            ("Table 2",),
            "Ping-pong over communicators without odd ranks, level by level: 48 processes, InfiniBand",
            (
                Claim(
                    "a level adds up to 40 ns",
                    groups_seed.PER_LEVEL_NS[0],
                    steps.GROUPS,
                    "a level more of a look-up alone, 1,000,000 ranks, worst format",
                    depth_ns,
                    unit="ns",
                    at_most=True,
                ),
                Claim(
                    "the same",
                    groups_seed.PER_LEVEL_NS[0],
                    steps.GROUPS,
                    "a level more of a ping-pong of 8 B, to the last rank",
                    level_ns("8 B", groups_seed.LAST),
                    unit="ns",
                    at_most=True,
                ),
            ),
            f"{LEVEL} Heddle composes a group when it is made, so that a look-up costs the same at any depth.",
            quotes=(
                Quote(
                    "48 ranks, Open MPI: a level adds -0.4 ± 1.1 ns to 8 B, and -0.7 ± 1.1 between ranks 0 and 1",
                    "results.md#communicators-by-level",
                ),
            ),
        ),
        Figure(
            ("Table 3",),
            "Table 2 over Gigabit Ethernet",
            (
                Claim(
                    "no format adds a visible time to messages of 50 µs and more",
                    None,
                    steps.GROUPS_TCP,
                    "a level more of a ping-pong of 8 B over TCP, to the last rank",
                    level_ns("8 B", groups_seed.LAST),
                    unit="ns",
                ),
            ),
            "There is no network here. The MPI libraries use TCP on the loopback device of one machine, and Heddle takes "
            "each rank for a node.",
        ),
        Figure(
            ("Table 4",),
            "Table 2 with 512 processes, Myrinet",
            (
                Claim(
                    "ranges and bitmaps add up to 800 ns a level, as they are walked",
                    groups_seed.PER_LEVEL_NS[1],
                    steps.GROUPS,
                    "a level more of 64 KiB with holes, to the last rank",
                    level_ns("64 KiB with holes", groups_seed.LAST),
                    unit="ns",
                    at_most=True,
                ),
                Claim(
                    "a bitmap's last rank costs most",
                    None,
                    steps.GROUPS,
                    "time to find the last rank of 512 on the slowest level; the paper's formats as built here",
                    slowest("level_ns", {"heddle": "Heddle", "paper: range": "ranges", "paper: bitmap": "bitmap"}),
                    unit="ns",
                ),
            ),
            f"512 processes do not fit on two cores, so the hierarchy of 512 is looked up without messages. {LEVEL}",
            quotes=(
                Quote("48 ranks, Open MPI, 64 KiB with holes: a level adds -9 ± 2 ns", "results.md#communicators-by-level"),
            ),
        ),
        Figure(
            ("Table 5",),
            "High-Performance Linpack, 48 processes",
            (
                Claim(
                    "no measurable overhead (here: 1.01 of the time at most)",
                    1.01,
                    steps.HPL,
                    "time with Heddle over time without, the slower grid",
                    value("time over host", best),
                    at_most=True,
                ),
            ),
            "Less is better. The runs have two ranks, Debian's hpcc on Open MPI. Short runs on a busy machine scatter by "
            "more than 1 %.",
            quotes=(Quote("order 3,000, 24 pairs of runs: 0.89 and 0.94 of the time", "results.md#high-performance-linpack"),),
        ),
    ),
    headline=("Table 1", 1),
)
