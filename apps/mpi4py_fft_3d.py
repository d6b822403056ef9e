#!/usr/bin/env python3
"""A 3-D transform forth and back with mpi4py-fft, over slabs or pencils. It is an ordinary script.

PFFT moves the data between its 1-D transforms with MPI_Alltoallw and subarray datatypes: once for
slabs, twice for pencils. Rank 0 prints one line of JSON. It has the times of the repetitions, of
all redistributions forth and back, and of two lower bounds. In both, all ranks read and write the
same bytes once, at the same time: in their own memory (copy), or out of memory that other ranks
have just written (copy_across). The program compares its answer with a serial FFT.

    mpiexec -n 4 python -m mpi4py mpi4py_fft_3d.py --size 128 --decomposition pencil
"""

import argparse
import json
import sys
import time
import zlib

import numpy as np
import scipy.fft
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray
from mpi4py_fft_filter import TOLERANCE, gathered, summary

comm = MPI.COMM_WORLD


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128, help="an array of SIZE x SIZE x SIZE (default: 128)")
    parser.add_argument("--decomposition", choices=("slab", "pencil"), default="slab", help="(default: slab)")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--no-check", dest="check", action="store_false", help="do not compare with a serial FFT")
    options = parser.parse_args()
    if options.size < comm.size or options.repetitions < 1:
        parser.error("--size must be at least the number of ranks, --repetitions at least 1")
    return options


def field(size, where):
    """The part `where` (slices) of an irregular array. It does not depend on the number of
    ranks."""
    x, y, z = np.ogrid[where]
    return np.sin(0.7 * x * x + 1.3 * y) + 1j * np.cos(0.3 * z * z + 0.01 * x * y / size)


def timed(work, *arguments):
    """Seconds from the start of the first rank to the end of the last, by the clock of their node.
    If there are more ranks than cores, one rank may end before another begins."""
    comm.Barrier()
    start = time.monotonic()
    work(*arguments)
    end = time.monotonic()
    return comm.allreduce(end, MPI.MAX) - comm.allreduce(start, MPI.MIN)


def copied(source, target):
    np.copyto(target, source)


class Redistribution:
    """A redistribution of PFFT, with its input and output, and memory that all its ranks see."""

    def __init__(self, transfer):
        self.transfer, ranks = transfer, transfer.comm.size
        self.before, self.after = np.ones(transfer.subshapeA, complex), np.ones(transfer.subshapeB, complex)
        self.bytes = self.before.nbytes + self.after.nbytes
        largest = transfer.comm.allreduce(max(self.before.nbytes, self.after.nbytes), MPI.MAX)
        self.window = MPI.Win.Allocate_shared(largest, comm=transfer.comm)
        self.seen = [np.frombuffer(self.window.Shared_query(rank)[0], complex) for rank in range(ranks)]
        self.seen[transfer.comm.rank][:] = 1
        self.source = (np.arange(self.before.size) + comm.rank * 1j * self.before.size).reshape(self.before.shape)
        self.changed = False

    def move(self):
        """Redistributes forth and back, each timed alone, on data just written. Returns seconds."""
        self.before[:] = self.source
        seconds = self._timed(self.transfer.forward, self.before, self.after)
        seconds += self._timed(self.transfer.backward, self.after, self.before)
        self.changed |= not np.array_equal(self.before, self.source)
        return seconds

    def copy(self):
        """Reads and writes as many bytes, each rank in its own memory, on data just written."""
        there, back = self.before.ravel(), self.after.ravel()
        least = min(there.size, back.size)
        return self._timed(copied, there[:least], back[:least]) + self._timed(copied, back[:least], there[:least])

    def copy_across(self):
        """Reads and writes as many bytes. Each rank reads its share of all ranks' new data."""
        mine = self.seen[self.transfer.comm.rank]
        return sum(self._timed(self._fetch, mine, target.ravel()) for target in (self.after, self.before))

    @staticmethod
    def _timed(work, source, target):
        """Brings the arrays into the caches as far as they fit. So all three times are
        comparable."""
        target *= 1
        source *= 1
        return timed(work, source, target)

    def _fetch(self, _, target):
        ranks, me = len(self.seen), self.transfer.comm.rank
        share = target.size // ranks
        for step in range(ranks):
            peer = (me + step) % ranks
            np.copyto(target[peer * share : (peer + 1) * share], self.seen[peer][me * share : (me + 1) * share])


def main():
    options = arguments()
    shape = (options.size,) * 3
    # Plans by estimate. Measured plans differ from run to run, and so does their rounding.
    cut = {"slab": options.decomposition == "slab", "planner_effort": "FFTW_ESTIMATE"}
    fft = PFFT(comm, shape, axes=(0, 1, 2), dtype=np.complex128, **cut)
    data, spectrum = newDistArray(fft, False), newDistArray(fft, True)
    source = field(options.size, fft.local_slice(False))
    redistributions = [Redistribution(transfer) for transfer in fft.transfer]

    def there_and_back():
        fft.forward(data, spectrum)
        fft.backward(spectrum, data)

    seconds = {"total": [], "communication": [], "copy": [], "copy_across": []}
    for _ in range(options.warmup + options.repetitions):
        data[:] = source
        seconds["total"].append(timed(there_and_back))
        seconds["communication"].append(sum(one.move() for one in redistributions))
        seconds["copy"].append(sum(one.copy() for one in redistributions))
        seconds["copy_across"].append(sum(one.copy_across() for one in redistributions))
    changed = any(one.changed for one in redistributions)

    mistake = "a redistribution there and back changed the data" if comm.allreduce(changed, MPI.LOR) else None
    checksum = comm.gather(zlib.crc32(np.ascontiguousarray(spectrum)))
    moved = comm.allreduce(sum(one.bytes for one in redistributions))
    result = gathered(fft, spectrum, True) if options.check else None
    if comm.rank != 0:
        return comm.bcast(None)
    name, version = MPI.get_vendor()
    report = {
        "program": "mpi4py_fft_3d",
        "mpi": "{} {}".format(name, ".".join(map(str, version))),
        "ranks": comm.size,
        "size": options.size,
        "decomposition": options.decomposition,
        "exchange": "MPI_Alltoallw",
        "bytes": moved,
        "repetitions": options.repetitions,
        "seconds": {name: summary(values[options.warmup :]) for name, values in seconds.items()},
        "fingerprint": "".join(f"{crc:08x}" for crc in checksum),
    }
    if options.check:
        serial = scipy.fft.fftn(field(options.size, (slice(0, options.size),) * 3), norm="forward", overwrite_x=True)
        error = float(np.linalg.norm(result - serial) / np.linalg.norm(serial))
        report["relative_error"] = {"spectrum": error, "tolerance": TOLERANCE}
        if not error < TOLERANCE:
            mistake = f"the result is not that of the serial FFT: relative error {error:.3g}"
    print(json.dumps(report), flush=True)
    return comm.bcast(mistake)


if __name__ == "__main__":
    if mistake := main():
        complaint = f"mpi4py_fft_3d: {mistake}. The MPI library moved wrong bytes for these datatypes."
        sys.exit(complaint if comm.rank == 0 else 1)
