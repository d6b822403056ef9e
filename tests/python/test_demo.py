"""A small run of the main job on both MPIs, with and without Heddle, and its error messages."""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import MPIS, clean_environment
from heddle import installations
from heddle.bench.study_table import COLUMNS
from heddle.demo import photograph, reasons, report
from heddle.demo.measure import Run, Setup, save
from heddle.demo.programs import programs
from heddle.problem import Problem
from PIL import Image


def demo(*arguments: object) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", "heddle.demo", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env=clean_environment())


@pytest.fixture(scope="module")
def quick(tmp_path_factory) -> tuple[subprocess.CompletedProcess, Path, list[dict]]:
    folder = tmp_path_factory.mktemp("demo")
    done = demo("--quick", "--output", folder / "pictures", "--json", folder / "rows.json")
    assert done.returncode == 0, done.stdout + done.stderr
    return done, folder / "pictures", json.loads((folder / "rows.json").read_text())


def test_says_that_all_runs_are_right(quick):
    done, _, _ = quick
    assert "All 8 runs are right" in done.stdout
    for word in ("fft2d", "mpi4py-fft", "mpich", "openmpi", "under Heddle", "gain"):
        assert word in done.stdout


def test_says_how_long_it_takes_and_shows_the_halo(quick):
    done, _, rows = quick
    assert re.search(r"12 jobs in 1 round: about \d+ (s|minutes)\.", done.stdout), done.stdout
    assert done.stdout.index("about") < done.stdout.index("fft2d")
    assert "jacobi 128, neighbour" in done.stdout
    ways = {row["variant"] for row in rows if row["bench"] == "study" and row["metric"] == "exchange"}
    assert ways == set(COLUMNS)


def test_a_row_without_a_gain_has_a_reason(tmp_path):
    """The report of one more run gives it."""
    program, mpi = programs()[0], installations.named("mpich")
    setup = Setup(256, 4, 7, [mpi], ("host", "heddle"), tmp_path)
    save(setup, photograph.load("retina.jpg", 256))

    def run(variant: str, turn: int, communication: float) -> Run:
        seconds = {"total": {"all": [1.0]}, "communication": {"all": [communication]}}
        return Run(program, mpi, variant, turn, {"seconds": seconds}, tmp_path)

    def reasons_if(heddle: float) -> list[str]:
        runs = [run(v, turn, t) for turn in range(7) for v, t in (("host", 0.2), ("heddle", heddle))]
        return reasons.reasons(runs, setup, tmp_path)

    (slower,) = reasons_if(0.3)
    assert slower.startswith("fft2d, mpich: communication takes 20% of the time, so a transfer in no time would make it 1.25 ×")
    assert (tmp_path / "fft2d-mpich.json").exists() and "fft2d-mpich.json shows more" in slower
    (gained,) = reasons_if(0.1)  # only in communication
    assert "waiting" not in gained and "pieces" not in gained


def test_rows_follow_the_schema_and_agree_with_a_serial_fft(quick):
    rows = quick[2]
    assert all({"bench", "case", "variant", "metric", "value", "unit", "mpi"} <= set(row) for row in rows)
    rows = [row for row in rows if row["bench"] == "fft2d"]
    totals = Counter(
        (row["case"].split(",")[0], row["mpi"].split()[0], row["variant"]) for row in rows if row["metric"] == "total"
    )
    assert totals == {(p.name, mpi, v): 1 for p in programs() for mpi in MPIS for v in ("host", "heddle")}
    errors = [row["value"] for row in rows if row["metric"].endswith("error")]
    assert len(errors) == 3 * 2 * 2  # fft2d has two, for spectrum and picture
    assert max(errors) < 1e-10
    assert all(0 < row["best"] <= row["lower"] <= row["value"] <= row["upper"] for row in rows if row["unit"] == "s")


@pytest.mark.parametrize("program", [program.name for program in programs()])
def test_the_picture_is_filtered_as_numpy_does_it(quick, program):
    before, after = (np.asarray(Image.open(quick[1] / f"{name}.png")).astype(float) for name in ("before", f"after-{program}"))
    assert before.shape == after.shape == (256, 256)
    y, x = (np.fft.fftfreq(n) ** 2 for n in before.shape)
    square = y[:, None] + x[None, :]
    band = 4 * (np.exp(-square / (2 * 0.1**2)) - np.exp(-square / (2 * 0.01**2)))
    band[0, 0] = 1
    expected = np.fft.ifft2(np.fft.fft2(before) * band).real.clip(0, 255)
    assert np.abs(after - expected).max() <= 0.51  # rounded to grey levels
    assert np.abs(after - before).max() > 20


def test_a_wrong_answer_is_an_error():
    def run(error: float, fingerprint: str) -> Run:
        told = {
            "relative_error": {"picture": error, "tolerance": 1e-10},
            "fingerprint": fingerprint,
        }
        mpi = type("Mpi", (), {"name": "mpich", "version": "5"})()
        return Run(programs()[0], mpi, "heddle", 0, told, Path())

    report.check([run(1e-15, "a"), run(2e-15, "a")])
    with pytest.raises(Problem, match=r"wrong by 0\.001"):
        report.check([run(1e-3, "a")])
    with pytest.raises(Problem, match="wrong by nan"):
        report.check([run(float("nan"), "a")])
    with pytest.raises(Problem, match="differ"):
        report.check([run(1e-15, "a"), run(1e-15, "b")])


def test_a_photograph_that_is_not_there_is_a_clear_error():
    done = demo("--photo", "nowhere.png")
    assert done.returncode == 1
    assert done.stderr.startswith("heddle: there is no picture nowhere.png. scikit-image has ")
    with pytest.raises(Problem, match="cannot be read as a picture"):
        photograph.load(__file__, 64)
