"""Hoefler, Gottlieb 2010: slides, whose pictures have no numbers."""

from heddle.bench import lattice_cg

from . import steps
from .model import Claim, Figure, Made, Paper, Quote
from .take import best, least, quicker, value

UP_TO = 3.8  # times as fast as packing by hand, "up to", of the 2-D FFT

PAPER = Paper(
    "seed-004",
    "T. Hoefler, S. Gottlieb",
    "Parallel zero-copy algorithms for fast Fourier transform and conjugate gradient using MPI datatypes",
    "EuroMPI 2010 (slides)",
    "Odin: 128 nodes, InfiniBand, Open MPI 1.4.1; Jaguar: Cray XT, SeaStar",
    (
        "The datatypes",
        "FFT, Odin",
        "FFT, Jaguar",
        "Negative results",
        "MILC, model",
        "MILC, Odin",
        "MILC, Jaguar",
    ),
    (
        Figure(
            ("The datatypes",),
            "Send and receive type of the 2-D FFT, three levels each; the lattice's 48 types",
            made=Made.drawing,
            command="heddle explain 'resized(vector(4, 1, 4, contiguous(4, struct(double, double))), 0, 64)'",
            why='The command draws it: the "tool support for datatypes" that the conclusions wish for.',
            quotes=(
                Quote("both types of the FFT", "fft2d.md#the-send-type"),
                Quote("the lattice's", "lattice_cg.md#what-it-computes"),
            ),
        ),
        Figure(
            ("FFT, Odin",),
            "2-D FFT of 8000², strong scaling: transposes by datatypes against packing by hand",
            (
                Claim(
                    "up to 3.8 times as fast as packing by hand",
                    UP_TO,
                    steps.TRANSPOSE,
                    "a transpose by datatypes under Heddle over turning it by hand, best n",
                    quicker("latency", "manual", "heddle", best),
                ),
                Claim(
                    "the same",
                    UP_TO,
                    steps.FFT,
                    "fft2d with Heddle over the host alone: communication",
                    quicker("communication", "host", "heddle", best, "fft2d"),
                    comparable=False,
                ),
                Claim(
                    "the same",
                    UP_TO,
                    steps.FFT,
                    "fft2d with Heddle over the host alone: whole run",
                    quicker("total", "host", "heddle", best, "fft2d"),
                    comparable=False,
                ),
            ),
            "Our fft2d has no version that packs by hand, so only the message is held against 3.8; the program is "
            "compared with itself without Heddle. A factor of the whole run depends on how much of it is communication.",
            quotes=(
                Quote("4096², communication: MPICH 350 → 50 ms, Open MPI 292 → 60", "results.md#packing"),
                Quote("fft2d, 4096², three times: MPICH 10.3 → 5.3 s, Open MPI 21.8 → 12.3", "results.md#whole-programs"),
            ),
        ),
        Figure(
            ("FFT, Jaguar",),
            "The same, 20,000², a Cray with up to thousands of ranks",
            made=Made.elsewhere,
            why="One node of two cores: a matrix of 20,000² complex numbers takes 6.4 GB a copy, and there is nothing "
            "to scale over. `make demo` runs 4096².",
        ),
        Figure(
            ("Negative results",),
            "Blue Print: 10 % slower, and wrong; Eugene: 40 % slower",
            made=Made.bygone,
            why="Those machines and their MPIs are gone. What they stand for is tested: fft2d and lattice_cg compare "
            "every element with a serial solution, in every run.",
        ),
        Figure(
            ("MILC, model",),
            "How much of the CG phase is packing",
            (
                Claim(
                    "over 10 % of the time, over 15 % for small lattices",
                    None,
                    steps.LATTICE,
                    "packed by hand, 4⁴ sites a rank: share of packing",
                    value("share of packing", best, 100, "host, manual", "4^4"),
                    unit="%",
                ),
            ),
            "This is all that datatypes can save. Faces of 1.5 KiB lie in the first-level cache today.",
            quotes=(Quote("4⁴: 1.4 %, 8⁴: 0.8 to 1.6 %", "lattice_cg.md#what-came-out"),),
        ),
        Figure(
            ("MILC, Odin",),
            "Lattice CG, 4⁴ sites a rank, weak scaling: halos by datatypes against packing by hand",
            (
                Claim(
                    "18 % more MFlop/s",
                    lattice_cg.REPORTED,
                    steps.LATTICE,
                    "by datatypes under Heddle over by hand on the host, the better quark",
                    value(lattice_cg.GAIN, best, where="4^4"),
                ),
            ),
            "Out of reach on a node: packing is 1 to 1.5 % of the time. What Heddle costs here is seen, too, about "
            "0.45 µs a message.",
            quotes=(
                Quote("4⁴, staggered: 0.92 on MPICH, 0.95 on Open MPI; 6⁴ and 8⁴: 0.90 to 1.06", "lattice_cg.md#what-came-out"),
            ),
        ),
        Figure(
            ("MILC, Jaguar",),
            "The same on Jaguar",
            (
                Claim(
                    "3 % fewer MFlop/s",
                    0.97,
                    steps.LATTICE,
                    "by datatypes under Heddle over by hand on the host, the worse quark",
                    value(lattice_cg.GAIN, least, where="4^4"),
                ),
            ),
            "Held against the paper's loss: its other machine had no gain, either.",
        ),
    ),
)
