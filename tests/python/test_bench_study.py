"""`heddle bench study`: all four columns are measured, their answers are right bit by bit, and a
wrong answer is an error."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy
import pytest
from heddle.bench import jobs, study, study_table
from heddle.bench.native import With
from heddle.bench.rows import Row, judged
from heddle.bench.study import Lists
from heddle.bench.study_table import COLUMNS, METRICS, OURS, over_ours
from heddle.families import by_name
from heddle.problem import Problem

SIZES = (6, 9)
SMALL = ["--quick", "--rounds", "1", "--sizes", *map(str, SIZES), "--calls", *study.Calls]


def bench(*arguments):
    words = [sys.executable, "-m", "heddle", "bench", "study", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_every_case_has_four_columns_and_a_gain(mpi, tmp_path):
    file, picture = tmp_path / "rows.json", tmp_path / "bars.svg"
    done = bench(*SMALL, "--mpi", mpi, "--ranks", 4, "--json", file, "--picture", picture)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())
    cases = {f"{code} {size}, {call}" for code in study.CODES for size in SIZES for call in study.Calls}
    for metric in METRICS:
        expected = {(case, name, metric) for case in cases for name in COLUMNS}
        expected |= {(case, name, over_ours(metric)) for case in cases for name in COLUMNS if name != OURS}
        assert {(row["case"], row["variant"], row["metric"]) for row in rows if row["metric"].startswith(metric)} == expected
    assert all(0 < row["lower"] <= row["value"] <= row["upper"] and row["ranks"] == 4 for row in rows)
    sent = {row["case"]: row["bytes"] for row in rows}
    # Two columns and two rows; life's rows have corners; image's halo has two cells of 12 bytes.
    assert (sent["jacobi 6, messages"], sent["life 6, messages"], sent["image 6, messages"]) == (
        4 * 6 * 8,
        2 * 6 + 2 * 8,
        4 * 12 * 12,
    )
    assert f"in 0 of 0 decided cases; geometric mean of all {len(cases)} gains" in done.stdout  # one round
    assert done.stdout.count("geometric mean") == 2 * len(METRICS)
    assert picture.read_text().rstrip().endswith("</svg>") and "Game of Life" in picture.read_text()
    again = bench("--rows", file)
    assert again.returncode == 0 and again.stdout.splitlines()[:-1] == done.stdout.splitlines()[:-1]


def test_a_library_that_only_forwards_is_a_column(tmp_path):
    file, picture = tmp_path / "rows.json", tmp_path / "bars.svg"
    few = ["--quick", "--rounds", "1", "--sizes", "6", "--codes", "life", "--mpi", "openmpi", "--ranks", "2"]
    # The host of a virtual machine moves its cores. A ratio needs jobs at the same distance of the
    # cores, and one round may have none.
    for _ in range(6):
        done = bench(*few, "--forwarding", "--json", file, "--picture", picture)
        if done.returncode != 0:
            continue
        rows = [row for row in json.loads(file.read_text()) if row["variant"] == study_table.FORWARDED]
        metrics = {row["metric"] for row in rows}
        if len(metrics) > len(METRICS):
            break
    assert done.returncode == 0, done.stdout + done.stderr
    assert metrics == {*METRICS, *map(over_ours, METRICS)}
    assert len({row["case"] for row in rows}) == len(study.USUAL)
    assert "forwarded" in done.stdout and picture.exists()


# The three codes once more, on the whole periodic grid.


def around(field, x, y):
    return numpy.roll(field, (-y, -x), axis=(0, 1))


def jacobi(field):
    return 0.25 * ((around(field, 0, -1) + around(field, 0, 1)) + (around(field, -1, 0) + around(field, 1, 0)))


def life(field):
    neighbours = sum(around(field, x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0))
    return ((neighbours == 3) | ((neighbours == 2) & (field == 1))).astype(numpy.uint8)


def image(field):
    near, far = ((around(field, 0, -d) + around(field, 0, d)) + (around(field, -d, 0) + around(field, d, 0)) for d in (1, 2))
    return numpy.float32(0.125) * (near + far)


def first(code, width, height):
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.uint32)
    mixed = (x * numpy.uint32(0x9E3779B1)) ^ (y * numpy.uint32(0x85EBCA77))
    mixed = (mixed ^ (mixed >> 15)) * numpy.uint32(0x2C1B3C6D)
    random = mixed ^ (mixed >> 12)
    if code == "jacobi":
        return random * 2.0**-32
    if code == "life":
        return (random >> 30 == 0).astype(numpy.uint8)
    return numpy.stack([(random >> shift & 0xFF).astype(numpy.float32) / 256 for shift in (0, 8, 16)], axis=-1)


def checksum(field):
    found = 0xCBF29CE484222325
    for row in field:
        data = row.tobytes()
        for at in range(0, len(data), 8):
            found = (found ^ int.from_bytes(data[at : at + 8], "little")) * 0x100000001B3 % 2**64
    return found


STEPS = {"jacobi": jacobi, "life": life, "image": image}


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
@pytest.mark.parametrize(("ranks", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (4, 2, 2)])
def test_answers_are_those_of_the_whole_grid(mpi, ranks, rows, columns):
    size = 9
    words = ["--sizes", str(size), "--quick", "--budget", "1"]
    lines = list(jobs.lines("study", by_name(mpi), jobs.Run("under Heddle", With.heddle), ranks, words))
    answers = [line for line in lines if "answer" in line]
    assert len(answers) == 3 * 3 * 2 * 2  # codes, calls, by hand and by datatypes, before and after
    for code, step in STEPS.items():
        field = first(code, size * columns, size * rows)
        for _ in range(answers[0]["steps"]):
            field = step(field)
        tiles = [field[size * y : size * (y + 1), size * x : size * (x + 1)] for y in range(rows) for x in range(columns)]
        expected = [checksum(numpy.ascontiguousarray(tile)) for tile in tiles]
        assert len(set(expected)) == ranks
        for line in answers:
            assert not line["answer"].startswith(code) or line["checksums"] == expected, line


def test_a_difference_is_an_error(monkeypatch):
    """One bit of one rank's checksum differs in one of the jobs."""
    real = jobs.lines

    def forged(program, mpi, run, ranks, arguments):
        for line in real(program, mpi, run, ranks, arguments):
            if "answer" in line and line["variant"] == "datatypes" and run.between is With.heddle:
                line["checksums"][1] ^= 1
            yield line

    monkeypatch.setattr(study, "lines", forged)
    with pytest.raises(Problem, match="answers differ on rank 1: life 6, messages, datatypes under Heddle on mpich") as found:
        study.command(mpi=["mpich"], ranks=[2], sizes=[6], codes=["life"], calls=[study.Calls.messages], rounds=1, quick=True)
    assert found.value.code == 1


