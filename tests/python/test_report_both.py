"""heddle report of two files: a warning if the runs differ in more than Heddle."""

import json

import pytest
from conftest import report


@pytest.mark.parametrize(
    ("other", "ranks", "said"),
    [
        (["/b/app", "/b/in.dat"], 4, ""),  # the same program in another folder
        (["./halo", "in.dat"], 4, "different runs: `/a/app in.dat` and `./halo in.dat`. Their ratios may mean nothing."),
        (["./app"], 8, "different runs: `/a/app in.dat` and `./app`; 4 and 8 ranks. Their ratios"),
        (["./app", "in.dat"], 8, "different runs: 4 and 8 ranks."),
        (None, 4, ""),  # from an older build
    ],
)
def test_two_reports_of_different_programs_get_a_warning(heddle, tmp_path, other, ranks, said):
    calls = {"procedures": [{"name": "MPI_Send", "ranks": 4, "calls": 3, "us": 5.0}]}
    one = report() | calls | {"heddle_report": 3, "run": {"command": ["/a/app", "in.dat"]}}
    two = one | {"ranks": ranks, "run": {"command": other} if other else {}}
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, raw in zip(files, (one, two), strict=True):
        file.write_text(json.dumps(raw))
    shown = heddle("report", *files).stdout
    assert said in shown and ("→ The reports are of" in shown) == bool(said), shown
    assert said in json.loads(heddle("report", *files, "--json").stdout).get("warning", "")


def test_two_reports_name_different_libraries_and_the_run_without_heddle(heddle, tmp_path):
    one = report() | {"heddle_report": 3, "heddle": "off", "run": {"mpi": "MPICH Version: 5.0.2"}}
    files = [tmp_path / "a.json", tmp_path / "b.json"]

    def compared(**other) -> tuple[str, dict]:
        for file, raw in zip(files, (one, one | other), strict=True):
            file.write_text(json.dumps(raw))
        return heddle("report", *files).stdout, json.loads(heddle("report", *files, "--json").stdout)

    shown, raw = compared(run={"mpi": "Open MPI v4.1.4"})
    said = "The reports are of different runs: MPICH Version: 5.0.2 and Open MPI v4.1.4."
    assert f"→ {said}" in shown and said in raw["warning"] and "Heddle was" not in shown
    shown, raw = compared(heddle="on")
    assert "Heddle was off before and on after, so" in shown and "→" not in shown
    assert (raw["heddle_before"], raw["heddle_after"]) == ("off", "on") and "warning" not in raw
