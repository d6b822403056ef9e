"""Workflows of GitHub call only what the tree has: targets of the Makefile, scripts, and options of
commands."""

import re
import subprocess
import sys

from conftest import CHECKOUT

FILES = sorted((CHECKOUT / ".github/workflows").glob("*.yml"))
TEXT = "\n".join(file.read_text() for file in FILES)
RUN = re.findall(r"^ *- run: (.*)$", TEXT, re.MULTILINE)


def test_every_target_is_in_the_makefile():
    targets = {*re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE)}
    lines = [line.partition("make ")[2] for line in RUN if re.search(r"(^|&& )make (?!-C)", line)]
    called = {word for line in lines for word in line.split() if re.fullmatch("[a-z]+", word)}
    assert {"build", "install", "uninstall", "reproducible", "lint", "docs", "release"} <= called
    assert called <= targets, called - targets


def test_the_tests_are_those_of_the_tree():
    assert ".ci/run" in RUN and (CHECKOUT / ".ci/run").exists()


def test_benches_have_the_options():
    benches = re.findall(r"heddle (bench \S+) (--\S+)", TEXT)
    assert benches
    for bench, option in benches:
        words = [sys.executable, "-m", "heddle", *bench.split(), "--help"]
        shown = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
        assert option in shown, bench


def test_no_job_may_write_to_the_repository():
    for file in FILES:
        text = file.read_text()
        assert re.findall(r"^permissions:\n((?:  .*\n)+)", text, re.MULTILINE) == ["  contents: read\n"], file.name
        assert text.count("permissions:") == 1, file.name