def test_bad_input_is_told_clearly():
    for arguments, complaint in (
        (("--codes", "fluid"), "there is no code fluid"),
        (("--mpi", "no-such-mpi"), "there is no MPI called 'no-such-mpi'"),
        (("--picture", "bars.png"), "does not end in .svg"),
        (("--calls", "sideways"), "sideways"),
    ):
        done = bench(*arguments)
        assert done.returncode == 2 and complaint in " ".join(done.stderr.split()), done


def test_an_option_takes_several_values():
    words = ["--ranks", "1", "2", "--quick", "--sizes", "8", "--calls", "messages", "persistent"]
    single = ["--ranks", "1", "--ranks", "2", "--quick", "--sizes", "8", "--calls", "messages", "--calls", "persistent"]
    assert list(Lists("study")._single(words)) == single == list(Lists("study")._single(single))


def row(variant, value, cores="near", metric="exchange"):
    case = {"family": "life", "size": "6", "pattern": "messages"}
    return Row("study", "life 6, messages", variant, metric, value, "us", "MPICH 5", ranks=2, cores=cores, samples=9, **case)


def test_a_gain_is_of_pairs_at_one_distance():
    def one(alone, ours, cores="near"):
        return [row("datatypes alone", alone, cores), row(OURS, ours, cores)]

    apart = [row("datatypes alone", 8.0, "far"), row(OURS, 1.0, "near")]
    (gain,) = study.gains([one(2, 1), one(30, 10), one(4, 1), apart])  # the machine was slow in the second round
    assert (gain.value, gain.lower, gain.upper, gain.rounds) == (3, 2, 4, 3) and gain.variant == "datatypes alone"
    assert {gain.cores for gain in study.gains([one(2, 1), one(9, 3, "far")])} == {"near", "far"}


def cell(us, scatter=(1.0,) * 7, **more):
    """The rows of a case: times of the columns, and the rounds' ratios, times the scatter."""
    rows = [row(name, value, **more) for name, value in zip(COLUMNS, us, strict=True)]
    over = {name: value / us[-1] for name, value in zip(COLUMNS, us, strict=True) if name != OURS}
    metric = over_ours("exchange")
    return rows + [
        judged(row(name, 0, metric=metric, **more), [ratio * one for one in scatter]) for name, ratio in over.items()
    ]


def test_a_row_says_who_is_faster_if_the_rounds_agree(capsys):
    def shown(*us, **more):
        study_table.show(cell(us, **more), "exchange")
        return capsys.readouterr().out

    ours = shown(2.0, 3.0, 2.5, 1.5)
    assert "in 1 of 1 cases" in ours and "geometric mean of all 1 gains 2.00" in ours
    theirs = shown(1.0, 3.0, 2.5, 1.5)
    assert "by hand alone (takes 0.67 – 0.67 of the time)" in theirs and "in 0 of 1 cases" in theirs
    noisy = shown(1.0, 3.0, 2.5, 1.5, scatter=(0.9, 1.0, 1.0, 1.1, 1.6, 1.0, 1.0))
    assert "by hand alone (" not in noisy and "in 1 of 1 cases" in noisy
    few = shown(1.0, 3.0, 2.5, 1.5, scatter=(1.0,) * 3)
    assert "by hand alone (" not in few and "in 0 of 0 decided cases" in few and "2.00 – 2.00, no verdict" in few


def test_rows_of_no_known_distance_stand_beside_no_others(capsys):
    rows, unplaced = cell((4.0, 4.0, 4.0, 2.0)), cell((9.0, 9.0, 9.0, 9.0), cores="")
    assert [figures.distance for figures in study_table.at_distances(rows + unplaced)] == [", near cores"]
    assert [figures.distance for figures in study_table.at_distances(unplaced)] == [""]
    study_table.show([*rows, *(replace(one, case="life 9, messages", size="9") for one in unplaced)], "exchange")
    assert "in 1 of 1 cases" in (shown := capsys.readouterr().out) and "Not compared: 1 cases" in shown
