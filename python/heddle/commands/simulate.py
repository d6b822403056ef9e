"""heddle simulate: the times of collectives with thousands of ranks, on networks that this machine
does not have."""

from pathlib import Path
from typing import Annotated, Optional

import typer

NAMES = ("alltoallv-sparse", "allgatherv", "alltoallw-ring", "fft2d")
PLATFORMS = ("torus", "fat-tree", "dragonfly", "mpich", "openmpi")


def simulate(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"{', '.join(NAMES)}.", show_default=False)],
    ranks: Annotated[
        Optional[list[int]], typer.Option("--ranks", "-n", min=2, max=1 << 24, metavar="N", help="May be repeated.")
    ] = None,
    platform: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(PLATFORMS)} (the last two: this machine's profile).")
    ] = "torus",
    size: Annotated[
        Optional[list[int]], typer.Option("--bytes", min=0, metavar="N", help="Bytes for each partner; may be repeated.")
    ] = None,
    algorithm: Annotated[
        Optional[list[str]],
        typer.Option("--algorithm", "-a", metavar="NAME[:ROUTER]", help="See below; may be repeated."),
    ] = None,
    partners: Annotated[
        Optional[list[int]], typer.Option("--partners", min=0, metavar="N", help="Partners of each rank; may be repeated.")
    ] = None,
    stride: Annotated[
        Optional[list[int]],
        typer.Option("--stride", min=1, metavar="N", help="Ranks from one partner to the next; may be repeated."),
    ] = None,
    side: Annotated[
        int, typer.Option("--size", min=2, metavar="N", help="A matrix of N x N complex numbers (for fft2d).")
    ] = 20000,
    members: Annotated[Optional[int], typer.Option("--members", min=1, metavar="N", help="Ranks on each node.")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Use only the LogGP model; SimGrid is not needed.")] = False,
    json: Annotated[Optional[Path], typer.Option(metavar="FILE", help="Write the rows as JSON.")] = None,
    plot: Annotated[Optional[Path], typer.Option("--plot", metavar="FILE", help="Draw FILE.svg and FILE.png.")] = None,
) -> None:
    """Simulate a collective of Heddle on a Cray XE6 (torus), a fat tree or a dragonfly.

    If a case takes a minute or less, SimGrid runs Heddle's own schedules and engine, and checks the
    data. Longer cases are estimated by LogGP over the same schedules, up to millions of ranks, and
    marked by ~. Every run gives the same figures.

    Algorithms have the names of `heddle algorithms`. The name auto is Heddle's choice; by-sum, for
    allgatherv, is a choice by the sum of all volumes. A value of HEDDLE_ROUTER may follow a colon:
    crystal:copies is the original crystal router, crystal:radix=4,beside=1G sends all data in
    bundles of radix 4.

    \b
    heddle simulate alltoallv-sparse --ranks 1024 --platform torus
    heddle simulate alltoallv-sparse --estimate -n 8192 -n 1000000 --bytes 8
    heddle simulate alltoallv-sparse -n 256 --bytes 8 --stride 1 --stride 24
    heddle simulate allgatherv --platform fat-tree --bytes 32768 --plot outlier
    heddle simulate alltoallw-ring --json rows.json
    heddle simulate fft2d -n 64 -n 4096 --size 20000 --estimate
    """
    from heddle.problem import Problem
    from heddle.simulated import run, tasks

    if name not in tasks.ALL:
        raise Problem(f"no simulation is called {name}; there are {', '.join(NAMES)}", code=2)
    if platform not in PLATFORMS:
        raise Problem(f"no machine is called {platform}; there are {', '.join(PLATFORMS)}", code=2)
    benchmark = tasks.ALL[name]
    if benchmark is tasks.FFT2D and (size or partners or stride):
        raise Problem("fft2d takes no --bytes, --partners or --stride: its blocks follow from --size and --ranks", code=2)
    wanted = run.Wanted(
        benchmark=benchmark,
        platform=platform,
        members=members,
        ranks=ranks or list(benchmark.ranks),
        sizes=size or list(benchmark.sizes),
        partners=partners or list(benchmark.partners),
        strides=stride or [1],
        algorithms=algorithm or list(benchmark.algorithms),
        estimate=estimate,
        side=side,
    )
    run.simulate(wanted, json, plot)
