"""Verdicts on speed: without a difference at most one in twenty is false, whatever the noise; a
difference of 10 % is seen."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from heddle import disturbance, verdict
from heddle.verdict import Meaning, again, judge

SEED = 20261127


def quiet(rng, runs):
    return np.zeros(runs)


def heavy_tails(rng, runs):
    """Log-normal times, and now and then a run that takes several times as long."""
    return rng.normal(0, 0.03, runs) + 0.05 * rng.standard_t(2, runs)


def drift(rng, runs):
    """The machine becomes slower or faster, and slowest of all in the middle of a pair."""
    return np.cumsum(rng.exponential(0.05, runs)) * rng.choice((-1, 1)) + rng.normal(0, 0.01, runs)


def bursts(rng, runs):
    """Every fifth run is hit by other work, which spares the other run of the pair."""
    return rng.normal(0, 0.01, runs) + (rng.random(runs) < 0.2) * rng.lognormal(-1, 1, runs)


def autocorrelated(rng, runs):
    """Each run is much like the run before it."""
    found = np.zeros(runs)
    for i in range(1, runs):
        found[i] = 0.8 * found[i - 1] + rng.normal(0, 0.05)
    return found


def second_is_slow(rng, runs):
    """The processor is hot after the first run of a pair."""
    return np.tile((0.0, 0.2), runs // 2) + rng.normal(0, 0.01, runs)


def period(rng, runs):
    """A service that works in the first and the last run of four: a fixed order of ways would
    always hit the same way."""
    return np.resize((0.3, 0.0, 0.0, 0.3), runs) + rng.normal(0, 0.01, runs)


def all_of_them(rng, runs):
    return sum(noise(rng, runs) for noise in (heavy_tails, drift, bursts, autocorrelated))


NOISES = (heavy_tails, drift, bursts, autocorrelated, second_is_slow, period, all_of_them)


def ratios(rng, noise, rounds, gain=1.0):
    """Ratios of simulated rounds. A run's time is exp(noise); without Heddle it is `gain` times as
    long."""
    found = []
    for first, second in noise(rng, 2 * rounds).reshape(rounds, 2):
        without, ours = (first, second) if rng.random() < 0.5 else (second, first)  # verdict.shuffled
        found.append(gain * np.exp(without - ours))
    return found


@pytest.mark.parametrize("rounds", [6, 7, 9, 12])
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.__name__)
def test_without_a_difference_at_most_one_verdict_in_twenty_is_false(noise, rounds):
    rng = np.random.default_rng(SEED)
    trials = 3000
    false = sum(judge(ratios(rng, noise, rounds)).seen for _ in range(trials))
    assert false / trials <= 0.05
    assert false > 0  # the noise is large enough for false verdicts: the limit is not kept by silence


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.__name__)
def test_the_interval_holds_the_true_gain(noise):
    rng = np.random.default_rng(SEED)
    found = [judge(ratios(rng, noise, 7, gain=1.3)) for _ in range(2000)]
    assert sum(one.low <= 1.3 <= one.high for one in found) / len(found) >= 0.95


def test_a_bootstrap_would_be_wrong_more_often():
    """The reason for the interval of order statistics."""
    from scipy.stats import bootstrap

    rng = np.random.default_rng(SEED)
    false = 0
    for _ in range(200):
        logs = np.log(ratios(rng, heavy_tails, 7))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = bootstrap((logs,), np.median, method="BCa", n_resamples=499, rng=rng).confidence_interval
        false += found.low > 0 or found.high < 0
    assert false / 200 > 0.05


def mild(rng, runs):
    """3 % from run to run, and a burst in one run of fifty."""
    return rng.normal(0, 0.03, runs) + (rng.random(runs) < 0.02) * rng.exponential(0.3, runs)


@pytest.mark.parametrize(("gain", "meaning"), [(1.1, Meaning.faster), (1 / 1.1, Meaning.slower)])
@pytest.mark.parametrize(("rounds", "most"), [(7, 0.75), (9, 0.9)])
def test_ten_percent_are_seen_in_most_cases(gain, meaning, rounds, most):
    rng = np.random.default_rng(SEED)
    found = [judge(ratios(rng, mild, rounds, gain)).meaning for _ in range(500)]
    assert found.count(meaning) / 500 >= most
    assert set(found) <= {meaning, Meaning.same}


@pytest.mark.parametrize("rounds", range(1, 40))
def test_the_median_is_in_its_interval_and_the_verdict_agrees_with_the_test(rounds):
    rng = np.random.default_rng(rounds)
    for gain in (0.8, 1.0, 1.0, 1.2):
        found = judge(ratios(rng, all_of_them, rounds, gain))
        assert found.low <= found.median <= found.high and found.rounds == rounds
        if rounds < verdict.LEAST_ROUNDS:
            assert found.meaning is Meaning.few and found.p is None
        else:
            assert found.seen == (found.p <= 0.05)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([2.01, 1.98, 2.05, 1.97, 2.0, 2.02, 1.99], "2.00 × as fast (1.97 – 2.05)"),
        ([0.5, 0.51, 0.52, 0.49, 0.48, 0.55], "0.51 × as fast (0.48 – 0.55)"),
        ([1.1, 0.9, 1.02, 0.98, 1.0, 1.03, 1.01], "no difference seen (0.90 – 1.10)"),
        ([1.0] * 9, "no difference seen (1.00 – 1.00)"),
        ([1.002, 1.003, 1.004, 1.002, 1.003, 1.002], "1.002 × as fast (1.002 – 1.004)"),
        ([7.0, 7.43, 7.1], "7.00 – 7.43 × as fast in 3 rounds; too few rounds for a verdict"),
        ([7.43], "7.43 × as fast in one round; too few rounds for a verdict"),
    ],
)
def test_words(values, words):
    assert judge(values).words == words


def test_one_spoilt_round_of_nine_does_not_prevent_a_verdict():
    assert judge([1.5] * 8 + [0.4]).meaning is Meaning.faster
    assert judge([1.5] * 6 + [0.4]).meaning is Meaning.same  # of seven it does


def test_a_verdict_is_made_again_from_its_interval():
    found = judge([1.2, 1.3, 1.25, 1.22, 1.21, 1.4, 1.5])
    assert again(found.median, found.low, found.high, 7, found.p) == found
    assert again(1.2, 1.1, 1.3, 3).meaning is Meaning.few


def test_outliers_are_named():
    assert verdict.outliers([1.0, 1.01, 0.99, 4.0, 1.02, 0.98, 1.0]) == [3]
    assert verdict.outliers([1.0, 1.0001, 1.0, 1.002, 1.0]) == []  # far from the others only by their measure
    assert verdict.outliers([1.0]) == []


def test_the_order_is_a_fair_coin():
    first = [verdict.shuffled(("without", "with"))[0] for _ in range(400)]
    assert 120 < first.count("with") < 280


def test_other_commands_do_not_import_scipy():
    code = "import sys, heddle.app, heddle.compared.turns, heddle.verdict\nassert not {'scipy', 'numpy'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_scipy_there_is_no_verdict(monkeypatch):
    monkeypatch.setattr(verdict, "find_spec", lambda name: None)
    found = judge([2.0] * 7)
    assert found.meaning is Meaning.unknown and "pip install scipy" in found.words


def test_other_work_is_seen_and_named():
    """A busy process beside us is named; our own children are not."""
    spin = [sys.executable, "-c", "import time; end = time.monotonic() + 1.2\nwhile time.monotonic() < end: pass"]
    beside = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with disturbance.watched() as others:
            subprocess.run(spin, check=True)
    finally:
        beside.kill()
        beside.wait()
    assert others.busy and others.used > 0.1 and "The machine was busy: other processes used" in others.words


def seen(at, work, stolen, ours, by_process=(), running=()):
    return disturbance.Seen(at, work, stolen, 2 * at, ours, dict(by_process), frozenset(running))


@pytest.mark.parametrize(
    ("after", "children", "words"),
    [
        (seen(10, 10, 0, 10), True, ""),
        (seen(10, 19, 0, 10), True, "other processes used 0.9 of"),
        (seen(10, 19, 0, 10, running=["cc1plus"]), True, "(cc1plus)"),
        (seen(10, 19, 0, 0), False, ""),  # the ranks are children of slurmstepd
        (seen(10, 19, 0, 0, {(1, "soak"): 8.0}), False, "other processes used 0.8 of"),
        (seen(10, 19, 0, 0, {(1, "\x1b[2J"): 8.0}), False, "(\\x1b[2J)"),
        (seen(10, 10, 1, 10), True, "other virtual machines took 5 % of the cores' time (steal)"),
        (None, True, ""),
    ],
)
def test_the_work_of_others(after, children, words):
    others = disturbance.Others()
    disturbance._compare(others, seen(0, 0, 0, 0, {(1, name): 0.0 for name in ("soak", "\x1b[2J")}), after, children)
    assert words in others.words and bool(words) == others.busy
