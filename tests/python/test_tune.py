"""heddle tune measures, writes a profile that Heddle can read, and reports errors."""

import json
import math
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CHECKOUT, HEDDLE, MPIS, clean_environment, launcher, until
from heddle import disturbance, installations, links, machine_costs, native, repeated, tuned
from heddle.bench.wire import HOST_OVER_TCP
from heddle.draft import Draft
from heddle.problem import Problem
from heddle.repeated import Repeated, Spoilt, agreed
from test_width import on_a_terminal

CURVES = ("pack_ns_per_byte", "unpack_ns_per_byte", "pack_by_columns_ns_per_byte", "move_ns_per_byte")


def test_writes_where_heddle_looks_for_it(heddle, tmp_path):
    done = heddle("tune", "--quick", "--mpi", "none", XDG_CONFIG_HOME=str(tmp_path))
    assert done.returncode == 0, done
    file = tmp_path / "heddle/profile.json"
    assert "process_vm_readv: a call" in done.stdout and "65536 B" in done.stdout
    assert str(file) in done.stdout.replace("\n", "")
    profile = json.loads(file.read_text())
    assert profile["heddle_profile"] == 1 and profile["machine"]["cores"] >= 1 and "comment" in profile
    for curve in CURVES:
        assert len(profile[curve]) == 8 and all(0 < ns < 100 for ns in profile[curve].values())
    assert not list(tmp_path.rglob("*.json.*"))
    assert re.search(r"Costs of this machine: measured [345] times, within \d+ %", done.stdout)


def test_writes_the_profile_that_programs_will_read(heddle, tmp_path):
    file = tmp_path / "p.json"
    words = ("tune", "--quick", "--anyway", "--mpi", "none")
    done = heddle(*words, XDG_CONFIG_HOME=str(tmp_path), HEDDLE_PROFILE=str(file))
    assert done.returncode == 0 and f"Written to {file}" in done.stdout.replace("\n", ""), done
    assert "heddle_profile" in json.loads(file.read_text()) and not (tmp_path / "heddle").exists()
    other = tmp_path / "other.json"
    assert heddle(*words, "--output", other, HEDDLE_PROFILE=str(tmp_path / "no.json")).returncode == 0
    assert other.exists() and not (tmp_path / "no.json").exists()
    assert heddle(*words, XDG_CONFIG_HOME=str(tmp_path), HEDDLE_PROFILE="builtin").returncode == 0
    assert (tmp_path / "heddle/profile.json").exists() and not Path("builtin").exists()


def test_json_and_output(heddle, tmp_path):
    done = heddle("tune", "--quick", "--mpi", "none", "--json", "--output", tmp_path / "p.json")
    assert json.loads(done.stdout) == json.loads((tmp_path / "p.json").read_text())


def test_what_cannot_be_written(heddle, tmp_path):
    (tmp_path / "file").write_text("")
    done = heddle("tune", "--quick", "--mpi", "none", "--output", tmp_path / "file/p.json")
    assert done.returncode == 2 and done.stderr.startswith("heddle: cannot write") and "--output" in done.stderr


@pytest.mark.parametrize("named", ["--output", "HEDDLE_PROFILE"])
def test_a_folder_that_is_missing_is_told_before_the_measurement(heddle, named, tmp_path):
    """As for the files of all other commands: the user may have mistyped its name."""
    file = str(tmp_path / "no/p.json")
    words, variables = (("--output", file), {}) if named == "--output" else ((), {named: file})
    done = heddle("tune", "--quick", "--mpi", "none", *words, **variables)
    assert done.returncode == 2 and f"there is no folder {tmp_path}/no" in done.stderr, done
    assert "measuring" not in done.stderr and not (tmp_path / "no").exists()


