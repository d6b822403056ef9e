"""The papers' figures as one HTML page: no scripts, nothing fetched from elsewhere, pictures within it."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from heddle.reported.page import STYLE

from . import picture
from .model import Claim, Figure, Made, Paper, Verdict
from .results import Results
from .words import command, facts, known, ours, ran, tally_sentence, why_none

MORE = """
body { max-width: 82em } .paper { margin-top: 3em; border-top: 3px solid #ddd } .paper h2 { margin: 1em 0 .2em }
h2 { font-size: 1.2em } h3 { font-size: 1em; margin: 2em 0 .4em }
.about { color: #666; margin: 0 0 1em } table { font-size: .94em } td.f { width: 21% } td.f b { display: block }
td.s { width: 23% } .v { white-space: nowrap; font-weight: 600 } .passed, .reached { color: #2e7d32 } .missed { color: #b23b2e }
.shown, .apart, .open, .none { color: #777; font-weight: 400 } tr.why td { border-top: 0; color: #555; padding: 0 0 .9em 1.2em }
tr.same td { border-top: 1px dotted #e4e4e4 } ul.n { list-style: none; margin: .15em 0 0; padding: 0 }
ul.n li { margin: 0; display: flex; justify-content: space-between; gap: 1em } figure { margin: 1.6em 0 }
figure img { max-width: 100%; display: block } figure.w { width: min(94vw, 1700px) }
figure.w { margin-left: 50%; transform: translateX(-50%) }
figcaption { color: #666; font-size: .92em; margin-bottom: .4em } .commands td:first-child { width: 60% }
nav a { margin-right: 1.4em } @media print { figure.w { width: 100%; margin-left: 0; transform: none } }
"""
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


def _coded(text: str) -> str:
    """`words` as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def _numbers(name: str, claim: Claim, found: Results) -> str:
    verdicts = found.verdicts(name, claim)
    if not verdicts:
        return f'<ul class="n"><li class="none">{escape(why_none(claim, found))}</li></ul>'
    lines = [
        f"<li><span>{escape(mpi)}: <b>{escape(ours(claim, found.numbers[name][mpi]))}</b></span>"
        f'<span class="v {_class(verdict)}">{verdict}</span></li>'
        for mpi, verdict in verdicts.items()
    ]
    return f'<ul class="n">{"".join(lines)}</ul>'


def _remarks(figure: Figure) -> str:
    said = [_coded(figure.why)] if figure.why else []
    if figure.command:
        said.append(f"<code>{escape(figure.command)}</code>")
    for quote in figure.quotes:
        where = f"docs/{quote.source.partition('#')[0]}"
        begin = "More careful measurements: " if figure.claims else "More: "
        said.append(f"{begin}{escape(quote.text)} (<code>{where}</code>).")
    return " ".join(said)


def _figure(paper: Paper, figure: Figure, found: Results) -> str:
    title = f'<td class="f"{{}}><b>{escape(figure.label)}</b>{escape(figure.title)}</td>'
    if figure.made is not Made.measured:
        return f'<tr>{title.format("")}<td colspan="2" class="none"><b>{figure.made}</b>. {_remarks(figure)}</td></tr>'
    rows = []
    of = [(name, claim) for name, one, claim in paper.claims() if one is figure]
    for place, (name, claim) in enumerate(of):
        first = title.format(f' rowspan="{len(of)}"') if place == 0 else ""
        says = f'<td class="s">{escape(known(claim))}</td>'
        cell = f"<td>{escape(claim.what)}{_numbers(name, claim, found)}</td>"
        rows.append(f"<tr{'' if place == 0 else ' class=same'}>{first}{says}{cell}</tr>")
    if said := _remarks(figure):
        rows.append(f'<tr class="why"><td colspan="3">{said}</td></tr>')
    return "\n".join(rows)


def _pictures(paper: Paper, folder: Path) -> str:
    out = []
    for step in paper.steps():
        file = folder / step.name / "figure.svg"
        if not file.exists():
            continue
        text = file.read_bytes()
        found = re.search(rb'<svg[^>]*?\bwidth="([\d.]+)(pt)?"', text)
        width = float(found[1]) * (4 / 3 if found[2] else 1) if found else 0
        labels = ", ".join(dict.fromkeys(figure.label for _, figure, claim in paper.claims() if claim.step is step))
        data = base64.b64encode(text).decode()
        wide = " class=w" if width > WIDE else ""
        caption = f"<figcaption>{escape(labels)}: <code>{escape(command(step.words[:3]))}</code></figcaption>"
        out.append(f'<figure{wide}>{caption}<img alt="{escape(labels)}" src="data:image/svg+xml;base64,{data}"></figure>')
    return "\n".join(out)


def _commands(paper: Paper, found: Results) -> str:
    rows = []
    for step in paper.steps():
        seen = found.outcomes.get(step.name)
        words, how = (seen.words, ran(step, seen)) if seen else (step.words, "not run")
        rows.append(f"<tr><td><code>{escape(command(words))}</code></td><td>{escape(how)}</td></tr>")
    head = "<thead><tr><th>command</th><th>took</th></tr></thead>"
    return f'<table class="commands">{head}<tbody>{"".join(rows)}</tbody></table>'


def _paper(paper: Paper, found: Results, folder: Path) -> str:
    rows = "\n".join(_figure(paper, figure, found) for figure in paper.figures)
    head = "<thead><tr><th>figure</th><th>the paper</th><th>ours</th></tr></thead>"
    return f"""<section class="paper" id="{paper.key}">
<h2>{escape(paper.title)}</h2>
<p class="about">{escape(paper.authors)}, {escape(paper.venue)}. Measured there on: {escape(paper.machine)}.</p>
<table>{head}<tbody>
{rows}
</tbody></table>
{_pictures(paper, folder)}
<h3>Commands</h3>
{_commands(paper, found)}
</section>
"""


def draw(papers: Sequence[Paper], found: Results, folder: Path) -> str:
    lines = "".join(f"<dt>{what}</dt><dd>{escape(value)}</dd>" for what, value in facts(found))
    key = "".join(f'<dt class="v {_class(one)}">{one}</dt><dd>{meaning}</dd>' for one, meaning in VERDICTS.items())
    links = "".join(f'<a href="#{paper.key}">{escape(paper.first)} {paper.year}</a>' for paper in papers)
    whole = picture.draw(papers, found)
    about = "Ours over the paper's number. Dots right of the line are better than the paper. Point at a dot for its number."
    glance = f"<h2>At a glance</h2><p>{about}</p><figure>{whole}</figure>" if whole else ""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Heddle: the papers' figures</title><style>{STYLE}{MORE}</style></head><body>
<h1>The figures and tables of five papers, on this machine</h1>
<p>{escape(tally_sentence(papers, found))} The papers measured on clusters. Here one machine measures or simulates,
so factors are compared, not times. Each number is of one run, and other programs may have run at the same time.</p>
<dl>{lines}</dl>
<dl>{key}</dl>
<nav>{links}</nav>
{glance}
{"".join(_paper(paper, found, folder) for paper in papers)}
</body></html>
"""
