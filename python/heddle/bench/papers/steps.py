"""The commands that make the papers' figures. One command may make several figures. Times are of
two busy cores."""

from __future__ import annotations

import shutil

from heddle import native
from heddle.bench import mpi4py_fft, petsc
from heddle.problem import Problem
from heddle.simulated import simgrid

from .model import Step


def _petsc(program: str) -> str:
    try:
        petsc.program(program)
        petsc.mpi()
    except Problem as problem:
        return str(problem)
    return ""


def _hpcc() -> str:
    return "" if shutil.which("hpcc") else "hpcc is not here. Debian has it: apt-get install --no-install-recommends hpcc."


def _fabric() -> str:
    fine = (native.FOLDER / "bin/heddle-bench-fabric").exists()
    return (
        ""
        if fine
        else "This Heddle was built without libfabric. Install it (Debian: apt-get install libfabric-dev), and build again."
    )


def _over_tcp(name: str, words: str, quick: str, seconds: int, quick_seconds: int) -> Step:
    """A benchmark between two nodes that this machine plays, by libfabric. The MPI libraries use
    TCP, too."""
    wire = "--transport fabric --provider tcp"
    return _bench(name, f"{words} {wire}", f"{quick} {wire}", seconds, quick_seconds, missing=_fabric)


def _mpi4py_fft() -> str:
    try:
        mpi4py_fft.require()
    except Problem as problem:
        return str(problem)
    return ""


def _bench(name: str, words: str, quick: str, seconds: int, quick_seconds: int, **more) -> Step:
    """@param name  the name of the step; the first of `words` is the name of the benchmark"""
    return Step(name, ("heddle", "bench", *words.split()), ("heddle", "bench", *quick.split()), seconds, quick_seconds, **more)


def _simulate(name: str, words: str, quick: str, seconds: int, quick_seconds: int) -> Step:
    more = {"missing": simgrid.missing, "instead": ("--estimate",)}
    line = ("heddle", "simulate")
    return Step(name, (*line, *words.split()), (*line, *quick.split()), seconds, quick_seconds, **more)


def _times(option: str, *values: int) -> str:
    return " ".join(f"{option} {value}" for value in values)


TRANSPOSE = _bench(
    "transpose", "transpose --rounds 3", "transpose --quick --rounds 2 --size 64 --size 256 --size 1024", 300, 90
)
SEEK = _bench("seek", "seek", "seek --quick", 15, 2)
ALLGATHERV = _bench(
    "allgatherv",
    f"allgatherv --rounds 1 {_times('--ranks', 8, 16, 48)}",
    f"allgatherv --quick {_times('--ranks', 8, 16)}",
    400,
    60,
)
RING = _bench("alltoallw-ring", "alltoallw-ring --rounds 1", f"alltoallw-ring --quick {_times('--ranks', 4, 8, 16)}", 300, 30)
VECSCATTER = _bench(
    "vecscatter",
    "vecscatter",
    f"vecscatter --quick {_times('--ranks', 2, 8)}",
    300,
    30,
    missing=lambda: _petsc("vecscatter"),
)
MULTIGRID = _bench(
    "multigrid", "multigrid", "multigrid --rounds 3 --ranks 2 --points 101", 240, 60, missing=lambda: _petsc("multigrid")
)
GATHER_FAR = _simulate(
    "simulated-allgatherv",
    f"allgatherv {_times('-n', 2, 4, 8, 16, 32, 64, 128)} {_times('--bytes', 1024, 32768, 1 << 20)}",
    f"allgatherv {_times('-n', 16, 32, 64)} {_times('--bytes', 1024, 32768)}",
    50,
    10,
)
# A ring of a thousand ranks has a million messages: estimated.
GATHER_FURTHER = _simulate(
    "simulated-allgatherv-1024",
    f"allgatherv --estimate {_times('-n', 256, 512, 1024)} {_times('--bytes', 1024, 32768, 1 << 20)}",
    f"allgatherv --estimate -n 1024 {_times('--bytes', 1024, 32768, 1 << 20)}",
    30,
    5,
)
RING_FAR = _simulate(
    "simulated-ring",
    f"alltoallw-ring {_times('-n', 2, 4, 8, 16, 32, 64, 128, 256)}",
    f"alltoallw-ring {_times('-n', 8, 32, 128)}",
    30,
    10,
)
RING_FURTHER = _simulate(
    "simulated-ring-1024",
    f"alltoallw-ring --estimate {_times('-n', 256, 512, 1024)}",
    f"alltoallw-ring --estimate {_times('-n', 256, 512, 1024)}",
    5,
    5,
)

