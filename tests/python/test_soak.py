"""The soak's own tools: programs stay printable while they become smaller."""

import copy
from collections import Counter
from pathlib import Path

import pytest

SOAK = Path(__file__).resolve().parents[1] / "soak"


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"])
def test_every_smaller_program_prints(mpi, monkeypatch):
    """Each step that makes a pattern smaller leaves a whole program."""
    monkeypatch.syspath_prepend(str(SOAK))
    from generate import random_program
    from printer import program as printed

    seen, steps = Counter(), 0
    for seed in range(4):
        for scenario in random_program(seed, mpi, set(), 6):
            for k, pattern in enumerate(scenario.patterns()):
                seen[type(pattern)] += 1
                if seen[type(pattern)] > 4:
                    continue
                for n in range(len(list(pattern.simpler()))):
                    smaller = copy.deepcopy(scenario)
                    try:
                        list(smaller.patterns()[k].simpler())[n]()
                    except ValueError:  # it is so simple already
                        continue
                    assert "int main" in printed([smaller], "soak")
                    steps += 1
    assert steps > 20
