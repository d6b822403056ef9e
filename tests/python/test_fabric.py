"""Messages with holes between nodes go over libfabric, and arrive unchanged. 2 ranks, 2 nodes."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import CHECKOUT, HEDDLE, clean_environment, compiled, launcher, prefix

SOURCE = Path(__file__).parent / "fabric.c"
SCHEMES = ["bc-spup", "rwg-up", "p-rrs", "multi-w"]
ALL = ["spellings", "barrier", "probed", "alike", "truncated", "again", "many"]

# The ranks have different providers: no message goes over the fabric, and all messages arrive.
DIFFER = 'test ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} = 0 || export HEDDLE_FABRIC={other}; exec "$0" "$@"'


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    return compiled(mpi, tmp_path_factory.mktemp(mpi) / "fabric", "-O1", "-rdynamic", SOURCE)


def ran(heddle, mpi, *words, **environment):
    environment = {"HEDDLE_NODES": "2", "HEDDLE_FABRIC": "tcp"} | environment
    return heddle("run", "--", *launcher(mpi), "-n", 2, *words, timeout=170, **environment)


def ways(report: Path) -> set[str]:
    return {row["way"] for row in json.loads(report.read_text())["rows"]}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("provider", ["tcp", "shm"])
def test_all_is_as_without(heddle, mpi, program, provider, scheme, tmp_path):
    report = tmp_path / "report.json"
    done = ran(heddle, mpi, program, *ALL, HEDDLE_FABRIC=provider, HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    # Packed: the first message, and messages whose receivers are late. In segments: messages longer
    # than their receives.
    assert f"fabric {scheme}" in ways(report)
    assert ways(report) <= {f"fabric {scheme}", "fabric bc-spup", "fabric rwg-up", "packed"}


def test_without_a_fabric(heddle, mpi, program):
    done = ran(heddle, mpi, program, *ALL, HEDDLE_FABRIC="off")
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


@pytest.mark.parametrize("other", ["shm", "nobody"])
def test_ranks_with_different_fabrics_have_none(heddle, mpi, program, other, tmp_path):
    report = tmp_path / "report.json"
    done = ran(
        heddle,
        mpi,
        *("sh", "-c", DIFFER.replace("{other}", other), program, *ALL),
        HEDDLE_SCHEME="bc-spup",
        HEDDLE_REPORT=str(report),
    )
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert ways(report) == {"packed"}
    assert ("HEDDLE_FABRIC=nobody" in done.stderr) == (other == "nobody")


def test_a_rank_that_dies_ends_the_job(heddle, mpi, program):
    done = ran(heddle, mpi, program, "killed", HEDDLE_SCHEME="bc-spup")
    assert done.returncode != 0 and done.stdout == ""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_connections_that_break_lose_nothing(heddle, mpi, program, scheme, tmp_path):
    report = tmp_path / "report.json"
    done = ran(heddle, mpi, program, "cut", HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert "cut" in done.stdout and done.stdout.replace("cut", "").split() == ["right"], done.stdout + done.stderr
    assert done.returncode == 0 and f"fabric {scheme}" in ways(report)


@pytest.mark.parametrize("scheme", ["bc-spup", "multi-w"])
def test_a_fabric_that_falls_silent_holds_up_nobody(heddle, mpi, program, scheme, tmp_path):
    report = tmp_path / "report.json"
    done = ran(heddle, mpi, program, "unanswered", HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert ways(report) == {f"fabric {scheme}", "packed"}


# The measured fabric over sockets. The tests add a slower and a quicker MPI library.
NODES = {
    "fabric_provider": "tcp",
    "message_ns": 1000,
    "fabric_greeting_ns": 20000,
    "fabric_segment_ns": 5000,
    "fabric_operation_ns": 5000,
    "fabric_byte_ns": 0.1,
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The profile of this machine, but packing takes 0.03 ns for each byte.

    Beside other tests `heddle tune` may measure so much that the fabric pays with any MPI library,
    because it packs while data travel.
    """
    command = (
        "tune",
        "--quick",
        "--anyway",
        "--mpi",
        "none",
        "--json",
        "--output",
        tmp_path_factory.mktemp("tuned") / "p.json",
    )
    done = subprocess.run([HEDDLE, *command], capture_output=True, text=True, check=True, env=clean_environment())
    profile = json.loads(done.stdout)
    return {name: dict.fromkeys(of, 0.03) if name.endswith("_ns_per_byte") else of for name, of in profile.items()}


