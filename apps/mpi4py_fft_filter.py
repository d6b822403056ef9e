#!/usr/bin/env python3
"""Filters a picture with mpi4py-fft over all ranks. The script follows mpi4py-fft's manual.

PFFT moves the data between its 1-D transforms with MPI_Alltoallw and subarray datatypes. Rank 0
prints one line of JSON: the times of the repetitions, and the error against a serial FFT.

    mpiexec -n 4 python -m mpi4py mpi4py_fft_filter.py --input picture.npy --size 4096 --output filtered.npy
"""

import argparse
import json
import statistics
import sys
import zlib

import numpy as np
import scipy.fft
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

TOLERANCE = 1e-10
comm = MPI.COMM_WORLD


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", required=True, help="picture to filter: a 2-D .npy file")
    parser.add_argument("--output", help="file for the filtered picture (.npy, real parts)")
    parser.add_argument("--size", type=int, default=1024, help="the picture fills SIZE x SIZE by repetition (default: 1024)")
    parser.add_argument("--low", type=float, default=0.01, help="lower edge of the band, cycles a pixel")
    parser.add_argument("--high", type=float, default=0.15, help="upper edge of the band, cycles a pixel")
    parser.add_argument("--gain", type=float, default=1, help="factor for the frequencies that pass")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--no-check", dest="check", action="store_false", help="do not compare with a serial FFT")
    options = parser.parse_args()
    if options.size < comm.size or options.repetitions < 1:
        parser.error("--size must be at least the number of ranks, --repetitions at least 1")
    return options


def tiled(picture, rows, columns):
    """The part rows x columns (slices) of a plane in which the picture repeats."""
    height, width = picture.shape
    return picture[np.ix_(np.arange(rows.start, rows.stop) % height, np.arange(columns.start, columns.stop) % width)]


def bandpass(options, rows, columns):
    """Response of the Gaussian band filter at the frequencies rows x columns. Keeps the mean."""
    frequency = np.fft.fftfreq(options.size)

    def gaussian(sigma):
        table = np.exp(-(frequency**2) / (2 * sigma**2))
        return table[rows, None] * table[None, columns]

    response = options.gain * (gaussian(options.high) - gaussian(options.low))
    if rows.start == 0 and columns.start == 0:
        response[0, 0] = 1
    return response


def timed(work, *arguments):
    """Seconds that the slowest rank needed."""
    comm.Barrier()
    start = MPI.Wtime()
    work(*arguments)
    return comm.allreduce(MPI.Wtime() - start, MPI.MAX)


def summary(values):
    return {"all": values, "median": statistics.median(values), "min": min(values), "max": max(values)}


def gathered(fft, image, transformed=False):
    """Returns the whole image, or its whole spectrum, on rank 0."""
    parts = comm.gather((fft.local_slice(transformed), np.asarray(image)))
    if comm.rank != 0:
        return None
    whole = np.empty(fft.global_shape(transformed), image.dtype)
    for where, part in parts:
        whole[where] = part
    return whole


def main():
    options = arguments()
    picture = comm.bcast(np.load(options.input).astype(float) if comm.rank == 0 else None)
    shape = (options.size, options.size)
    fft = PFFT(comm, shape, axes=(0, 1), dtype=np.complex128)
    image, spectrum = newDistArray(fft, False), newDistArray(fft, True)
    response = bandpass(options, *fft.local_slice(True))
    source = tiled(picture, *fft.local_slice(False))

    def filter_image():
        fft.forward(image, spectrum)
        np.multiply(spectrum, response, out=spectrum)
        fft.backward(spectrum, image)

    transfer = fft.transfer[0]
    before, after = (np.empty(transfer.subshapeA, complex), np.empty(transfer.subshapeB, complex))
    total, there, back = [], [], []
    for _ in range(options.warmup + options.repetitions):
        image[:] = source
        total.append(timed(filter_image))
        # PFFT does not measure its redistributions. So do them once more, alone, on data just
        # written.
        before[:] = source
        there.append(timed(transfer.forward, before, after))
        back.append(timed(transfer.backward, after, before))
    total, there, back = (times[options.warmup :] for times in (total, there, back))
    changed = not np.array_equal(before, source)

    checksum = comm.gather(zlib.crc32(after))
    mistake = "a redistribution there and back changed the data" if comm.allreduce(changed, MPI.LOR) else None
    result = gathered(fft, image) if options.check or options.output else None
    if comm.rank != 0:
        return comm.bcast(None)
    report = {
        "program": "mpi4py_fft_filter",
        "mpi": MPI.Get_library_version().splitlines()[0].split(",")[0],
        "ranks": comm.size,
        "rows": options.size,
        "columns": options.size,
        "exchange": "MPI_Alltoallw",
        "repetitions": options.repetitions,
        "seconds": {
            "total": summary(total),
            "communication": summary([a + b for a, b in zip(there, back, strict=True)]),
            "forward_transpose": summary(there),
            "backward_transpose": summary(back),
        },
        "fingerprint": "".join(f"{crc:08x}" for crc in checksum),
    }
    if options.check:
        everything = (slice(0, options.size), slice(0, options.size))
        start = MPI.Wtime()
        serial = scipy.fft.fft2(tiled(picture, *everything).astype(complex), overwrite_x=True)
        serial *= bandpass(options, *everything)
        serial = scipy.fft.ifft2(serial, overwrite_x=True)
        report["serial_seconds"] = MPI.Wtime() - start
        error = float(np.linalg.norm(result - serial) / np.linalg.norm(serial))
        report["relative_error"] = {"picture": error, "tolerance": TOLERANCE}
        if not error < TOLERANCE:
            mistake = f"the result is not that of the serial FFT: relative error {error:.3g}"
    if options.output:
        np.save(options.output, result.real)
    print(json.dumps(report), flush=True)
    return comm.bcast(mistake)


if __name__ == "__main__":
    if mistake := main():
        complaint = f"mpi4py_fft_filter: {mistake}. The MPI library moved wrong bytes for these datatypes."
        sys.exit(complaint if comm.rank == 0 else 1)
