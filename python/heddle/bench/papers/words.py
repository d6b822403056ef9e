"""Numbers, verdicts and runs in words, for the page and for the manual."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from .model import Claim, Number, Paper, Step, Verdict
from .results import Outcome, Results

JUDGED = (Verdict.passed, Verdict.reached, Verdict.missed, Verdict.open)


def amount(value: float, unit: str) -> str:
    if unit == "B":
        return f"{value:,.0f} B"
    size = abs(value)
    digits = f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
    return f"{digits} {unit}"


def reported(claim: Claim) -> str:
    """The paper's factor, if it has one."""
    return "" if claim.factor is None else f"{claim.factor:g} {claim.unit}" if claim.unit != "B" else f"{claim.factor:,} B"


def ours(claim: Claim, number: Number) -> str:
    where = f" ({number.at})" if number.at else ""
    return f"{amount(number.value, claim.unit)}{where}"


def why_none(claim: Claim, found: Results) -> str:
    """Why there is no number: the command has not run, failed, or does not measure this in its
    short form."""
    seen = found.outcomes.get(claim.step.name)
    if seen is None:
        return "not run"
    if not seen.fine:
        return f"not run: {seen.why}" if seen.code is None else f"failed: {seen.why}"
    return "not measured by the short command" if seen.words == claim.step.quick else "not measured"


def verdict_words(verdicts: dict[str, Verdict], between: str = "; ") -> str:
    """One word if all verdicts agree, or else each verdict with its MPI."""
    if len(set(verdicts.values())) <= 1:
        return str(next(iter(verdicts.values()), Verdict.unknown))
    return between.join(f"{verdict} ({mpi})" for mpi, verdict in verdicts.items())


def tally(papers: Sequence[Paper], found: Results) -> Counter:
    """The number of each verdict."""
    verdicts = (found.verdicts(name, claim).values() for paper in papers for name, _, claim in paper.claims())
    return Counter(verdict for of in verdicts for verdict in of)


def tally_sentence(papers: Sequence[Paper], found: Results) -> str:
    count = tally(papers, found)
    held = sum(count[verdict] for verdict in JUDGED)
    if not held:
        return "Nothing was run yet that could be held against the papers."
    parts = ", ".join(f"{count[verdict]} {verdict}" for verdict in JUDGED)
    rest = count[Verdict.shown] + count[Verdict.apart]
    more = f" {rest} more have no counterpart in a paper." if rest else ""
    return f"{held} numbers have a counterpart in a paper: {parts}.{more}"


def command(words: Iterable[str]) -> str:
    return " ".join(f"'{word}'" if " " in word else word for word in words)


def ran(step: Step, seen: Outcome) -> str:
    """The time and the load of a run, or why it failed."""
    if not seen.fine:
        return f"failed: {seen.why}" if seen.code is not None else f"not run: {seen.why}"
    short = ", the short command" if seen.words == step.quick != step.words else ""
    return f"{seen.seconds:.0f} s{short}, load {' to '.join(f'{one:g}' for one in seen.load)}"


def facts(found: Results) -> Iterator[tuple[str, str]]:
    """Facts about the machine during the runs."""
    fine = [seen for seen in found.outcomes.values() if seen.fine]
    yield "machine", found.machine
    if lines := [ns for seen in fine for ns in seen.line_ns]:
        yield (
            "its cores",
            f"a cache line takes {min(lines):.0f} to {max(lines):.0f} ns from one to the other. Rows name cores near "
            "or far (heddle bench). The distance is not named if it changed during a command",
        )
    if loads := [load for seen in fine for load in seen.load]:
        yield "load", f"{min(loads):g} to {max(loads):g}, of the benchmark's own ranks and of other work on this machine"
    if mpis := dict.fromkeys(mpi for seen in fine for mpi in seen.mpis):
        yield "MPI", ", ".join(sorted(mpis))
    yield "Heddle", found.heddle
    if days := sorted({datetime.fromisoformat(seen.began).date().isoformat() for seen in fine}):
        yield "date", days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def known(claim: Claim) -> str:
    """The paper's words, with its factor if the words lack it."""
    factor = reported(claim)
    there = re.search(rf"(?<![\d.,]){re.escape(factor.split(' ')[0])}(?![\d.,]*\d)", claim.says)
    return claim.says if not factor or there else f"{claim.says} ({factor})"
