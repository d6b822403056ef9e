"""`heddle run` remembers facts about files until the files change."""

import json
import os
import stat
import time

import pytest
from conftest import compiled, launcher
from heddle import remembered
from heddle.cli import plain_run
from heddle.remembered import Found, fact


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "_began", 2**63)  # all files are old
    path = tmp_path / "cache/found.json"
    monkeypatch.setenv("HEDDLE_CACHE", str(path))
    return path


class Asked:
    """A find() that counts its calls."""

    def __init__(self, value="answer", files=()):
        self.found = Found(value, files)
        self.times = 0

    def __call__(self):
        self.times += 1
        return self.found


def test_a_fact_is_found_once(notes, tmp_path):
    file = tmp_path / "binary"
    file.write_text("1")
    asked = Asked({"soname": "libmpi.so.12"})
    assert [fact("kind", [file], asked) for _ in range(3)] == [{"soname": "libmpi.so.12"}] * 3
    assert asked.times == 1
    assert stat.S_IMODE(notes.stat().st_mode) == 0o600


def test_it_is_found_again_when_a_file_that_it_rests_on_has_changed(notes, tmp_path):
    file, library = tmp_path / "binary", tmp_path / "libmpi.so.12"
    asked = Asked(files=[library])
    for content in (None, "old", "newer"):
        if content:
            library.write_text(content)
        fact("kind", [file], asked)
        fact("kind", [file], asked)
    assert asked.times == 3
    file.write_text("built")
    fact("kind", [file], asked)
    assert asked.times == 4


def test_a_fact_about_a_file_that_has_just_changed_is_not_kept(notes, tmp_path, monkeypatch):
    monkeypatch.setattr(remembered, "_began", time.time_ns())
    file = tmp_path / "binary"
    file.write_text("1")
    os.utime(file, (0, 0))
    asked = Asked()
    assert [fact("kind", [file], asked) for _ in range(2)] == ["answer"] * 2
    assert asked.times == 2 and not notes.exists()


def test_a_fact_whose_files_are_not_known_is_not_kept(notes, tmp_path):
    asked = Asked(files=None)
    assert [fact("kind", [tmp_path], asked) for _ in range(2)] == ["answer"] * 2
    assert asked.times == 2


def test_notes_that_others_may_write_count_as_empty(notes, tmp_path):
    asked = Asked()
    fact("kind", [tmp_path / "none"], asked)
    notes.chmod(0o666)
    fact("kind", [tmp_path / "none"], asked)
    assert asked.times == 2


def test_a_pipe_instead_of_the_notes_is_no_problem(notes, tmp_path):
    notes.parent.mkdir()
    os.mkfifo(notes)
    assert fact("kind", [tmp_path / "none"], Asked()) == "answer"


def test_kind_and_context_tell_facts_apart(notes, tmp_path, monkeypatch):
    asked = Asked()
    fact("one", [tmp_path], asked)
    fact("two", [tmp_path], asked)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    fact("one", [tmp_path], asked, remembered.variables("LD_LIBRARY_PATH"))
    assert asked.times == 3
    fact("one", [tmp_path], asked, remembered.variables("LD_LIBRARY_PATH"))
    assert asked.times == 3


def test_what_was_not_found_is_looked_for_again(notes, tmp_path):
    asked = Asked(None)
    assert fact("kind", [tmp_path], asked) is None
    assert fact("kind", [tmp_path], asked) is None
    assert asked.times == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "\0\xff",
        '{"version": 3}',
        '{"version": 1, "facts": {}}',
        '{"version": 3, "facts": []}',
        '{"version": 3, "facts": {"kind": 3}}',
        '{"version": 3, "facts": {"kind": {"value": 1}}}',
        '{"version": 3, "facts": {"kind\\n%s": {"value": 1, "rests on": 3}}}',
    ],
)
def test_notes_that_make_no_sense_count_as_empty(notes, tmp_path, text):
    notes.parent.mkdir()
    notes.write_text(text.replace("%s", str(tmp_path / "none")))
    asked = Asked()
    assert fact("kind", [tmp_path / "none"], asked) == "answer"
    assert fact("kind", [tmp_path / "none"], asked) == "answer"
    assert asked.times == 1
    assert json.loads(notes.read_text())["version"] == 3


def test_a_place_that_cannot_be_written_is_no_problem(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HEDDLE_CACHE", str(tmp_path / "file/found.json"))
    assert fact("kind", [tmp_path], Asked()) == "answer"


def test_off_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("HEDDLE_CACHE", "off")
    monkeypatch.chdir(tmp_path)
    asked = Asked()
    fact("kind", [tmp_path], asked)
    fact("kind", [tmp_path], asked)
    assert asked.times == 2 and not list(tmp_path.iterdir())


def test_the_oldest_facts_go(notes, tmp_path):
    for i in range(300):
        fact(f"kind {i}", [], Asked(i))
    facts = json.loads(notes.read_text())["facts"]
    assert len(facts) == 256 and "kind 299" in facts and "kind 0" not in facts


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-n", "4", "--", "./app", "-x"], (["./app", "-x"], 4, None, None)),
        (["--ranks=2", "--mpi", "mpich", "./app", "--", "-n"], (["./app", "--", "-n"], 2, "mpich", None)),
        (["mpiexec", "-n", "4", "./app"], (["mpiexec", "-n", "4", "./app"], None, None, None)),
        (["--mpi=openmpi", "--", "-odd"], (["-odd"], None, "openmpi", None)),
        (["--report", "-n", "2", "./app"], (["./app"], 2, None, "")),
        (["--report=r.json", "--", "./app", "--report"], (["./app", "--report"], None, None, "r.json")),
        (["--report"], None),
        ([], None),
        (["--"], None),
        (["-n"], None),
        (["-n", "0", "./app"], None),
        (["-n", "four", "./app"], None),
        (["-n4", "./app"], None),
        (["--help"], None),
        (["--rank", "4", "./app"], None),
        (["-h", "./app"], None),
    ],
)
def test_plain_lines_start_at_once_and_all_others_are_left_to_typer(words, line):
    assert plain_run(words) == line


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "a.c").write_text("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
    made = compiled(mpi, folder / "a.out", folder / "a.c")
    time.sleep(1.1)  # a file that changes later is not remembered
    return made


def test_the_second_run_of_a_program_asks_nobody(heddle, mpi, program, tmp_path):
    """An ldd that leaves a trace is first on the PATH."""
    trace = tmp_path / "asked"
    ldd = tmp_path / "bin/ldd"
    ldd.parent.mkdir()
    ldd.write_text(f'#!/bin/sh\necho ldd >> {trace}\nPATH="${{PATH#*:}}" exec ldd "$@"\n')
    ldd.chmod(0o755)
    environment = {"PATH": f"{ldd.parent}:{os.environ['PATH']}", "HEDDLE_CACHE": str(tmp_path / "found.json")}
    lines = []
    for _ in range(3):
        done = heddle("run", "--", *launcher(mpi), "-n", 2, program, HEDDLE_VERBOSE="1", **environment)
        assert done.returncode == 0 and "heddle: on" in done.stderr, done.stderr
        lines.append(len(trace.read_text().splitlines()))
    assert lines == [lines[0]] * 3 and lines[0] > 0
    os.utime(program)
    assert heddle("run", "--", *launcher(mpi), "-n", 2, program, **environment).returncode == 0
    assert len(trace.read_text().splitlines()) > lines[0]
