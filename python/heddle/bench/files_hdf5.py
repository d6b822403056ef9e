"""The HDF5 row of `heddle bench files`: h5py writes and reads a cube in blocks, with Heddle and
without. It needs an h5py that was built with MPI.

    mpiexec -n 8 python -m mpi4py files_hdf5.py --side 128 --file /dev/shm/cube.h5
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
from pathlib import Path

METRIC = "time"
GAINS = {
    f"{way} under Heddle over the same on the host": (("heddle", way), ("host", way)) for way in ("h5py write", "h5py read")
}


def missing() -> str | None:
    """Why there is no row, or None."""
    for name in ("h5py", "mpi4py"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    import h5py

    return None if h5py.get_config().mpi else "this h5py was built without MPI"


def measure(mpi, counts: list[int], rounds: int, quick: bool, folder: Path, ours) -> list:
    """The rows of h5py, whose tables are printed."""
    from heddle import installations

    from . import applications, messages

    why = missing()
    if why is not None:
        messages.screen().print(f"no row for HDF5: {why}")
        return []
    jobs = []
    for family in mpi.families:
        host = installations.named(family.name)
        for count in counts:
            side = 48 if quick else 128
            words = ("-m", "mpi4py", __file__, "--side", str(side), "--file", str(folder / "cube.h5"))
            where = {"MPI4PY_LIBMPI": str(host.library)}
            jobs.append(applications.Job(f"hdf5, {side}^3", host, Path(sys.executable), count, words, where))
    measured = applications.by_turns(jobs, (applications.HOST, ours), max(rounds, 2), lambda line: line["sum"])
    rows = []
    for one in measured:
        found = applications.rows_of(one, "files", one.job.case, METRIC, "ms", lambda line: line["ms"], GAINS)
        rows += found
        for figures in messages.by_mpi(found):
            for gain in GAINS:
                messages.screen().print(applications.table(figures, "HDF5 by h5py", METRIC, gain))
    return rows


def span(length: int, parts: int, part: int) -> slice:
    return slice(length * part // parts, length * (part + 1) // parts)


def program() -> None:
    """A rank. Prints the medians of its accesses as a line of JSON."""
    import h5py
    import numpy
    from mpi4py import MPI

    asked = argparse.ArgumentParser()
    asked.add_argument("--side", type=int, default=128)
    asked.add_argument("--file", required=True)
    asked.add_argument("--repetitions", type=int, default=5)
    asked.add_argument("--no-check", action="store_true")
    options = asked.parse_args()
    comm, side = MPI.COMM_WORLD, options.side
    grid = MPI.Compute_dims(comm.size, 3)
    part = (comm.rank // (grid[1] * grid[2]), comm.rank // grid[2] % grid[1], comm.rank % grid[2])
    mine = tuple(span(side, parts, which) for parts, which in zip(grid, part))
    x, y, z = numpy.ogrid[mine]
    values = ((x * side + y) * side + z).astype(float)
    padded = numpy.full([length + 2 for length in values.shape], -1.0)  # ghost cells around the block
    inside = (slice(1, -1),) * 3
    taken: dict[str, list[float]] = {"h5py write": [], "h5py read": []}
    with h5py.File(options.file, "w", driver="mpio", comm=comm) as file:
        cube = file.create_dataset("cube", (side, side, side), dtype="d")
        for _ in range(options.repetitions):
            for way, times in taken.items():
                padded[inside] = values if way == "h5py write" else -1.0
                comm.Barrier()
                begun = MPI.Wtime()
                with cube.collective:
                    if way == "h5py write":
                        cube.write_direct(padded, inside, mine)
                    else:
                        cube.read_direct(padded, mine, inside)
                times.append(comm.allreduce(MPI.Wtime() - begun, op=MPI.MAX))
                if not numpy.array_equal(padded[inside], values):
                    raise SystemExit("h5py: the data read are not those written")
    total = comm.allreduce(float(padded[inside].sum()))
    if comm.rank == 0:
        Path(options.file).unlink()
        milliseconds = {way: 1e3 * statistics.median(times) for way, times in taken.items()}
        name, version = MPI.get_vendor()
        print(json.dumps({"mpi": f"{name} {'.'.join(map(str, version))}", "ms": milliseconds, "sum": total}))


if __name__ == "__main__":
    program()
