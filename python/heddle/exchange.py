"""The dynamic sparse exchange for mpi4py and NumPy: receivers need not know their senders.

    from mpi4py import MPI
    from heddle.exchange import exchange

    comm = MPI.COMM_WORLD
    came = exchange({(comm.rank + 1) % comm.size: [1.0, 2.0]}, comm)       # {receiver: data}
    for source, block in came:
        print(source, block)                                              # block: a NumPy array

Under `heddle run` HEDDLE_EXCHANGE selects the way of the exchange (docs/exchange.md). Elsewhere it
goes by non-blocking consensus.
"""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from mpi4py import MPI

__all__ = ["Arrivals", "exchange"]


@dataclass(frozen=True)
class Arrivals:
    """The received blocks, sorted by source; iterates over (source, block). The blocks are
    consecutive views of `data`."""

    sources: np.ndarray
    counts: np.ndarray  # elements (rows, if there is a shape) of each
    data: np.ndarray

    def __len__(self) -> int:
        return len(self.sources)

    def __iter__(self) -> Iterator[tuple[int, np.ndarray]]:
        ends = np.cumsum(self.counts)
        for source, count, end in zip(self.sources, self.counts, ends):
            yield int(source), self.data[end - count : end]


def exchange(
    messages: Mapping[int, Any] | Iterable[tuple[int, Any]],
    comm: MPI.Intracomm,
    dtype: Any = np.float64,
    shape: tuple[int, ...] = (),
) -> Arrivals:
    """Sends an array to each named rank, and returns the arrays that other ranks have sent here.
    Collective over `comm`.

    `messages`: {rank: array}, or pairs if a rank gets several arrays, which stay in order. Empty
    arrays are messages, too. `dtype` and `shape` of an element are the same on all ranks: arrays
    are converted to it. Raises MPI.Exception if MPI fails.
    """
    element = np.dtype(dtype)
    pairs = list(messages.items() if isinstance(messages, Mapping) else messages)
    to = [int(rank) for rank, _ in pairs]
    blocks = [np.ascontiguousarray(block, element).reshape(-1, *shape) for _, block in pairs]
    carry_out = _under_heddle()
    sources, sizes, raw = carry_out(to, blocks, comm) if carry_out else _plain(to, blocks, comm)
    row = element.itemsize * int(np.prod(shape, dtype=np.int64))
    if row == 0 or (sizes % row).any():
        raise MPI.Exception(MPI.ERR_TYPE)
    return Arrivals(sources, sizes // row, raw.view(element).reshape(-1, *shape))


# Under Heddle: the same procedure as behind heddle/exchange.h.


class _ArrivalsC(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("room", ctypes.c_int64),
        ("messages", ctypes.c_int64),
        ("sources", ctypes.POINTER(ctypes.c_int)),
        ("counts", ctypes.POINTER(ctypes.c_int64)),
        ("places", ctypes.POINTER(ctypes.c_int64)),
        ("total", ctypes.c_int64),
        ("held_lists", ctypes.c_void_p),
        ("held_data", ctypes.c_void_p),
    ]


@cache
def _under_heddle():
    process = ctypes.CDLL(None)
    try:
        procedure = process.heddle_exchange_carry_out
    except AttributeError:
        return None
    free = process.free
    free.argtypes = [ctypes.c_void_p]
    free.restype = None
    handle = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p

    class Departures(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("messages", ctypes.c_int),
            ("to", ctypes.c_void_p),
            ("counts", ctypes.c_void_p),
            ("places", ctypes.c_void_p),
            ("type", handle),
            ("types", ctypes.c_void_p),
        ]

    procedure.argtypes = [ctypes.POINTER(Departures), ctypes.POINTER(_ArrivalsC), handle, handle]
    byte = handle(MPI._handleof(MPI.BYTE))

    def carry_out(to: list[int], blocks: list[np.ndarray], comm: MPI.Comm):
        # In bytes from address 0: every block where it is.
        ranks = np.array(to, np.intc)
        counts = np.array([block.nbytes for block in blocks], np.int64)
        places = np.array([block.ctypes.data for block in blocks], np.int64)
        arrays = (ranks.ctypes.data, counts.ctypes.data, places.ctypes.data)
        departures = Departures(None, len(blocks), *arrays, byte, None)
        came = _ArrivalsC()
        code = procedure(ctypes.byref(departures), ctypes.byref(came), byte, handle(MPI._handleof(comm)))
        try:
            if code != MPI.SUCCESS:
                free(came.held_data)
                raise MPI.Exception(code)
            sources = np.array(came.sources[: came.messages], np.intc)
            sizes = np.array(came.counts[: came.messages], np.int64)
        finally:
            free(came.held_lists)
        if not came.total:
            free(came.held_data)
            return sources, sizes, np.empty(0, np.uint8)
        memory = (ctypes.c_uint8 * came.total).from_address(came.data)
        weakref.finalize(memory, free, came.held_data)  # when the last view of it is gone
        return sources, sizes, np.frombuffer(memory, np.uint8)

    return carry_out


# The exchange without Heddle: Hoefler, Siebert and Lumsdaine (2010), as in heddle/plain_exchange.h.


@cache
def _keyval() -> int:
    def forget(_comm: MPI.Comm, _keyval: int, lane: tuple[MPI.Comm, Iterator[int]]) -> None:
        lane[0].Free()

    return MPI.Comm.Create_keyval(delete_fn=forget)


def _lane(comm: MPI.Intracomm) -> tuple[MPI.Comm, Iterator[int]]:
    lane = comm.Get_attr(_keyval())
    if lane is None:
        # Tags alternate: a quick rank may begin the next exchange before a slow one has seen the
        # end of this one.
        lane = comm.Split(0, comm.rank), itertools.cycle((32764, 32765))
        comm.Set_attr(_keyval(), lane)
    return lane


def _plain(to: list[int], blocks: list[np.ndarray], comm: MPI.Intracomm):
    if comm.Is_inter():
        raise MPI.Exception(MPI.ERR_COMM)
    if any(rank != MPI.PROC_NULL and not 0 <= rank < comm.size for rank in to):
        raise MPI.Exception(MPI.ERR_RANK)
    own, tags = _lane(comm)
    tag = next(tags)
    sends = [own.Issend([block, block.nbytes, MPI.BYTE], rank, tag) for rank, block in zip(to, blocks)]
    came: list[tuple[int, np.ndarray]] = []
    status = MPI.Status()
    barrier = None
    while barrier is None or not barrier.Test():
        message = own.Improbe(MPI.ANY_SOURCE, tag, status)
        if message is not None:
            block = np.empty(status.Get_count(MPI.BYTE), np.uint8)
            message.Recv([block, MPI.BYTE])
            came.append((status.source, block))
        if barrier is None and MPI.Request.Testall(sends):
            barrier = own.Ibarrier()
    came.sort(key=lambda one: one[0])  # stable
    sources = np.array([source for source, _ in came], np.intc)
    sizes = np.array([block.nbytes for _, block in came], np.int64)
    return sources, sizes, np.concatenate([np.empty(0, np.uint8), *(block for _, block in came)])
