"""heddle compare, on programs that always write the same, that do not, and that fail."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from conftest import MPIS, compiled, launcher, prefix
from heddle import verdict
from heddle.compared import Calls, Carried, Compared, Round, Site, page, text
from heddle.compared.outputs import Line, Output, Verdict, content, first_difference, judge, kept
from heddle.verdict import Meaning

# Sends a column. Depending on its argument, it prints the same, whether Heddle is there, or the
# time, or it fails under Heddle.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int heddle_is_here(void) {
  char line[4096];
  for (FILE* maps = fopen("/proc/self/maps", "r"); fgets(line, sizeof line, maps);)
    if (strstr(line, "libheddle_")) return 1;
  return getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "heddle");
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype column;
  MPI_Type_vector(128, 256, 4096, MPI_INT, &column);
  MPI_Type_set_name(column, "column");
  MPI_Type_commit(&column);
  int* matrix = calloc(128 * 4096, sizeof(int));
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send(matrix, 1, column, size - 1, 0, MPI_COMM_WORLD);
    if (rank == size - 1) MPI_Recv(matrix, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const char* what = argv[1];
  FILE* out = rank > 0 ? fopen("/dev/null", "w") : argc > 2 ? fopen(argv[2], argc > 3 ? argv[3] : "wx") : stdout;
  if (!out) MPI_Abort(MPI_COMM_WORLD, 9);
  char input[64] = "";
  if (strcmp(what, "input") == 0 && rank == 0 && !fgets(input, sizeof input, stdin))
    MPI_Abort(MPI_COMM_WORLD, 8);
  fprintf(out, "first\n%s", input);
  if (strcmp(what, "who") == 0) fprintf(out, "heddle: %d\n", heddle_is_here());
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (strcmp(what, "time") == 0) fprintf(out, "time: %ld.%ld s\n", (long)now.tv_sec, now.tv_nsec);
  fclose(out);
  MPI_Finalize();
  if (rank == 0 && (strcmp(what, "fail") == 0 || (strcmp(what, "fail_with") == 0 && heddle_is_here()))) {
    fprintf(stderr, "something is wrong\n");
    return 3;
  }
  return 0;
}
"""

QUICK = ("--rounds", 1, "--no-warm-up", "--no-calls")


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("turns")
    (folder / "turns.c").write_text(PROGRAM)
    for mpi in MPIS:
        subprocess.run([prefix(mpi) / "bin/mpicc", folder / "turns.c", "-o", folder / mpi], check=True)
    return {mpi: folder / mpi for mpi in MPIS}


@pytest.fixture
def compare(heddle, programs):
    """compare("mpich", *options, "--", what) returns the command's result, and its JSON."""

    def call(mpi: str, *words: object, **more):
        at = words.index("--") + 1
        done = heddle("compare", "--json", "-", *QUICK, "-n", 2, *words[:at], programs[mpi], *words[at:], **more)
        return done, json.loads(done.stdout) if done.stdout else None

    return call


