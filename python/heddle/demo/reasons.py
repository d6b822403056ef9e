"""The reasons for rows of the demo's table that show no gain, from the report of one more run."""

from pathlib import Path
from statistics import median

from heddle.demo import measure, programs
from heddle.demo.measure import Run, Setup
from heddle.demo.report import by_case, gain, times_of
from heddle.reported import Found
from heddle.reported.reading import rows_of
from heddle.reported.words import amount
from heddle.verdict import Meaning

LONG = 4096  # bytes: libraries, too, copy pieces of this length at the speed of memory


def reasons(runs: list[Run], setup: Setup, folder: Path) -> list[str]:
    """A sentence or more for each program and MPI without a gain in the total time.

    @param folder  for the reports
    """
    found = []
    for case in by_case(runs).values():
        if (seen := gain(case, "total")) is None or seen.meaning not in (Meaning.same, Meaning.slower):
            continue
        one = next(run for run in case if run.variant == "heddle")
        file = folder / f"{one.program.name}-{one.mpi.name}.json"
        measure.report_of(one, setup, file)
        found.append(f"{one.program.name}, {one.mpi.name}: {_reason(case, rows_of(file))} heddle report {file} shows more.")
    return found


def _reason(case: list[Run], found: Found) -> str:
    words = [_share(case)]
    if gain(case, "communication").meaning is not Meaning.faster:
        words += [_pieces(found), _waiting(found)]
    if programs.oversubscribed(found.ranks):
        words.append("Ranks share cores, so packing does not overlap with unpacking.")
    return " ".join(filter(None, words))


def _share(case: list[Run]) -> str:
    communication, total = (median(times_of(case, "host", metric)) for metric in ("communication", "total"))
    share = communication / total
    if share >= 1:
        return ""
    return (
        f"communication takes {share:.0%} of the time, so a transfer in no time would make it {1 / (1 - share):.3g} × as fast."
    )


def _pieces(found: Found) -> str:
    sent = [row for row in found.rows if row.side == "send" and row.blocks > 0]
    blocks = sum(row.blocks for row in sent)
    if not blocks or (mean := sum(row.bytes for row in sent) / blocks) < LONG:
        return ""
    names = ", ".join(dict.fromkeys(row.called for row in sent))
    return f"{names} moves pieces of {amount(mean)} on average, and libraries copy such long pieces at the speed of memory."


def _waiting(found: Found) -> str:
    waited = sum(sum(rank.waited_us.values()) for rank in found.by_rank)
    spent = sum(rank.us for rank in found.by_rank)
    return f"{waited / spent:.0%} of the time in MPI is waiting for late ranks." if waited > 0.1 * spent else ""
