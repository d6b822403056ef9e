"""Hoefler, Gottlieb 2010: slides, whose pictures have no numbers."""

from heddle.bench import fft2d, lattice_cg, mpi4py_fft

from . import steps
from .model import Claim, Figure, Made, Paper, Quote
from .simulated import growth, ratio
from .take import best, least, quicker, value

PAPER = Paper(
    "hoefler2010",
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
            why='The command draws them. It is the "tool support for datatypes" that the conclusions wish for.',
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
                    fft2d.REPORTED,
                    steps.TRANSPOSE,
                    "a transpose by datatypes under Heddle over turning it by hand, best n",
                    quicker("latency", "manual", "heddle", best),
                ),
                Claim(
                    "the same",
                    fft2d.REPORTED,
                    steps.FFT,
                    "fft2d, whole run: all by datatypes under Heddle over by hand on the host, best case",
                    value(fft2d.GAIN, best, where="whole run"),
                ),
                Claim(
                    "the same",
                    fft2d.REPORTED,
                    steps.FFT,
                    "fft2d, its transposes alone",
                    value(fft2d.GAIN, best, where="transposes"),
                    comparable=False,
                ),
                Claim(
                    "MPI libraries of 2010, without help",
                    None,
                    steps.FFT,
                    "fft2d on the host alone, whole run: all by datatypes over by hand, best case",
                    value(fft2d.ALONE, best, where="whole run"),
                ),
            ),
            "The whole run cannot reach this factor: if its transposes were free, a run by hand would be 1.4 to 3.0 times "
            "as fast here. "
            "The loops of the version by hand are tiled, and the hosts' own datatypes lose against them.",
            quotes=(
                Quote("2 ranks, 4096², transposes by hand and by datatypes: MPICH 111 → 44.7 ms", "fft2d.md#what-came-out"),
                Quote("4096², communication: MPICH 350 → 50 ms, Open MPI 292 → 60", "results.md#packing"),
                Quote("fft2d, 4096², three times: MPICH 1.7 → 1.1 s, Open MPI 3.2 → 2.2", "results.md#whole-programs"),
            ),
        ),
        Figure(
            ("Section on other FFTs",),
            "Not in the paper: an unmodified program over mpi4py-fft, 3-D, in slabs and in pencils",
            (
                Claim(
                    "a program of others",
                    None,
                    steps.MPI4PY_FFT,
                    "redistribution under Heddle over the same on the host, worst case",
                    value(mpi4py_fft.GAIN, least),
                ),
                Claim(
                    "the same",
                    None,
                    steps.MPI4PY_FFT,
                    "redistribution under Heddle over a copy of its bytes, worst case",
                    value(mpi4py_fft.OVER_COPY, best, variant="heddle"),
                ),
            ),
            "The wanted result is 1.5 times as fast as the host, or within 1.15 of the copy. The manual explains the bounds "
            "and the "
            "gain that is left.",
            quotes=(Quote("both MPIs, 2 and 4 ranks", "fft2d.md#in-three-dimensions"),),
        ),
        Figure(
            ("FFT, Jaguar",),
            "The same, 20,000², a Cray with up to thousands of ranks",
            (
                Claim(
                    "a picture; no number in the text",
                    None,
                    steps.FFT_FAR,
                    "whole FFT: by datatypes over by hand, 64 ranks",
                    ratio("manual", "zero-copy", 64, 1_562_496),
                ),
                Claim(
                    "the same",
                    None,
                    steps.FFT_FAR,
                    "whole FFT: by datatypes over by hand, 4,096 ranks",
                    ratio("manual", "zero-copy", 4096, 384),
                ),
                Claim(
                    "strong scaling to thousands of ranks",
                    None,
                    steps.FFT_FAR,
                    "time of 64 ranks over the time of 4,096 (datatypes)",
                    growth("zero-copy", {"ranks": 4096, "bytes": 384}, {"ranks": 64, "bytes": 1_562_496}),
                ),
            ),
            "The torus is a Cray XE6's, 24 ranks a node, not Jaguar's XT5. Its transposes are simulated or estimated. Loops, "
            "datatypes and transforms are charged at the rates of one core of today, so communication is most of the time.",
            quotes=(Quote("the charged times, and the gain of a slower core", "simulate.md#a-2-d-fft-strong-scaling"),),
        ),
        Figure(
            ("Negative results",),
            "Blue Print: 10 % slower, and wrong; Eugene: 40 % slower",
            made=Made.bygone,
            why="Those machines and their MPIs are gone. Heddle's correctness is tested instead: fft2d and lattice_cg compare "
            "every element with a serial solution, in every run.",
        ),
        Figure(
            ("MILC, model",),
            "The share of packing in the CG phase",
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
            "Datatypes cannot save more than this. Faces of 1.5 KiB lie in the first-level cache today.",
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
            "A node cannot reach this factor: packing is 1 to 1.5 % of the time. The cost of Heddle is visible here, too: "
            "about "
            "0.45 µs a message.",
            quotes=(
                Quote(
                    "4⁴ staggered, 0.94 on MPICH and 0.86 on Open MPI; 6⁴ and 8⁴ 0.96 to 1.10", "lattice_cg.md#what-came-out"
                ),
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
            "The table compares with the paper's loss: its other machine had no gain, either.",
        ),
    ),
    headline=("FFT, Odin", 1),
)
