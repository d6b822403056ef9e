"""Balaji, Buntinas, Balay, Smith, Thakur, Gropp 2007: figures 1 to 17."""

from . import simulated, steps
from .model import Claim, Figure, Made, Paper, Quote, numbered
from .take import at, best, gain, least, most_ranks, others, quicker, shares, value

LESS_85, LESS_20, LESS_88, LESS_95 = 6.7, 1.25, 8.3, 20.0  # "over 85 % less time" and so on, as times as fast

OVER_ROUND_ROBIN = "MPI_Alltoallw of types under Heddle over a round-robin on the host"
OVER_HAND_TUNED = "MPI_Alltoallw of types under Heddle over PETSc's messages on the host"
NEIGHBOURS = "PETSc's neighbourhood collectives under Heddle over its messages on the host"

PAPER = Paper(
    "balaji2007",
    "P. Balaji, D. Buntinas, S. Balay, B. Smith, R. Thakur, W. Gropp",
    "Nonuniformly communicating noncontiguous data: a case study with PETSc and MPI",
    "2007",
    "64 nodes of two processors, InfiniBand DDR, MVAPICH2 0.9.5",
    numbered("Figure", 1, 17),
    (
        Figure(
            numbered("Figure", 1, 3),
            "PETSc's parts, ghost points, box and star stencils",
            made=Made.drawing,
            why="The command `heddle bench halo` measures the exchange of a box stencil.",
        ),
        Figure(
            numbered("Figure", 4, 7),
            "A column of a matrix of three doubles: in memory, as a datatype, partly packed",
            made=Made.drawing,
            command="heddle explain 'vector(8, 1, 8, contiguous(3, double))'",
            why="The command draws the matrix.",
        ),
        Figure(
            ("Figure 8", "Figure 10", "Figure 11"),
            "Ring with one large block, recursive doubling, dissemination",
            made=Made.drawing,
            command="heddle algorithms",
            why="The files of `src/schedule` draw the rounds beside each algorithm. The tests check the rounds for any "
            "number of ranks.",
        ),
        Figure(
            ("Figure 9",),
            "Two contexts: one looks ahead, one packs",
            made=Made.drawing,
            why="Each context is a cursor over the same layout (`src/layout`). Figure 13 shows the gain.",
        ),
        Figure(
            ("Figure 12",),
            "A matrix, transposed by sending columns and receiving rows",
            (
                Claim(
                    "1024²: over 85 % less time than the MPI before",
                    LESS_85,
                    steps.TRANSPOSE,
                    "over the host's own datatypes",
                    gain("latency", at("n=1024")),
                ),
                Claim(
                    "no comparison with the same bytes in one piece",
                    None,
                    steps.TRANSPOSE,
                    "the host's datatypes over a message in one piece, 1024²",
                    gain("latency", at("n=1024"), "host", inverse=True),
                ),
                Claim(
                    "the same",
                    None,
                    steps.TRANSPOSE,
                    "Heddle over a message in one piece, 1024²",
                    gain("latency", at("n=1024"), inverse=True),
                ),
            ),
            "A transpose takes today's Open MPI about twice as long as the same bytes in one piece. So a gain of 6.7 is "
            "impossible.",
            quotes=(Quote("512², MPICH 10,962 → 1271 µs, Open MPI 2722 → 1022 µs", "results.md#messages-between-two-ranks"),),
        ),
        Figure(
            ("Figure 13",),
            "The time of that transpose by parts: searching, packing, communicating",
            (
                Claim(
                    "two contexts leave no visible search (here: 2 % at most)",
                    2.0,
                    steps.SEEK,
                    "share of the search, largest matrix",
                    shares({"dual-context": "two contexts (Heddle)"}),
                    unit="%",
                    at_most=True,
                ),
                Claim(
                    "the search of one context grows until it is most of the time",
                    None,
                    steps.SEEK,
                    "share of the search, largest matrix",
                    shares({"single-context": "one context", "host": "MPICH"}),
                    unit="%",
                ),
            ),
            "The single context is a build of Heddle that loses its place, as the MPI of the paper did. MPICH's share "
            "comes from its MPIX_Type_iov. Open MPI has no such function.",
        ),
        Figure(
            ("Figure 14",),
            "MPI_Allgatherv: rank 0 has much, all others 8 bytes; by size, by ranks",
            (
                Claim(
                    "64 ranks, 32 KiB: 20 % less than the ring",
                    LESS_20,
                    steps.GATHER_FAR,
                    "Heddle's choice over the ring, 64 ranks, 32 KiB",
                    simulated.ratio("ring", "auto", 64, 32768),
                ),
                Claim(
                    "the same",
                    LESS_20,
                    steps.ALLGATHERV,
                    "Heddle's choice over the ring, 32 KiB, most ranks",
                    quicker("allgatherv", "ring", "heddle", most_ranks("s=32768")),
                ),
                Claim(
                    "the same",
                    LESS_20,
                    steps.ALLGATHERV,
                    "over the host's MPI_Allgatherv, 32 KiB, most ranks",
                    gain("allgatherv", most_ranks("s=32768")),
                ),
                Claim(
                    "more ranks than the paper had",
                    None,
                    steps.GATHER_FURTHER,
                    "Heddle's choice over the ring, 1024 ranks, 32 KiB",
                    simulated.ratio("ring", "auto", 1024, 32768),
                ),
            ),
            "The simulated machine is a Cray XE6 with 24 ranks a node. A tree that does not know nodes fills a node's "
            "links, so "
            "two-level wins. Real ranks share two cores here, so their times are mostly waiting for turns.",
            quotes=(
                Quote(
                    "one outlier of 32 KiB, 64 ranks: ring 324 µs, two-level 42",
                    "simulate.md#one-outlier-and-neighbours-of-a-ring",
                ),
                Quote(
                    "48 ranks and 1 MiB: MPICH 165,670 → 28,600 µs, Open MPI 11,830 → 4,430",
                    "results.md#uneven-and-sparse-collectives",
                ),
            ),
        ),
        Figure(
            ("Figure 15",),
            "MPI_Alltoallw with both neighbours of a ring, nothing for the others",
            (
                Claim(
                    "128 ranks: over 88 % less than a round-robin",
                    LESS_88,
                    steps.RING_FAR,
                    "over a round-robin, 128 ranks",
                    simulated.ratio("round-robin", "auto", 128, 800),
                ),
                Claim(
                    "up to 32 ranks: about 50 % less",
                    2.0,
                    steps.RING,
                    "over a round-robin, most ranks",
                    quicker("ring", "round-robin", "heddle", most_ranks("ring")),
                ),
                Claim(
                    "a late rank holds up all others",
                    None,
                    steps.RING,
                    "the longest wait of a rank that is no neighbour of a rank 10 ms late (round-robin)",
                    others("late", "round-robin", best, 1e-3, "1 away"),
                    unit="ms",
                ),
                Claim(
                    "bins hold up only its neighbours",
                    None,
                    steps.RING,
                    "this wait under Heddle",
                    others("late", "heddle", best, 1e-3, "1 away"),
                    unit="ms",
                ),
                Claim(
                    "more ranks than the paper had",
                    None,
                    steps.RING_FURTHER,
                    "over a round-robin, 1024 ranks",
                    simulated.ratio("round-robin", "auto", 1024, 800),
                ),
            ),
            "Today's MPICH and Open MPI also leave out ranks without data. The round-robin is the benchmark's own.",
            quotes=(Quote("16 ranks: MPICH 828 → 355 µs, Open MPI 99 → 47", "results.md#uneven-and-sparse-collectives"),),
        ),
        Figure(
            ("Figure 16",),
            "A PETSc vector scattered to unique places of another",
            (
                Claim(
                    "128 ranks: over 95 % less than datatypes and collectives of the MPI before",
                    LESS_95,
                    steps.VECSCATTER,
                    "MPI_Alltoallw of types over a round-robin of them on the host",
                    value(OVER_ROUND_ROBIN, best),
                ),
                Claim(
                    "4 % behind PETSc's own, hand-tuned packing and messages",
                    0.96,
                    steps.VECSCATTER,
                    "MPI_Alltoallw of types over PETSc's own messages",
                    value(OVER_HAND_TUNED, least),
                ),
            ),
            "A round-robin waits for all ranks, so the factor grows with their number: the factor of 20 is of 128 ranks on "
            "64 nodes.",
            quotes=(Quote("10.4 × at 64 ranks, 7.9 × at 16", "vecscatter.md#what-came-out"),),
        ),
        Figure(
            ("Figure 17",),
            "3-D Laplacian multigrid, 100³",
            (
                Claim(
                    "128 ranks: less than 3 % behind PETSc's own messages",
                    0.97,
                    steps.MULTIGRID,
                    "PETSc by neighbourhood collectives over its messages on the host, largest case",
                    value(NEIGHBOURS, at("101^3")),
                ),
            ),
            "The other line of the figure (almost 90 % less than the MPI before) cannot be measured any more. Today's "
            "PETSc does not use derived datatypes and MPI_Alltoallw: it packs by itself. Heddle hands its "
            "neighbourhood collectives on.",
            quotes=(Quote("101³ with two ranks 1.10 ×, with four 0.98; 33³ with four 0.86", "multigrid.md#what-came-out"),),
        ),
    ),
    headline=("Figure 12", 1),
)
