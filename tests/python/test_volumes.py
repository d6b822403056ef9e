"""A report counts the bytes of collectives by procedure and receiver, in all forms. 3 ranks."""

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import compiled

RANKS = range(3)
OWN = [40, 80, 120]  # bytes that each rank gives to all
FORMS = 4  # blocking, non-blocking, persistent (started twice)


def block(sender: int, receiver: int, size: int = 4) -> int:
    return size * (1 + 3 * sender + receiver)


def everybody(of) -> dict:
    return {(sender, receiver): of(sender, receiver) for sender in RANKS for receiver in RANKS}


def along_the_line(before, behind) -> dict:
    return {(r, r - 1): before(r) for r in (1, 2)} | {(r, r + 1): behind(r) for r in (0, 1)}


# For each procedure: the bytes from each rank to each rank. Then the bytes of each rank, if they
# are not the sum of these.
SENT = {
    "MPI_Alltoallv": (everybody(block), None),
    "MPI_Alltoallw": (everybody(lambda s, r: block(s, r, 2 if (s + r) % 2 else 4)), None),
    "MPI_Allgatherv": (everybody(lambda s, r: OWN[s]), OWN),
    "MPI_Gatherv": ({(s, 1): OWN[s] for s in RANKS}, [OWN[0], sum(OWN), OWN[2]]),
    "MPI_Scatterv": ({(2, r): OWN[r] for r in RANKS}, [OWN[0], OWN[1], sum(OWN)]),
    "MPI_Alltoall": (everybody(lambda s, r: 28), None),
    "MPI_Allgather": (everybody(lambda s, r: 0 if s == r else 32), [32, 32, 32]),  # in place
    "MPI_Gather": ({(s, 0): 36 for s in RANKS}, [108, 36, 36]),
    "MPI_Scatter": ({(0, r): 24 for r in RANKS}, [72, 24, 24]),
    "MPI_Bcast": ({(1, 0): 44, (1, 2): 44}, [44, 44, 44]),
    "MPI_Neighbor_alltoallv": (along_the_line(lambda r: 4 * (20 + r), lambda r: 4 * (30 + r)), None),
    "MPI_Neighbor_alltoallw": (along_the_line(lambda r: 2 * (20 + r), lambda r: 2 * (30 + r)), None),
    "MPI_Neighbor_alltoall": (along_the_line(lambda r: 48, lambda r: 48), None),
    "MPI_Neighbor_allgatherv": (along_the_line(lambda r: OWN[r], lambda r: OWN[r]), OWN),
    "MPI_Neighbor_allgather": (along_the_line(lambda r: 52, lambda r: 52), [52, 52, 52]),
}
IN_PLACE = {
    "MPI_Alltoallv": (everybody(lambda s, r: 0 if s == r else 4 * (40 + s + r)), [4 * (123 + 3 * s) for s in RANKS]),
    "MPI_Allgatherv": (everybody(lambda s, r: 0 if s == r else OWN[s]), OWN),
    "MPI_Gatherv": ({(s, 1): OWN[s] for s in (0, 2)}, [OWN[0], sum(OWN), OWN[2]]),
    "MPI_Scatterv": ({(2, r): OWN[r] for r in (0, 1)}, [OWN[0], OWN[1], sum(OWN)]),
}


def of_ranks(sent: dict, given: list | None) -> int:
    return sum(given if given else sent.values())


def with_request(name: str) -> str:
    return f"MPI_I{name[4].lower()}{name[5:]}"


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory) -> Path:
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "volumes", "-std=c11", Path(__file__).with_name("volumes.c"))


@pytest.mark.parametrize("switch", ["on", "off"])
def test_bytes_of_collectives(heddle, program, tmp_path, switch):
    file = tmp_path / "r.json"
    done = heddle("run", "-n", 3, "--", program, HEDDLE=switch, HEDDLE_REPORT=str(file))
    assert done.returncode == 0 and not done.stderr, done
    found = json.loads(file.read_text())
    bytes_of = {one["name"]: one["bytes"] for one in found["procedures"]}
    wanted = {name: of_ranks(*given) for name, given in SENT.items()}
    assert {name: bytes_of[name] for name in SENT} == wanted
    assert {name: bytes_of[with_request(name)] for name in SENT} == wanted
    assert all(bytes_of[f"{name}_init"] == 0 for name in SENT), "nothing is sent before it is started"
    assert bytes_of["MPI_Start"] == bytes_of["MPI_Startall"] == sum(wanted.values())
    to = Counter()
    for sent, _ in SENT.values():
        to += Counter({pair: FORMS * count for pair, count in sent.items()})
    assert {(one["rank"], int(peer)): count for one in found["by_rank"] for peer, count in one["to"].items()} == to


def test_in_place_and_large_counts(heddle, mpi, program, tmp_path):
    files = [tmp_path / "plain.json", tmp_path / "more.json"]
    for file, words in zip(files, ([], ["more"]), strict=True):
        done = heddle("run", "-n", 3, "--", program, *words, HEDDLE_REPORT=str(file))
        assert done.returncode == 0, done
    plain, more = (json.loads(file.read_text()) for file in files)
    before, after = ({one["name"]: one["bytes"] for one in found["procedures"]} for found in (plain, more))
    gained = {name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)}
    wide = ("MPI_Allgatherv", "MPI_Scatterv", "MPI_Alltoallw") if mpi == "mpich" else ()
    assert gained == {name: of_ranks(*given) for name, given in IN_PLACE.items()} | {
        f"{name}_c": of_ranks(*SENT[name]) for name in wide
    }
    sums = [
        Counter({(one["rank"], int(to)): n for one in found["by_rank"] for to, n in one["to"].items()})
        for found in (plain, more)
    ]
    wanted = Counter()
    for sent, _ in [*IN_PLACE.values(), *(SENT[name] for name in wide)]:
        wanted += Counter(sent)
    assert sums[1] - sums[0] == wanted


def test_an_algorithm_is_told_with_what_ranks_give(heddle, program, tmp_path):
    file = tmp_path / "r.json"
    assert heddle("run", "-n", 3, "--", program, HEDDLE_REPORT=str(file)).returncode == 0
    gathers = [one for one in json.loads(file.read_text())["algorithms"] if one["procedure"] == "MPI_Allgatherv"]
    assert sum(one["calls"] for one in gathers) == 3 and sum(one["bytes"] for one in gathers) == sum(OWN)
    one = gathers[0]
    assert (one["bytes_min"], one["bytes_median"], one["bytes_max"]) == (40, 80, 120)
    output = heddle("report", file, "--html", tmp_path / "r.html").stdout
    assert "40 B to 120 B, median 80 B" in output and "40 B to 120 B, median 80 B" in (tmp_path / "r.html").read_text()
