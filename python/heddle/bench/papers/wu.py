"""Wu, Wyckoff, Panda 2004: table 1, figures 1 to 12."""

from . import steps
from .model import Claim, Figure, Made, Paper, Quote, numbered
from .take import best, gain, least, mean, quicker

SCHEMES = (("BC-SPUP", "bc-spup"), ("RWG-UP", "rwg-up"), ("Multi-W", "multi-w"))
NODE = (
    "Here a core reads and writes, not an adapter beside it. process_vm moves the blocks of RWG-UP and Multi-W, at a "
    "price for each block."
)
OPENMPI = "Open MPI packs plain columns well (figure 2, second line) and leaves less to gain."


TCP = (
    "Between nodes libfabric's TCP competes with the libraries' own, on a loopback device. Ranks and kernel share two "
    "cores. There is no adapter, and no copy is saved."
)


def _schemes(metric: str, step, factors: tuple[float, float, float], pick, says: str, over: str = "over") -> tuple[Claim, ...]:
    """A claim for each forced scheme, and a claim for Heddle's choice against the best of them."""
    forced = tuple(
        Claim(
            f"{name}: {says} {factor:g} times the generic way",
            factor,
            step,
            f"{name} {over} the host's datatypes",
            gain(metric, pick, variant),
        )
        for (name, variant), factor in zip(SCHEMES, factors, strict=True)
    )
    most = max(factors)
    whole = Claim(
        f"the best of them: {most:g} times", most, step, f"Heddle's choice {over} the host's datatypes", gain(metric, pick)
    )
    return (*forced, whole)


def _both(metric: str, node, tcp, factors: tuple[float, float, float], pick, says: str) -> tuple[Claim, ...]:
    """The claims within a node, and between two nodes."""
    return (
        *_schemes(metric, node, factors, pick, says),
        *_schemes(metric, tcp, factors, pick, says, "over TCP against"),
    )


