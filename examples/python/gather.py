"""Irregular gather: each rank owns a part of a vector, and in every step needs some entries of all
parts. Sparse matrix-vector products and unstructured meshes do so.

    mpiexec -n 2 python gather.py [ENTRIES [STEPS]]        ENTRIES of a rank's part of the vector

The ranks exchange their index lists once. From then on, an owner sends entries right out of its
vector, by a Create_indexed_block. The receiver uses another to store them in the order of its own
numbering.
"""

import sys

import numpy as np
from mpi4py import MPI

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200000
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 500
comm = MPI.COMM_WORLD
share = n // 10  # a tenth of each part
random = np.random.default_rng(comm.rank)

# need: the entries that I need of each owner (ascending). place: their places among my ghosts (in
# any order).
need = np.sort(random.integers(0, n, (comm.size, share), dtype=np.int32))
place = random.permutation(comm.size * share).astype(np.int32).reshape(comm.size, share)
asked = np.empty_like(need)
comm.Alltoall(need, asked)

send = [MPI.DOUBLE.Create_indexed_block(1, entries).Commit() for entries in asked]
receive = [MPI.DOUBLE.Create_indexed_block(1, places).Commit() for places in place]
one, zero = [1] * comm.size, [0] * comm.size

ghost = np.empty(comm.size * share)
wrong, seconds = False, 0.0
comm.Barrier()
for step in range(steps):
    x = np.arange(n) + float(comm.rank * n + step)
    begin = MPI.Wtime()
    comm.Alltoallw([x, (one, zero), send], [ghost, (one, zero), receive])
    seconds += MPI.Wtime() - begin
    if step % 100 == 0 or step == steps - 1:
        wrong |= not np.array_equal(ghost[place], need + (np.arange(comm.size) * n + step)[:, None])

wrong, seconds = comm.allreduce(wrong, MPI.LOR), comm.allreduce(seconds, MPI.MAX)
for datatype in (*send, *receive):
    datatype.Free()
if comm.rank == 0:
    answer = "wrong" if wrong else "right"
    print(f"gather: {comm.size} ranks, {n} entries each, {steps} steps: {answer}, {seconds:.3f} seconds")
sys.exit(wrong)