@pytest.mark.parametrize("mpi", MPIS)
def test_by_turns_with_everything_it_says(heddle, programs, mpi, tmp_path):
    files = {name: tmp_path / f"c.{name}" for name in ("json", "html", "png")}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    line = [*launcher(mpi), "-n", 2, programs[mpi], "who"]
    done = heddle(
        "compare", "--rounds", 2, *options, "--", *line, HEDDLE_SCHEME="bc-spup"
    )  # otherwise Heddle leaves it to Open MPI between near cores
    assert done.returncode == 1, done  # only the output differs
    begun, pair = done.stderr.splitlines()
    assert begun == "heddle: 8 runs: a warm-up, 2 rounds and the calls, with and without Heddle"
    assert re.fullmatch(r"heddle: the first pair of runs took .* m?s; about \d+ s to go", pair)
    assert "without Heddle  line 2: heddle: 0" in done.stdout and "with Heddle     line 2: heddle: 1" in done.stdout
    found = json.loads(files["json"].read_text())
    assert found["heddle_compare"] == 2 and found["failure"] is None and found["command"].endswith(f"{programs[mpi]} who")
    assert len(found["rounds"]) == 2 and {one["without_first"] for one in found["rounds"]} <= {True, False}
    assert {"mpich": "MPICH", "openmpi": "Open MPI"}[mpi] in found["mpi"]
    times = found["times"]
    for side in ("without_s", "with_s"):
        seen = [one[side] for one in found["rounds"]]
        assert 0 < min(seen) == times[side]["least"] <= times[side]["median"] <= times[side]["most"] == max(seen)
    assert found["gain"]["meaning"] == "few" and done.stdout.count("too few rounds for a verdict") == 1
    assert found["gain"]["low"] <= found["gain"]["median"] <= found["gain"]["high"]
    assert text.ONE_RUN in done.stdout and done.stdout.count("as fast") == 1
    calls = {one["name"]: one for one in found["calls"]}
    assert calls["MPI_Send"]["calls"] == calls["MPI_Recv"]["calls"] == 3 and not found["notes"]
    assert calls["MPI_Send"]["without_us"] > 0 and calls["MPI_Send"]["with_us"] > 0
    sites = {one["name"]: one for one in found["sites"]}
    assert set(sites) == set(calls) and sites["MPI_Send"]["datatype"] == "column" and sites["MPI_Recv"]["calls"] == 3
    assert "main" in sites["MPI_Send"]["place"] and sites["MPI_Send"]["with_us"] == calls["MPI_Send"]["with_us"]
    line = next(line for line in done.stdout.splitlines() if line.startswith("MPI_Send") and "column" in line)
    assert sites["MPI_Send"]["place"] in line
    assert {(one["procedure"], one["call"]) for one in found["carried"]} == {("MPI_Send", "send"), ("MPI_Recv", "receive")}
    places = {one["procedure"]: one["place"] for one in found["carried"]}
    assert places == {name: sites[name]["place"] for name in ("MPI_Send", "MPI_Recv")}
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("column  ") and "  MPI_Send send  " in line]
    assert f"  {places['MPI_Send']}  " in line
    page = files["html"].read_text()
    assert "<h2>By call site</h2>" in page and "<b>column</b><br><small>128 blocks of" in page
    assert '<use href="#layout-0"/>' in page and "<code>loop 128" in page
    assert f"MPI_Send send<br><small>{places['MPI_Send']}</small>" in page
    assert "http" not in page and "<script" not in page and "src=" not in page and "MPI_Send" in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)
    assert page.count("as fast") == 1 and text.ONE_RUN in page
    dots = page.count("<circle")
    assert dots == 4 and files["png"].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("mpi", MPIS)
def test_the_same_output(compare, mpi):
    done, found = compare(mpi, "--", "same")
    assert done.returncode == 0, done
    assert [(one["name"], one["verdict"]) for one in found["outputs"]] == [("stdout", "same")]
    assert found["gain"]["meaning"] == "few" and not found["calls"]


def test_unsteady_output_proves_nothing_until_its_times_are_ignored(compare):
    done, found = compare("mpich", "--", "time")
    assert done.returncode == 0 and found["outputs"][0]["verdict"] == "unsteady", done
    assert found["outputs"][0]["without"]["text"].startswith("time: ")
    done, found = compare("mpich", "--ignore", "no such thing", "--ignore", "^time: ", "--", "time")
    assert done.returncode == 0 and found["outputs"][0]["verdict"] == "same"


def test_a_difference_that_is_ignored(compare):
    assert compare("mpich", "--", "who")[0].returncode == 1
    done, found = compare("mpich", "--ignore", "heddle", "--", "who")
    assert done.returncode == 0 and found["ignored"] == ["heddle"]


@pytest.mark.parametrize("mpi", MPIS)
def test_one_that_fails_with_heddle_alone(heddle, programs, mpi):
    done = heddle("compare", *QUICK, "-n", 2, "--", programs[mpi], "fail_with")
    assert done.returncode == 1 and "fails with Heddle alone" in done.stdout, done
    assert "without Heddle: exit code 0" in done.stdout and "with Heddle: exit code 3" in done.stdout
    assert "something is wrong" in done.stdout


def test_one_that_always_fails(compare):
    done, found = compare("mpich", "--", "fail")
    assert done.returncode == 1 and found["failure"]["codes"] == [3, 3] and not found["rounds"]


