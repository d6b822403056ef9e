"""On a terminal, lines have at most 80 columns and whole words. Elsewhere a sentence is a line."""

import os
import pty
import re
import subprocess
import termios
from collections import Counter

import pytest
from conftest import HEDDLE, clean_environment

COMMANDS = (
    ["explain", "vector(128, 8, 4096, int)"],
    ["explain", "hvector(8, 1, 24, vector(8, 1, 8, contiguous(3, double)))", "--count", "3"],
    ["explain", "struct([3, 5, 1, 7], [0, 24, 13000000, 13000064], [double, int, char, short])"],
    ["explain", "subarray([160, 160], [20, 40], [33, 22], double)", "--to", "contiguous(8, double)"],
    ["explain", "indexed_block(7, [3, 1000, 77, 31, 500, 4444, 12345678, 9, 99999], long_double)"],
    ["explain", "--group", "0:90000:300"],
    ["explain", "--group", "cart(100 x 100 x 100; *, 7, *)"],
    ["explain", "--collective", "allgatherv: 32k, 47 x 8; 4 nodes"],
    ["explain", "--collective", "exchange: 26 x 512; 256 ranks, 16 nodes"],
    ["env"],
    ["algorithms"],
)


def on_a_terminal(arguments: list[str], columns: int = 80, cwd=None, **more: str) -> str:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (50, columns))
    environment = clean_environment(**more) | {"COLUMNS": str(columns), "TERM": "xterm"}
    process = subprocess.Popen([HEDDLE, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=cwd)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0, text
    return re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).replace("\r", "")


def in_a_file(arguments: list[str]) -> str:
    done = subprocess.run([HEDDLE, *arguments], capture_output=True, text=True, env=clean_environment() | {"COLUMNS": "80"})
    assert done.returncode == 0, done
    return done.stdout


def words(text: str) -> list[str]:
    return re.findall(r"[^\s█▒·⋯]+", text)


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda line: " ".join(line)[:40])
def test_eighty_columns_and_no_word_is_split(arguments):
    shown, plain = on_a_terminal(arguments), in_a_file(arguments)
    assert max(map(len, shown.splitlines())) <= 80, [line for line in shown.splitlines() if len(line) > 80]
    assert not [line for line in shown.splitlines() if line != line.rstrip()]
    # Both have the same words. Only tables that are too wide for the terminal lose some of their
    # heads.
    assert not Counter(words(shown)) - Counter(words(plain))
    if arguments[0] == "explain":
        assert sorted(words(shown)) == sorted(words(plain))


def test_a_pair_of_the_type_map_stays_together():
    shown = on_a_terminal(COMMANDS[0])
    assert re.search(r"\(int, 16384\)", shown) and not re.search(r"\(\w+,\n", shown)


@pytest.mark.parametrize("arguments", [line for line in COMMANDS if line[0] == "explain"], ids=lambda line: " ".join(line)[:40])
def test_elsewhere_a_sentence_is_a_line(arguments):
    lines = in_a_file(arguments).splitlines()
    assert lines[0] == (arguments[1] if arguments[1][0] != "-" else arguments[2]) + (" × 3" if "--count" in arguments else "")
    if arguments[1][0] != "-":
        (first,) = (line for line in lines if line.startswith("  {("))
        assert first.endswith("}")
    assert not [line for line in lines if set(line) & set("│─┃━┏╇")]


def test_longer_words_than_the_terminal_stay_whole(tmp_path):
    """A user can copy a path."""
    file = tmp_path / ("long" * 20) / "p.json"
    file.parent.mkdir()
    subprocess.run([HEDDLE, "tune", "--quick", "--anyway", "--mpi", "none", "--output", file], check=True, capture_output=True)
    assert str(file) in on_a_terminal(COMMANDS[0], HEDDLE_PROFILE=str(file))


def test_overhead():
    """Its figures differ from run to run, so lines are compared, not words."""
    measure = ["bench", "overhead", "--quick", "--mpi", "mpich"]
    lines = on_a_terminal(measure).splitlines()
    assert max(map(len, lines)) <= 80 and "send 8 bytes to self" in "\n".join(lines)
    rows = [line for line in in_a_file(measure).splitlines() if line.startswith("MPICH")]
    assert len(rows) > 5 and all(len(row.split("  ")) > 5 for row in rows)
    assert not re.search("[│┃━]", "\n".join([*lines, *rows]))
