"""The tries of heddle tune: which figures it keeps, and what it says of the others."""

import json
import math

import pytest
from heddle import disturbance, links, machine_costs, native, repeated, tuned
from heddle.problem import Problem
from heddle.repeated import Repeated, Spoilt, agreed


class Tries:
    """Measurements that give these numbers, one after the other. While one of `busy` runs, other
    work is on the machine."""

    def __init__(self, monkeypatch, numbers, busy=()):
        self.numbers, self.left = numbers, 0
        monkeypatch.setattr(disturbance, "_seen", lambda: None)
        monkeypatch.setattr(disturbance, "_compare", lambda others, *_: setattr(others, "used", float(self.left in busy)))

    def __call__(self):
        self.left += 1
        number = self.numbers[self.left - 1]
        if number is None:
            raise Spoilt("the measurement makes no sense")
        return {"one": number}


@pytest.mark.parametrize(
    ("numbers", "busy", "words", "value", "tries"),
    [
        ([100, 110], (), {"slower": True, "tries": 2}, 100, 2),
        ([900, 105, 100], (), {"slower": True, "tries": 2}, 100, 3),  # the first was disturbed
        ([100, 110, 105], (), {"slower": False}, 105, 3),
        ([100, 900, 400, 110, 105], (), {"slower": False}, 110, 5),
        ([1, 10, 100, 1000, 10000], (), {"slower": True, "tries": 2}, None, 5),  # never agree
        ([900, 910, 100, 101], (1, 2), {"slower": True, "tries": 2, "quiet": True}, 100, 4),  # two beside other work
        ([900, 910, 905], (1, 2, 3), {"slower": True, "tries": 2, "quiet": True}, None, 3),  # always beside other work
        ([None, 100, 101, 102], (), {"slower": False}, 101, 4),
        ([200, 210, 100, 101, 102], (), {"slower": False}, 102, 5),  # a job disturbed two of three
        ([200, 210, 220, 100, 101], (1, 2), {"slower": False}, None, 5),  # a job disturbed three, and two are known
        ([100, 101, 200, 210, 20], (), {"slower": False}, None, 5),  # no majority
        ([900], (1,), {"slower": True, "quiet": True, "anyway": True}, 900, 1),
    ],
)
def test_tries_go_on_until_they_agree(monkeypatch, numbers, busy, words, value, tries):
    found = repeated.repeated(Tries(monkeypatch, numbers, busy), **words)
    assert found.values.get("one") == value and found.tries == tries and found.sure == (value is not None)


def test_tries_beside_other_work_count_only_if_the_machine_stays_busy(monkeypatch):
    quiet = repeated.repeated(Tries(monkeypatch, [200, 100, 101, 102], busy=(1,)), slower=False)
    assert quiet.values == {"one": 101} and not quiet.beside and quiet.tries == 4
    busy = repeated.repeated(Tries(monkeypatch, [200, 210, 205], busy=(1, 2, 3)), slower=False)
    assert busy.values == {"one": 205} and busy.beside and busy.tries == 3
    assert "may be too slow" in next(machine_costs._sure(busy, 1)) and "slow" not in next(machine_costs._sure(quiet, 1))


def test_zero_agrees_with_zero_alone():
    assert agreed([0.0, 0.0, 5.0], slower=False) == (0.0, 1.0)
    assert agreed([0.0, 5.0], slower=True)[1] == float("inf")


def test_a_number_that_few_tries_have_is_missing(monkeypatch):
    monkeypatch.setattr(disturbance, "_seen", lambda: None)
    tries = [{"one": 1.0, "call": call} for call in (math.nan, 100.0, math.nan, math.nan, math.nan)]
    found = repeated.repeated(lambda: tries.pop(0), slower=False)
    assert found.values == {"one": 1.0} and found.missing == ["call"] and not found.sure and found.tries == 5


def judged(pairs=80000.0, rounds=4000.0, burst=5000.0, hole=50000.0, **unsure):
    spare = Repeated({"one": 800.0, "burst": burst, "long": 90000.0}, unsure.get("spare", {}), 1.04, 2)
    shared = Repeated({"pairs": pairs, "bundles": 9000.0, "rounds": rounds}, unsure.get("shared", {}), 1.1, 3)
    holes = Repeated(dict.fromkeys(links.BLOCKS, 50000.0) | {"16": hole}, unsure.get("holes", {}), 1.02, 2)
    return links._judged("MPICH", 2, spare, shared, holes)


