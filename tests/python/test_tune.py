"""heddle tune measures, writes a profile that Heddle can read, and reports errors."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT, HEDDLE, MPIS, clean_environment, launcher
from heddle import installations
from heddle.bench.wire import HOST_OVER_TCP

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


def test_json_and_output(heddle, tmp_path):
    done = heddle("tune", "--quick", "--mpi", "none", "--json", "--output", tmp_path / "deep/er/p.json")
    assert json.loads(done.stdout) == json.loads((tmp_path / "deep/er/p.json").read_text())


def test_what_cannot_be_written(heddle, tmp_path):
    (tmp_path / "file").write_text("")
    done = heddle("tune", "--quick", "--mpi", "none", "--output", tmp_path / "file/p.json")
    assert done.returncode == 2 and done.stderr.startswith("heddle: cannot write") and "--output" in done.stderr


def test_no_home(heddle):
    done = heddle("tune", "--quick", "--mpi", "none", HOME="", XDG_CONFIG_HOME="")
    assert done.returncode == 2 and "no home" in done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_messages_of_an_mpi(heddle, mpi, tmp_path):
    file = tmp_path / "p.json"
    done = heddle("tune", "--quick", "--mpi", mpi, "--output", file, timeout=300)
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
    before = json.loads(heddle("tune", "--quick", "--mpi", "none", "--json", "--output", file).stdout)
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
    measured = json.loads(heddle("tune", "--quick", "--mpi", "none", "--json", "--output", tmp_path / "p.json").stdout)
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
