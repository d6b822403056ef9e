"""Particles as structs: each rank holds the particles of its slab of a periodic box, and passes on
particles that leave.

    mpiexec -n 2 python particles.py [PARTICLES [STEPS]]        PARTICLES of a rank at first

The type names the fields that are sent: 61 of 88 bytes, right out of the array of structs and into
it. The force is not sent, because the receiver computes it anew. Neither is the padding.
"""

import sys

import numpy as np
from mpi4py import MPI

n = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 50
comm = MPI.COMM_WORLD
ranks = comm.size

fields = [("position", "3d"), ("velocity", "3d"), ("force", "3d"), ("mass", "d"), ("id", "i"), ("species", "S1")]
PARTICLE = np.dtype(fields, align=True)
travels = {"position": (3, MPI.DOUBLE), "velocity": (3, MPI.DOUBLE), "mass": (1, MPI.DOUBLE), "id": (1, MPI.INT)}
travels["species"] = (1, MPI.CHAR)


def particle_type() -> MPI.Datatype:
    places = [PARTICLE.fields[name][1] for name in travels]
    lengths, types = [length for length, _ in travels.values()], [one for _, one in travels.values()]
    bare = MPI.Datatype.Create_struct(lengths, places, types)
    resized = bare.Create_resized(0, PARTICLE.itemsize).Commit()  # one after another in an array
    bare.Free()
    return resized


def made(ids: np.ndarray, steps: int) -> np.ndarray:
    """Particles after so many steps. In a step, each moves by up to half a slab, to the left or
    right, depending on its id."""
    p = np.zeros(len(ids), PARTICLE)
    p["velocity"][:, 0] = ((ids * 0.7548776662466927) % 1 - 0.5) / ranks
    p["position"][:, 0] = ((ids * 0.6180339887498949) % 1 + steps * p["velocity"][:, 0]) % 1
    p["position"][:, 1], p["position"][:, 2] = ids, -ids
    p["mass"], p["id"] = 1 + ids % 7, ids
    p["species"] = (ord("a") + ids % 26).astype(np.uint8).view("S1")
    return p


def slab(p: np.ndarray) -> np.ndarray:
    return (p["position"][:, 0] * ranks).astype(int) % ranks


datatype = particle_type()
everybody = made(np.arange(n * ranks), 0)
mine = everybody[slab(everybody) == comm.rank]
p, count = np.zeros(3 * n + 1000, PARTICLE), len(mine)
p[:count] = mine

ends = (comm.rank - 1) % ranks, (comm.rank + 1) % ranks
seconds = 0.0
for _ in range(steps):
    x = p["position"][:count, 0]
    x += p["velocity"][:count, 0]
    x %= 1
    for way in range(2) if ranks > 1 else ():  # 0: to the left, 1: to the right
        here = p[:count]
        leaves = (slab(here) != comm.rank) & ((here["velocity"][:, 0] > 0) == way)
        here[:] = np.concatenate([here[~leaves], here[leaves]])
        stay = count - np.count_nonzero(leaves)
        status = MPI.Status()
        begin = MPI.Wtime()
        going, room = [p[stay:], count - stay, datatype], [p[count:], len(p) - count, datatype]
        comm.Sendrecv(going, ends[way], way, room, ends[1 - way], way, status)
        seconds += MPI.Wtime() - begin
        came = status.Get_count(datatype)
        p[stay : stay + came] = p[count : count + came]
        count = stay + came

# Each particle must be in its place, and otherwise unchanged.
here = p[:count]
expected = made(here["id"], steps)
off = np.abs(here["position"][:, 0] - expected["position"][:, 0])
wrong = bool((slab(here) != comm.rank).any() or (np.minimum(off, 1 - off) > 1e-9).any())
wrong |= any((here[name] != expected[name]).any() for name in ("velocity", "mass", "species"))
wrong |= bool((here["position"][:, 1:] != expected["position"][:, 1:]).any())
wrong |= comm.allreduce(count) != n * ranks
wrong, seconds = comm.allreduce(wrong, MPI.LOR), comm.allreduce(seconds, MPI.MAX)
datatype.Free()
if comm.rank == 0:
    answer = "wrong" if wrong else "right"
    print(f"particles: {ranks} ranks, {n} particles each, {steps} steps: {answer}, {seconds:.3f} seconds")
sys.exit(wrong)