def test_files_are_moved_aside_and_come_back(compare, tmp_path):
    """The program does not overwrite files, so it must find none in any run."""
    mine, fresh = tmp_path / "mine", tmp_path / "fresh"
    mine.write_text("precious")
    done, found = compare("mpich", "--rounds", 2, "--output", mine, "--", "same", mine)
    assert done.returncode == 0 and mine.read_text() == "precious", done
    assert [(one["name"], one["verdict"]) for one in found["outputs"]] == [("stdout", "same"), (str(mine), "same")]
    done, found = compare("mpich", "--output", fresh, "--", "who", fresh)
    assert done.returncode == 1 and found["outputs"][1]["verdict"] == "different", done
    assert found["outputs"][1]["with_heddle"] == {"number": 2, "text": "heddle: 1"}
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_files_come_back_also_if_it_fails(compare, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("precious")
    assert compare("mpich", "--output", mine, "--", "fail", mine)[1]["failure"]
    assert [file.name for file in tmp_path.iterdir()] == ["mine"] and mine.read_text() == "precious"


def test_starts_nothing_but_the_runs(heddle, tmp_path):
    """Heddle asks launchers for their version, but not scripts."""
    script = tmp_path / "job.sh"
    script.write_text(f'#!/bin/sh\necho "started with $*" >> {tmp_path}/log\n')
    script.chmod(0o755)
    assert heddle("compare", *QUICK, "--mpi", "mpich", "--", script, "input").returncode == 0
    assert (tmp_path / "log").read_text() == "started with input\n" * 2


def test_a_verdict_that_was_told_early_is_taken_from_heddle_if_it_carried_no_call(capsys):
    early = compared(FASTER)
    text.show_calls(replace(early, carries=False), early)
    assert f"{text.NO_CALL}." in capsys.readouterr().out
    text.show_calls(replace(early, carries=True), early)
    assert text.NO_CALL not in capsys.readouterr().out


@pytest.mark.parametrize("mpi", MPIS)
def test_input_for_every_run(compare, mpi, tmp_path):
    """The program fails without its input."""
    (tmp_path / "in").write_text("a line\n")
    done, found = compare(mpi, "--input", tmp_path / "in", "--", "input")
    assert done.returncode == 0 and found["outputs"][0]["verdict"] == "same", done


def test_one_that_never_ends_in_time(heddle):
    done = heddle("compare", *QUICK, "--timeout", 1, "-n", 1, "--mpi", "mpich", "--", "sleep", 50)
    assert done.returncode == 1 and "no end in time" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--no-such-option", "--", "true"), 2, "No such option"),
        (("--ignore", "(", "--", "true"), 2, "is no regular expression"),
        (("--rounds", 0, "--", "true"), 2, "rounds"),
        (("--png", "picture.gif", "--", "true"), 2, "does not end in .png"),
        (("--png", "/no/folder/x.png", "--", "touch", "ran"), 2, "the picture cannot be written to /no/folder/x.png: there is"),
        (("--html", "/no/folder/x.html", "--", "touch", "ran"), 2, "the page cannot be written to /no/folder/x.html: there is"),
        (("--json", "/no/folder/x.json", "--", "touch", "ran"), 2, "the JSON cannot be written to /no/folder/x.json: there is"),
        (("--output", "/tmp", "-n", 1, "--mpi", "mpich", "--", "true"), 2, "is a folder"),
        (("--output", "none", *QUICK, "-n", 1, "--mpi", "mpich", "--", "true"), 1, "no run has written none"),
        (("--input", "/no/such/file", "--", "true"), 2, "there is no /no/such/file"),
        (("-n", 2, "--", "./no-such-program"), 127, "there is no program"),
        ((), 2, "Missing argument"),
    ],
)
def test_problems(heddle, words, code, said, tmp_path):
    done = heddle("compare", *words, cwd=tmp_path)
    assert done.returncode == code and said in done.stderr and not list(tmp_path.iterdir()), done


def test_heddle_off_in_a_file_compares_nothing(heddle, tmp_path):
    (tmp_path / "off.conf").write_text("HEDDLE=off\n")
    done = heddle("compare", "-n", 1, "--", "true", HEDDLE_CONFIG=str(tmp_path / "off.conf"))
    assert done.returncode == 2 and f"{tmp_path}/off.conf:1" in done.stderr.replace("\n", ""), done


def test_heddle_off_compares_nothing(heddle):
    done = heddle("compare", "-n", 1, "--", "true", HEDDLE="off")
    assert done.returncode == 2 and "nothing to compare" in done.stderr


@pytest.mark.parametrize(("package", "option"), [("matplotlib", "--png"), ("jinja2", "--html")])
def test_without_a_package_nothing_runs_and_there_is_a_way_out(package, option, heddle, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\nfind = util.find_spec\n"
        f"util.find_spec = lambda name, *more: None if name == '{package}' else find(name, *more)\n"
    )
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    done = heddle("compare", option, f"c.{option[2:]}", "-n", 1, "--", "true", PYTHONPATH=path)
    assert done.returncode == 1 and f"pip install {package}" in done.stderr and "--html" in done.stderr


def compared(pairs, **more) -> Compared:
    rounds = [Round(True, *pair) for pair in pairs]
    return Compared("./app", "MPICH 5", "today", "1", "a machine", {}, rounds, **more)


