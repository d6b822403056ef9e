"""The output of heddle mpi, doctor, env, --version and --help, on terminals and in files."""

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import heddle as package
import pytest
from conftest import CHECKOUT, HEDDLE, MPIS, clean_environment, prefix
from heddle.installations import at_path


def test_mpi_as_json(heddle):
    done = heddle("mpi", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0 and isinstance(found, list)
    for mpi in found:
        assert mpi.keys() == {"name", "version", "mpicc", "mpiexec"}
        assert os.access(mpi["mpiexec"], os.X_OK) and (mpi["mpicc"] is None or os.access(mpi["mpicc"], os.X_OK))
    names = [mpi["name"] for mpi in found]
    assert len(set(names)) == len(names) and set(MPIS) <= set(names)


def test_mpi_as_table(heddle):
    output = heddle("mpi").stdout
    for mpi in MPIS:
        assert f"libheddle_{mpi}.so" in output


def test_mpi_path_names_more(heddle, tmp_path):
    """Skips folders without an MPI, and second installations of the same library."""
    (tmp_path / "here").symlink_to(prefix("mpich"))
    plain, more = (
        json.loads(heddle("mpi", "--json", HEDDLE_MPI_PATH=path).stdout) for path in ("", f"{tmp_path}/here:/nowhere")
    )
    assert plain == more


def test_installation_by_any_of_its_files():
    for mpi in MPIS:
        for part in ("", "bin", "bin/mpiexec", "bin/mpirun", "bin/mpicc", "lib/libmpi.so"):
            assert at_path(prefix(mpi) / part).name == mpi


def test_env_lists_the_table_and_what_is_set(heddle):
    output = heddle("env", HEDDLE_ISA="portable").stdout
    for name in ("HEDDLE_ISA", "HEDDLE_VERBOSE", "HEDDLE_POOL_LIMIT", "HEDDLE_MPI_PATH"):
        assert name in output
    assert "now: portable" in output
    rows = json.loads(heddle("env", "--json", HEDDLE_ISA="portable").stdout)
    assert {row["name"]: row["value"] for row in rows}["HEDDLE_ISA"] == "portable"
    assert all({"name", "default", "values", "meaning"} <= row.keys() for row in rows)


def on_terminal(*words: str, columns: int = 80) -> list[str]:
    """Returns the lines that a command prints on a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in clean_environment().items() if name != "COLUMNS"}
    process = subprocess.Popen([HEDDLE, *words], stdin=slave, stdout=slave, stderr=slave, env=kept)
    os.close(slave)
    parts = []
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(master)
    assert process.wait(timeout=60) == 0, b"".join(parts)
    return b"".join(parts).decode().replace("\r", "").splitlines()


def test_on_80_columns_no_word_is_split(heddle):
    for command in ("env", "algorithms"):
        plain = heddle(command).stdout
        lines = on_terminal(command)
        assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
        assert set(" ".join(lines).split()) == set(plain.split())
    words = set(" ".join(on_terminal("mpi")).split())
    assert all(mpi["mpiexec"] in words for mpi in json.loads(heddle("mpi", "--json").stdout))


def test_elsewhere_each_row_is_a_line(heddle):
    lines = heddle("env").stdout.splitlines()
    names = [row["name"] for row in json.loads(heddle("env", "--json").stdout)]
    assert [line.split()[0] for line in lines[1:]] == names
    assert len({line.index("off: every call") for line in lines if line.startswith("HEDDLE ")}) == 1


def test_heads_stand_as_the_cells_below_them(heddle):
    lines = on_terminal("env")
    variable = next(number for number, line in enumerate(lines) if line.startswith("HEDDLE "))
    assert [line.strip().split("  ")[0] for line in lines[:variable]] == ["variable", "values", "meaning"]
    assert [len(line) - len(line.lstrip()) for line in lines[1:variable]] == [4, 4] and lines[variable + 1].startswith("    on")


def test_env_of_some(heddle):
    def names(*words):
        return [row["name"] for row in json.loads(heddle("env", "--json", *words).stdout)]

    assert names("heddle") == ["HEDDLE"] and names("HEDDLE_ISA") == ["HEDDLE_ISA"]
    both = names("report", "HEDDLE_TRACE")
    assert "HEDDLE_REPORT" in both and both[-1] == "HEDDLE_TRACE" and len(both) == len(set(both))
    done = heddle("env", "reprot")
    assert done.returncode == 2 and "no HEDDLE_ variable called reprot. Did you mean HEDDLE_REPORT?" in done.stderr
    assert "Did you mean HEDDLE_SCHEME?" in heddle("env", "HEDDLE_SCHEMA").stderr
    assert "Did you mean" not in heddle("env", "teapot").stderr


@pytest.mark.parametrize("words", [("env",), ("algorithms",), ("explain", "vector(4, 1, 4, int)")])
def test_who_reads_may_have_seen_enough(words):
    """A reader such as head may close the pipe early."""
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen([HEDDLE, *words], stdout=writer, stderr=subprocess.PIPE, env=clean_environment(), text=True) as done:
        os.close(writer)
        assert done.stderr.read() == ""


def test_values_are_completed(heddle):
    """Asks like a shell. tests/python/test_install.py uses real shells."""

    def completed(line):
        words = line.split(" ")
        asked = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
        return heddle(_HEDDLE_COMPLETE="complete_bash", **asked).stdout.split()

    assert {*MPIS} <= {*completed("heddle run --mpi ")} and "mpich" not in completed("heddle doctor --mpi open")
    assert all("--ranks" in completed(f"heddle {command} --") for command in ("run", "compare", "doctor"))
    assert completed("heddle env HEDDLE_SCH") == ["HEDDLE_SCHEME"]


def test_what_does_not_exist_is_told_with_what_does(heddle, tmp_path):
    (tmp_path / "mine.mpich").write_text("#!/bin/sh\n")
    (tmp_path / "mine.mpich").chmod(0o755)
    (tmp_path / "report.json").write_text("{}")
    (tmp_path / "empty").mkdir()
    (tmp_path / "src").mkdir()
    for name in ("step.py", "src/heat.f90"):
        (tmp_path / name).write_text("")
    for words, said in (
        (("run", "-n", 2, "--", "./minee.mpich"), "did you mean ./mine.mpich?"),
        (("run", "--", "mine.mpch"), "Did you mean ./mine.mpich?"),
        (("run", "--", "mine.mpich"), "write ./mine.mpich."),
        (("run", "--", "./teapot"), "the programs in ./ are: mine.mpich."),
        (("run", "--", "empty/teapot"), "mpicc -g -O2 teapot.c -o teapot"),
        (("run", "--", "nowhere/teapot"), "there is no folder nowhere either"),
        (("run", "--", "enev"), "Did you mean env?"),
        (("run", "--", "a.json"), "heddle report"),
        (("run", "--", "step.py"), "start it with its interpreter: python step.py"),
        (("run", "--", "./step.py"), "start it with its interpreter: python ./step.py"),
        (("run", "--", "src/heat.f90"), "compile it first: mpif90 -g -O2 src/heat.f90 -o src/heat"),
        (("run", "--", "./src"), "it is a folder"),
        (("report", "reprot.json"), "Did you mean report.json?"),
        (("report", "teapot.json"), "heddle run --report=teapot.json"),
        (("explain", "reprot.c"), "cannot read reprot.c"),
    ):
        done = heddle(*words, cwd=tmp_path)
        assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr, done


def test_without_a_launcher_those_that_there_are_are_named(heddle):
    done = heddle("run", "--", "mpiexec", "-n", 2, "./app", PATH="/usr/sbin")
    assert done.returncode == 127 and "no program mpiexec on the PATH" in done.stderr
    assert "heddle run --mpi mpich -n 4" in done.stderr and str(prefix("openmpi") / "bin/mpiexec") in done.stderr


def test_env_says_which_file_sets_a_variable(heddle, tmp_path):
    """A user's file sets it. The environment takes precedence."""
    (tmp_path / "heddle").mkdir()
    file = tmp_path / "heddle/heddle.conf"
    file.write_text("# mine\nHEDDLE_ISA = portable\nHEDDLE_SEGMENT=8K\nHEDDLE_SEGMNT=8K\n")
    asked = {"XDG_CONFIG_HOME": str(tmp_path), "HEDDLE_SEGMENT": "4K"}
    done = heddle("env", "--json", **asked)
    rows = {row["name"]: (row["value"], row["from"]) for row in json.loads(done.stdout)}
    assert rows["HEDDLE_ISA"] == ("portable", f"{file}:2") and rows["HEDDLE_SEGMENT"] == ("4K", "environment")
    assert f"{file}:4: no variable is called HEDDLE_SEGMNT; did you mean HEDDLE_SEGMENT?" in done.stderr
    assert f"(now: portable, {file}:2)" in " ".join(heddle("env", **asked, COLUMNS="400").stdout.split("\n"))
    without = heddle("env", "--json", **asked, HEDDLE_CONFIG="none")
    assert {row["name"]: row["value"] for row in json.loads(without.stdout)}["HEDDLE_ISA"] is None and not without.stderr


def test_env_knows_whatever_is_read_or_written_about(heddle):
    """The table has all variables that manuals name or files read.

    Macros of the C headers are none.
    """
    known = {row["name"] for row in json.loads(heddle("env", "--json").stdout)}
    reads = re.compile(r"""(?:getenv|environ(?:\.get)?)[(\[]["'](HEDDLE\w*)|\$\{?(HEDDLE_\w+):""")
    manuals = [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/*.md")]
    named = {name for manual in manuals for name in re.findall(r"(?<!-D)HEDDLE_[A-Z_]+", manual.read_text())}
    for folder in ("src", "packaging", "python/heddle", "scripts", "apps", "bench", "tests"):
        for file in (CHECKOUT / folder).rglob("*"):
            if file.is_file() and "native" not in file.parts:
                named |= {one or other for one, other in reads.findall(file.read_text(errors="replace"))}
    headers = "".join(header.read_text() for header in (CHECKOUT / "include/heddle").glob("*.h"))
    named -= {*re.findall(r"#define (HEDDLE_VERSION\w*)", headers)}
    assert len(named) > 8 and not named - known, named - known


def test_env_reports_what_does_not_exist(heddle):
    done = heddle("env", HEDDLE_POOL_LIMT="3")
    assert done.returncode == 0 and "HEDDLE_POOL_LIMT" in done.stderr and "HEDDLE_POOL_LIMIT" in done.stderr
    assert heddle("env").stderr == ""
    assert "HEDDLE_ISA=warp" in heddle("env", HEDDLE_ISA="warp").stderr


def test_doctor_is_content_here(heddle):
    done = heddle("doctor", "--json", timeout=300)
    findings = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    by_name = {finding["what"]: finding for finding in findings}
    for mpi in MPIS:
        name = next(what for what in by_name if what.startswith(f"{mpi} "))
        assert by_name[name]["verdict"] == "good", by_name[name]
    for finding in findings:
        assert finding["verdict"] in ("good", "poor") and (finding["verdict"] == "good") == (not finding["mend"])


def test_doctor_says_what_to_do(heddle, tmp_path):
    """It finds a broken MPI on the PATH, and does not fail while another MPI works."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libmpi.so.12").write_bytes(b"")
    broken = tmp_path / "bin/mpiexec"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && printf "HYDRA build details:\\n    Version:  1.2.3\\n" && exit\nexit 3\n'
    )
    broken.chmod(0o755)
    done = heddle("doctor", PATH=f"{tmp_path}/bin:{os.environ['PATH']}", timeout=300)
    assert done.returncode == 0 and "mpich-1.2.3" in done.stdout and "→" in done.stdout and "✓" in done.stdout, done.stdout


def test_doctor_says_what_turns_heddle_off(heddle, tmp_path):
    """Also if a file turns it off, and there is no environment variable to unset."""
    file = tmp_path / "off.conf"
    file.write_text("HEDDLE=off\n")
    for asked, where in (({"HEDDLE": "off"}, "unset HEDDLE"), ({"HEDDLE_CONFIG": str(file)}, f"{file}:1")):
        findings = json.loads(heddle("doctor", "--json", timeout=300, **asked).stdout)
        off = next(finding for finding in findings if finding["what"] == "Heddle")
        assert off["verdict"] == "poor" and where in off["seen"] + off["mend"] and "HEDDLE=off" in off["seen"], off


def test_version(heddle):
    assert heddle("--version").stdout.strip() == f"heddle {package.__version__}"
    project = (Path(__file__).parents[2] / "python/pyproject.toml").read_text()
    assert f'version = "{package.__version__}"' in project


def test_version_with_how_it_was_built(heddle):
    said = heddle("--version", "--verbose").stdout
    assert said == heddle("--verbose", "--version").stdout
    assert said.startswith(f"heddle {package.__version__}\n") and "libheddle_mpich.so, built with MPICH" in said


def test_help_teaches_by_examples(heddle):
    assert "heddle run -n 4 -- ./app" in heddle("--help").stdout
    for command in ("run", "explain"):
        assert f"heddle {command} " in heddle(command, "--help").stdout
    for command in ("mpi", "doctor", "env", "bench"):
        done = heddle(command, "--help")
        assert done.returncode == 0 and "Usage" in done.stdout, command


def test_a_wrong_number_is_quoted_beside_those_that_are_allowed(heddle):
    for words, value, said in (
        (("run", "-n", "two", "--", "true"), "'two'", "Allowed: 1 and more."),
        (("run", "-n", "0", "--", "true"), "'0'", "Allowed: 1 and more."),
        (("compare", "--rounds", "0", "--", "true"), "'0'", "Allowed: 1 and more."),
        (("explain", "--file-view", "--ranks", "4097", "int"), "'4097'", "Allowed: 1 to 4,096."),
        (("simulate", "fft2d", "-n", "1.5"), "'1.5'", "Allowed: 2 to 16,777,216."),
        (("compare", "--timeout", "soon", "--", "true"), "'soon'", "Allowed: 1 and more."),
        (("bench", "pack", "--rounds", "0"), "'0'", "Allowed: 1 and more."),
        (("bench", "study", "--ranks", "1", "x"), "'x'", "Allowed: 1 to 64."),
    ):
        done = heddle(*words)
        shown = " ".join(done.stderr.replace("│", " ").split())
        assert done.returncode == 2 and value in shown and said in shown, done


def test_an_installed_copy_says_where_the_benchmarks_are(tmp_path):
    package = CHECKOUT / "python/heddle"
    shutil.copytree(package, tmp_path / "heddle", ignore=shutil.ignore_patterns("bench", "demo", "native", "__pycache__"))
    for words in (["bench"], ["bench", "--help"], ["bench", "pack", "--quick"]):
        command = [sys.executable, "-m", "heddle", *words]
        environment = clean_environment() | {"PYTHONPATH": str(tmp_path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 2 and "checkout" in done.stderr and "make programs" in done.stderr, done
    done = subprocess.run([sys.executable, "-m", "heddle", "--help"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "bench" not in done.stdout, done
