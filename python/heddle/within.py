"""The MPI programs that another program starts, as far as its words and its script name them.

named_by(["time", "./app", "3"])        # the linkage of ./app
named_by(["./job.sh"])                  # of ./app, if a line of the script is `./app input`
named_by(["sh", "-c", "./app 3"])       # of ./app

None: no such program is found, or the programs have different MPIs. A name that the script computes
($HOME/app) is not found. Nothing is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from heddle import program
from heddle.problem import Problem
from heddle.program import Linkage

MOST = 64 << 10  # bytes of a script
MOST_WORDS = 100  # looked up; each program among them is asked for its libraries
_SHELL = re.compile(r"(ba|da|k|z|mk|a)?sh")
_ENDS = re.compile(r"[;&|()`\n]+")  # of a command
_BEFORE = re.compile(r"\w+=.*|if|then|else|elif|while|do|exec|time|nice|nohup|env|!|\{")  # the command's own name


def named_by(words: Sequence[str]) -> Linkage | None:
    found = [linkage for word in _words(words) if (linkage := _linkage(word))]
    return found[0] if len({linkage.family for linkage in found}) == 1 else None


def _words(words: Sequence[str]) -> list[str]:
    said = [word for word in words[1:] if not any(blank in word for blank in " \t\n")]
    return list(dict.fromkeys([*said, *(word for text in _texts(words) for word in _programs(text))]))[:MOST_WORDS]


def _linkage(word: str) -> Linkage | None:
    try:
        return program.linkage(program.resolve(word), word)
    except (Problem, OSError, ValueError):
        return None


def _texts(words: Sequence[str]) -> Iterator[str]:
    """The script that a shell will carry out."""
    shell = _SHELL.fullmatch(Path(words[0]).name) is not None
    for before, word in zip(words, words[1:]):
        if shell and re.fullmatch(r"-[a-z]*c", before):
            yield word
            return
    scripts = [word for word in words[1:] if not word.startswith("-")][:1] if shell else words[:1]
    for word in scripts:
        try:
            text = _read(program.resolve(word) if word is words[0] else Path(word))
        except (Problem, OSError):
            continue
        first = text.partition("\n")[0]
        if shell or (first.startswith("#!") and any(_SHELL.fullmatch(Path(part).name) for part in first[2:].split()[:2])):
            yield text


def _read(file: Path) -> str:
    from heddle import remembered

    remembered.rests_on(file)
    if not file.is_file():
        return ""
    with open(file, "rb") as opened:
        return opened.read(MOST).decode(errors="replace")


def _programs(text: str) -> Iterator[str]:
    """The first words of commands, and all paths."""
    lines = (line for line in text.replace("\\\n", " ").split("\n") if not line.lstrip().startswith("#"))
    for command in _ENDS.split("\n".join(lines)):
        words = [word.strip("\"'") for word in command.split()]
        while words and _BEFORE.fullmatch(words[0]):
            words.pop(0)
        yield from (word for number, word in enumerate(words) if number == 0 or "/" in word)