@pytest.mark.parametrize(
    ("pairs", "meaning", "sentence"),
    [
        ([(2.0, 1.0)] * 6 + [(2.2, 1.0)], Meaning.faster, "2.00 × as fast with Heddle (2.00 – 2.20 in 7 rounds, p = 0.016)"),
        ([(0.5, 1.0)] * 7, Meaning.slower, "0.50 × as fast with Heddle (0.50 – 0.50 in 7 rounds, p = 0.016); it is slower"),
        ([(1.0, 1.0)] * 5 + [(0.96, 1.0), (1.05, 1.0)], Meaning.same, "no difference seen (0.96 – 1.05 in 7 rounds, p = 1)"),
        ([(2.0, 1.0)] * 3, Meaning.few, "2.00 – 2.00 × as fast in 3 rounds; too few rounds for a verdict"),
        ([(7.43, 1.0)], Meaning.few, "7.43 × as fast in one round; too few rounds for a verdict"),
        ([(20.0, 10.0), (2.0, 1.0)] * 4, Meaning.faster, "2.00 × as fast with Heddle (2.00 – 2.00 in 8 rounds, p = 0.0078)"),
    ],
)
def test_the_sentence_is_the_verdict_of_pairs(pairs, meaning, sentence):
    """In the last case, the machine is often busy for both runs of a round."""
    found = compared(pairs)
    assert found.gain.meaning is meaning and text.gain_sentence(found) == sentence


FASTER, SLOWER = [(1.7, 1.0)] * 7, [(0.5, 1.0)] * 7


@pytest.mark.parametrize(("pairs", "number"), [(FASTER, "1.70"), (SLOWER, "0.50")])
def test_a_difference_is_not_heddles_if_it_has_carried_no_call(capsys, pairs, number):
    found = compared(pairs, carries=False)
    sentence = f"{text.NO_CALL}: runs with Heddle loaded were {number} × as fast ({number} – {number} in 7 rounds, p = 0.016)"
    assert text.gain_sentence(found) == sentence
    text.show(found)
    for shown in (capsys.readouterr().out, page.draw(found)):
        assert sentence in shown and "as fast with Heddle" not in shown and "slower" not in shown
    assert "as fast with Heddle" in text.gain_sentence(compared(pairs, carries=True))


def test_the_report_tells_whether_a_call_was_carried(heddle, programs, tmp_path):
    (tmp_path / "sums.c").write_text(
        "#include <mpi.h>\nint main(int c, char** v) { int a = 1, b; MPI_Init(&c, &v);"
        "MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n"
    )
    sums = compiled("mpich", tmp_path / "sums", tmp_path / "sums.c")
    line = ("compare", "--rounds", 1, "--no-warm-up", "--json", "-", "-n", 2)
    assert json.loads(heddle(*line, "--", sums).stdout)["carries"] is False
    assert json.loads(heddle(*line, "--", programs["mpich"], "same", HEDDLE_SCHEME="bc-spup").stdout)["carries"] is True
    without = json.loads(heddle(*line, "--no-calls", "--", sums).stdout)
    assert without["carries"] is None and without["looked"] is False


def test_doubts_tell_a_verdict_without_calls_and_how_to_narrow_the_bracket():
    assert text.doubts(compared(FASTER, looked=False)) == [text.NOT_LOOKED]
    assert text.doubts(compared([(1.0, 1.0)] * 7, looked=False)) == []
    (busy,) = text.doubts(compared(FASTER, others="The machine was busy: a load of 9."))
    assert busy == "The machine was busy: a load of 9. More rounds narrow the bracket: --rounds 15."


def test_an_unsteady_output_leaves_the_times_alone_and_has_two_runs_without_heddle(capsys):
    outputs = [Output("stdout", Verdict.unsteady, Line(1, "a 1"), Line(1, "a 2"))]
    outputs += [Output("field.dat", Verdict.different, Line(3, "b 1"), Line(3, "b 2"))]
    found = compared(FASTER, outputs=outputs)
    text.show(found)
    shown = capsys.readouterr().out
    assert "so the comparison of stdout proves nothing; the times stand" in shown
    for one, other, lines in (("one run", "another", "a"), ("without Heddle", "with Heddle", "b")):
        number = {"a": 1, "b": 3}[lines]
        for name, value in ((one, 1), (other, 2)):
            assert f"  {name:<16}line {number}: {lines} {value}" in shown
            assert f"{name}: <code>line {number}: {lines} {value}</code>" in page.draw(found)


