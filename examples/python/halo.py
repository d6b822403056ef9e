"""Halo exchange: each rank smooths its box of a periodic 3-D grid, and fetches ghost cells before
every step.

    mpiexec -n 2 python halo.py [CELLS [STEPS]]        CELLS along each side of a rank's box

A face is a Create_subarray of the array: the program copies nothing. The faces in x consist of
single doubles, CELLS + 2 doubles apart. The faces in y consist of rows. The faces in z are planes.
"""

import sys

import numpy as np
from mpi4py import MPI

n = int(sys.argv[1]) if len(sys.argv) > 1 else 48
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
grid = MPI.COMM_WORLD.Create_cart(MPI.Compute_dims(MPI.COMM_WORLD.size, 3), periods=[True] * 3)


def face(axis: int, layer: int) -> MPI.Datatype:
    """The layer of cells where coordinate `axis` is `layer`. In NumPy's arrays, z is the first
    dimension, x the last."""
    part, start = [n, n, n], [1, 1, 1]
    part[2 - axis], start[2 - axis] = 1, layer
    return MPI.DOUBLE.Create_subarray([n + 2] * 3, part, start).Commit()


sides = [(axis, end) for axis in range(3) for end in range(2)]
inner = {(axis, end): face(axis, n if end else 1) for axis, end in sides}
ghost = {(axis, end): face(axis, n + 1 if end else 0) for axis, end in sides}
neighbour = {(axis, end): grid.Shift(axis, 1)[end] for axis, end in sides}

# The grid begins as a sum of cosines. The mean of six neighbours scales each cosine, so the answer
# is known.
wave = [2 * np.pi / (dim * n) for dim in grid.dims]
x, y, z = (np.cos(wave[axis] * (grid.coords[axis] * n + np.arange(n))) for axis in range(3))
u, following = np.zeros((n + 2,) * 3), np.zeros((n + 2,) * 3)
u[1:-1, 1:-1, 1:-1] = z[:, None, None] + y[:, None] + x

grid.Barrier()
begin = MPI.Wtime()
for _ in range(steps):
    # A face leaves at one end and arrives at the other: the tag names the first.
    requests = [grid.Irecv([u, 1, ghost[side]], neighbour[side], 2 * side[0] + 1 - side[1]) for side in sides]
    requests += [grid.Isend([u, 1, inner[side]], neighbour[side], 2 * side[0] + side[1]) for side in sides]
    MPI.Request.Waitall(requests)

    mean = following[1:-1, 1:-1, 1:-1]
    np.add(u[1:-1, 1:-1, :-2], u[1:-1, 1:-1, 2:], out=mean)
    for one in (u[1:-1, :-2, 1:-1], u[1:-1, 2:, 1:-1], u[:-2, 1:-1, 1:-1], u[2:, 1:-1, 1:-1]):
        mean += one
    mean /= 6
    u, following = following, u
seconds = MPI.Wtime() - begin

fx, fy, fz = (((2 + np.cos(one)) / 3) ** steps for one in wave)
worst = np.abs(u[1:-1, 1:-1, 1:-1] - (fz * z[:, None, None] + fy * y[:, None] + fx * x)).max()
seconds, worst = grid.allreduce(seconds, MPI.MAX), grid.allreduce(worst, MPI.MAX)
wrong = not worst < 1e-9
for datatype in (*inner.values(), *ghost.values()):
    datatype.Free()
if grid.rank == 0:
    answer = "wrong" if wrong else "right"
    print(f"halo: {grid.size} ranks, {n}^3 cells each, {steps} steps: {answer}, {seconds:.3f} seconds")
sys.exit(wrong)
