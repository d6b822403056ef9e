"""Results of the papers' figures: the outcome of each command, and the numbers from its rows. They
are in a folder or a file.

OUT/vector/run.json, rows.json, figure.svg, figure.png, output.txt        one folder a step
results.read(OUT), results.load(file), results.save(found, file)
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import heddle
from heddle import native
from heddle.compared.turns import machine
from heddle.problem import Problem

from .model import Claim, Number, Numbers, Paper, Step, Verdict


@dataclass(frozen=True)
class Outcome:
    """The outcome of a command. `code` None: it cannot run here, or it was interrupted."""

    words: tuple[str, ...]
    code: int | None
    why: str = ""
    seconds: float = 0
    began: str = ""
    load: tuple[float, ...] = ()  # of the machine, before and after
    line_ns: tuple[float, ...] = ()  # least and most time of a cache line between the two cores
    mpis: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        return self.code == 0

    @property
    def quick(self) -> bool:
        return "--quick" in self.words


@dataclass(frozen=True)
class Results:
    machine: str
    heddle: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)  # by step
    numbers: dict[str, Numbers] = field(default_factory=dict)  # by the name of a claim

    def verdicts(self, name: str, claim: Claim) -> dict[str, Verdict]:
        return {mpi: claim.verdict(number) for mpi, number in self.numbers.get(name, {}).items()}


def outcome(folder: Path) -> Outcome | None:
    try:
        found = json.loads((folder / "run.json").read_text())
    except (OSError, ValueError):
        return None
    return _outcome(found)


def _outcome(found: dict) -> Outcome:
    lists = {name: tuple(found[name]) for name in ("words", "load", "line_ns", "mpis")}
    return Outcome(**(found | lists))


def rows(folder: Path) -> list[dict]:
    return json.loads((folder / "rows.json").read_text())


def keep(found: Outcome, folder: Path) -> None:
    """Writes the outcome, with the facts about the machine in its rows."""
    if found.fine:
        all_of = rows(folder)
        lines = [row["line_ns"] for row in all_of if row.get("line_ns")]
        mpis = tuple(dict.fromkeys(row["mpi"] for row in all_of if row.get("pinning") and row.get("mpi")))
        found = replace(found, line_ns=(min(lines), max(lines)) if lines else (), mpis=mpis)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(asdict(found), indent=1) + "\n")


def read(papers: Sequence[Paper], folder: Path) -> Results:
    """The results in a folder of `heddle bench all`."""
    built = native.tool("build")
    found = Results(machine(), f"{heddle.__version__} ({built['commit']})")
    for paper in papers:
        for step in paper.steps():
            if seen := outcome(folder / step.name):
                found.outcomes[step.name] = seen
        for name, _, claim in paper.claims():
            seen = found.outcomes.get(claim.step.name)
            if seen and seen.fine:
                found.numbers[name] = _numbers(name, claim, folder / claim.step.name)
    return found


def _numbers(name: str, claim: Claim, folder: Path) -> Numbers:
    try:
        return claim.take(rows(folder))
    except (OSError, ValueError, KeyError) as error:
        what = f"{type(error).__name__}: {error}"
        raise Problem(f"{folder}/rows.json has no number for {name} ({what}). --again makes it anew.") from None


def save(found: Results, file: Path) -> None:
    """Writes the results from which a page of the manual is made."""
    numbers = {
        name: {
            mpi: {"value": _short(number.value), "at": number.at, "error": _short(number.error)} for mpi, number in of.items()
        }
        for name, of in found.numbers.items()
    }
    whole = {"machine": found.machine, "heddle": found.heddle}
    whole |= {"outcomes": {name: asdict(one) for name, one in found.outcomes.items()}, "numbers": numbers}
    file.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def load(file: Path) -> Results:
    if not file.exists():
        return Results("", "")
    found = json.loads(file.read_text())
    return Results(
        found["machine"],
        found["heddle"],
        {name: _outcome(one) for name, one in found["outcomes"].items()},
        {name: {mpi: Number(**one) for mpi, one in of.items()} for name, of in found["numbers"].items()},
    )


def merged(before: Results, fresh: Results, papers: Sequence[Paper]) -> Results:
    """The results of `before`, replaced by those of the commands that `fresh` has run."""
    if not fresh.outcomes:
        return before
    renewed = {name for paper in papers for name, _, claim in paper.claims() if claim.step.name in fresh.outcomes}
    kept = {name: of for name, of in before.numbers.items() if name not in renewed}
    return replace(fresh, outcomes=before.outcomes | fresh.outcomes, numbers=kept | fresh.numbers)


def still_there(step: Step, words: tuple[str, ...], folder: Path) -> bool:
    """True: the command has run well before, so it need not run again."""
    seen = outcome(folder / step.name)
    return seen is not None and seen.fine and seen.words == words and (folder / step.name / "rows.json").exists()
