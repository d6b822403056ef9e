"""The papers' figures as one HTML page, by papers.html.j2. The pictures are within it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path

from heddle.pages import render

from . import picture
from .model import Claim, Figure, Made, Paper, Verdict
from .results import Results
from .words import command, facts, known, ours, ran, tally_sentence, why_none

WIDE = 1150  # pixels: a wider picture takes the whole window
VERDICTS = {
    Verdict.passed: "better than the paper's number by a tenth or more",
    Verdict.reached: "at least as good as the paper's number",
    Verdict.missed: "behind the paper's number; the line below the figure says why, as far as we know",
    Verdict.open: "the error of our number is larger than its distance from the paper's",
    Verdict.shown: "the paper has no number",
    Verdict.apart: "our number measures another thing, or the paper used hardware that is not here",
}


def _class(verdict: Verdict) -> str:
    return verdict.name if verdict is not Verdict.unknown else "none"


def _claim(name: str, claim: Claim, found: Results) -> dict:
    verdicts = found.verdicts(name, claim)
    return {
        "says": known(claim),
        "what": claim.what,
        "numbers": [
            (mpi, ours(claim, found.numbers[name][mpi]), str(verdict), _class(verdict)) for mpi, verdict in verdicts.items()
        ],
        "none": "" if verdicts else why_none(claim, found),
    }


def _figure(paper: Paper, figure: Figure, found: Results) -> dict:
    begin = "More careful measurements:" if figure.claims else "More:"
    return {
        "label": figure.label,
        "title": figure.title,
        "made": "" if figure.made is Made.measured else str(figure.made),
        "claims": [_claim(name, claim, found) for name, one, claim in paper.claims() if one is figure],
        "why": figure.why,
        "command": figure.command,
        "quotes": [(begin, quote.text, f"docs/{quote.source.partition('#')[0]}") for quote in figure.quotes],
    }


def _pictures(paper: Paper, folder: Path) -> list[dict]:
    out = []
    for step in paper.steps():
        file = folder / step.name / "figure.svg"
        if not file.exists():
            continue
        text = file.read_bytes()
        found = re.search(rb'<svg[^>]*?\bwidth="([\d.]+)(pt)?"', text)
        width = float(found[1]) * (4 / 3 if found[2] else 1) if found else 0
        labels = ", ".join(dict.fromkeys(figure.label for _, figure, claim in paper.claims() if claim.step is step))
        shown = {"labels": labels, "command": command(step.words[:3]), "data": base64.b64encode(text).decode()}
        out.append(shown | {"wide": width > WIDE})
    return out


def _commands(paper: Paper, found: Results) -> list[tuple[str, str]]:
    rows = []
    for step in paper.steps():
        seen = found.outcomes.get(step.name)
        words, how = (seen.words, ran(step, seen)) if seen else (step.words, "not run")
        rows.append((command(words), how))
    return rows


def _paper(paper: Paper, found: Results, folder: Path) -> dict:
    return {
        "key": paper.key,
        "short": f"{paper.first} {paper.year}",
        "title": paper.title,
        "about": f"{paper.authors}, {paper.venue}. Measured there on: {paper.machine}.",
        "figures": [_figure(paper, figure, found) for figure in paper.figures],
        "pictures": _pictures(paper, folder),
        "commands": _commands(paper, found),
    }


def draw(papers: Sequence[Paper], found: Results, folder: Path) -> str:
    return render(
        "bench/papers/papers.html.j2",
        tally=tally_sentence(papers, found),
        facts=list(facts(found)),
        verdicts=[(str(one), _class(one), meaning) for one, meaning in VERDICTS.items()],
        glance=picture.glance(papers, found),
        papers=[_paper(paper, found, folder) for paper in papers],
    )
