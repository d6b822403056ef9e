"""heddle tune measures, writes a profile that Heddle can read, and reports errors."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CHECKOUT, HEDDLE, MPIS, clean_environment, launcher, until
from heddle import installations, tuned
from heddle.bench.wire import HOST_OVER_TCP
from heddle.draft import Draft
from heddle.problem import Problem
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
