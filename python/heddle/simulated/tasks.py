"""The benchmarks of the papers that can be simulated, as tasks for heddle-tool estimate and
heddle-smpi."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

PLAIN = "crystal:copies"  # the router of Schliephake and Laure's algorithm 1


@dataclass(frozen=True)
class Benchmark:
    name: str
    collective: str
    about: str
    ranks: tuple[int, ...]
    sizes: tuple[int, ...]
    partners: tuple[int, ...]
    algorithms: tuple[str, ...]
    # The numbers of a paper: (ranks, bytes, algorithm here) -> us, and their source.
    reported: dict[tuple[int, int, str], float] = field(default_factory=dict)
    source: str = ""


SPARSE = Benchmark(
    name="alltoallv-sparse",
    collective="alltoallv",
    about="each rank exchanges messages with the 26 nearest (Schliephake and Laure 2013, figures 1 to 6)",
    ranks=(256,),
    sizes=(8, 64, 512, 4096, 32768, 131072),
    partners=(26,),
    algorithms=("round-robin", PLAIN, "crystal", "direct", "auto"),
    reported={
        (256, 8, PLAIN): 85,
        (8192, 8, PLAIN): 273,
        (256, 8, "round-robin"): 3227,
        (8192, 8, "round-robin"): 187000,
    },
    source="Schliephake and Laure 2013",
)
GATHER = Benchmark(
    name="allgatherv",
    collective="allgatherv",
    about="rank 0 has so many bytes, all others 8 (Balaji et al. 2007, figure 14)",
    ranks=(64,),
    sizes=(8, 1024, 32768, 1 << 20),
    partners=(0,),
    algorithms=("ring", "recursive-doubling", "dissemination", "pipelined-ring", "by-sum", "auto"),
)
RING = Benchmark(
    name="alltoallw-ring",
    collective="alltoallv",
    about="each rank exchanges 10 x 10 doubles with both neighbours of a ring (Balaji et al. 2007, figure 15)",
    ranks=(2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
    sizes=(800,),
    partners=(2,),
    algorithms=("round-robin", "direct", "auto"),
)
FFT2D = Benchmark(
    name="fft2d",
    collective="alltoallv",
    about="a 2-D FFT of N x N, transposed twice (Hoefler and Gottlieb 2010, strong scaling on Jaguar)",
    ranks=(64, 128, 256, 512, 1024, 2048, 4096),
    sizes=(),  # blocks of N/P x N/P: fft2d.py
    partners=(),
    algorithms=("auto",),
)
SIDE = 20000  # N of the paper
ALL = {one.name: one for one in (SPARSE, GATHER, RING, FFT2D)}


def tasks(
    benchmark: Benchmark, ranks: int, sizes: list[int], partners: list[int], strides: list[int], algorithms: list[str]
) -> list[dict]:
    """All combinations for one number of ranks."""
    return [
        {
            "bench": benchmark.name,
            "collective": benchmark.collective,
            "ranks": ranks,
            "bytes": size,
            **({"partners": many, "stride": stride} if benchmark.collective == "alltoallv" else {}),
            "algorithm": algorithm,
        }
        for many, stride, size, algorithm in itertools.product(partners, strides, sizes, algorithms)
    ]
