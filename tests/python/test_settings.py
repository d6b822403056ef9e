"""Settings that the environment and files make: faults that `heddle doctor` shows with a mend each,
and files of reports about which `heddle run` warns before the program runs."""

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import prefix
from heddle import settings, written
from heddle.checks import Verdict
from heddle.checks import settings as checks

NOBODY = 65534


@pytest.fixture
def findings(tmp_path, monkeypatch):
    """findings(text, variables) returns what doctor finds for a file of settings and an
    environment: (subject, state, mend)."""

    def check(text: str = "", **variables: str) -> list[tuple[str, str, str]]:
        (tmp_path / "heddle.conf").write_text(text)
        for name in [name for name in os.environ if name.startswith("HEDDLE")]:
            monkeypatch.delenv(name)
        for name, value in ({"HEDDLE_CONFIG": str(tmp_path / "heddle.conf")} | variables).items():
            monkeypatch.setenv(name, value)
        return [(one.what, one.seen, one.mend) for one in checks.environment() if one.verdict is Verdict.poor]

    return check


@pytest.mark.parametrize(
    ("text", "variables", "mend"),
    [
        ("", {"HEDDLE_SCHEME": "no"}, "set HEDDLE_SCHEME to an allowed value, or unset it"),
        ("", {"HEDDLE_SCHEM": "direct"}, "set HEDDLE_SCHEME instead, and unset HEDDLE_SCHEM"),
        ("", {"HEDDLE_QQQQQQQ": "1"}, "unset HEDDLE_QQQQQQQ; `heddle env` lists"),
        ("HEDDLE_NODE_MEMORY = much", {}, "write an allowed value in that line"),
        ("HEDDLE_SCHEM = direct", {}, "write HEDDLE_SCHEME in that line"),
        ("HEDDLE_QQQQQQQ = 1", {}, "delete that line; `heddle env` lists"),
        ("HEDDLE_PYTHON = python3", {}, "set HEDDLE_PYTHON in the environment"),
        ("direct", {}, "write NAME=VALUE in that line"),
        ("", {"HEDDLE_CONFIG": "/no/heddle.conf"}, "correct HEDDLE_CONFIG, or unset it"),
        ("", {"HEDDLE_CONFIG": "/tmp"}, "must name a file"),
        ("#" * 70000, {}, "at most 64 KiB"),
    ],
)
def test_each_fault_has_a_mend_of_its_own(findings, text, variables, mend):
    ((what, _, mended),) = findings(text, **variables)
    assert what == "HEDDLE_ variables" and mend in mended


def test_a_file_that_may_not_be_read():
    """Root may read all files, so the complaint is heddle-tool's, word by word."""
    seen = "the settings in /etc/heddle/heddle.conf are not used: the file cannot be read (Permission denied)."
    assert checks.mend(seen) == "let its users read it: chmod a+r /etc/heddle/heddle.conf, and a+x its folders"
    assert checks.mend("a complaint of a later version") == "`heddle env` shows every setting and its place"


def test_doctor_shows_a_fault_once(heddle):
    done = heddle("doctor", "--json", "--mpi", prefix("mpich"), HEDDLE_SCHEM="direct")
    seen = [one["seen"] for one in json.loads(done.stdout) if "HEDDLE_SCHEM" in one["seen"]]
    assert len(seen) == 1 and not done.stderr, done


def test_doctor_warns_of_a_report_that_cannot_be_written(findings, tmp_path):
    ((what, seen, mend),) = findings("", HEDDLE_REPORT="/no/where.json")
    assert what == "HEDDLE_REPORT" and "there is no folder /no" in seen and mend.startswith("mkdir -p /no, or")
    ((what, seen, _),) = findings("\nHEDDLE_TRACE = /no/where.trace")
    assert what == "HEDDLE_TRACE" and f"({tmp_path}/heddle.conf:2)" in seen
    assert not findings("HEDDLE_TRACE = /no/where.trace", HEDDLE_TRACE="", HEDDLE_REPORT="/no/%j/r.json")
    assert not findings(f"HEDDLE_REPORT = {tmp_path}/%j.json")


@pytest.mark.parametrize("place", ["HEDDLE_CONFIG", "XDG_CONFIG_HOME", "HOME"])
def test_a_report_of_a_file_of_settings_is_checked_and_stops_no_program(heddle, place, tmp_path):
    file = tmp_path / {"HOME": ".config/heddle/heddle.conf"}.get(place, "heddle/heddle.conf")
    file.parent.mkdir(parents=True)
    file.write_text("HEDDLE_REPORT = /no/where.json\n")
    more = {"XDG_CONFIG_HOME": ""} | {place: str(file if place == "HEDDLE_CONFIG" else tmp_path)}
    for cache in ("off", str(tmp_path / "found.json")):
        for _ in range(2):  # the line is not remembered
            done = heddle("run", "-n", 1, "--", "touch", tmp_path / "ran", HEDDLE_CACHE=cache, **more)
            assert done.returncode == 0 and done.stderr.count("there is no folder /no") == 1, done
            assert f"({file}:1)" in done.stderr and "HEDDLE_REPORT= heddle run" in done.stderr
            (tmp_path / "ran").unlink()
    run = heddle("run", "-n", 1, "--", "touch", tmp_path / "ran", HEDDLE_REPORT="", **more)
    assert run.returncode == 0 and (tmp_path / "ran").exists() and "no folder" not in run.stderr, run
    (tmp_path / "ran").unlink()
    own = heddle("run", "-n", 1, "--", "touch", tmp_path / "ran", HEDDLE_REPORT="/no/mine.json", **more)
    assert own.returncode == 2 and not (tmp_path / "ran").exists(), own  # the user's own slip


def test_the_ranks_of_a_launcher_may_see_other_folders(capsys, monkeypatch, tmp_path):
    (tmp_path / "heddle.conf").write_text("HEDDLE_REPORT = /no/where.json\n")
    monkeypatch.setenv("HEDDLE_CONFIG", str(tmp_path / "heddle.conf"))
    settings.check_outputs(["mpiexec", "./app"])
    settings.check_outputs(["./app"], has_report=True)  # --report names another place
    assert not capsys.readouterr().err
    settings.check_outputs(["./app"])
    assert "no folder /no" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() != 0, reason="two users are needed")
def test_a_file_of_another_user_in_a_folder_for_all(tmp_path_factory):
    """Only its owner may replace it, as in /tmp."""
    folder = Path("/tmp") / tmp_path_factory.mktemp("shared").name / "reports"
    folder.mkdir(parents=True)
    try:
        folder.chmod(0o1777)
        (folder / "r.json").write_text("of root")
        (folder / "mine.json").write_text("")
        os.chown(folder / "mine.json", NOBODY, NOBODY)
        files = [folder / name for name in ("r.json", "mine.json", "new.json")]
        reads, writes = os.pipe()
        if (child := os.fork()) == 0:
            try:
                os.setresuid(NOBODY, NOBODY, NOBODY)
                os.write(writes, json.dumps([written.why_not(file) for file in files]).encode())
            finally:
                os._exit(0)
        os.close(writes)
        os.waitpid(child, 0)
        with open(reads) as told:
            assert json.load(told) == ["it belongs to another user, who alone may replace it in this folder", "", ""]
        assert not written.why_not(folder / "mine.json")  # root may
    finally:
        shutil.rmtree(folder.parent)