def test_doubts_are_named_beside_the_verdict(capsys):
    busy = "The machine was busy: other processes used 0.9 of 2 cores (soak), and the load was 3.1 before the first run."
    found = compared([(2.0, 1.0)] * 7 + [(2.0, 9.0)], others=busy)
    far = "Unlike the other rounds, and counted like them: round 8: without Heddle 2 s, with Heddle 9 s."
    text.show(found)
    shown = capsys.readouterr().out
    assert far in shown and busy in shown and far in page.draw(found) and busy in page.draw(found)
    assert text.doubts(compared([(2.0, 1.0)] * 7)) == []


def test_a_page_has_one_gain(capsys):
    """Calls are timed in one run, with a report. Their ratio was once beside the gain of the
    rounds, and said the opposite."""
    calls = [Calls("MPI_Waitall", 30, 5100.0, 10000.0)]
    found = compared([(2.02, 1.0)] * 7, calls=calls)
    text.show(found)
    for shown in (capsys.readouterr().out, re.sub("<[^>]*>", " ", page.draw(found))):
        assert "2.02 × as fast" in shown and "MPI_Waitall" in shown and text.ONE_RUN in shown
        assert "0.51" not in shown and shown.count("×") == 1


def test_names_on_a_page_are_shown_and_not_obeyed():
    evil = "<script>\"'&</script>"
    line = Line(3, evil)
    found = compared(
        [(2.0, 1.0)],
        calls=[Calls(evil, 1, 2.0, 1.0)],
        sites=[Site(evil, 1, 2.0, 1.0, evil, evil)],
        carried=[Carried("send", evil, evil, 1, 2, 3.0, evil, evil, evil)],
        outputs=[Output(evil, Verdict.different, line, line)],
        notes=[evil],
    )
    found = replace(found, command=evil, mpi=evil, machine=evil, settings={evil: evil})
    shown = page.draw(found)
    assert "<script" not in shown and len(re.findall(r"&lt;script&gt;&#34;&#39;&amp;&lt;/script&gt;", shown)) > 15


def test_times_are_medians_within_their_range():
    assert verdict.spread([3.0, 1.0, 2.0, 10.0]) == verdict.Spread(2.5, 1.0, 10.0)


A, B, A_TURNED = content(b"1\n2\n"), content(b"1\n3\n"), content(b"2\n1\n")


@pytest.mark.parametrize(
    ("without", "ours", "verdict"),
    [
        ([A, A], [A, A], Verdict.same),
        ([None], [None], Verdict.same),
        ([A, A], [A, A_TURNED], Verdict.reordered),
        ([A, A_TURNED], [A], Verdict.reordered),
        ([A, A], [A, B], Verdict.different),
        ([A, A_TURNED], [B], Verdict.different),
        ([A, B], [B, B], Verdict.unsteady),
        ([A, A], [A, None], Verdict.different),
        ([A, None], [A], Verdict.unsteady),
    ],
)
def test_judgement(without, ours, verdict):
    assert judge(without, ours) is verdict


@pytest.mark.parametrize(
    ("one", "other", "lines"),
    [
        (b"a\nb\n", b"a\nc\n", [(2, "b"), (2, "c")]),
        (b"b\na\n", b"a\nc\n", [(1, "b"), (2, "c")]),  # a moved line is no difference
        (b"a\na\n", b"a\n", [(2, "a"), (0, "")]),
        (b"\x00\xff", b"", [(1, "\\x00�"), (1, "")]),
    ],
)
def test_first_difference(one, other, lines):
    assert [(line.number, line.text) for line in first_difference(one, other)] == lines


def test_ignored_lines_are_dropped_whole():
    patterns = [re.compile(b"^time"), re.compile(b"GF/s$")]
    assert kept(b"a\ntime 1\nb 2 GF/s\nc time\n", patterns) == b"a\nc time\n"
    assert kept(b"x", []) == b"x"


def test_binary_data_has_no_lines_to_ignore():
    """A pattern must not hide a difference in a binary file."""
    assert kept(b"a\0\ntime 1\nb", [re.compile(b"time")]) == b"a\0\ntime 1\nb"


def test_lines_are_said_to_be_left_out_where_they_are(heddle, programs, tmp_path):
    plain = tmp_path / "plain"
    words = ("compare", *QUICK, "--ignore", "heddle: ", "--output", plain, "-n", 2, "--", programs["mpich"])
    done = heddle(*words, "who", plain)
    assert done.returncode == 0, done
    assert done.stdout.count("(less the lines of --ignore)") == 1, done.stdout  # stdout has none of these lines
