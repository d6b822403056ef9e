"""heddle run inserts the preload into a launcher's line, and changes nothing else."""

import pytest
from heddle import families, native, preload
from heddle.problem import Problem
from hypothesis import given, settings
from hypothesis import strategies as st

OURS = "/heddle.so:/libmpi.so"


@pytest.fixture
def built(monkeypatch):
    monkeypatch.setattr(native, "interposer", lambda family: f"/h/{family.interposer}")


def test_theirs_first_then_heddle_then_mpi(built):
    value = preload.value(families.OPENMPI, "/m/libmpi.so.40", "/a.so /b.so")
    assert value == "/a.so:/b.so:/h/libheddle_openmpi.so:/m/libmpi.so.40"


def test_nothing_twice(built):
    once = preload.value(families.MPICH, "/m/libmpi.so.12", "/a.so")
    assert preload.value(families.MPICH, "/m/libmpi.so.12", once) == once
    other = preload.value(families.OPENMPI, "/m/libmpi.so.40", "/h/libheddle_mpich.so")
    assert other == "/h/libheddle_openmpi.so:/m/libmpi.so.40"


def test_without_heddle_there_is_all_the_rest():
    assert (
        preload.value(families.MPICH, "/m/libmpi.so.12", "/a.so:/h/libheddle_mpich.so", heddle=False) == "/a.so:/m/libmpi.so.12"
    )
    assert preload.value(families.MPICH, None, "", heddle=False) == ""
    assert preload.for_openmpi(["-n", "1", "./a", ":", "./b"], "", {"HEDDLE": "on"}) == ["-n", "1", "./a", ":", "./b"]
    assert preload.for_hydra(["-n", "1", "./a"], "") == ["-n", "1", "./a"]


@pytest.mark.parametrize("path", ["/with blank/libmpi.so.12", "/with:colon/libmpi.so.12"])
def test_what_ld_preload_cannot_name(built, path):
    with pytest.raises(Problem, match="cannot name"):
        preload.value(families.MPICH, path)


def test_openmpi_exports_for_every_program_of_the_line():
    line = preload.for_openmpi(["-n", "1", "./a", ":", "-n", "2", "./b"], OURS, {})
    assert line == ["-x", f"LD_PRELOAD={OURS}", "-n", "1", "./a", ":", "-x", f"LD_PRELOAD={OURS}", "-n", "2", "./b"]


def test_openmpi_exports_settings_once():
    line = preload.for_openmpi(["-x", "HEDDLE_ISA=avx2", "./a"], OURS, {"HEDDLE_ISA": "portable", "HEDDLE": "on", "HOME": "/"})
    assert line == ["-x", f"LD_PRELOAD={OURS}", "-x", "HEDDLE", "-x", "HEDDLE_ISA=avx2", "./a"]


def test_hydra_gets_one_setting():
    assert preload.for_hydra(["-n", "2", "./a"], OURS) == ["-genv", "LD_PRELOAD", OURS, "-n", "2", "./a"]
    assert preload.for_hydra(["-genv", "LD_PRELOAD", "/t.so", "./a"], OURS) == ["-genv", "LD_PRELOAD", f"/t.so:{OURS}", "./a"]


@settings(deadline=None)  # for busy machines
@given(st.lists(st.sampled_from(["-n", "2", "./a", ":", "-genv", "-env", "-x", "A", "B=1", "--", "-host"]), max_size=12))
def test_the_users_words_stay_in_order(words):
    for line in (preload.for_openmpi(words, OURS, {}), preload.for_hydra(words, OURS)):
        kept = iter(line)
        assert all(word in kept for word in words)
