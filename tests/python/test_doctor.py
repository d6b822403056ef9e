"""heddle doctor -- PROGRAM: findings before the program starts, and at the end of MPI_Init."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import MPIS, compiled, launcher, prefix

SOURCES = Path(__file__).parent / "interposition"
NAME = {"mpich": "MPICH", "openmpi": "Open MPI"}


@pytest.fixture(scope="module")
def built(mpi, tmp_path_factory) -> dict[str, Path]:
    """Programs by name: plain, with a tool linked in, with their own MPI_Recv."""
    folder = tmp_path_factory.mktemp(mpi)
    sources = {"starts": ["starts.c"], "tool": ["starts.c", "tool.c"], "own": ["starts.c", "own.c"]}
    for name, files in sources.items():
        compiled(mpi, folder / name, *(SOURCES / file for file in files))
    shared = {"libtool.so": "tool.c", "libasks.so": "asks.c"}
    for name, file in shared.items():
        compiled(mpi, folder / name, "-shared", "-fPIC", SOURCES / file)
    behind = ("-Wl,--no-as-needed", "-lmpi", folder / "libtool.so", f"-Wl,-rpath,{folder}")
    compiled(mpi, folder / "behind", SOURCES / "starts.c", *behind)
    return {name: folder / name for name in (*sources, *shared, "behind")}


@pytest.fixture
def found(heddle):
    """found(words) returns the findings by their subject. Checks that the exit code fits them."""

    def ask(*words: object, **environment: str) -> dict[str, dict]:
        done = heddle("doctor", "--json", *words, **environment)
        findings = json.loads(done.stdout)
        assert done.returncode == any(finding["verdict"] == "bad" for finding in findings), findings
        return {finding["what"]: finding for finding in findings}

    return ask


def verdicts(findings: dict[str, dict]) -> dict[str, str]:
    return {what: finding["verdict"] for what, finding in findings.items()}


IN_EFFECT = ("Heddle", "receives", "messages", "on a node", "collectives")


@pytest.mark.parametrize("how", ["init", "thread"])
def test_of_a_program(heddle, found, mpi, built, how, tmp_path):
    findings = found("--", built["starts"], how, tmp_path / "work")
    assert set(verdicts(findings).values()) == {"good"} and {*IN_EFFECT, "launcher", "MPI_Init"} < findings.keys(), findings
    assert NAME[mpi] in findings["MPI_Init"]["seen"] and "libmpi.so" in findings[str(built["starts"])]["seen"]
    assert "announced from 8192 bytes" in findings["on a node"]["seen"]
    assert not (tmp_path / "work").exists()
    assert heddle("run", "-n", 1, "--", built["starts"], how, tmp_path / "work").returncode == 0
    assert (tmp_path / "work").exists()


def test_of_a_program_with_a_tool_linked_in(found, built, tmp_path):
    findings = found("--", built["tool"], "init", tmp_path / "work")
    assert set(verdicts(findings).values()) == {"good"}, findings
    assert findings["above Heddle"]["seen"] == "the program (MPI_Finalize, MPI_Recv)"


def test_of_a_program_alone_nothing_is_above_heddle(found, built, tmp_path):
    findings = found("--", built["starts"], "init", tmp_path / "work")
    assert findings["above Heddle"]["seen"].startswith("nothing") and "not called" not in findings, findings


def test_of_tools_in_the_order_in_which_they_are_called(found, built, tmp_path):
    tool, asks = (f"{built[name]}" for name in ("libtool.so", "libasks.so"))
    words = ("--", built["starts"], "init", tmp_path / "work")
    one = found(*words, LD_PRELOAD=asks)
    assert one["above Heddle"]["seen"] == f"{asks} (MPI_Finalize, MPI_Recv)", one
    assert one["receives"]["verdict"] == "good" and "not called" not in one, one
    both = found(*words, LD_PRELOAD=f"{tool}:{asks}")
    assert both["above Heddle"]["seen"] == f"{tool} (MPI_Finalize, MPI_Recv)", both
    assert both["not called"]["verdict"] == "poor" and both["not called"]["seen"].startswith(asks), both
    assert f"those of {tool}" in both["not called"]["seen"], both
    handing_on = found(*words, LD_PRELOAD=f"{asks}:{tool}")  # by dlsym(RTLD_NEXT), to the other tool
    assert f"{asks} (MPI_Finalize, MPI_Recv), then {tool} (" in handing_on["above Heddle"]["seen"], handing_on
    assert handing_on["receives"]["verdict"] == "good" and "not called" not in handing_on, handing_on


def test_of_a_tool_behind_the_mpi_library(heddle, found, built, tmp_path):
    words = ("--", built["behind"], "init", tmp_path / "work")
    hidden = found(*words)["not called"]
    assert "libtool.so (MPI_Finalize, MPI_Recv)" in hidden["seen"] and "libmpi.so" in hidden["seen"], hidden
    assert "LD_PRELOAD" in hidden["mend"], hidden
    mended = found(*words, LD_PRELOAD=str(built["libtool.so"]))
    assert "libtool.so" in mended["above Heddle"]["seen"] and "not called" not in mended, mended


def test_a_run_names_the_tools_when_asked(heddle, built, tmp_path):
    words = ("run", "-n", 2, "--", built["starts"], "init", tmp_path / "work")
    said = heddle(*words, HEDDLE_VERBOSE="1", LD_PRELOAD=str(built["libtool.so"])).stderr
    assert said.count(f"heddle: above Heddle: {built['libtool.so']} (MPI_Finalize, MPI_Recv).") == 1, said
    assert "above Heddle" not in heddle(*words, HEDDLE_VERBOSE="1").stderr
    behind = heddle("run", "-n", 2, "--", built["behind"], "init", tmp_path / "work", HEDDLE_VERBOSE="1").stderr
    assert f"heddle: not called: {built['libtool.so']} (" in behind and "above Heddle" not in behind, behind


def test_of_a_program_with_receives_of_its_own(found, built, tmp_path):
    findings = found("--", built["own"], "init", tmp_path / "work")
    assert "the program has receives of its own" in findings["receives"]["seen"]
    for what in ("receives", "on a node", "collectives"):
        assert findings[what]["verdict"] == "poor" and findings[what]["mend"], findings
    assert findings["messages"]["verdict"] == "good" and "MPI library" in findings["on a node"]["seen"]
    assert not (tmp_path / "work").exists()


def test_of_sessions_alone(found, built, tmp_path):
    findings = found("--", built["starts"], "session", tmp_path / "work")
    assert "reached" in findings["MPI_Session_init"]["seen"] and "MPI_Init" in findings["on a node"]["seen"], findings
    assert not (tmp_path / "work").exists()


def test_of_settings(heddle, found, built, tmp_path):
    words = ("--", built["starts"], "init", tmp_path / "work")
    assert "\nHeddle will be off with " in heddle("doctor", *words, HEDDLE="off").stdout
    off = found(*words, HEDDLE="off")
    assert off["Heddle"]["verdict"] == "poor" and "HEDDLE=off" in off["Heddle"]["seen"] and "receives" not in off, off
    wishes = {"HEDDLE_SCHEME": "native", "HEDDLE_COLLECTIVES": "native", "HEDDLE_MESSAGES": "packed"}
    wished = found(*words, **wishes)
    for what, (name, value) in zip(("on a node", "collectives", "messages"), wishes.items(), strict=True):
        assert f"({name}={value})" in wished[what]["seen"], wished
    file = tmp_path / "off.conf"
    file.write_text("HEDDLE=off\n")
    by_file = found(*words, HEDDLE_CONFIG=str(file))["Heddle"]
    assert by_file["verdict"] == "poor" and f"{file}:1" in by_file["seen"] and "unset" not in by_file["mend"], by_file
    assert "HEDDLE_SCHEM;" in found(*words, HEDDLE_SCHEM="x")["Heddle says"]["seen"]
    assert found(*words, HEDDLE_TRANSPORTS="mpi")["on a node"]["verdict"] == "poor"


def test_the_check_of_an_mpi_writes_no_report(heddle, mpi, built, tmp_path):
    """Settings for a whole site may ask for a report of each job."""
    settings, folder = tmp_path / "heddle.conf", tmp_path / "reports"
    folder.mkdir()
    settings.write_text(f"HEDDLE_REPORT = {folder}/%p.json\nHEDDLE_TRACE = {folder}/%p.trace\n")
    done = heddle("doctor", "--mpi", prefix(mpi), HEDDLE_CONFIG=str(settings))
    assert "two ranks exchange a derived datatype under Heddle" in " ".join(done.stdout.split()), done.stdout
    assert not [*folder.iterdir()]
    heddle("run", "-n", 1, "--", built["starts"], "init", tmp_path / "work", HEDDLE_CONFIG=str(settings))
    assert [*folder.glob("*.json")]  # of the program


def test_leaves_a_report_alone(found, built, tmp_path):
    (tmp_path / "report.json").write_text("of the last run")
    found("--", built["starts"], "init", tmp_path / "work", HEDDLE_REPORT=str(tmp_path / "report.json"))
    assert (tmp_path / "report.json").read_text() == "of the last run"


def test_under_a_launcher_line(found, mpi, built, tmp_path):
    ends_early = found("--", *launcher(mpi), "-n", 2, built["starts"], "init", tmp_path / "work")
    assert set(verdicts(ends_early).values()) == {"good"} and "receives" in ends_early, ends_early
    # Only one of two ranks has the problem, but it affects both.
    line = [*launcher(mpi), "-n", 1, built["starts"], "init", tmp_path / "work"]
    one = found("--", *line, ":", "-n", 1, built["own"], "init", tmp_path / "work")
    assert verdicts(one) | {"receives": "poor", "on a node": "poor", "collectives": "poor"} == verdicts(one), one
    assert not (tmp_path / "work").exists()


def test_of_a_program_that_needs_more_ranks(heddle, found, mpi, tmp_path):
    script = tmp_path / "two.py"
    script.write_text(
        "import os, sys\n"
        "ranks = os.environ.get('PMI_SIZE') or os.environ.get('OMPI_COMM_WORLD_SIZE')\n"
        "sys.exit(f'{ranks} rank') if ranks != '2' else __import__('mpi4py.MPI')\n"
    )
    line = ("--mpi", mpi, "--", sys.executable, script)
    alone = found(*line)["MPI_Init"]
    assert alone["verdict"] == "bad" and "(1 rank)" in alone["seen"], alone
    for option in ("-n", "-np"):
        assert set(verdicts(found(option, 2, *line)).values()) == {"good"}
    launched = found("-n", 2, "--", *launcher(mpi), "true")
    assert "give the number of ranks to it" in launched[launcher(mpi)[0]]["seen"], launched
    machine = heddle("doctor", "-n", 2)
    assert machine.returncode == 2 and "heddle doctor -n 2 -- ./app" in machine.stderr, machine


def test_of_one_mpi(found, mpi):
    tried = [what for what, finding in found("--mpi", mpi).items() if finding["group"] == "MPI"]
    assert len(tried) == 1 and tried[0].startswith(f"{mpi} "), tried


def test_of_mpi4py(found, mpi, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"from mpi4py import MPI\nopen({str(tmp_path / 'work')!r}, 'w').close()\n")
    findings = found("--mpi", mpi, "--", sys.executable, script)
    assert set(verdicts(findings).values()) == {"good"} and NAME[mpi] in findings["MPI_Init"]["seen"], findings
    assert str(prefix(mpi)) in findings[sys.executable]["seen"] and not (tmp_path / "work").exists()


def test_of_fortran(found, mpi, tmp_path):
    if shutil.which(f"mpif90.{mpi}") is None:
        pytest.skip(f"Debian's {mpi} for Fortran is not here: scripts/bootstrap --test installs it as root")
    source = tmp_path / "init.f90"
    source.write_text(
        "program init\nuse mpi\ninteger error\ncall MPI_Init(error)\nopen(1, file='work')\ncall MPI_Finalize(error)\nend\n"
    )
    subprocess.run([f"mpif90.{mpi}", source, "-o", tmp_path / "init"], check=True, cwd=tmp_path)
    line = [f"mpiexec.{mpi}", *launcher(mpi)[1:], "-n", 1]
    findings = found("--", *line, tmp_path / "init")
    assert findings["receives"]["verdict"] == "good" and "MPI_Init" in findings, findings
    assert not (tmp_path / "work").exists()


def test_of_a_profile(heddle, found, tmp_path):
    file = tmp_path / "p.json"
    done = heddle("tune", "--quick", "--anyway", "--mpi", "none", "--output", file)
    assert done.returncode == 0, done
    profile = json.loads(file.read_text())
    profile.pop("doubts", None)
    file.write_text(json.dumps(profile))
    quiet = found(HEDDLE_PROFILE=str(file))["profile"]
    assert quiet["verdict"] == "good" and quiet["seen"] == str(file)
    file.write_text(json.dumps(profile | {"doubts": ["the machine was busy: soak"]}))
    doubtful = found(HEDDLE_PROFILE=str(file))["profile"]
    assert doubtful["verdict"] == "poor" and doubtful["seen"] == f"{file}: the machine was busy: soak"
    for content in ("{}", "[1]", "no JSON", json.dumps(profile | {"doubts": 3, "heddle_profile": 99})):
        file.write_text(content)
        refused = found(HEDDLE_PROFILE=str(file))["profile"]
        assert refused["verdict"] == "poor" and "is not used" in refused["seen"] and "heddle tune" in refused["mend"]
    missing = found(HEDDLE_PROFILE=str(tmp_path / "missing.json"))["profile"]
    assert missing["verdict"] == "poor" and "missing.json" in missing["seen"]
    assert found(HEDDLE_PROFILE="builtin")["profile"]["seen"] == "built in"


def test_without_mpi(found):
    findings = found("true")
    assert findings["true"]["verdict"] == "poor" and "no MPI library" in findings["true"]["seen"]
    assert findings["MPI_Init"]["verdict"] == "bad" and "not reached" in findings["MPI_Init"]["seen"]


def test_that_never_comes_to_init(found, built, tmp_path):
    never = found("--", built["starts"], "never", tmp_path / "work")["MPI_Init"]
    assert never["verdict"] == "bad" and "not reached" in never["seen"] and "code 3" in never["seen"]
    start = time.monotonic()
    late = found("--timeout", 2, "--", built["starts"], "late", tmp_path / "work")["MPI_Init"]
    assert "not reached within 2 s" in late["seen"] and time.monotonic() - start < 200, late
    assert not [name for name in _running() if name == str(built["starts"])]


def _running() -> list[str]:
    lines = (process / "cmdline" for process in Path("/proc").iterdir() if process.name.isdigit())
    return [line.read_bytes().split(b"\0")[0].decode(errors="replace") for line in lines if line.exists()]


class TestBeforeItStarts:
    """These checks start no program."""

    def bad(self, findings: dict[str, dict], *words: str):
        (finding,) = findings.values()
        assert finding["verdict"] == "bad" and finding["group"] == "before it starts", finding
        for word in words:
            assert word in finding["seen"] + finding["mend"]

    def test_no_program(self, found, tmp_path):
        self.bad(found("./no-such-program"), "there is no program")
        (tmp_path / "text").write_text("text")
        self.bad(found(tmp_path / "text"), "not an executable")

    def test_no_mpi_of_that_name(self, found):
        self.bad(found("--mpi", "mpi2000", "--", "true"), "mpi2000", "mpich")

    @pytest.mark.parametrize(("mpi", "other"), [MPIS, MPIS[::-1]])
    def test_another_family(self, found, who, mpi, other):
        self.bad(found("--mpi", other, "--", who[mpi]), "linked with", "Leave --mpi out")
        self.bad(found("--", *launcher(other), "-n", 1, who[mpi]), "linked with")

    def test_mpi_linked_statically(self, found, tmp_path):
        body = "int MPI_Init(int* a, char*** b) { return a == 0 && b == 0; } int main(void) { return MPI_Init(0, 0); }"
        (tmp_path / "app.c").write_text(body)
        subprocess.run(["gcc", tmp_path / "app.c", "-o", tmp_path / "app"], check=True)
        self.bad(found(tmp_path / "app"), "statically", "shared libmpi")

    def test_set_user_id(self, found, who, tmp_path):
        if os.geteuid() != 0:
            pytest.skip("only root can make a program that another user's identity runs")
        program = Path(shutil.copy(who["mpich"], tmp_path / "program"))
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)
        findings = found(program)
        assert findings[str(program)]["verdict"] == "bad" and "set-user-ID" in findings[str(program)]["seen"], findings
        assert "MPI_Init" not in findings
        program.chmod(0o755)
        assert found(program)["MPI_Init"]["verdict"] == "good"


def test_as_a_table(heddle, who, tmp_path):
    line = heddle("doctor", "--", *launcher("mpich"), "-n", 2, who["mpich"])
    assert f"Heddle works with {who['mpich']}." in line.stdout, line
    assert all(text == text.rstrip() for text in line.stdout.splitlines())
    done = heddle("doctor", "--", who["mpich"])
    assert done.returncode == 0 and "receives" in done.stdout and f"Heddle works with {who['mpich']}." in done.stdout, done
    assert "before Heddle works with true" in heddle("doctor", "true").stdout
