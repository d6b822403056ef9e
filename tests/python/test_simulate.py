"""`heddle simulate`: compares the estimator with SimGrid, if installed. Up to 64 simulated
ranks."""

import json
import shutil

import pytest
from heddle.simulated import machines

needs_simgrid = pytest.mark.skipif(shutil.which("smpirun") is None, reason="no SimGrid (Debian: libsimgrid-dev)")
SEVERAL = (
    "direct",
    "crystal:copies",
    "crystal:radix=4,beside=1G",
    "crystal:channels=2,segment=16K,beside=1G",
    "two-level:beside=1G",
)


@pytest.fixture
def rows(heddle, tmp_path):
    """rows("alltoallv-sparse", ...) returns the rows of --json."""

    def call(*arguments, timeout: int = 180) -> list[dict]:
        file = tmp_path / "rows.json"
        done = heddle("simulate", *arguments, "--json", file, timeout=timeout)
        assert done.returncode == 0, done.stderr
        return json.loads(file.read_text())

    return call


def us(rows: list[dict]) -> dict[tuple, float]:
    return {(row["ranks"], row["bytes"], row["algorithm"]): row["us"] for row in rows}


def words(option: str, values) -> list[str]:
    return [word for value in values for word in (option, str(value))]


def test_a_million_ranks_are_estimated(rows):
    found = us(rows("alltoallv-sparse", "--estimate", "-n", 65536, "-n", 1000000, "--bytes", 8, *words("-a", ["direct"])))
    assert found[(1000000, 8, "direct")] == pytest.approx(found[(65536, 8, "direct")], rel=0.05), "26 messages at any scale"


def test_the_papers_comparison_is_there(heddle):
    done = heddle("simulate", "alltoallv-sparse", "--estimate", "-n", 8192, "--bytes", 8)
    assert done.returncode == 0, done.stderr
    assert "a message to every rank takes" in done.stdout
    assert "~" in done.stdout


@needs_simgrid
def test_simgrid_carries_out_what_the_estimator_expects(rows):
    """The real engine's data are right, and estimates have at most the error that the docs
    state."""
    found = rows("alltoallv-sparse", "-n", 64, *words("--bytes", [8, 512, 16384]), *words("-a", SEVERAL))
    assert {row["by"] for row in found} == {"simgrid"}
    for row in found:
        assert row["checked"] and row["wrong_ranks"] == 0, row
        assert 0.6 < row["estimate_us"] / row["us"] < 1.6, row


@needs_simgrid
@pytest.mark.parametrize("platform", [machine.name for machine in machines.ALL])
def test_each_run_gives_the_same_figures(rows, platform):
    line = ("alltoallv-sparse", "-n", 48, "--platform", platform, "--members", 4, *words("--bytes", [8, 2000]))
    line += (*words("-a", ["crystal:radix=4", "crystal:copies", "direct", "round-robin"]),)
    assert rows(*line) == rows(*line)


@needs_simgrid
@pytest.mark.parametrize("machine", machines.ALL, ids=[machine.name for machine in machines.ALL])
def test_routes_are_those_of_simgrid(rows, machine):
    """Sends a byte to some far nodes, and compares the number of links of the longest route."""
    nodes = 700 if machine.kind == "dragonfly" else 70  # more than a group
    line = ("-n", nodes, "--members", 1, "--platform", machine.name, "--bytes", 1, "--partners", 1, "-a", "direct")
    for stride in (1, 17, 33, nodes // 2 + 5):
        (row,) = rows("alltoallv-sparse", *line, "--stride", stride)
        assert row["estimate_us"] == pytest.approx(row["us"], abs=0.9e-3 * machine.hop_ns), f"stride {stride}"


@needs_simgrid
def test_an_outlier_travels_by_each_algorithm(rows):
    found = us(rows("allgatherv", "-n", 24, "--members", 4, "--bytes", 32768))
    assert found[(24, 32768, "dissemination")] < found[(24, 32768, "ring")]
    assert found[(24, 32768, "auto")] <= 1.1 * min(found.values())


@needs_simgrid
def test_neighbours_of_a_ring_do_not_wait_for_everybody(rows):
    found = us(rows("alltoallw-ring", "-n", 8, "-n", 32))
    assert found[(32, 800, "direct")] == pytest.approx(found[(8, 800, "direct")], rel=0.05)
    assert found[(32, 800, "round-robin")] > 3 * found[(8, 800, "round-robin")]


def test_without_simgrid_it_says_what_to_install(heddle, tmp_path):
    done = heddle("simulate", "alltoallv-sparse", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "libsimgrid-dev" in done.stderr and "--estimate" in done.stderr


def test_figures_are_drawn(heddle, tmp_path):
    done = heddle("simulate", "alltoallv-sparse", "--estimate", "-n", 64, "--plot", tmp_path / "figure")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figure.svg").read_text().count("crystal:copies") >= 1
    assert (tmp_path / "figure.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("alltoallv",), "alltoallv-sparse"),
        (("allgatherv", "--platform", "mesh"), "torus, fat-tree"),
        (("allgatherv", "--estimate", "-a", "crystal"), "pipelined-ring"),
        (("alltoallv-sparse", "--estimate", "-a", "crystal:radix=1000"), "radix"),
    ],
)
def test_mistakes_are_pointed_at(heddle, line, says):
    done = heddle("simulate", *line)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize("nodes", [1, 2, 11, 171, 342, 1366, 41667])
def test_networks_have_room(nodes):
    assert nodes <= (box := machines.box(nodes))[0] * box[1] * box[2] <= max(1.2 * nodes, 8)
    leaf, leaves, _ = machines.leaves(nodes)
    assert leaf * leaves >= nodes
    if nodes <= 16384:
        groups, chassis, routers, each = machines.groups(nodes)
        assert nodes <= groups * chassis * routers * each and groups <= routers


def test_a_2d_fft_is_its_transposes_and_what_is_charged(rows):
    """Datatypes save a part of the packing. 16 times as many ranks are at least 8 times as fast."""
    found = rows("fft2d", "--estimate", "-n", 64, "-n", 1024)
    by = {(row["ranks"], row["algorithm"]): row for row in found}
    for ranks in (64, 1024):
        hand, types = by[ranks, "manual"], by[ranks, "zero-copy"]
        assert hand["us"] == pytest.approx(2 * hand["exchange_us"] + hand["packing_us"] + hand["transforms_us"])
        assert hand["bytes"] == round((20000 / ranks) ** 2) * 16 and hand["partners"] == ranks - 1
        assert hand["us"] - hand["packing_us"] < types["us"] < hand["us"]
    assert by[1024, "manual"]["us"] < by[64, "manual"]["us"] / 8


@needs_simgrid
def test_a_2d_fft_of_more_ranks_than_simgrid_bears_is_estimated(rows):
    assert {row["by"] for row in rows("fft2d", "-n", 192)} == {"estimate"}


@needs_simgrid
def test_a_2d_fft_in_simgrid_is_what_the_estimator_expects(rows):
    found = rows("fft2d", "-n", 16, "-n", 64, "--size", 2000, "--members", 4)
    assert {row["by"] for row in found} == {"simgrid"}
    assert all(0.6 < row["exchange_estimate_us"] / row["exchange_us"] < 1.6 for row in found)
    assert all(row["checked"] and row["wrong_ranks"] == 0 for row in found)


def test_the_blocks_of_a_2d_fft_are_not_given(heddle):
    assert heddle("simulate", "fft2d", "--estimate", "--bytes", 8).returncode == 2
    assert "matrix" in heddle("simulate", "fft2d", "--estimate", "-n", 64, "--size", 32).stderr
