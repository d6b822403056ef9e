"""The processor, the memory and what the kernel allows."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from heddle import native
from heddle.checks import Finding, good, poor
from heddle.machine_costs import doubts_of
from heddle.problem import Problem

_MIB = 1 << 20


def processor() -> Iterator[Finding]:
    usable, present = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    seen = f"{usable} of {present} usable" if usable < present else f"{present}"
    if quota := _cpu_quota():
        seen += f", {quota:g} by the container's quota"
    if min(usable, quota or usable) < 2:
        yield poor("cores", seen, "two ranks take turns on one core: allow more (taskset, docker run --cpus)")
    else:
        yield good("cores", seen)
    flags = set(_words("/proc/cpuinfo", "flags") or _words("/proc/cpuinfo", "Features"))
    if {"avx512f", "avx512bw", "avx512vl"} <= flags:
        yield good("instructions", "AVX-512")
    elif "avx2" in flags:
        yield good("instructions", "AVX2")
    else:
        yield poor("instructions", "neither AVX2 nor AVX-512", "no mend is needed: Heddle uses its portable kernels")


def profile() -> Iterator[Finding]:
    """The profile of `heddle tune` that programs find here."""
    try:
        answer, said = native.ask("profile", "--json")
    except (Problem, OSError, ValueError):
        return  # built.libraries reports a tool that does not run
    complaints = [line.removeprefix("heddle: ") for line in said.splitlines() if "the profile" in line]  # not of settings
    if complaints:
        yield poor("profile", "; ".join(complaints), "run heddle tune, or set HEDDLE_PROFILE=builtin")
    elif answer["file"] and (doubts := doubts_of(Path(answer["file"]))):
        yield poor("profile", f"{answer['file']}: {'; '.join(doubts)}", "run heddle tune on a quiet machine")
    else:
        yield good("profile", answer["file"] or "built in")


def _cpu_quota() -> float | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    except (OSError, ValueError):
        return None


def _words(file: str, key: str) -> list[str]:
    try:
        with open(file) as lines:
            return next((line.split(":", 1)[1].split() for line in lines if line.startswith(key)), [])
    except OSError:
        return []


def memory() -> Iterator[Finding]:
    try:
        free = shutil.disk_usage("/dev/shm").free
        if free < 256 * _MIB:
            mend = "MPI libraries keep shared memory there: mount -o remount,size=1g /dev/shm (docker run --shm-size=1g)"
            yield poor("/dev/shm", f"{free // _MIB} MiB free", mend)
        else:
            yield good("/dev/shm", f"{free // _MIB:,} MiB free")
    except OSError:
        yield poor("/dev/shm", "not there", "mount -t tmpfs tmpfs /dev/shm: MPI libraries keep shared memory there")
    huge = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    mode = huge.read_text().partition("[")[2].partition("]")[0] if huge.exists() else "not in this kernel"
    if mode in ("always", "madvise"):
        yield good("huge pages", mode)
    else:
        yield poor("huge pages", mode, f"large transposes miss the TLB: echo madvise > {huge}")


def kernel() -> Iterator[Finding]:
    """Moving data between processes without a second copy needs these features. Heddle also works
    without them."""
    try:
        os.close(os.memfd_create("heddle-doctor"))
        yield good("memfd", "allowed")
    except OSError as error:
        yield poor("memfd", error.strerror or "refused", "allow memfd_create in the container's seccomp profile")
    if _reads_a_neighbour():
        yield good("process_vm_readv", "allowed between a user's processes")
    else:
        mend = "sysctl kernel.yama.ptrace_scope=0, or docker run --cap-add=SYS_PTRACE"
        yield poor("process_vm_readv", "refused", mend)


def _reads_a_neighbour() -> bool:
    """A child reads its parent's memory, as the ranks of one node do. ptrace_scope=1 forbids
    this."""
    secret = ctypes.create_string_buffer(b"heddle")
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os._exit(0 if _read(parent, ctypes.addressof(secret), len(secret)) == secret.raw else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _read(process: int, address: int, length: int) -> bytes:
    class Span(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    into = ctypes.create_string_buffer(length)
    here, there = Span(ctypes.addressof(into), length), Span(address, length)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.process_vm_readv.restype = ctypes.c_ssize_t
    count = libc.process_vm_readv(process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return into.raw if count == length else b""
