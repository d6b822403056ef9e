"""`heddle bench all`: the papers' figures by one command, with a page of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from heddle.console import console, table_console
from heddle.problem import Problem

from . import PAPERS, manual, page, results, run, words
from .model import Made, Paper, Step

Todo = list[tuple[Step, tuple[str, ...]]]


def chosen(only: Sequence[str]) -> tuple[list[Paper], list[Step]]:
    """The papers and commands that --only names, or all."""
    steps = {step.name: step for paper in PAPERS for step in paper.steps()}
    papers = {paper.key: paper for paper in PAPERS}
    if unknown := sorted(set(only) - papers.keys() - steps.keys()):
        known = f"{', '.join(papers)}; {', '.join(steps)}"
        raise Problem(f"--only knows no {', '.join(unknown)}. It takes papers and commands: {known}.", code=2)
    if not only:
        return list(PAPERS), list(steps.values())
    wanted = [step for paper in PAPERS if paper.key in only for step in paper.steps()]
    wanted += [steps[name] for name in only if name in steps]
    wanted = list(dict.fromkeys(wanted))
    return [paper for paper in PAPERS if paper.key in only or set(paper.steps()) & set(wanted)], wanted


def listing(papers: Sequence[Paper], todo: Todo, quick: bool) -> Table:
    """A table of the commands with their times and figures, and of the figures that cannot be
    made."""
    table = Table(title="The commands and their figures", title_justify="left")
    for name in ("name", "command", "about", "makes"):
        table.add_column(name, justify="right" if name == "about" else "left")
    for step, line in todo:
        makes = [
            f"{paper.first} {paper.year}: {', '.join(dict.fromkeys(f.label for _, f, c in paper.claims() if c.step is step))}"
            for paper in papers
            if step in paper.steps()
        ]
        table.add_row(step.name, words.command(line), f"{step.about(quick)} s", "; ".join(makes))
    table.add_section()
    for paper in papers:
        for figure in paper.figures:
            if figure.made in (Made.elsewhere, Made.bygone):
                table.add_row("", f"[dim]{figure.made}[/]", "", f"{paper.first} {paper.year}: {figure.label}")
    total = sum(step.about(quick) for step, _ in todo)
    table.caption = f"about {total // 60} minutes in all on two cores; drawings are left out"
    return table


def in_folder(papers: Sequence[Paper], out: Path) -> list[Paper]:
    """These papers, and all papers with results of earlier runs in the folder."""
    there = {path.parent.name for path in out.glob("*/run.json")}
    return [paper for paper in PAPERS if paper in papers or there & {step.name for step in paper.steps()}]


def finish(papers: Sequence[Paper], out: Path, pages: Path | None) -> results.Results:
    found = results.read(papers, out)
    (out / "index.html").write_text(page.draw(papers, found, out))
    results.save(found, out / "results.json")
    if pages is not None:
        manual.renew(pages, found)
    return found


def command(
    quick: Annotated[bool, typer.Option("--quick", help="Short and rough: about 15 minutes instead of 90.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only", metavar="NAME", help="A paper (balaji2007, wu2004, ...) or a command of --list; may be repeated."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder of the page, the pictures and the rows.")
    ] = Path("papers-output"),
    again: Annotated[bool, typer.Option("--again", help="Also repeat commands whose results are there already.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Run nothing: list the commands and their times.")] = False,
    draw: Annotated[bool, typer.Option("--draw", help="Run nothing: make the page from the results in --out.")] = False,
    pages: Annotated[
        Path | None,
        typer.Option("--manual", metavar="FILE", help="Put the numbers into the tables of FILE, too: docs/papers.md."),
    ] = None,
) -> None:
    """Make every figure and table of the five papers that this machine can, and one page.

    The page needs no other files. For each figure it has the paper's number,
    our number and a verdict. It also has the pictures, the commands and the
    machine. SVG, PNG and JSON rows are beside it, in a folder for each command.

    A command whose results are in --out is not run again, so an interrupted run
    continues there. Ctrl-C writes the page from the results so far. If a command
    fails, the others still run.

    \b
    heddle bench all --quick                    then open papers-output/index.html
    heddle bench all --list                     the commands and their figures
    heddle bench all --quick --only chaarawi2008    one paper
    heddle bench all --only vector --again      one command, at full size
    """
    papers, steps = chosen(only or [])
    todo: Todo = [(step, step.wanted(quick)) for step in steps]
    if listed:
        table_console().print(listing(papers, todo, quick))
        return
    out.mkdir(parents=True, exist_ok=True)
    left = [] if draw else [(step, line) for step, line in todo if again or not results.still_there(step, line, out)]
    if not draw and (there := len(todo) - len(left)):
        console().print(f"{there} of {len(todo)} are there from before (--again runs them anew).")
    whole = run.run(left, out, quick, Console(stderr=True, highlight=False))
    shown = in_folder(papers, out)
    found = finish(shown, out, pages)
    console().print(words.tally_sentence(shown, found))
    console().print(f"{out / 'index.html'}", soft_wrap=True)
    if not whole:
        console().print("Interrupted: the page has the results so far. The same command continues.")
        raise typer.Exit(130)
    failed = [step.name for step, _ in todo if (seen := found.outcomes.get(step.name)) and seen.code not in (0, None)]
    if failed:
        raise Problem(
            f"{len(failed)} of {len(todo)} commands failed: {', '.join(failed)}. {out}/NAME/errors.txt has their messages."
        )
