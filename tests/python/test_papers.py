"""The papers' figures: the table has all of them, and docs/papers.md is made from it.

`heddle bench all` runs, resumes, survives failures, and writes a self-contained page.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import CHECKOUT, clean_environment, until
from heddle.bench.papers import PAPERS, manual, page, results, run, take, words
from heddle.bench.papers.model import Claim, Made, Number, Step, Verdict
from rich.console import Console

DOCS = CHECKOUT / "docs"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_every_figure_has_one_row(paper):
    labels = [label for figure in paper.figures for label in figure.labels]
    extra = [label for label in labels if label.startswith("Section")]
    assert sorted(label for label in labels if label not in extra) == sorted(paper.has)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.key)
def test_a_figure_without_numbers_says_why(paper):
    for figure in paper.figures:
        assert bool(figure.claims) == (figure.made is Made.measured), figure.label
        assert figure.claims or figure.why, figure.label


def test_the_manual_is_what_the_table_and_its_numbers_make():
    """To repair it, run heddle bench all --draw --out EMPTY --manual docs/papers.md. It keeps
    numbers."""
    text = (DOCS / "papers.md").read_text()
    found, readme = results.load(DOCS / "papers.json"), (CHECKOUT / "README.md").read_text()
    assert manual.made(text, found) == text
    assert manual.made_readme(readme, found) == readme
    for paper in PAPERS:
        for figure in paper.figures:
            assert f"| **{figure.label}** " in text


def test_quoted_numbers_stand_where_they_are_quoted_from():
    for paper in PAPERS:
        for quote in (quote for figure in paper.figures for quote in figure.quotes):
            there = {number.replace(",", "") for number in NUMBER.findall((DOCS / quote.source.partition("#")[0]).read_text())}
            missing = [number for number in NUMBER.findall(quote.text) if number.replace(",", "") not in there]
            assert not missing, f"{quote.source} has no {', '.join(missing)}: {quote.text}"


def test_a_verdict_follows_from_the_number():
    step = PAPERS[0].steps()[0]
    more, less = (Claim("", 2.0, step, "", take.gain("latency", take.best), at_most=at_most) for at_most in (False, True))
    assert [more.verdict(Number(value)) for value in (2.2, 2.0, 1.99)] == [Verdict.passed, Verdict.reached, Verdict.missed]
    assert [less.verdict(Number(value)) for value in (-1, 1.8, 2.0, 2.01)] == [
        Verdict.passed,
        Verdict.passed,
        Verdict.reached,
        Verdict.missed,
    ]
    assert less.verdict(Number(1.5, "", error=0.6)) is Verdict.open
    assert Claim("", None, step, "", more.take).verdict(Number(3)) is Verdict.shown
    assert Claim("", 2.0, step, "", more.take, comparable=False).verdict(Number(3)) is Verdict.apart


def test_a_gain_is_that_of_the_mpi_and_of_the_distance_of_the_cores():
    def row(case, ratio, cores):
        known = {"bench": "vector", "variant": "heddle", "metric": "latency over host", "unit": "1", "ranks": 2}
        return known | {"case": case, "value": ratio, "mpi": "MPICH 5", "cores": cores}

    rows = [row("k=1", 0.5, "near"), row("k=2", 0.25, "near"), row("k=1", 0.1, "far"), row("k=4", 2.0, "")]
    assert take.gain("latency", take.best)(rows) == {"MPICH 5": Number(10, "k=1, far cores")}
    assert take.gain("latency", take.least)(rows) == {"MPICH 5": Number(0.5, "k=4")}
    assert take.gain("latency", take.at("k=2"))(rows) == {"MPICH 5, near cores": Number(4, "k=2")}
    near = {"MPICH 5, near cores": Number(pytest.approx(8**0.5), "mean of 2")}
    assert take.gain("latency", take.mean)(rows) == near  # far cores have only one of the two cases


def copied(file, folder):
    return shutil.copy(file, folder / file.name)


def bench_all(*arguments, **environment):
    line = [sys.executable, "-m", "heddle", "bench", "all", "--quick", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, env=clean_environment(**environment), check=False)


def test_one_command_makes_a_page_that_stands_on_its_own_and_goes_on_where_it_was(tmp_path):
    out = tmp_path / "out"
    done = bench_all("--only", "seek", "--only", "simulated-partners", "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (out / "index.html").read_text()
    assert text.count("data:image/svg+xml;base64,") == 2
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text) and "<script" not in text
    for part in ("Balaji 2007", "Figure 13", "two contexts (Heddle)", "heddle bench seek --quick", "machine", "load", "passed"):
        assert part in text, part
    assert "Schliephake 2013" in text and "Chaarawi 2008" not in text
    assert (out / "simulated-partners/figure.png").exists() and (out / "seek/figure.svg").exists()
    first = (out / "seek/run.json").read_text()

    done = bench_all("--only", "seek", "--only", "simulated-partners", "--out", out)
    assert done.returncode == 0 and "2 of 2 are there from before" in done.stdout
    assert (out / "seek/run.json").read_text() == first

    (out / "seek/rows.json").unlink()
    done = bench_all("--only", "seek", "--out", out, "--manual", copied(DOCS / "papers.md", tmp_path))
    assert done.returncode == 0 and "there from before" not in done.stdout
    assert (out / "seek/run.json").read_text() != first
    assert "estimated" in (out / "index.html").read_text()  # earlier results are still shown
    assert "two contexts (Heddle) **" in (tmp_path / "papers.md").read_text()

    before = (tmp_path / "papers.md").read_text()
    done = bench_all("--draw", "--out", tmp_path / "empty", "--manual", tmp_path / "papers.md")
    assert done.returncode == 0 and (tmp_path / "papers.md").read_text() == before
    assert not list((tmp_path / "empty").glob("*/run.json"))


def test_what_fails_or_cannot_run_here_is_told_and_the_others_go_on(tmp_path):
    tools = {"draws": False, "seconds": 1, "quick_seconds": 1}
    broken = Step("broken", ("python", "-c", "import sys; sys.exit('heddle: no such luck')"), (), **tools)
    absent = Step("absent", ("heddle",), (), missing=lambda: "it is not installed", **tools)
    gone = Step("gone", ("heddle-bench-that-is-not-there",), (), **tools)
    fine = Step("fine", ("python", "-c", "import sys; open(sys.argv[2], 'w').write('[]')"), (), **tools)
    todo = [(step, step.words) for step in (broken, absent, gone, fine)]
    with open(tmp_path / "screen", "w") as screen:
        assert run.run(todo, tmp_path, False, Console(file=screen))
    told = (tmp_path / "screen").read_text()
    assert "broken: no such luck" in told and "absent: it is not installed" in told and "heddle-bench-that-is-not-there" in told
    assert {step.name: results.outcome(tmp_path / step.name).code for step, _ in todo} == {
        "broken": 1,
        "absent": None,
        "gone": 1,
        "fine": 0,
    }
    assert not results.still_there(broken, broken.words, tmp_path) and results.still_there(fine, fine.words, tmp_path)


def alive(mark: str) -> list[str]:
    """Processes that have inherited the mark."""
    found = []
    for process in os.listdir("/proc"):
        if process.isdigit():
            try:
                with open(f"/proc/{process}/environ", "rb") as environment:
                    found += [process] if mark.encode() in environment.read() else []
            except OSError:
                pass
    return found


def test_ctrl_c_leaves_a_page_and_no_ranks(tmp_path):
    line = [
        sys.executable,
        "-m",
        "heddle",
        "bench",
        "all",
        "--quick",
        "--only",
        "seek",
        "--only",
        "lattice-cg",
        "--out",
        tmp_path,
    ]
    mark = f"HEDDLE_TEST_MARK={tmp_path}"
    environment = clean_environment() | dict([mark.split("=", 1)])
    process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until((tmp_path / "lattice-cg").exists, process)
    until(lambda: len(alive(mark)) > 1, process)  # the bench itself has begun
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 130, out + err
    assert "Interrupted" in out and "Traceback" not in err
    assert "it was interrupted" in (tmp_path / "index.html").read_text()
    assert "two contexts (Heddle)" in (tmp_path / "index.html").read_text()
    until(lambda: not alive(mark))


def test_the_list_names_every_command_and_what_is_not_known_is_said(tmp_path):
    done = bench_all("--list")
    assert done.returncode == 0
    for paper in PAPERS:
        assert all(words.command(step.wanted(True)) in done.stdout for step in paper.steps())
    done = bench_all("--only", "smith1999", "--out", tmp_path)
    assert done.returncode == 2 and "smith1999" in done.stderr and "hoefler2010" in done.stderr


def test_the_page_of_what_was_kept_has_every_claim():
    """The page is made from docs/papers.json, without pictures."""
    found = results.load(DOCS / "papers.json")
    text = page.draw(PAPERS, found, DOCS)
    assert all(f"<b>{figure.label}</b>" in text for paper in PAPERS for figure in paper.figures)
    assert found.numbers and json.loads((DOCS / "papers.json").read_text())["machine"] in text


def test_the_picture_at_a_glance_has_a_dot_for_each_number():
    claims = [(name, claim) for paper in PAPERS for name, _, claim in paper.claims() if claim.factor and claim.comparable]
    numbers = {name: {"MPICH <b> & 5": Number(claim.factor), "Open MPI": Number(0)} for name, claim in claims}
    text = page.draw(PAPERS, results.Results("", "", {}, numbers), DOCS)
    drawn = ElementTree.fromstring(re.search(r"<svg.*</svg>", text, re.DOTALL)[0])
    tips = [tip.text for tip in drawn.findall("circle/title")]
    assert len(tips) == 2 * len(claims) and sum(tip.startswith("MPICH <b> & 5: ") for tip in tips) == len(claims)
    even = [dot.get("cx") for dot in drawn.findall("circle") if dot.find("title") is not None][::2]
    assert set(even) == {next(text.get("x") for text in drawn.findall("text") if text.text == "1")}
    assert "At a glance" not in page.draw(PAPERS, results.Results("", ""), DOCS)