def test_messages_are_kept_as_far_as_they_are_sure():
    """heddle-tool takes three numbers, eight, eleven or all sixteen."""
    sure = judged()
    assert len(sure.ns) == 16 and not sure.refused and sure.notes == ["messages of MPICH: measured 3 times, within 10 %"]
    assert len(judged(holes={"4": 3.0}).ns) == 8 and "no estimates in reports" in judged(holes={"4": 3.0}).notes[0]
    shared = judged(shared={"rounds": 2.7})
    assert (
        len(shared.ns) == 11
        and shared.ns[3:] == [50000.0] * 8
        and shared.refused
        and "(3 tries are 2.7-fold apart); the built-in figures hold" in shared.notes[0]
    )
    assert judged(spare={"one": 9.0}).ns == []


def test_figures_of_a_busy_machine_that_make_no_sense_are_not_kept():
    """They once became a message of 1 ns and a turn of 2.7 ms."""
    turns = judged(pairs=80000.0, rounds=90e6)
    assert len(turns.ns) == 11 and "15 messages of each rank took no longer than a round" in turns.notes[0]
    assert judged(burst=700.0).ns == [] and "took no longer than a short message" in judged(burst=700.0).notes[0]
    holes = judged(hole=900.0)
    assert len(holes.ns) == 8 and "256 KiB took no longer than 8 bytes" in holes.notes[0] and holes.refused
    assert all("other work on the cores" in one.notes[0] for one in (turns, judged(burst=700.0), holes))


def test_impossible_fits_keep_the_built_in_values(tmp_path):
    """Such figures stood in profiles as the least values of the fit: a message of 1 ns."""
    file = tmp_path / "p.json"

    def fitted(*ns: int) -> tuple[dict, list[str]]:
        answer = native.tool("tune", "--quick", "--json", "--output", str(file), "--openmpi", *map(str, ns))
        return answer["profile"]["messages_of_openmpi"], [name for name in answer["kept"] if name.startswith("messages")]

    builtin = {"further_ns": 60, "byte_ns": 0.076}
    shared = {"shared_core_turn_ns": 2500, "shared_core_message_ns": 600, "shared_core_bundles_ns": 3000}
    messages, kept = fitted(100, 110, 101, 1000, 245000, 124000, 16, 2)
    assert messages == {"one_ns": 100} | builtin | shared
    assert kept == [f"messages_of_openmpi/{name}" for name in builtin | shared]
    messages, kept = fitted(100, 1150, 70000, *[300000] * 8)
    assert messages["further_ns"] == 70 and len(messages.pop("with_holes_ns_per_byte")) == 8
    assert messages | shared == messages and kept == [f"messages_of_openmpi/{name}" for name in shared]
    assert fitted(100, 1150, 70000, 88000, 245000, 124000, 16, 2)[1] == []


def test_tables_mark_built_in_values_and_have_enough_digits():
    assert [tuned.cost("call_ns", ns) for ns in (1098.4, 2060.0, 58.3)] == ["1,098 ns", "2,060 ns", "58.3 ns"]
    assert tuned.speed(23.4) == "0.043 GB/s" and tuned.speed(0.04) == "25.0 GB/s"
    messages = dict.fromkeys(tuned.LINKS, 30000.0)
    table = tuned.links({"messages_of_mpich": messages}, ["messages_of_mpich"], ["messages_of_mpich/further_ns"])
    cells = list(table.columns[1].cells)
    assert cells[:2] == ["30.0 µs", "30.0 µs (built in)"] and not any("built in" in cell for cell in cells[2:])
    one = {"process_vm_readv": {"call_ns": 550.0}, "mapped_memory": {}}
    kept = tuned.single(one, one, [], ["process_vm_readv/call_ns"])
    assert [next(iter(column.cells)) for column in kept.columns][1:] == ["not measured", "550 ns"]
    curves = {"pack_ns_per_byte": {"4 B": 0.1, "16 B": 0.1, "64 B": 0.1}}
    rates = tuned.kernels(curves, ["pack_ns_per_byte/4 B"], ["pack_ns_per_byte/16 B"])
    assert list(rates.columns[1].cells) == ["not sure", "not measured", "10.0 GB/s"]
    assert tuned.built_in(["a/b"], ["c/d"]) == "Not sure and not measured: the built-in value holds."
    assert tuned.built_in([], ["messages_of_mpich/further_ns"]) == ""


