"""The command's own stdout and stderr: an alphabet without our signs, a full disk, a closed stdout.

prepare(closed_is_fine=False)      # a Problem: stdout is closed
print("→ 2 × as fast")             # "-> 2 x as fast" where the locale has no such signs
Unwritable                         # raised by print: the disk is full, say
silence()                          # whatever is still to be printed is dropped
"""

from __future__ import annotations

import codecs
import io
import os
import sys

from heddle.problem import Problem

_SPELLED = {
    **{"→": "->", "×": "x", "µ": "u", "…": "...", "–": "-", "±": "+-", "·": ".", "≤": "<=", "≥": ">="},
    **{"✓": "+", "✗": "x", "⋮": ":", "⋯": "...", "█": "#", "▒": "+", "²": "^2", "³": "^3", "§": "section "},
}
_ERRORS = "heddle"  # the name of our error handler


class Unwritable(Exception):
    """Stdout takes no more. This is no OSError, because commands catch those of other files."""

    def __init__(self, why: str):
        super().__init__(f"cannot write to stdout ({why}).")


class _Stdout(io.FileIO):
    def write(self, data) -> int | None:
        try:
            return super().write(data)
        except BrokenPipeError:  # the reader, such as head, ends early
            raise
        except OSError as error:
            raise Unwritable(error.strerror) from None


def prepare(closed_is_fine: bool) -> None:
    """`closed_is_fine`: stdout is that of a program, and we print nothing."""
    codecs.register_error(_ERRORS, _spelled_out)
    if sys.stderr is None:  # print would take stdout instead
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    elif sys.stderr.errors == "backslashreplace":
        sys.stderr.reconfigure(errors=_ERRORS)
    if sys.stdout is not None:
        sys.stdout = _wrapped(sys.stdout)
        return
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (no child inherits it)
    if not closed_is_fine:
        raise Problem("cannot write to stdout (it is closed).")


def _wrapped(stdout: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = _Stdout(stdout.fileno(), "w", closefd=False)
    unbuffered = isinstance(stdout.buffer, io.RawIOBase)  # PYTHONUNBUFFERED
    return io.TextIOWrapper(
        raw if unbuffered else io.BufferedWriter(raw),
        stdout.encoding,
        _ERRORS if stdout.errors == "strict" else stdout.errors,  # surrogateescape in the locale C
        line_buffering=stdout.line_buffering,
        write_through=stdout.write_through,
    )


def _spelled_out(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replaces a sign that the encoding does not have. Other letters are spelled out."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if sign in _SPELLED:
        return _SPELLED[sign], error.start + 1
    return f"\\x{ord(sign):02x}" if ord(sign) < 0x100 else ascii(sign)[1:-1], error.start + 1


def silence() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
