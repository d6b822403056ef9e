"""On simulated machines, Heddle's choice takes about the time of the best algorithm."""

import pytest
from heddle.simulated import estimating, machines, tasks
from heddle.simulated.choice import behind


@pytest.mark.parametrize("platform", [machine.name for machine in machines.ALL])
def test_the_choice_is_at_most_a_tenth_behind_the_best_there_is(platform):
    sizes = [8, 64, 128, 512, 2048]
    found = {}
    for ranks in (256, 1000, 1024):
        found |= behind(platform, ranks, sizes, [1, 24], [26])
    found |= behind(platform, 4096, [8, 64], [1, 24], [26])
    found |= behind(platform, 8192, [8], [24], [26])
    found |= behind(platform, 500, [16, 256], [1, 8], [6, 52])
    worst = max(found, key=found.get)
    assert found[worst] <= 1.1, worst


def test_neighbours_take_as_many_rounds_as_their_distance_has_digits_at_any_scale():
    rows = [
        row
        for ranks in (256, 65536)
        for row in estimating.estimates(
            estimating.machine_of("torus", ranks, None), tasks.tasks(tasks.SPARSE, ranks, [8], [26], [1], ["auto"])
        )
        if "part" not in row
    ]
    assert [row["took"] for row in rows] == ["bruck, within 13"] * 2
    assert [row["rounds"] for row in rows] == [5, 5]
    assert rows[1]["us"] < 1.3 * rows[0]["us"]
    assert all(row["us"] < 1.3 * row["log2_bound_us"] for row in rows)


def test_neighbours_in_strides_take_as_few_rounds_as_without():
    todo = tasks.tasks(tasks.SPARSE, 8192, [8], [26], [24], ["auto"])
    (row,) = (row for row in estimating.estimates(estimating.machine_of("fat-tree", 8192, None), todo) if "part" not in row)
    assert (row["took"], row["rounds"]) == ("bruck, within 312 by 24", 5)


def test_an_outlier_of_a_kilobyte_is_gathered_by_doubling():
    """An earlier version chose two-level, which takes half as long again."""
    todo = tasks.tasks(tasks.GATHER, 64, [1024], [0], [1], ["ring", "recursive-doubling", "dissemination", "two-level", "auto"])
    us = {row["algorithm"]: row for row in estimating.estimates(estimating.machine_of("torus", 64, None), todo) if "us" in row}
    assert us["auto"]["us"] <= 1.1 * min(row["us"] for row in us.values())
