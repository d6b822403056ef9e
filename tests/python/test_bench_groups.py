"""heddle bench groups, short and rough: bytes, look-ups, and the tables of the paper."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from heddle.bench import groups_seed


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    command = [sys.executable, "-m", "heddle", "bench", "groups", "--quick"]
    command += ["--json", str(folder / "rows.json"), "--plot", str(folder / "figure.svg")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((folder / "rows.json").read_text()), done.stdout, folder


def values(rows, metric, variant=None):
    return {
        (row["case"], row["variant"]): row["value"]
        for row in rows
        if row["metric"] == metric and variant in (None, row["variant"])
    }


def test_hpl_takes_less_than_in_the_paper(measured):
    rows, output, _ = measured
    bytes_ = {key: value for key, value in values(rows, "members_bytes").items() if key[0].startswith("HPL")}
    by_variant = {variant: value for (_, variant), value in bytes_.items()}
    assert by_variant["heddle"] <= by_variant["paper"] == 58
    assert by_variant["pointers"] == 724_800
    assert "724,800" in output


def test_every_format_is_looked_up(measured):
    rows, _, _ = measured
    formats = {variant for _, variant in values(rows, "lookup_ns")}
    assert formats == {"identity", "stride", "ranges, 8", "grid", "chain, 2", "ranges, many", "bitmap", "list"}
    assert len(values(rows, "depth_ns", "grid")) == 2


def test_the_seeds_way_costs_more_at_every_level(measured):
    rows, _, _ = measured
    ours, theirs = values(rows, "level_ns", "heddle"), values(rows, "level_ns", "paper: bitmap")
    assert all(theirs[level, "paper: bitmap"] > 5 * ours[level, "heddle"] for level in map(str, range(1, 9)))


def test_ranks_play_ping_pong_at_every_level(measured):
    rows, output, _ = measured
    played = [row for row in rows if row["metric"] in ("8 B", "64 KiB with holes")]
    assert {row["case"] for row in played} == {f"level {level}, {end}" for level in (0, 1) for end in ("0-first", "0-last")}
    assert {row["variant"] for row in played} == {"host alone", "host", "heddle"}
    assert {row["mpi"].split()[0] for row in played} == {"MPICH", "Open"}
    assert {row["pattern"] for row in played if row["variant"] == "heddle"} == {"identity", "stride"}
    assert "A further level adds" in output


def test_the_seeds_tables_stand_beside_ours(measured):
    _, output, _ = measured
    for number in (1, 2, 3, 4):
        assert f"Table {number}: " in output
    assert "0-first" in output and "512 processes, Myrinet" in output
    for named, levels in (("Range", 9), ("PList", 9)):
        assert all(len(column) == levels for column in groups_seed.MYRINET[named].values())


def test_the_figure_comes_twice(measured):
    _, _, folder = measured
    assert (folder / "figure.svg").read_text().startswith("<?xml")
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.skipif(shutil.which("hpcc") is None, reason="hpcc is not installed")
def test_hpl_solves_its_matrix_with_heddle_and_without(tmp_path):
    """A wrong solution ends the command: hpcc checks the residual."""
    command = [
        sys.executable,
        "-m",
        "heddle",
        "bench",
        "hpl",
        "--rounds",
        "1",
        "--size",
        "1200",
        "--json",
        tmp_path / "rows.json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {
        (row["case"], row["variant"], row["metric"]): row["value"] for row in json.loads((tmp_path / "rows.json").read_text())
    }
    assert {(grid, who, "time") for grid in ("1 × 2", "2 × 1") for who in ("host", "heddle")} <= rows.keys()
    assert all(value > 0 for value in rows.values())


def test_hpl_says_what_is_missing(tmp_path):
    command = [sys.executable, "-m", "heddle", "bench", "hpl"]
    environment = os.environ | {"PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and "apt-get install" in done.stderr


def test_ping_pongs_over_tcp_stand_beside_the_papers_over_ethernet(tmp_path):
    command = [
        sys.executable,
        "-m",
        "heddle",
        "bench",
        "groups",
        "--quick",
        "--over",
        "tcp",
        "--json",
        str(tmp_path / "rows.json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert {row["metric"] for row in rows} >= {"8 B", "64 KiB with holes"} and len({row["mpi"] for row in rows}) == 2
    assert "Table 3: 48 processes, Gigabit Ethernet" in done.stdout and "Table 4" not in done.stdout
    none = subprocess.run([*command, "--ranks", "0"], capture_output=True, text=True, check=False)
    assert none.returncode == 2 and "takes two ranks and more" in none.stderr