def write_profile(profile: Path, measured: dict, mpi: str, byte_ns: float):
    """Writes a profile in which the MPI library takes `byte_ns` for each byte between nodes."""
    profile.write_text(json.dumps(measured | {f"between_nodes_by_{mpi}": NODES | {"message_byte_ns": byte_ns}}))


@pytest.mark.parametrize(("byte_ns", "words", "pays"), [(50, ["persistent"], True), (0.001, ALL, False)])
def test_auto_takes_sockets_that_were_measured_to_pay(heddle, mpi, program, measured, byte_ns, words, pays, tmp_path):
    profile, report = tmp_path / "p.json", tmp_path / "report.json"
    write_profile(profile, measured, mpi, byte_ns)
    for fabric in ("auto", "tcp"):
        done = ran(heddle, mpi, program, *words, HEDDLE_FABRIC=fabric, HEDDLE_PROFILE=str(profile), HEDDLE_REPORT=str(report))
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
        assert any(way.startswith("fabric") for way in ways(report)) == pays
        line = ("--", *launcher(mpi), "-n", 2, program)
        seen = heddle("doctor", *line, HEDDLE_NODES="2", HEDDLE_FABRIC=fabric, HEDDLE_PROFILE=str(profile)).stdout
        assert ("over libfabric's tcp, if heddle tune" in " ".join(seen.split())) == (pays or fabric == "tcp"), seen


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_is_sent_in_one_piece_is_scattered_by_a_forced_scheme(heddle, mpi, program, scheme, tmp_path):
    report = tmp_path / "report.json"
    done = ran(heddle, mpi, program, "piece", HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert f"fabric {scheme}" in ways(report)


@pytest.mark.parametrize(("byte_ns", "pays"), [(50, True), (0.001, False)])
def test_one_piece_goes_by_the_fabric_where_its_receiver_scatters_and_that_pays(
    heddle, mpi, program, measured, byte_ns, pays, tmp_path
):
    profile, report = tmp_path / "p.json", tmp_path / "report.json"
    write_profile(profile, measured, mpi, byte_ns)
    done = ran(heddle, mpi, program, "piece", HEDDLE_PROFILE=str(profile), HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert any(way.startswith("fabric") for way in ways(report)) == pays


def test_damaged_announcements_are_errors_of_their_receives(heddle, mpi, program, tmp_path):
    report = tmp_path / "report.json"
    done = ran(heddle, mpi, program, "damaged", HEDDLE_SCHEME="multi-w", HEDDLE_REPORT=str(report))
    assert set(done.stdout.split()) == {"damaged", "right"} and done.returncode == 0, done.stdout + done.stderr
    assert "fabric multi-w" in ways(report)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_persistent_operations(heddle, mpi, program, scheme, tmp_path):
    report = tmp_path / "report.json"
    words = ("persistent", "persistent_collective")
    done = ran(heddle, mpi, program, *words, HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert f"fabric {scheme}" in ways(report)


HOST = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}


def between_hosts(mpi, *words, **environment):
    """One rank on each of two hosts."""
    heddle = CHECKOUT / f"python/heddle/native/lib/libheddle_{mpi}.so"
    preload = f"LD_PRELOAD={heddle} {prefix(mpi) / 'lib' / HOST[mpi]}"
    done = subprocess.run(
        [str(word) for word in (CHECKOUT / "scripts/hosts", mpi, 2, "env", preload, *words)],
        env=clean_environment(**{"HEDDLE_FABRIC": "tcp"} | environment),
        capture_output=True,
        text=True,
        timeout=240,
    )
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    return done


@pytest.mark.parametrize("scheme", [*SCHEMES, "auto"])
def test_between_hosts(mpi, program, scheme, tmp_path):
    report = tmp_path / "report.json"
    done = between_hosts(mpi, program, *ALL, HEDDLE_SCHEME=scheme, HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert scheme == "auto" or f"fabric {scheme}" in ways(report)


# libfabric on the loopback device reaches no other host, and gets no error.
ALONE = 'test ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} != {rank} || export FI_TCP_IFACE=lo; exec "$0" "$@"'


@pytest.mark.parametrize("alone", [0, 1])
def test_a_host_that_the_fabric_does_not_reach(mpi, program, alone, tmp_path):
    report = tmp_path / "report.json"
    command = ("sh", "-c", ALONE.format(rank=alone), program, "again", "many", "barrier")
    done = between_hosts(mpi, *command, HEDDLE_SCHEME="bc-spup", HEDDLE_REPORT=str(report))
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    assert ways(report) == {"packed"}
