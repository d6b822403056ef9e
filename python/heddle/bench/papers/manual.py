"""Renews the parts between marks in docs/papers.md and README.md, from the papers' table and the
last measurements (FILE.json beside the page).

<!-- made:begin balaji2007 -->  ...  <!-- made:end -->
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from pathlib import Path

from heddle.problem import Problem

from . import PAPERS, results
from .model import Figure, Made, Paper
from .results import Results
from .words import JUDGED, command, facts, known, ours, ran, tally, tally_sentence, verdict_words, why_none

WIDTH = 100  # columns of a line of prose
PART = re.compile(r"(<!-- made:begin ([\w-]+) -->\n).*?(<!-- made:end -->)", re.S)


def renew(file: Path, fresh: Results) -> None:
    """Replaces the page's numbers by those of the commands that have run now."""
    kept = file.with_suffix(".json")
    found = results.merged(results.load(kept), fresh, PAPERS)
    results.save(found, kept)
    file.write_text(made(file.read_text(), results.load(kept)))
    readme = file.parents[1] / "README.md"
    if readme.exists():
        readme.write_text(made_readme(readme.read_text(), results.load(kept)))


def made(text: str, found: Results) -> str:
    """The page's text with renewed parts."""
    return _made(text, {paper.key: _paper(paper, found) for paper in PAPERS} | {"run": _run(found)})


def made_readme(text: str, found: Results) -> str:
    return _made(text, {"papers": _headlines(found)})


def _made(text: str, parts: dict[str, str]) -> str:
    seen = [part[2] for part in PART.finditer(text)]
    if sorted(seen) != sorted(parts):
        raise Problem(f"the page has parts {', '.join(seen) or 'none'}, and should have: {', '.join(parts)}.")
    return PART.sub(lambda part: f"{part[1]}{parts[part[2]]}\n{part[3]}", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _row(*cells: str) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _wrapped(text: str, begin: str = "") -> str:
    """A paragraph in lines. Its first line starts with `begin`, as a list item does. Code stays in
    one line if the line is long enough."""
    later = " " * len(begin)
    room = WIDTH - len(begin)
    code = re.sub(r"`[^`]+`", lambda span: span[0].replace(" ", "\0") if len(span[0]) < room else span[0], text)
    lines = textwrap.wrap(
        code, WIDTH, initial_indent=begin, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace("\0", " ")


def _run(found: Results) -> str:
    lines = [f"{_wrapped(tally_sentence(PAPERS, found))}\n"]
    return "\n".join([*lines, *(_wrapped(f"{what}: {value}", "- ") for what, value in facts(found))])


def _headlines(found: Results) -> str:
    """A row for each paper: its headline claim, our number, and the verdicts on its other
    numbers."""
    table = [_row("paper, and one of its figures", "it reports", "here", "all its numbers"), "|---|---|---|---|"]
    for paper in PAPERS:
        figure, claim = next(
            (figure, figure.claims[paper.headline[1] - 1]) for figure in paper.figures if paper.headline[0] in figure.labels
        )
        name = f"{paper.key}, {figure.labels[0]}, {paper.headline[1]}"
        numbers = found.numbers.get(name, {})
        values = "<br>".join(f"{mpi} **{ours(claim, number)}**" for mpi, number in numbers.items()) or why_none(claim, found)
        says = figure.claims[0].says if claim.says == "the same" else claim.says
        count = tally([paper], found)
        counts = ", ".join(f"{count[verdict]} {verdict}" for verdict in JUDGED if count[verdict])
        about = f"**{paper.first} {paper.year}**, {figure.labels[0]}: {figure.title}"
        table.append(_row(about, known(replace(claim, says=says)), f"{claim.what}<br>{values}", counts))
    return "\n".join(table)


def _figure(paper: Paper, figure: Figure, found: Results) -> list[str]:
    name_of = f"**{figure.label}** {figure.title}"
    if figure.made is not Made.measured:
        return [_row(name_of, "", "", str(figure.made))]
    rows = []
    for name, one, claim in paper.claims():
        if one is not figure:
            continue
        numbers, verdicts = found.numbers.get(name, {}), found.verdicts(name, claim)
        values = [f"{mpi} **{ours(claim, number)}**" for mpi, number in numbers.items()]
        cell = "<br>".join([claim.what, *values] if values else [claim.what, f"*{why_none(claim, found)}*"])
        rows.append(_row(name_of if not rows else "", known(claim), cell, verdict_words(verdicts, "<br>")))
    return rows


def _remark(figure: Figure) -> str:
    said = [figure.why] if figure.why else []
    said += [f"`{figure.command}`."] if figure.command else []
    if figure.quotes:
        links = "; ".join(f"[{quote.text}]({quote.source})" for quote in figure.quotes)
        said.append(f"More careful measurements: {links}." if figure.claims else f"More: {links}.")
    return _wrapped(f"**{figure.label}**: {' '.join(said)}", "- ") if said else ""


def _paper(paper: Paper, found: Results) -> str:
    table = [_row("figure", "the paper", "ours", "verdict"), "|---|---|---|---|"]
    for figure in paper.figures:
        table += _figure(paper, figure, found)
    remarks = [remark for figure in paper.figures if (remark := _remark(figure))]
    lines = []
    for step in paper.steps():
        seen = found.outcomes.get(step.name)
        line = f"`{command(seen.words if seen else step.words)}`: {ran(step, seen) if seen else 'not run'}"
        lines.append(_wrapped(line, "- "))
    return "\n".join([*table, "", *remarks, "", "Commands of these numbers:", "", *lines])
