"""heddle explain --collective: the choice is the model's first, or its line has the reason."""

import itertools
import json
import subprocess

import pytest
from conftest import clean_environment
from heddle.native import ask, program

HOSTS = ("", ", mpich", ", openmpi")


def sweep():
    for ranks, nodes, crowding, host in itertools.product((2, 4, 7, 8, 16, 48), (1, 4), (1, 8), HOSTS):
        if nodes > ranks:
            continue
        where = f"{nodes} nodes, {crowding} ranks a core{host}"
        for size in ("8", "300", "4k", "64k", "1M"):
            yield f"allgatherv: {size}, {ranks - 1} x 8; {where}"
            yield f"allgatherv: {ranks} x {size}; {where}"
            for family, partners in itertools.product(("alltoallv", "exchange"), {1, ranks - 1}):
                yield f"{family}: {partners} x {size}; {ranks} ranks, {where}"


def explained(volumes: str) -> dict:
    return ask("collective", "--json", "--", volumes)[0]


def test_the_first_is_chosen_or_there_is_a_reason(monkeypatch):
    for name in ("HEDDLE_ALLGATHERV", "HEDDLE_ALLTOALLV", "HEDDLE_EXCHANGE", "HEDDLE_COLLECTIVES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HEDDLE_PROFILE", "builtin")
    reasons = set()
    for volumes in list(sweep())[::7]:
        about = explained(volumes)
        first = about["ways"][0]
        times = [way["ns"] for way in about["ways"] if way["ns"] is not None]
        assert times == sorted(times), volumes
        if not about["because"]:
            # Two algorithms may take the same time.
            chosen = [way for way in about["ways"] if way["chosen"]]
            assert len(chosen) == 1 and chosen[0]["ns"] == first["ns"] and about["chosen"] == chosen[0]["name"], volumes
            assert about["why"].startswith(about["chosen"]), volumes
        else:
            assert about["because"] in about["why"] or "without messages" in about["why"], volumes
            assert sum(way["chosen"] for way in about["ways"]) == (about["chosen"] is not None), volumes
            reasons.add(about["because"].split(":")[0].split(" ")[0])
    assert len(reasons) > 4, f"the sweep meets hardly any reason: {reasons}"


@pytest.mark.parametrize(
    ("volumes", "environment", "words"),
    [
        ("alltoallv: 3 x 1M; 4 ranks", {"HEDDLE_ALLTOALLV": "crystal"}, "crystal: set by HEDDLE_ALLTOALLV=crystal"),
        ("allgatherv: 16 x 64k", {"HEDDLE_ALLGATHERV": "native"}, "the MPI library's own: set by HEDDLE_ALLGATHERV=native"),
        ("alltoallv: 15 x 8; 16 ranks", {"HEDDLE_COLLECTIVES": "native"}, "set by HEDDLE_COLLECTIVES=native"),
        ("exchange: 3 x 8; 16 ranks", {"HEDDLE_EXCHANGE": "counts"}, "HEDDLE_EXCHANGE=counts"),
        ("alltoallv: 3 x 8; 4 ranks, 4 nodes, mpich", {}, ""),
        ("allgatherv: 8 x 8", {}, "the MPI library's own: the MPI library gathers so few bytes"),
        ("allgatherv: 32k, 7 x 8; 4 ranks a core, mpich", {}, "ranks share cores: MPICH"),
    ],
)
def test_reasons_are_read_on_the_screen(heddle, volumes, environment, words):
    done = heddle("explain", "--collective", volumes, HEDDLE_PROFILE="builtin", **environment)
    assert done.returncode == 0 and words in done.stdout, done


def test_it_is_one_line_for_scripts():
    done = subprocess.run(
        [program("heddle-tool"), "collective", "exchange: 3 x 8; 16 ranks"],
        capture_output=True,
        text=True,
        env=clean_environment(),
    )
    assert done.returncode == 0 and done.stdout.count("\n") == 1


def test_why_not_what_takes_less_with_all_ranks_walked(heddle):
    """The last column may have another first than the column that decides."""
    line = "alltoallv: 26 x 64; 256 ranks, 16 nodes"
    ways = json.loads(heddle("explain", "--collective", line, "--json").stdout)["ways"]
    (chosen,) = (way for way in ways if way["chosen"])
    (bruck,) = (way for way in ways if way["name"] == "bruck")
    assert chosen["name"] == "crystal" and bruck["walked_ns"] < chosen["walked_ns"]
    assert "With all ranks walked bruck takes less" in heddle("explain", "--collective", line).stdout
    assert "all ranks walked " not in heddle("explain", "--collective", "allgatherv: 1M, 3 x 8").stdout.partition("chosen")[2]
