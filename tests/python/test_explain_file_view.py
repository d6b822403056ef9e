"""heddle explain --file-view: the plan of a collective access to a file."""

import json

import pytest

COLUMNS = "subarray([2048, 2048], [2048, 512], [0, 512 * rank], double)"
PASTED = """int sizes[2] = {256, 64 * size}, own[2] = {256, 64}, starts[2] = {0, 64 * me};
MPI_Type_create_subarray(2, sizes, own, starts, MPI_ORDER_C, MPI_DOUBLE, &column);"""


def about(heddle, *words) -> dict:
    return json.loads(heddle("explain", "--file-view", "--json", *words).stdout)


def test_each_owner_has_a_domain_and_exchanges_with_all_ranks(heddle):
    found = about(heddle, "--ranks", 4, COLUMNS)
    assert found["write"]["carried"] and found["read"]["carried"]
    assert [(one["low"], one["high"]) for one in found["owners"]] == [(i << 23, (i + 1) << 23) for i in range(4)]
    assert all(one["bytes"] == [1 << 21] * 4 and one["rounds"] == 2 for one in found["owners"])
    assert [one["rank"] for one in found["pieces"][:6]] == [0, 1, 2, 3, 0, 1]


def test_hints_cut_the_range_otherwise(heddle):
    found = about(heddle, "--ranks", 4, "--hint", "cb_nodes=2", "--hint", "cb_buffer_size=1048576", COLUMNS)
    assert [one["rank"] for one in found["owners"]] == [0, 2] and found["owners"][0]["rounds"] == 16


def test_pasted_statements_have_names_of_their_own(heddle):
    found = about(heddle, "--ranks", 3, "-D", "me=rank", "-D", "size=ranks", PASTED)
    assert found["bytes"] == 3 * 256 * 64 * 8 and found["write"]["carried"]


def test_a_hole_that_nobody_writes_is_the_reason(heddle):
    shown = heddle("explain", "--file-view", "--ranks", 3, COLUMNS).stdout
    assert "others may write the rest now" in " ".join(shown.split())
    assert "0 1 2 · 0 1 2 ·" in shown


def test_a_small_access_is_the_librarys(heddle):
    shown = heddle("explain", "--file-view", "--ranks", 2, "subarray([8, 8], [8, 4], [0, 4 * rank], int)").stdout
    assert "owners, if Heddle carried bytes 0 to 256" in shown


@pytest.mark.parametrize(
    "words, complaint",
    [
        (("--ranks", "2", "--hint", "cb_nodes=many", COLUMNS), "cb_nodes, cb_buffer_size, striping_unit"),
        (("--ranks", "2", "subarray([8, 8], [8, 4], [0, 4 * rank / 0], int)"), "4 * rank / 0 is no number"),
        (("indexed([1, 1], [4, 0], int)",), "in order of their offsets"),
        (("--svg", "x.svg", COLUMNS), "no --svg"),
        (("subarray([8, 8], [8, 4], [0, 4 * rank], nothing)",), "nothing"),
    ],
)
def test_mistakes_are_named(heddle, words, complaint):
    done = heddle("explain", "--file-view", *words)
    assert done.returncode == 2 and complaint in " ".join(done.stderr.split()), done


def test_ranks_belong_to_a_view(heddle):
    assert "belong to --file-view" in heddle("explain", "--ranks", 2, "int").stderr


MPI4PY = """from mpi4py import MPI
comm = MPI.COMM_WORLD
width = 64 // comm.size
view = MPI.DOUBLE.Create_subarray([64, 64], [64, width], [0, width * comm.rank])
"""


def test_values_that_are_proposed_are_possible(heddle, tmp_path):
    (tmp_path / "view.py").write_text(MPI4PY)
    for options, proposed in (
        (("--file-view",), ["--define", "comm.size=ranks", "--define", "comm.rank=rank"]),
        ((), ["--define", "comm.size=8", "--define", "comm.rank=0"]),
    ):
        done = heddle("explain", *options, "view.py", cwd=tmp_path)
        assert done.returncode == 2 and " ".join(proposed) in " ".join(done.stderr.split()), done
        done = heddle("explain", *options, "view.py", *proposed, cwd=tmp_path)
        assert done.returncode == 0, done