def test_the_default_folder_is_made_when_the_profile_is_kept(monkeypatch, tmp_path):
    for name in ("HEDDLE_PROFILE", "HEDDLE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))
    with Draft(None) as given_up:
        given_up.file.write_text("{}")
    assert not [*tmp_path.iterdir()]
    with Draft(None) as draft:
        draft.file.write_text("{}")
        draft.keep()
    assert (tmp_path / "home/config/heddle/profile.json").read_text() == "{}"
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/config")
    with pytest.raises(Problem, match="cannot write /proc/config"):
        Draft(None)


def test_the_last_line_names_figures_that_are_not_kept():
    notes = ["messages of MPICH with holes are not kept (9 tries differ); there will be no estimates in reports"]
    assert tuned._dropped(notes) == ", without new figures of messages of MPICH with holes. All other measured figures are kept"
    assert not tuned._dropped(["messages of MPICH: measured 3 times, within 5 %"])


@pytest.mark.parametrize(("mpi", "what"), [("none", "heddle-tool tune"), ("openmpi", "heddle-tool links")])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_soon_and_leaves_the_profile_as_it_was(mpi, what, number, tmp_path):
    """A first try has a whole profile already, but it is not the median."""
    file = tmp_path / "p.json"
    file.write_text("{}")
    words = ["tune", "--quick", "--mpi", mpi, "--output", str(file)]
    started = subprocess.Popen(
        [HEDDLE, *words], env=clean_environment(TMPDIR=str(tmp_path)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )

    def parts() -> list[str]:
        lines = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True).stdout.splitlines()
        return [line for line in lines if what in line and (str(tmp_path) in line or mpi != "none")]

    def first_try() -> bool:
        return mpi != "none" or any(one.read_text() != "{}" for one in drafts())

    def drafts() -> list[Path]:
        return list(tmp_path.glob("heddle-tune-*/profile.json"))

    until(lambda: first_try() and parts(), started)
    started.send_signal(number)
    begin = time.monotonic()
    out, err = started.communicate(timeout=60)
    assert time.monotonic() - begin < 6  # two seconds on a quiet machine
    assert started.returncode == 128 + number and not out
    begun, *_, stopped = err.splitlines()
    assert re.fullmatch(r"heddle: measuring for about \d+ s, or twice as long beside other work", begun)
    assert stopped == f"heddle: {number.name}: stopped; no profile was written to {file}"
    assert file.read_text() == "{}" and not parts() and not drafts()


def test_no_home(heddle):
    done = heddle("tune", "--quick", "--mpi", "none", HOME="", XDG_CONFIG_HOME="")
    assert done.returncode == 2 and "no home" in done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_messages_of_an_mpi(heddle, mpi, tmp_path):
    file = tmp_path / "p.json"
    done = heddle("tune", "--quick", "--anyway", "--mpi", mpi, "--output", file, timeout=300)
    assert done.returncode == 0, done
    assert "each further one at the same time" in done.stdout
    profile = json.loads(file.read_text())
    assert [name for name in profile if name.startswith("messages")] == [f"messages_of_{mpi}"]
    messages = profile[f"messages_of_{mpi}"]
    holes = messages.pop("with_holes_ns_per_byte")
    assert len(holes) == 8 and all(0 < ns < 1000 for ns in holes.values())
    assert len(set(holes.values())) > 1  # the least depends on the machine, whose number of free cores changes
    assert f"messages, {'MPICH' if mpi == 'mpich' else 'Open MPI'}" in " ".join(done.stdout.split())
    assert len(messages) == 6 and all(0 <= ns < 1e8 for ns in messages.values()) and messages["one_ns"] > 0
    told = heddle("explain", "--collective", f"alltoallv: 7 x 8; 8 ranks, {mpi}", HEDDLE_PROFILE=str(file)).stdout
    assert str(file) in "".join(told.split())
    assert "built in" in heddle("explain", "--collective", f"alltoallv: 7 x 8; 8 ranks, {mpi}", HEDDLE_PROFILE="builtin").stdout


NUMBERS = {"message_ns", "message_byte_ns"} | {f"fabric_{of}_ns" for of in ("greeting", "segment", "operation", "byte")}


@pytest.mark.parametrize("mpi", MPIS)
def test_between_two_nodes(heddle, mpi, tmp_path):
    """This machine plays both nodes, and both ways use TCP. Other parts of the profile stay."""
    file = tmp_path / "p.json"
    before = json.loads(heddle("tune", "--quick", "--anyway", "--mpi", "none", "--json", "--output", file).stdout)
    between = HOST_OVER_TCP | {"HEDDLE_NODES": "2", "HEDDLE_FABRIC": "tcp"}
    words = ["tune", "--quick", "--output", file, "--", *launcher(mpi), "-n", 2]
    done = heddle(*words, timeout=170, **between)
    assert done.returncode == 0, done
    assert f"{'MPICH' if mpi == 'mpich' else 'Open MPI'}, tcp" in done.stdout and "over libfabric" in done.stdout
    profile = json.loads(file.read_text())
    nodes = profile.pop(f"between_nodes_by_{mpi}")
    assert nodes.pop("fabric_provider") == "tcp"
    assert set(nodes) == NUMBERS and all(0 <= ns < 1e8 for ns in nodes.values())
    assert nodes["message_byte_ns"] > 0 and nodes["fabric_byte_ns"] > 0
    assert profile | {"made": ""} == before | {"made": ""}


def test_what_cannot_be_measured_between_nodes(heddle, tmp_path):
    line = [*launcher("mpich"), "-n", 2]
    words = ["tune", "--quick", "--output", tmp_path / "p.json"]
    for more, environment, why in (
        ([], {}, "both ranks are on one node"),
        ([], {"HEDDLE_FABRIC": "off"}, "no fabric"),
        ([], {"HEDDLE_NODES": "2", "HEDDLE_FABRIC": "carrier-pigeon"}, "carrier-pigeon"),
        (["--mpi", "none"], {}, "--mpi none"),
    ):
        done = heddle(*words, *more, "--", *line, **environment)
        assert done.returncode != 0 and done.stderr.startswith("heddle: ") and why in done.stderr, done
    done = heddle(*words, "--", "env", "-n", 2)
    assert done.returncode == 2 and "--mpi" in done.stderr
    assert not (tmp_path / "p.json").exists()


# The ranks share cores. Rank 1's machine favours few rounds, and the others' machine favours few
# messages.
UNLIKE = {"turn": {"shared_core_turn_ns": 1e8, "shared_core_message_ns": 1}, "message": {"shared_core_message_ns": 1e8}}
PROGRAM = """
import os, sys
me = int(os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")))
os.environ["HEDDLE_PROFILE"] = sys.argv[1 if me == 1 else 2]
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
counts = [900_000] + [1] * (comm.size - 1)
got = np.empty(sum(counts))
comm.Allgatherv(np.full(counts[me], float(me)), [got, counts])
assert [got[0], *got[900_000:]] == list(range(comm.size))
ones, places = [1] * comm.size, list(range(comm.size))
for call in range(80):
    sent, got = np.full(comm.size, float(me)), np.empty(comm.size)
    comm.Alltoallv([sent, ones, places, MPI.DOUBLE], [got, ones, places, MPI.DOUBLE])
    assert list(got) == places
"""


@pytest.mark.parametrize("mpi", MPIS)
def test_ranks_with_other_profiles_choose_alike(heddle, mpi, tmp_path):
    """Machines of a job have different profiles. Their ranks agree on numbers in MPI_Init."""
    words = ["tune", "--quick", "--anyway", "--mpi", "none", "--json", "--output", tmp_path / "p.json"]
    measured = json.loads(heddle(*words).stdout)
    base = {"one_ns": 500, "further_ns": 100, "byte_ns": 0.1}
    base |= {"shared_core_turn_ns": 1, "shared_core_message_ns": 1, "shared_core_bundles_ns": 0}
    files, ways = [], []
    for name, numbers in UNLIKE.items():
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps(measured | {f"messages_of_{mpi}": base | numbers}))
        what = f"allgatherv: 7200000, 7 x 8; 4 ranks a core, {mpi}"
        about = json.loads(heddle("explain", "--collective", what, "--json", HEDDLE_PROFILE=str(files[-1])).stdout)
        ways.append([(way["name"], way["radix"]) for way in about["ways"] if way["chosen"]])
    assert ways[0] != ways[1]
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    words = [HEDDLE, "run", "--", *launcher(mpi), "-n", 8, sys.executable, "-m", "mpi4py", script, *files]
    library = installations.at_path(Path(launcher(mpi)[0])).library
    environment = clean_environment(MPI4PY_LIBMPI=str(library), OMPI_MCA_mpi_yield_when_idle="1", HEDDLE_CHECK="on")
    done = subprocess.run([*map(str, words)], env=environment, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0 and "profile" not in done.stderr, done.stderr


@pytest.mark.skipif(not shutil.which("mpiexec.mpich"), reason="Debian's MPICH is not installed")
def test_an_older_library_of_the_family_is_measured_too(heddle):
    """The build for MPICH 5 also runs with 4.0, which lacks the hook for waiting ranks (since
    4.3)."""
    folder = CHECKOUT / "python/heddle/native"
    words = (folder / "bin/heddle-tool", "links", folder / "lib/libheddle_links_mpich.so", "--case", "shared", "--quick")
    done = heddle("run", "--", "mpiexec.mpich", "-n", 3, *words, "--budget", 1)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[0]["mpi"].startswith("MPICH 4.") and found[0]["interposer"] == "heddle", done.stderr
    assert {line["variant"] for line in found if "variant" in line} == {"pairs", "bundles", "rounds"}


def test_tables_fit_the_terminal_and_the_bar_moves(tmp_path):
    words = ["tune", "--quick", "--anyway", "--mpi", "mpich", "--output", "p.json"]
    shown = on_a_terminal(words, HEDDLE_CONFIG="", cwd=tmp_path)
    percents = {int(percent) for percent in re.findall(r"(\d+) %", shown)}
    assert any(0 < percent < 70 for percent in percents) and any(70 < percent < 100 for percent in percents), percents
    tables = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).partition("built in")[2].splitlines()
    assert max(map(len, tables)) <= 80 and not [line for line in tables if "…" in line[1:]]


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
