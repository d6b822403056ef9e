"""Compares two outcomes of one case: their status, and their lines without times, addresses and
process numbers."""

from __future__ import annotations

import re

from suites.suite import Outcome, Suite

# Lines that launchers and libraries write about themselves. MPICH's MPI_Finalize tells that it
# waits for freed receives. Heddle has completed these by then.
_TALK = re.compile(
    r"PID|prterun|^---|^===|hwloc|\bBTL\b|\bOSC\b|Builtin communicator|mpirun|mpiexec|^-{5,}|ORTE|PMIx|UCX|YOUR APPLICATION"
    r"|^MPICH: polling progress until all references clear"
)
_VARYING = (
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"\[[\w.-]+:\d+(:\d+)*\]"), "[]"),
    (re.compile(r"[-+]?\d+\.\d*([eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+"), "#"),
    (re.compile(r"\b(rank|process|pid|Rank|PID) \d+"), r"\1 #"),
    (re.compile(r"heddle-suites-\w+"), ""),
)


def lines(suite: Suite, output: str) -> list[str]:
    """The lines of an outcome, sorted: ranks write in any order."""
    kept = []
    for line in output.splitlines():
        line = suite.normal(line.strip())
        if not line or _TALK.search(line):
            continue
        for pattern, instead in _VARYING:
            line = pattern.sub(instead, line)
        kept.append(" ".join(line.split()))
    return sorted(kept)


def difference(suite: Suite, alone: Outcome, ours: Outcome, output_too: bool = True) -> str:
    """The first difference, or empty. Only the status counts without `output_too`."""
    if alone.status != ours.status:
        said = next((line.strip() for line in ours.output.splitlines() if re.search(r"heddle|rror|Abort|signal", line)), "")
        return f"{ended(alone)} alone, {ended(ours)} under Heddle{': ' + said[:160] if said else ''}"
    if not output_too:
        return ""
    before, after = lines(suite, alone.output), lines(suite, ours.output)
    if before == after:
        return ""
    more = [line for line in after if line not in before]
    less = [line for line in before if line not in after]
    if more:
        return f"says under Heddle only: {more[0][:160]}"
    if less:
        return f"says alone only: {less[0][:160]}"
    return "says the same lines, but not equally often"


def ended(outcome: Outcome) -> str:
    return "not ended" if outcome.status is None else f"status {outcome.status}"