PAPER = Paper(
    "wu2004",
    "J. Wu, P. Wyckoff, D. K. Panda",
    "High performance implementation of MPI derived datatype communication over InfiniBand",
    "2004",
    "8 nodes of two Xeons 2.4 GHz, InfiniBand 4x, MVAPICH",
    ("Table 1", *numbered("Figure", 1, 12)),
    (
        Figure(
            ("Table 1",),
            "The scheme that follows from both ends' decisions",
            made=Made.drawing,
            command="heddle explain 'vector(512, 64, 4096, int)' --to 'contiguous(32768, int)'",
            why="The paper does not measure it either. Heddle's `src/select` uses costs instead of rules of thumb, and its "
            "tests have the table. The command shows the choice and the reason.",
            quotes=(Quote("the paper's choice and Heddle's", "select.md#after-the-paper"),),
        ),
        Figure(
            ("Figure 1",),
            "The protocols of a message in MVAPICH",
            made=Made.drawing,
            command="heddle algorithms",
            why="The command's first table has Heddle's five protocols.",
        ),
        Figure(
            ("Figure 2",),
            "Columns of a matrix: datatypes, packing by hand, a message a row, and the same bytes in one piece",
            (
                Claim(
                    "no way is better than 4 times the message in one piece",
                    4.0,
                    steps.VECTOR,
                    "Heddle over a message in one piece, mean over all k",
                    gain("latency", mean, inverse=True),
                    at_most=True,
                ),
                Claim(
                    "the same",
                    None,
                    steps.VECTOR,
                    "the host's datatypes over a message in one piece, mean over all k",
                    gain("latency", mean, "host", inverse=True),
                ),
            ),
            "Less is better. Open MPI packs plain columns well today; MPICH does not from 8 KiB on.",
            quotes=(
                Quote("k = 16 on MPICH: 88 → 5.7 µs (one piece 7.2)", "results.md#messages-between-two-ranks"),
                Quote(
                    "k = 2048: MPICH 283 → 88 µs (one piece 222), Open MPI 279 → 95 (one piece 200)",
                    "results.md#messages-between-two-ranks",
                ),
            ),
        ),
        Figure(
            numbered("Figure", 3, 5),
            "RWG-UP, P-RRS, Multi-W",
            made=Made.drawing,
            why="All three and BC-SPUP are in `src/transport/fabric` over libfabric. Within a node they are "
            "policies of one protocol.",
            quotes=(Quote("between nodes", "fabric.md#the-protocol"), Quote("within a node", "protocol.md")),
        ),
        Figure(
            ("Figure 6",),
            "Latency by columns, scheme by scheme",
            _both("latency", steps.VECTOR, steps.VECTOR_TCP, (1.5, 1.8, 3.4), best, "up to"),
            f"The best k counts. {NODE} {OPENMPI} {TCP}",
            quotes=(Quote("k = 64: MPICH 81 → 7.0 µs, Open MPI 17 → 7.3", "results.md#messages-between-two-ranks"),),
        ),
        Figure(
            ("Figure 7",),
            "Bandwidth, windows of 100 messages",
            _both("bandwidth", steps.VECTOR, steps.VECTOR_TCP, (2.0, 2.0, 3.6), best, "up to"),
            f"The best k counts. {NODE} {OPENMPI} {TCP}",
        ),
        Figure(
            ("Figure 8",),
            "A struct whose blocks double",
            made=Made.drawing,
            command="heddle explain 'struct(int, 2 int @ 8, 4 int @ 20, 8 int @ 40)'",
            why="The command draws the struct.",
        ),
        Figure(
            ("Figure 9",),
            "MPI_Alltoall of that struct, 8 processes",
            _both("alltoall", steps.STRUCT, steps.STRUCT_TCP, (1.3, 1.3, 2.0), mean, "on average"),
            f"The figures are of 2 to 8 ranks of one node, 2 and 4 with --quick. {NODE} With more ranks than cores the "
            "sender always packs. "
            f"Open MPI moves such blocks in one copy, too. {TCP}",
            quotes=(
                Quote("2 ranks, 256 KiB: MPICH 43 → 14 µs, Open MPI 14.0 → 14.4", "results.md#uneven-and-sparse-collectives"),
            ),
        ),
        Figure(
            ("Figure 10",),
            "RWG-UP: unpacking segment by segment",
            (
                Claim(
                    "up to 1.3 times the bandwidth",
                    1.3,
                    steps.FABRIC,
                    "over unpacking at the end, one way, mean over k",
                    quicker("one way", "rwg-up, unpacked at the end", "rwg-up", mean),
                    comparable=False,
                ),
                Claim(
                    "the same",
                    1.3,
                    steps.FABRIC_TCP,
                    "over unpacking at the end, over TCP, mean over k",
                    quicker("one way", "rwg-up, unpacked at the end", "rwg-up", mean),
                    comparable=False,
                ),
            ),
            "No adapter here moves data while a core unpacks, so nothing can overlap: libfabric's shm is "
            "two processes on one node. The differences are noise.",
            quotes=(Quote("over these providers the differences were within the noise", "results.md#schemes-one-by-one"),),
        ),
        Figure(
            ("Figure 11",),
            "Multi-W: a list of descriptors posted at once",
            (
                Claim(
                    "up to 2.0 times (1.6 on average) over posting one by one",
                    2.0,
                    steps.FABRIC,
                    "over posting one by one, one way, mean over k",
                    quicker("one way", "multi-w, posted one by one", "multi-w", mean),
                    comparable=False,
                ),
                Claim(
                    "the same",
                    2.0,
                    steps.FABRIC_TCP,
                    "over posting one by one, over TCP, mean over k",
                    quicker("one way", "multi-w, posted one by one", "multi-w", mean),
                    comparable=False,
                ),
            ),
            "The paper saves the ringing of an adapter's doorbell for each descriptor. There is no doorbell in shm, so "
            "this machine cannot show the effect.",
            quotes=(Quote("What only real hardware can show", "fabric.md#what-only-real-hardware-can-show"),),
        ),
        Figure(
            ("Figure 12",),
            "Latency when every message has buffers of its own",
            (
                Claim(
                    "BC-SPUP is always better than the generic way",
                    1.0,
                    steps.CHANGING,
                    "BC-SPUP over the host's datatypes, worst k",
                    gain("latency", least, "bc-spup"),
                ),
                Claim(
                    "the same",
                    1.0,
                    steps.CHANGING,
                    "Heddle's choice over the host's datatypes, worst k",
                    gain("latency", least),
                ),
                Claim(
                    "below 512 columns Multi-W is far slower, as it registers the whole array",
                    None,
                    steps.CHANGING,
                    "Multi-W over the host's datatypes, worst k",
                    gain("latency", least, "multi-w"),
                ),
                Claim(
                    "BC-SPUP is always better than the generic way",
                    1.0,
                    steps.CHANGING_TCP,
                    "BC-SPUP over TCP against the host's datatypes, worst k",
                    gain("latency", least, "bc-spup"),
                ),
                Claim(
                    "below 512 columns Multi-W is far slower, as it registers the whole array",
                    None,
                    steps.CHANGING_TCP,
                    "Multi-W over TCP against the host's datatypes, worst k",
                    gain("latency", least, "multi-w"),
                ),
            ),
            "Memory is not registered within a node, and TCP pins none. Only the caches, which have not seen the buffer, "
            "remain. "
            f"{TCP}",
        ),
    ),
    headline=("Figure 6", 4),
)
