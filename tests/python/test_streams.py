"""The command's own stdout: an alphabet without our signs, a full disk, a closed stdout."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import HEDDLE, clean_environment, compiled, prefix, report, row

TYPE = "vector(3, 1, 2, int)"
WORK = "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); }\n"


def report_in(folder: Path) -> str:
    (folder / "r.json").write_text(json.dumps(report(row(bytes=99))))
    return str(folder / "r.json")


def words_of(command: str, folder: Path) -> list[str]:
    plain = {"explain": ["explain", TYPE], "env": ["env"], "help": ["--help"]}
    return plain.get(command) or [*command.split(), *([report_in(folder)] * (2 if command == "report" else 1))]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_signs_that_an_alphabet_lacks_are_spelled_out(encoding, tmp_path):
    environment = clean_environment(PYTHONIOENCODING=encoding)
    for words in (["explain", TYPE], ["report", report_in(tmp_path)], ["report", report_in(tmp_path), report_in(tmp_path)]):
        done = subprocess.run([HEDDLE, *words], env=environment, capture_output=True, timeout=240)
        assert done.returncode == 0 and not done.stderr, done
        sign = "x" if encoding == "ascii" else "×"
        assert f"loop 3 {sign} 8 B" in done.stdout.decode(encoding) or words[0] == "report"


def test_letters_of_others_are_spelled_out(tmp_path):
    (tmp_path / "ä日.json").write_text("{}")
    environment = clean_environment(PYTHONIOENCODING="ascii")
    done = subprocess.run([HEDDLE, "report", tmp_path / "ä日.json"], env=environment, capture_output=True, timeout=240)
    assert done.returncode == 1 and rb"\xe4\u65e5.json is no report" in done.stderr, done


@pytest.mark.skipif(not shutil.which("localedef"), reason="a locale must be made")
def test_a_locale_without_utf_8(tmp_path):
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", tmp_path / "de_DE.ISO-8859-1"], capture_output=True)
    if made.returncode:
        pytest.skip(made.stderr.decode(errors="replace"))
    environment = clean_environment(LOCPATH=str(tmp_path), LC_ALL="de_DE.ISO-8859-1")
    program = compiled("mpich", tmp_path / "app", "-x", "c", write(tmp_path / "app.c", WORK))
    mpi = ["--mpi", str(prefix("mpich"))]
    for words in (["doctor", *mpi], ["explain", TYPE], ["compare", "-r", "1", "--no-warm-up", "-n", "1", *mpi, "--", program]):
        done = subprocess.run([HEDDLE, *words], env=environment, capture_output=True, timeout=400)
        assert done.returncode == 0 and b"Traceback" not in done.stderr, done
    assert "× 8 B".encode("latin-1") in subprocess.run([HEDDLE, "explain", TYPE], env=environment, capture_output=True).stdout
    words = ["compare", "-r", "1", "--no-warm-up", "--no-calls", "--json", "-", "-n", "1", *mpi, "--", program]
    done = subprocess.run([HEDDLE, *words], env=environment, capture_output=True, timeout=400)
    assert done.stdout.isascii() and json.loads(done.stdout)["heddle_compare"], done


def write(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@pytest.mark.parametrize("command", ["report", "report --json", "explain", "env", "help"])
def test_a_full_disk_is_told_in_a_line(command, tmp_path):
    for unbuffered in ("", "1"):
        with open("/dev/full", "w") as full:
            environment = clean_environment(PYTHONUNBUFFERED=unbuffered)
            words = [HEDDLE, *words_of(command, tmp_path)]
            done = subprocess.run(words, env=environment, stdout=full, stderr=subprocess.PIPE, timeout=240)
        said = b"heddle: cannot write to stdout (No space left on device).\n"
        assert done.returncode == 1 and done.stderr == said, done


def test_a_closed_stdout(tmp_path):
    def closed(*words: str) -> subprocess.CompletedProcess:
        line = ["sh", "-c", '"$@" >&-', "sh", HEDDLE, *words]
        return subprocess.run(line, env=clean_environment(), capture_output=True, text=True, timeout=240)

    for words in (["doctor"], ["explain", TYPE]):
        done = closed(*words)
        assert done.returncode == 1 and done.stderr == "heddle: cannot write to stdout (it is closed).\n", done
    file = tmp_path / "ran"
    done = closed("run", "--mpi", str(prefix("mpich")), "--", "touch", str(file))
    assert done.returncode == 0 and file.exists() and not done.stderr, done


def test_a_reader_that_ends_early_is_no_mistake():
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as stdout:
        done = subprocess.run([HEDDLE, "env"], env=clean_environment(), stdout=stdout, stderr=subprocess.PIPE, timeout=240)
    assert not done.stderr, done
