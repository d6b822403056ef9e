"""Names and JSON from files that we do not trust: a terminal shows them and does not obey them.

clean("a\\x1b[2Jb")          # 'a\\\\x1b[2Jb': each character that is not printed as itself is spelled out
json_of(Path("r.json"))      # its value with all texts cleaned, or a ValueError with the reason in words
"""

from __future__ import annotations

import json
import re
from pathlib import Path

MOST = 1 << 29  # bytes of a file that is read whole
CUT_OFF = "it is cut off: its end is missing"
WORDS = ("true", "false", "null")
# The beginning of a number, a word of JSON or an escape, or nothing.
PART = re.compile("|".join([r"[-+.\deE]*", r"\\?u[\da-fA-F]{0,4}", *(word[:n] for word in WORDS for n in range(1, len(word)))]))


def clean(text: str) -> str:
    """The text in one line. Escapes of terminals, line ends and marks that turn the direction of
    writing become `\\x1b`."""
    return text if text.isprintable() else "".join(one if one.isprintable() else _spelled(ord(one)) for one in text)


def clean_lines(text: str) -> str:
    """The same, but line ends stay."""
    return "\n".join(map(clean, text.split("\n")))


def _spelled(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_of(file: Path, most: int = MOST) -> object:
    """OSError: the file cannot be read. ValueError: it is no JSON, or its size or depth is not
    plausible."""
    with open(file, "rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most >> 20} MiB")
    try:
        return _cleaned(json.loads(data.decode("utf-8"), parse_constant=_no_number))
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data"
        raise ValueError(CUT_OFF if cut else "it is no text in UTF-8") from None
    except json.JSONDecodeError as error:
        if not error.doc.strip():
            raise ValueError("it is empty") from None
        where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise ValueError(CUT_OFF if _cut_off(error) else f"it is no JSON ({where})") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _cut_off(error: json.JSONDecodeError) -> bool:
    """True: the text ends within a value, or before one that must come."""
    rest = error.doc[error.pos :].strip()
    return error.msg.startswith("Unterminated string") or (error.pos > 0 and PART.fullmatch(rest) is not None)


def _no_number(name: str) -> None:
    raise ValueError(f"it has {name} for a number")


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {clean(name): _cleaned(one) for name, one in value.items()}
    return value
