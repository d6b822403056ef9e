"""Schliephake, Laure 2013: figures 1 to 6."""

from . import simulated, steps
from .model import Claim, Figure, Paper, Quote, numbered
from .take import gain, mean, most_ranks, quicker

ORIGINAL = "crystal:copies"  # the paper's router
EVERYBODY = "round-robin"  # the paper's MPI_Alltoallv sends a message to each rank
QUOTED = "simulate.md#the-crystal-routers-figures"
TIMES = "The paper's machine takes ten times as long for a message as its model, so the table compares factors."


def _against(ranks: int, size: int, says: str, factor: float | None, step, which: str = "auto") -> Claim:
    name = {"auto": "Heddle's choice", ORIGINAL: "the original router"}[which]
    what = f"{name} over a message to every rank, {ranks:,} ranks, {size:,} B"
    return Claim(says, factor, step, what, simulated.ratio(EVERYBODY, which, ranks, size))


PAPER = Paper(
    "schliephake2013",
    "M. Schliephake, E. Laure",
    "Performance analysis of irregular collective communication with the crystal router algorithm",
    "2013",
    "Cray XE6, 24 cores a node, 3-D torus (Gemini)",
    numbered("Figure", 1, 6),
    (
        Figure(
            ("Figure 1",),
            "26 neighbours, 8 B to 128 KiB, 256 and 512 ranks",
            (
                _against(256, 8, "256 ranks, 8 B: 85 µs against 3,227", 38.0, steps.SPARSE_256, ORIGINAL),
                _against(256, 8, "the same", 38.0, steps.SPARSE_256),
                _against(256, 131072, "256 ranks, 128 KiB: about equal", 1.0, steps.SPARSE_256),
                Claim(
                    "the router is much faster than the MPI's own call",
                    None,
                    steps.SPARSE,
                    "real ranks: MPI_Alltoallv under Heddle over the host's, 8 B",
                    gain("exchange", most_ranks("bytes=8"), "alltoallv auto"),
                ),
            ),
            f"{TIMES} Today's MPIs skip ranks without data. Of 16 ranks all are neighbours. So a gain of 38 is impossible "
            "there.",
            quotes=(
                Quote("256 ranks: 407 µs to every rank, the original router 15.4, the choice 10.9", QUOTED),
                Quote(
                    "16 ranks, 8 bytes to each other: MPICH 3,660 → 321 µs, Open MPI 154 → 80",
                    "results.md#uneven-and-sparse-collectives",
                ),
            ),
        ),
        Figure(
            ("Figure 2",),
            "The same, 1024 and 2048 ranks",
            (_against(1024, 8, "much faster, the more so with more ranks; no number", None, steps.SPARSE_MORE),),
            quotes=(Quote("1024 ranks: 1,722 µs to every rank and 11.1 by the choice", QUOTED),),
        ),
        Figure(
            ("Figure 3",),
            "The same, 4096 and 8192 ranks",
            (
                _against(8192, 8, "8192 ranks, 8 B: 273 µs against 187,000", 685.0, steps.SPARSE_MORE, ORIGINAL),
                _against(8192, 8, "the same", 685.0, steps.SPARSE_MORE),
                _against(8192, 131072, "8192 ranks, 128 KiB: 19 times", 19.0, steps.SPARSE_MORE),
            ),
            "8191 messages against 13 are 630. A bundle costs a little more than an empty message in the model, so log2 P "
            "rounds "
            "cannot reach 685. The choice knows the distance of partners, and takes 5 rounds. Most of the time of 128 KiB "
            "is bandwidth. An empty message takes 2 µs in the model, 23 on the paper's machine.",
            quotes=(Quote("602 times by the original router and 1,375 by the choice (SimGrid)", QUOTED),),
        ),
        Figure(
            ("Figure 4",),
            "The same by stride, 8 and 512 B (the text says 2048 ranks, the caption 256)",
            tuple(
                Claim(
                    f"stride 24 takes {percent:g} % more than stride 1, {size} B",
                    percent,
                    steps.STRIDE,
                    f"{name}, 2048 ranks, {size} B",
                    simulated.growth(
                        which,
                        {"ranks": 2048, "bytes": size, "stride": 1},
                        {"ranks": 2048, "bytes": size, "stride": 24},
                        percent=True,
                    ),
                    unit="% more",
                    at_most=True,
                )
                for size, percent in ((8, 59.0), (512, 51.0))
                for which, name in ((ORIGINAL, "the original router"), ("auto", "Heddle's choice"))
            ),
            "Less is better: the slowdown if all partners are on other nodes. Heddle sends 512 B straight to each partner. "
            "With stride 24 this takes 79 µs, the original router 378. The choice for 8 B takes 5 rounds with either "
            "stride, because Bruck counts distances in strides. But all bytes of 24 ranks leave their node in each round "
            "if the stride is 24, and most stay if it is 1. No other algorithm is quicker there by the estimate. It gives "
            "36 µs for 8 B straight, 31 by crystal of radix 2, 28 of radix 4 and 79 by two-level. Any algorithm that "
            "bundles takes 195 and more for 512 B.",
            quotes=(Quote("2048 ranks, the original router: 1.47 times for 8 B, 3.4 times for 512 B", QUOTED),),
        ),
        Figure(
            ("Figure 5",),
            "Times by number of partners, 256 ranks",
            tuple(
                Claim(
                    "the router takes longer with more partners; no number",
                    None,
                    steps.PARTNERS,
                    f"{name}, 8 B: 100 partners over 6",
                    simulated.growth(
                        which, {"ranks": 256, "bytes": 8, "partners": 6}, {"ranks": 256, "bytes": 8, "partners": 100}
                    ),
                )
                for which, name in ((ORIGINAL, "the original router"), ("auto", "Heddle's choice"))
            ),
            quotes=(Quote("6, 26 and 100 partners of 8 B: 13.2, 15.4 and 35.6 µs; direct 8.4, 36.4 and 140", QUOTED),),
        ),
        Figure(
            ("Figure 6",),
            "Weak scaling, 256 to 8192 ranks",
            tuple(
                Claim(
                    "8 B: 8192 ranks take 3.2 times as long as 256",
                    3.2,
                    steps.SPARSE_MORE,
                    name,
                    simulated.growth(which, {"ranks": 256, "bytes": 8}, {"ranks": 8192, "bytes": 8}),
                    at_most=True,
                )
                for which, name in ((ORIGINAL, "the original router"), ("auto", "Heddle's choice"))
            ),
            "Less is better. 13 rounds against 8 are 1.6. Neighbours that know their distance take 5 at any scale.",
        ),
        Figure(
            ("Section 4",),
            "The paper's wishes: fewer copies, several paths, overlap",
            (
                Claim(
                    "named as needed, not measured",
                    None,
                    steps.SPARSE,
                    "the router over itself with more copies, real ranks",
                    quicker("exchange", "crystal, copies", "crystal, bundled", mean),
                ),
                Claim(
                    "named as needed, not measured",
                    None,
                    steps.SPARSE,
                    "long blocks straight to their rank over all in bundles, real ranks",
                    quicker("exchange", "crystal, bundled", "crystal", mean),
                ),
            ),
            "Real ranks share two cores here, so their times are mostly waiting for turns. The simulation shows the router "
            "alone.",
            quotes=(
                Quote(
                    "256 ranks, 4 KiB: fewer copies 1.4 times, with radix 4 1.7; long blocks outside the bundles 166 µs "
                    "against 646",
                    QUOTED,
                ),
            ),
        ),
    ),
    headline=("Figure 3", 2),
)