# 64 and 128 ranks by SimGrid, the others estimated.
FFT_FAR = _simulate(
    "simulated-fft2d",
    f"fft2d {_times('-n', 64, 128, 256, 512, 1024, 2048, 4096, 8192)}",
    f"fft2d {_times('-n', 64, 128, 256, 512, 1024, 2048, 4096)}",
    60,
    30,
)

SPARSE = _bench(
    "alltoallv-sparse",
    "alltoallv-sparse",
    f"alltoallv-sparse --quick {_times('--ranks', 8, 16)}",
    500,
    80,
)
SPARSE_256 = _simulate("simulated-sparse-256", f"alltoallv-sparse {_times('-n', 256, 512)}", "alltoallv-sparse -n 256", 200, 60)
SPARSE_MORE = _simulate(
    "simulated-sparse-8192",
    f"alltoallv-sparse --estimate {_times('-n', 256, 512, 1024, 2048, 4096, 8192)} {_times('--bytes', 8, 512, 4096, 131072)}",
    f"alltoallv-sparse --estimate {_times('-n', 256, 1024, 8192)} {_times('--bytes', 8, 131072)}",
    60,
    30,
)
STRIDE = _simulate(
    "simulated-stride",
    f"alltoallv-sparse --estimate -n 2048 {_times('--bytes', 8, 512)} {_times('--stride', 1, 2, 4, 8, 16, 24)}",
    f"alltoallv-sparse --estimate -n 2048 {_times('--bytes', 8, 512)} {_times('--stride', 1, 6, 24)}",
    30,
    15,
)
PARTNERS = _simulate(
    "simulated-partners",
    f"alltoallv-sparse --estimate -n 256 {_times('--bytes', 8, 512)} {_times('--partners', 6, 13, 26, 52, 100)}",
    f"alltoallv-sparse --estimate -n 256 {_times('--bytes', 8, 512)} {_times('--partners', 6, 26, 100)}",
    15,
    10,
)

_SCHEMES = "--scheme bc-spup --scheme rwg-up --scheme p-rrs --scheme multi-w"
VECTOR = _bench(
    "vector", "vector --rounds 2", f"vector --rounds 1 {_times('--columns', 16, 64, 512, 2048)} {_SCHEMES}", 600, 80
)
CHANGING = _bench(
    "vector-changing",
    "vector --buffers changing --no-bandwidth --rounds 2",
    f"vector --quick --buffers changing --no-bandwidth {_times('--columns', 16, 256, 2048)}",
    300,
    60,
)
STRUCT = _bench("alltoall-struct", "alltoall-struct --rounds 1", "alltoall-struct --quick", 300, 80)
VECTOR_TCP = _over_tcp(
    "vector-tcp",
    f"vector --rounds 1 {_SCHEMES}",
    f"vector --rounds 1 {_times('--columns', 64, 512, 2048)} {_SCHEMES}",
    400,
    80,
)
CHANGING_TCP = _over_tcp(
    "vector-changing-tcp",
    f"vector --rounds 1 --buffers changing --no-bandwidth {_SCHEMES}",
    f"vector --quick --buffers changing --no-bandwidth {_times('--columns', 64, 512, 2048)} {_SCHEMES}",
    200,
    40,
)
STRUCT_TCP = _over_tcp(
    "alltoall-struct-tcp",
    f"alltoall-struct --rounds 1 --ranks 2 {_SCHEMES}",
    f"alltoall-struct --quick --ranks 2 {_SCHEMES}",
    200,
    40,
)


def _fabric_alone(name: str, provider: str) -> Step:
    words = ("heddle-bench-fabric", "--provider", provider)
    return Step(name, words, words, 8, 8, draws=False, missing=_fabric)


FABRIC = _fabric_alone("fabric", "shm")
FABRIC_TCP = _fabric_alone("fabric-tcp", "tcp;ofi_rxm")

GROUPS = _bench("groups", "groups --rounds 2", "groups --ranks 16 --rounds 1", 300, 60)
GROUPS_TCP = _bench(
    "groups-tcp", "groups --over tcp --ranks 16 --rounds 2", "groups --over tcp --ranks 8 --rounds 1", 60, 30, draws=False
)
HPL = _bench("hpl", "hpl --size 3000", "hpl --size 2000 --rounds 5", 200, 70, draws=False, missing=_hpcc)

LATTICE = _bench("lattice-cg", "lattice-cg", "lattice-cg --local 4 --rounds 5", 300, 40)
FFT = _bench("fft2d", "fft2d --rounds 3", "fft2d --rounds 2 --size 1024", 600, 90)
MPI4PY_FFT = _bench(
    "mpi4py-fft",
    "mpi4py-fft --rounds 3",
    f"mpi4py-fft --rounds 2 {_times('--size', 64, 128)}",
    500,
    200,
    missing=_mpi4py_fft,
)
