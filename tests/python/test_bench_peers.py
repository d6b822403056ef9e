"""`heddle bench peers`: libraries of one family take turns in one program. 2 ranks."""

import json

import pytest
from heddle import families, installations
from heddle.bench import peers
from heddle.bench.peers import Case

DEBIAN = {"MPICH": "/usr/bin/mpiexec.mpich", "Open MPI": "/usr/bin/mpiexec.openmpi"}


def case(name: str, without: dict[str, float], ours: dict[str, float]) -> Case:
    return Case(name, 512, without, ours)


def test_within_five_percent_of_the_least_is_the_least_too():
    assert case("k=1", {"A": 1.04, "B": 2.0}, {"A": 1.0, "B": 1.06}).winners == ["A", "Heddle on A"]


def test_whoever_is_behind_is_told_where_and_behind_whom():
    found = [case("k=1", {"A": 2.0, "B": 1.0}, {"A": 1.5, "B": 1.0}), case("k=16", {"A": 8.0, "B": 9.0}, {"A": 3.0, "B": 4.0})]
    assert peers.told(found) == [
        "Heddle on A: no library alone is quicker in 1 of 2 cases; behind B at k=1 (1.50 ×)",
        "Heddle on B: no library alone is quicker in 2 of 2 cases",
    ]


def test_a_library_that_is_not_here(heddle):
    done = heddle("bench", "peers", "no-such-mpi")
    assert done.returncode == 2 and "there is no MPI called 'no-such-mpi'" in done.stderr, done


@pytest.mark.parametrize("mpi", DEBIAN)
def test_another_library_of_the_family_takes_its_place(mpi, tmp_path, monkeypatch, capsys):
    """The programs are linked with MPICH 5 and Open MPI 5. Debian has older versions."""
    monkeypatch.setattr(peers, "QUICK", {"vector": ["--columns", "3"], "transpose": ["--sizes", "24"]})
    name = {"MPICH": "mpich", "Open MPI": "openmpi"}[mpi]
    try:
        debians = installations.named(DEBIAN[mpi])
    except installations.Problem:
        pytest.skip(f"Debian's {mpi} is not installed")
    assert debians.family is families.by_name(name)
    peers.command([name, DEBIAN[mpi]], json=tmp_path / "rows.json", quick=True, rounds=1, disturb=0)
    rows = json.loads((tmp_path / "rows.json").read_text())
    libraries = {row["mpi"] for row in rows}
    assert len(libraries) == 2 and any(library.endswith(debians.version) for library in libraries), libraries
    for library in libraries:
        found = {(row["case"], row["variant"]) for row in rows if row["mpi"] == library and row["metric"] == "latency"}
        assert {(c, v) for c in ("k=3", "n=24") for v in ("host", "heddle", "contiguous")} <= found
    shown = capsys.readouterr().out
    assert all(f"Heddle on {library}: no library alone is quicker in " in shown for library in libraries), shown
