"""`heddle bench`: its rows are complete, and its checks pass. Speed does not matter."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from heddle.bench import compare, plot
from heddle.bench.rows import Row, merged, verdict_of
from heddle.verdict import Meaning

CASES = "^(column24_8|transpose_8_64|struct_44_of_64_x100|WRF_x_sa_8x8|indexed8_sorted_500|SPECFEM3D_oc_493|memcpy_8192)$"


def bench(*arguments):
    command = [sys.executable, "-m", "heddle", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def rows(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("bench") / "rows.json"
    done = bench("pack", "--quick", "--mpi", request.param, "--filter", CASES, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(file.read_text())


def test_rows_have_what_the_schema_names(rows):
    for row in rows:
        assert {"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= row.keys()
        assert row["bench"] == "pack"
        assert row["unit"] == ("ns" if row["metric"] == "decode" else "GB/s")
        assert row["value"] > 0 or row["metric"] == "decode"
        assert row["lower"] <= row["value"] <= row["upper"]
        assert row["pattern"] in ("regular", "irregular")


def test_every_case_has_every_variant_and_metric(rows):
    seen = {(row["case"], row["variant"], row["metric"]) for row in rows}
    cases = {row["case"] for row in rows}
    assert len(cases) == 7
    for case in cases:
        for metric in ("pack", "unpack"):
            assert {(case, variant, metric) for variant in ("heddle", "host", "memcpy")} <= seen
        assert {(case, variant, "decode") for variant in ("heddle", "host")} <= seen


def test_nothing_preloaded_is_said_so(tmp_path):
    file = tmp_path / "rows.json"
    done = bench("pack", "--quick", "--mpi", "mpich", "--with", "nothing", "--filter", "^column24_8$", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert {row["variant"] for row in json.loads(file.read_text())} == {"nothing", "host", "memcpy"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--filter", "("), "not a regular expression"),
        (("--filter", "no such case"), "no case of the benchmark matches"),
        (("--yardstick", "/nonexistent.cpp", "--filter", "^column24_8$"), "no yardstick"),
        (("--plot", "figure.bmp"), ".svg"),
    ],
)
def test_bad_input_is_told_clearly(arguments, complaint):
    done = bench("pack", "--quick", "--mpi", "mpich", "--with", "nothing", *arguments)
    assert done.returncode != 0
    assert complaint in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def row(case, variant, value, mpi="M", metric="pack", **known):
    return Row("pack", case, variant, metric, value, "GB/s", mpi, bytes=1000, best=value, **known)


def test_gain_is_the_lesser_of_the_ratios_within_one_process():
    rows = [row("a", "heddle", 9, "M"), row("a", "heddle", 4, "O"), row("a", "host", 3, "M"), row("a", "host", 2, "O")]
    (found,) = compare.comparisons(rows, "heddle")
    assert found.gain == pytest.approx(2)


def test_goals_count_what_misses_them():
    rows = []
    for case, gain in (("a", 4.0), ("b", 0.9)):
        rows += [row(case, "heddle", gain, pattern="irregular", family="struct"), row(case, "host", 1.0)]
    rows.append(row("a", "yardstick", 2.0, mpi=""))
    goals = compare.goals(compare.comparisons(rows, "heddle"), "pack")
    assert [goal.reached for goal in goals] == [False, True, False, True, True]
    assert "1 of 2" in goals[2].detail


def test_bars_have_the_names_of_the_cases_and_their_gains(tmp_path):
    cases = {"a<b> & $x$": 0.25, "column": 40.0}
    rows = [row(case, *one) for case, gain in cases.items() for one in (("heddle", gain), ("host", 1.0))]
    plot.write(compare.comparisons(rows, "heddle"), tmp_path / "bars.svg")
    texts = {one.text.strip() for one in ElementTree.parse(tmp_path / "bars.svg").iter("{http://www.w3.org/2000/svg}text")}
    assert {*cases, "0.25", "40.00", "0.5×", "1×", "32×"} <= texts


def test_decoding_is_paid_back_by_what_a_pack_saves():
    rows = [row("a", "heddle", 2.0), row("a", "host", 1.0), Row("pack", "a", "heddle", "decode", 1000.0, "ns", "M")]
    (found,) = compare.decoding(rows, "heddle")
    assert found.uses is None  # without the bytes, there is no saving
    rows[2] = Row("pack", "a", "heddle", "decode", 1000.0, "ns", "M", bytes=1000)
    (found,) = compare.decoding(rows, "heddle")
    assert found.uses == pytest.approx(2.0)  # a pack takes 500 ns instead of 1000


def test_rounds_become_their_median():
    (found,) = merged([row("a", "host", value, samples=5) for value in (3.0, 1.0, 2.0)])
    assert (found.value, found.best, found.samples, found.rounds) == (2.0, 3.0, 15, 0)


def test_the_ratios_of_rounds_have_an_interval():
    ratios = (0.5, 0.52, 0.51, 0.49, 0.5, 0.48, 0.53)
    (found,) = merged([replace(row("a", "heddle", value), metric="latency over host", unit="1") for value in ratios])
    assert (found.lower, found.value, found.upper, found.rounds) == (0.48, 0.5, 0.53, 7)
    assert verdict_of(found).meaning is Meaning.slower  # less time
    (few,) = merged([replace(row("a", "heddle", value), metric="latency over host", unit="1") for value in ratios[:3]])
    assert few.rounds == 3 and verdict_of(few).meaning is Meaning.few


def test_goals_are_for_those_who_ask(capsys):
    from heddle.bench import goals
    from heddle.console import console

    goals.show(console(), lambda: "a goal")
    assert not goals.asked() and "goal" not in capsys.readouterr().out
