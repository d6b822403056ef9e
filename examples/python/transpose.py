"""Transpose of a matrix that is distributed by rows: rank r holds rows r·R … (r+1)·R - 1, at the
end of the transpose.

    mpiexec -n 2 python transpose.py [N [TIMES]]        N × N complex numbers; ranks divide N

One Alltoall does all of it: the sender's datatype reads a block by rows, the receiver's stores it
by columns.
"""

import sys

import numpy as np
from mpi4py import MPI

n = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
times = int(sys.argv[2]) if len(sys.argv) > 2 else 20
comm = MPI.COMM_WORLD
rows = n // comm.size
if rows * comm.size != n:
    sys.exit(f"transpose: {comm.size} ranks do not divide {n}")

number = MPI.C_DOUBLE_COMPLEX
# A block for one rank: `rows` numbers of each of my rows. The next block begins where the first row
# of this one ends.
rectangle = number.Create_vector(rows, rows, n)
block = rectangle.Create_resized(0, rows * number.size).Commit()
# The receiver stores one column after another. The next column begins one number further right.
line = number.Create_vector(rows, 1, n)
column = line.Create_resized(0, number.size).Commit()

mine = comm.rank * rows + np.arange(rows)
a = mine[:, None] + 1j * np.arange(n)
b = np.full_like(a, -1)

comm.Barrier()
begin = MPI.Wtime()
for _ in range(times):  # forth and back
    comm.Alltoall([a, 1, block], [b, rows, column])
    a, b = b, a
seconds = comm.allreduce(MPI.Wtime() - begin, MPI.MAX)

expected = np.arange(n) + 1j * mine[:, None] if times % 2 else mine[:, None] + 1j * np.arange(n)
wrong = comm.allreduce(not np.array_equal(a, expected), MPI.LOR)
for datatype in (rectangle, block, line, column):
    datatype.Free()
if comm.rank == 0:
    answer = "wrong" if wrong else "right"
    print(f"transpose: {comm.size} ranks, {n}^2 complex numbers, {times} times: {answer}, {seconds:.3f} seconds")
sys.exit(wrong)