def test_what_the_tries_do_not_agree_on_keeps_its_built_in_value(monkeypatch, tmp_path):
    path = tmp_path / "p.json"
    answers = [{"call_ns": 500.0, "entry_ns": value} for value in (10.0, 100.0, 1000.0, 1.0, 10000.0)]

    def stream(*_):
        yield {"done": 0.5, "what": "a step"}
        profile = {"heddle_profile": 1, "process_vm_readv": answers.pop(0)}
        builtin = {"process_vm_readv": {"call_ns": 550.0, "entry_ns": 15.0}}
        yield {"path": str(path), "profile": profile, "builtin": builtin, "kept": [], "without": ""}

    monkeypatch.setattr(native, "stream", stream)
    monkeypatch.setattr(disturbance, "_seen", lambda: None)
    seen = []
    answer = machine_costs.measured([], ["a note"], False, lambda done, what: seen.append(done))
    assert json.loads(path.read_text()) == {"heddle_profile": 1, "process_vm_readv": {"call_ns": 500.0, "entry_ns": 15.0}}
    assert answer["unsure"] == ["process_vm_readv/entry_ns"] and "do not agree on 1 of 2 figures" in answer["without"][1]
    assert seen == sorted(seen) and 0 < seen[0] < seen[-1] <= 1


@pytest.mark.parametrize("once", [False, True])
def test_what_the_machine_cannot_have_keeps_its_built_in_value(monkeypatch, tmp_path, once):
    """Other work on the cores once made a system call of 10 ns."""
    path = tmp_path / "p.json"
    builtin = {"process_vm_readv": {"call_ns": 550.0, "entry_ns": 15.0}}

    def stream(*_):
        name = "process_vm_readv/call_ns"
        profile = {"process_vm_readv": {"call_ns": 550.0, "entry_ns": 20.0}}
        kept = [name, "messages_of_mpich/further_ns"]
        yield {"path": str(path), "profile": profile, "builtin": builtin, "kept": kept, "without": ""}

    def compare(others, *_):
        others.used, others.cores, others.names = 0.7, 2, ("soak",)

    monkeypatch.setattr(native, "stream", stream)
    monkeypatch.setattr(disturbance, "_seen", lambda: None)
    monkeypatch.setattr(disturbance, "_compare", compare)
    answer = machine_costs.measured([], ["a note", links.AGAIN], once, lambda done, what: None)
    assert answer["kept"] == ["process_vm_readv/call_ns", "messages_of_mpich/further_ns"]
    assert answer["profile"]["process_vm_readv"] == {"call_ns": 550.0, "entry_ns": 20.0}
    notes = answer["without"]
    assert notes[0].startswith("not measured: process_vm_readv, call_ns, messages_of_mpich, further_ns (")
    assert "built-in values are kept" in notes[0] and notes[1] == "a note"
    busy = [note for note in notes if "other processes used" in note]
    assert busy == ["the machine was busy: while its own costs were measured, other processes used 0.7 of 2 cores (soak)"]
    assert json.loads(path.read_text())["doubts"] == busy
    assert notes.count(links.AGAIN) == 1 and notes[-1] == links.AGAIN and "--anyway" in links.AGAIN


def test_costs_between_nodes_leave_the_doubts_of_the_profile(monkeypatch, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"doubts": ["the machine was busy: soak"]}))
    answer = {"path": str(path), "profile": {}, "builtin": {}, "kept": [], "without": ""}
    monkeypatch.setattr(native, "stream", lambda *_: iter([answer]))
    monkeypatch.setattr(disturbance, "_seen", lambda: None)
    machine_costs.measured(["--add", "--output", str(path)], [], True, lambda done, what: None)
    assert json.loads(path.read_text())["doubts"] == ["the machine was busy: soak"]


def test_a_machine_whose_figures_never_make_sense_has_no_profile(monkeypatch):
    def stream(*_):
        yield {"done": 0.5, "what": "a step"}
        raise Problem("the measurement makes no sense (a call is 0 ns). Is the machine busy? No profile was written.")

    monkeypatch.setattr(native, "stream", stream)
    monkeypatch.setattr(disturbance, "_seen", lambda: None)
    with pytest.raises(Problem, match="makes no sense"):
        machine_costs.measured([], [], False, lambda done, what: None)
