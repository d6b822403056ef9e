"""Why a run has left no report, as far as `heddle run` knows.

known(["./app"], code=-11)       # "there is no report: SIGSEGV killed the run, so ..."; "": nothing is known
unknown(elsewhere=" elsewhere")  # "there is no report. If no line above says ..."
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Sequence

from heddle import launch, program
from heddle.problem import Problem

SHELL = 128  # shells and launchers add it to the number of a signal


def known(words: Sequence[str], code: int) -> str:
    """`code`: the exit status; negative: a signal."""
    causes = [*([_ended(code)] if code else []), *([_foreign(words)] if _has_no_mpi(words) else [])]
    return f"there is no report: {'. '.join(causes)}" if causes else ""


def unknown(elsewhere: str) -> str:
    """`elsewhere`: the place of a report that a rank 0 of another node has written."""
    return (
        f"there is no report. If no line above says that it cannot be written: the program did not reach MPI_Finalize, "
        f"or Heddle did not get into it (ask heddle doctor, with the same line), or rank 0 ran{elsewhere}."
    )


def _ended(code: int) -> str:
    if code < 0:
        how = f"{_name(-code)} killed the run"
    else:
        how = f"the run ended with exit status {code}{f' ({_name(code - SHELL)})' if _name(code - SHELL) else ''}"
    return f"{how}, so the program probably did not reach MPI_Finalize"


def _name(number: int) -> str:
    """The name of a signal. "": there is none of this number."""
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return ""


def _foreign(words: Sequence[str]) -> str:
    what = "no program of this line" if launch.is_launcher(words[0]) else words[0]
    return (
        f"{what} is linked with {'an' if what != words[0] else 'no'} MPI library. If it starts another program that is, "
        "ask heddle doctor about that program"
    )


def _has_no_mpi(words: Sequence[str]) -> bool:
    """True: no program of the line is linked with an MPI. A Python program may load it later."""
    try:
        files = [program.resolve(word) for word in words[launch.is_launcher(words[0]) :] if program.exists(word)]
        return bool(files) and not any(program.python_of(one) or launch.linked(one, [str(one)], None) for one in files)
    except Problem:
        return False
