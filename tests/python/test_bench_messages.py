"""`heddle bench vector`, `transpose`, `alltoall-struct` and the ping-pongs of `overhead`.

Every way is checked, then measured. Rows are complete, and figures are drawn.
"""

import json
import math
import signal
import subprocess
import sys
import time

import pytest
from heddle.bench import jobs, messages, pingpong, vector
from heddle.bench.best_scheme import over_best_scheme
from heddle.bench.jobs import Run
from heddle.bench.native import With
from heddle.bench.rows import Row, merged

FIELDS = {"bench", "case", "variant", "metric", "value", "unit", "mpi", "bytes", "pinning", "line_ns", "ranks"}
MPIS = pytest.mark.parametrize("mpi", ["mpich", "openmpi"])


def bench(name, *arguments, folder=None):
    command = [sys.executable, "-m", "heddle", "bench", name, *map(str, arguments)]
    if folder is not None:
        command += ["--json", str(folder / "rows.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def rows_of(name, *arguments, folder):
    done = bench(name, *arguments, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((folder / "rows.json").read_text())
    for row in rows:
        assert row.keys() >= FIELDS
        assert row["lower"] <= row["value"] <= row["upper"] or row["unit"] == "1"
    return rows, done.stdout


def seen(rows):
    return {(row["case"], row["variant"], row["metric"]) for row in rows}


@MPIS
def test_vector_measures_every_way(mpi, tmp_path):
    arguments = ("--quick", "--mpi", mpi, "--columns", 3, "--columns", 64, "--scheme", "none", "--plot", tmp_path / "figure")
    rows, told = rows_of("vector", *arguments, folder=tmp_path)
    found = seen(rows)
    for case in ("k=3", "k=64"):
        assert {(case, v, "latency") for v in ("host", "heddle", "null", "contiguous", "manual", "multiple")} <= found
        assert {(case, v, "latency over contiguous") for v in ("host", "heddle", "null")} <= found
    assert {("k=64", v, "bandwidth") for v in ("host", "heddle", "contiguous")} <= found
    assert all(row["pinning"] for row in rows)
    assert "heddle / contiguous" in told
    assert (tmp_path / "figure.svg").read_text().rstrip().endswith("</svg>")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@MPIS
def test_vector_with_changing_buffers_from_heddle_alloc(mpi, tmp_path):
    arguments = ("--quick", "--mpi", mpi, "--columns", 64, "--buffers", "changing", "--memory", "mapped", "--no-bandwidth")
    rows, _ = rows_of("vector", *arguments, "--scheme", "none", folder=tmp_path)
    assert ("k=64", "heddle", "latency") in seen(rows)


@MPIS
@pytest.mark.parametrize("way", [(), ("--scatter", "--memory", "mapped")], ids=["gather", "scatter"])
def test_transpose_measures_every_way_and_the_parts(mpi, way, tmp_path):
    rows, told = rows_of("transpose", "--quick", "--mpi", mpi, "--size", 24, "--scheme", "none", *way, folder=tmp_path)
    found = seen(rows)
    metric = "scatter" if way else "latency"
    assert {("n=24", variant, metric) for variant in ("host", "heddle", "null", "contiguous", "manual")} <= found
    assert {("n=24", variant, "pack") for variant in ("host", "heddle")} <= found
    assert ("transpose 24", "dual-context", "search_us") in found
    assert "Parts" in told


@MPIS
def test_one_sided_measures_puts_and_gets(mpi, tmp_path):
    rows, told = rows_of("one-sided", "--quick", "--mpi", mpi, folder=tmp_path)
    found = seen(rows)
    for window in ("allocate", "create"):
        for shape in ("128 × 16", "128 × 1024", "face", "block"):
            for metric in ("put", "get"):
                assert {(f"{window}, {shape}", v, metric) for v in ("host", "heddle", "contiguous")} <= found
    assert "MPI_Put and MPI_Win_flush" in told


@MPIS
def test_files_are_written_and_read_every_way(mpi, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    rows, told = rows_of("files", "--quick", "--mpi", mpi, "--ranks", 3, "--folder", place, folder=tmp_path)
    found = seen(rows)
    cases = {case for case, _, metric in found if metric in ("write", "read")}
    assert {case.split(",")[0] for case in cases} == {"matrix", "blocks", "gap", "rows of 1 KiB", "lattice"}
    assert {"matrix, 2 ghost cells", "matrix, by pointer", "gap, independent", "lattice, 24 B, 1 ghost cell"} <= cases
    for case in cases:
        for metric in ("write", "read"):
            assert {(case, v, metric) for v in ("host", "heddle", "by hand", "bare disk")} <= found
            assert {(case, "heddle", f"{metric} over {base}") for base in ("host", "by hand")} <= found
    assert "heddle / by hand" in told
    assert not list(place.iterdir())


def test_an_interrupted_bench_of_files_leaves_none(tmp_path):
    words = [sys.executable, "-m", "heddle", "bench", "files", "--mpi", "mpich", "--case", "matrix", "--ranks", "2"]
    with subprocess.Popen([*words, "--folder", tmp_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        until = time.monotonic() + 60
        while not list(tmp_path.glob("*/heddle-bench-files.*")) and time.monotonic() < until:
            time.sleep(0.05)
        assert running.poll() is None, "the bench ended before it wrote a file"
        running.send_signal(signal.SIGINT)
        assert running.wait(30) != 0
    assert not list(tmp_path.iterdir())


@MPIS
def test_alltoall_struct_with_more_and_fewer_ranks(mpi, tmp_path):
    arguments = ("--quick", "--mpi", mpi, "--largest", 64, "--ranks", 2, "--ranks", 3, "--plot", tmp_path / "figure.png")
    rows, _ = rows_of("alltoall-struct", *arguments, "--scheme", "none", folder=tmp_path)
    for ranks in (2, 3):
        found = seen(row for row in rows if row["ranks"] == ranks)
        assert {("x=64", variant, "alltoall") for variant in ("host", "heddle", "null", "contiguous", "manual")} <= found
    assert {row["bytes"] for row in rows} == {127 * 4}  # 1 + 2 + ... + 64 ints
    assert (tmp_path / "figure.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("vector", "--plot", "figure.bmp"), "neither .svg nor .png"),
        (("vector", "--mpi", "mpich", "--columns", "5000"), "5000"),
        (("transpose", "--plot", "figure.pdf"), "neither .svg nor .png"),
        (("transpose", "--scheme", "multi-v"), "there is no scheme multi-v"),
        (("files", "--folder", "/no/such/folder"), "/no/such/folder is no folder"),
    ],
)
def test_bad_input_is_told_clearly(arguments, complaint):
    done = bench(*arguments)
    assert done.returncode != 0
    assert complaint in " ".join(done.stderr.split())


def row(case, variant, metric, value, mpi="MPICH 5", **known):
    return Row("vector", case, variant, metric, value, "1" if "over" in metric else "us", mpi, ranks=2, best=value, **known)


def over_best(rows):
    return {row.case: row.value for row in over_best_scheme(rows)}


def test_heddles_choice_is_held_against_the_best_scheme_of_each_case():
    over = "latency over contiguous"
    rows = [row("k=1", "heddle", over, 2.2), row("k=1", "rwg-up", over, 2.0), row("k=1", "multi-w", over, 4.0)]
    rows += [row("k=2", "heddle", over, 1.0), row("k=2", "multi-w", over, 1.25), row("k=2", "host", over, 0.1)]
    assert over_best(rows) == pytest.approx({"k=1": 1.1, "k=2": 0.8})
    assert over_best(rows + [row("k=1", "heddle", over, 2.0)] * 2) == pytest.approx({"k=1": 1.0, "k=2": 0.8})


def test_runs_are_compared_where_the_cores_were_as_far_apart():
    over = "latency over contiguous"
    far = [row("k=1", "heddle", over, 2.0, cores="far"), row("k=1", "bc-spup", over, 1.9, cores="far")]
    near = row("k=1", "rwg-up", over, 0.5, cores="near")
    assert over_best([*far, near]) == pytest.approx({"k=1": 2.0 / 1.9})
    assert over_best([far[0], near]) == {}
    both = over_best_scheme([*far, near, row("k=1", "heddle", over, 0.7, cores="near")])
    assert {one.cores: one.value for one in both} == pytest.approx({"far": 2.0 / 1.9, "near": 1.4})


def test_near_and_far_cores_have_tables_and_goals_of_their_own():
    rows = [row("k=1", "heddle", "latency", value, cores=cores) for value, cores in ((1.0, "near"), (3.0, "far"), (5.0, "far"))]
    rows += [row("k=1", "heddle", "search", 7.0)]
    found = messages.by_mpi(merged(rows))
    assert [figures.mpi for figures in found] == ["MPICH 5, far cores", "MPICH 5, near cores"]
    assert [figures.value("k=1", "heddle", "latency") for figures in found] == [4.0, 1.0]
    assert all(figures.value("k=1", "heddle", "search") == 7.0 for figures in found)


def test_goals_name_the_worst_case_and_what_was_not_measured():
    worst = messages.at_most("contiguous", 1.25, {"k=1": 1.2, "k=2": 1.5})
    assert (worst.reached, worst.value) == (False, 1.5)
    assert "k=2; 1 of 2" in worst.detail
    assert messages.best("gain", 3.4, {"k=1": 1.0, "k=2": 3.5}).reached
    assert not messages.at_most("contiguous", 1.25, {}).applies


def test_the_goal_of_32_kib_leaves_smaller_messages_out():
    rows = [row("k=1", "heddle", "latency over contiguous", 9.0, bytes=512)]
    rows += [row("k=64", "heddle", "latency over contiguous", 1.2, bytes=32 << 10)]
    goals = {goal.text: goal for goal in vector.goals(messages.Figures(rows, "MPICH 5"))}
    assert goals["over contiguous from 32 KiB"].reached
    assert math.isnan(goals["over contiguous from 512 KiB"].value)


def test_rows_of_different_numbers_of_ranks_are_not_merged():
    rows = [Row("a", "x", "host", "alltoall", value, "us", "M", ranks=ranks) for ranks, value in ((2, 1.0), (4, 2.0), (4, 4.0))]
    assert [one.value for one in merged(rows)] == [1.0, 3.0]


def test_what_heddle_adds_is_the_median_over_pairs_of_processes():
    rows = []
    for alone, ours in ((100.0, 101.0), (200.0, 204.0), (100.0, 150.0)):
        rows += [row("8 B", "nothing", "pingpong", alone), row("8 B", "heddle", "pingpong", ours)]
    assert pingpong.added(rows, "heddle") == {("MPICH 5", "8 B"): pytest.approx(0.02)}


def test_a_scheme_is_forced_by_its_variable(monkeypatch):
    monkeypatch.setattr(jobs, "known_settings", lambda: frozenset({"HEDDLE_SCHEME"}))
    assert jobs.schemes(("direct",)) == [Run("direct", With.heddle, {"HEDDLE_SCHEME": "direct"})]
    monkeypatch.setattr(jobs, "known_settings", lambda: frozenset())
    assert jobs.schemes(("direct",)) == []


@MPIS
def test_alltoallv_sparse_measures_every_way(mpi, tmp_path):
    rows, shown = rows_of(
        "alltoallv-sparse", "--mpi", mpi, "--quick", "--ranks", 4, "--bytes", 64, "--plot", tmp_path / "figure", folder=tmp_path
    )
    variants = {row["variant"] for row in rows if row["metric"] == "exchange"}
    assert variants >= {
        "host",
        "alltoallv auto",
        "alltoallv crystal",
        "heddle",
        "consensus",
        "counts",
        "crystal",
        "crystal, bundled",
        "crystal, copies",
    }
    figure = (tmp_path / "figure.svg").read_text()
    assert "improvements" in shown and "38×" in figure and "scaling" in figure


def test_in_strong_scaling_blocks_shrink(tmp_path):
    words = "--mpi openmpi --quick --strong --no-routers --way none --ranks 2 --ranks 4 --bytes 1000".split()
    rows, _ = rows_of("alltoallv-sparse", *words, folder=tmp_path)
    assert {(row["ranks"], row["bytes"]) for row in rows} == {(2, 1000), (4, 630)}


@MPIS
def test_allgatherv_measures_the_choice_and_what_is_forced(mpi, tmp_path):
    arguments = ("--mpi", mpi, "--quick", "--ranks", 3, "--largest", 20000, "--plot", tmp_path / "figure")
    rows, told = rows_of("--goals", "allgatherv", *arguments, folder=tmp_path)
    found = seen(rows)
    for case in ("outlier s=20000", "power s=20000"):
        for variant in ("host", "heddle", "ring", "dissemination", "pipelined-ring"):
            assert (case, variant, "allgatherv") in found
        assert (case, "choosing", "choosing") in found
    assert "over the plain ring" in told and "20 % less" in (tmp_path / "figure.svg").read_text()
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


@MPIS
@pytest.mark.parametrize(("name", "case"), [("alltoallw-ring", "ring P=4"), ("halo", "halo P=4")])
def test_exchanges_with_neighbours_measure_every_way(mpi, name, case, tmp_path):
    arguments = ("--mpi", mpi, "--quick", "--ranks", 4, "--plot", tmp_path / "figure")
    rows, _ = rows_of(name, *arguments, folder=tmp_path)
    ways = {"host", "heddle", "contiguous", "kept", "host-kept"} | ({"round-robin"} if name == "alltoallw-ring" else set())
    assert {(case, way, case.split()[0]) for way in ways} <= seen(rows)
    figure = (tmp_path / "figure.svg").read_text().rstrip()
    assert figure.endswith("</svg>") and ("88 % less" in figure) == (name == "alltoallw-ring")


def test_a_figure_without_measurements_is_drawn(tmp_path):
    """If the distance of the cores always changes, no message counts."""
    from heddle.bench import figure

    with figure.panels(tmp_path / "empty.svg", "nothing", 1, 2) as axes:
        for axis, series in zip(axes.flat, ({}, {1: 2.0, 8: 3.0}), strict=True):
            axis.plot(list(series), list(series.values()))
            axis.axhline(1)
            axis.set_xscale("log", base=2)
            axis.set(yscale="log")
    assert (tmp_path / "empty.svg").exists() and (tmp_path / "empty.png").exists()
    assert axes[0][1].get_xscale() == "log"
