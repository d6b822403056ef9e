"""Reads a file that HEDDLE_REPORT has written (docs/report.md has its schema). A file that is no
report, or that is damaged, gets a sentence.

found = rows_of(Path("r.json"))          # of this build, or of an earlier version
"""

from __future__ import annotations

import math
import shlex
from dataclasses import fields
from pathlib import Path

from heddle.foreign import json_of
from heddle.problem import Problem

from . import LEAST, MOST, PARTS, VERSION, Algorithm, Communicator, Found, Mailed, OfRank, Procedure, Row, Site
from .lines import Place

READABLE = (1, 2, 3)  # versions
WAITED = ("waited_for", "waited_us")
LONGEST_US = 1e15  # of a wait


def _count(value: object) -> int:
    """A number that the library counts in 64 bits."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number < 1 << 63:
        raise ValueError(f"{value!r:.40} is no count")
    return number


def _bytes(value: object) -> int:
    """A number of bytes that may be negative."""
    return -_count(-value) if isinstance(value, int) and value < 0 else _count(value)


def _size(value: object) -> int:
    """0, or a power of two."""
    number = _count(value)
    if number & (number - 1):
        raise ValueError(f"{number} is no size")
    return number


def _us(value: object) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise ValueError(f"{value!r:.40} is no time")
    return number


def _row(raw: dict) -> Row:
    times = {part: _us(raw[f"{part}_us"]) for part in PARTS}
    texts = {name: str(raw[name]) for name in ("call", "datatype", "way")}
    numbers = {name: _count(raw[name]) for name in ("ranks", "calls", "bytes")}
    return Row(
        **texts,
        **numbers,
        times=times,
        longest_search=_us(raw.get("search_us_max", 0)),
        blocks=_count(raw.get("blocks", 0)),
        **_of_a_rank(raw),
        procedure=str(raw.get("procedure", "")),
        why=str(raw.get("why", "")),
        **_bounds(raw),
        **_from(raw),
    )


def _of_a_rank(raw: dict) -> dict[str, dict[str, float]]:
    """The least and the most of each phase. Reports of version 1 have none of them."""
    extremes = {"least": LEAST, "most": MOST}
    if not any(name in raw for names in extremes.values() for name in names.values()):
        return {}
    return {which: {part: _us(raw[name]) for part, name in names.items()} for which, names in extremes.items()}


def _from(raw: dict) -> dict:
    """The place, datatype and communicator of calls. Reports of version 1 do not have them."""
    place = Place(*(str(raw.get(name, "")) for name in ("module", "offset", "symbol", "line", "no_line", "build_id")))
    return {"place": place, **{name: str(raw.get(name, "")) for name in ("datatype_name", "communicator")}}


def _bounds(raw: dict) -> dict:
    """The extent and the lower bound of a layout."""
    return {name: _bytes(raw[name]) for name in ("extent", "lower_bound") if name in raw}


def _communicator(raw: dict) -> Communicator:
    return Communicator(**{field.name: type_(raw[field.name]) for field, type_ in _COMMUNICATOR})


_COMMUNICATOR = [(field, str if field.name in ("call", "kept") else _count) for field in fields(Communicator)]


def _counted(raw: dict) -> dict:
    us = _us(raw["us"])
    return {
        **{name: _count(raw[name]) for name in ("ranks", "calls")},
        "us": us,
        **{name: _us(raw.get(name, us)) for name in ("us_min", "us_max")},
        "carried": _count(raw.get("carried", 0)),
        "passed": {str(why): _count(calls) for why, calls in raw.get("passed", {}).items()},
    }


def _procedure(raw: dict) -> Procedure:
    return Procedure(str(raw["name"]), **_counted(raw))


def _waited(raw: dict) -> dict[str, dict]:
    """Times until late ranks came, by the rank and by the reason. Times of 0 have no entry."""
    by_rank, by_reason = ({str(key): _us(us) for key, us in raw.get(name, {}).items()} for name in WAITED)
    if max([*by_rank.values(), *by_reason.values()], default=0) > LONGEST_US:
        raise ValueError("a wait of more than 30 years is no time")
    return {
        "waited_for": {_count(rank): us for rank, us in by_rank.items() if us > 0},
        "waited_us": {reason: us for reason, us in by_reason.items() if us > 0},
    }


def _site(raw: dict) -> Site:
    sizes = {_size(size): _count(calls) for size, calls in raw.get("sizes", {}).items() if _count(calls) > 0}
    layout = {"datatype": str(raw.get("datatype", "")), **_bounds(raw)}
    counted = {"bytes": _count(raw["bytes"]), "sizes": sizes}
    return Site(str(raw["procedure"]), **_counted(raw), **_from(raw), **counted, **layout, **_waited(raw))


def _algorithm(raw: dict) -> Algorithm:
    numbers = (_count(raw[name]) for name in ("ranks", "calls"))
    found = _from(raw)
    spread = {name: _count(raw[name]) for name in ("bytes_min", "bytes_median", "bytes_max") if name in raw}
    named = str(raw.get("procedure", "")), found["place"], found["communicator"], str(raw["algorithm"])
    return Algorithm(*named, *numbers, bytes=_count(raw.get("bytes", 0)), **spread)


def _of_rank(raw: dict) -> OfRank:
    to = {_count(rank): _count(count) for rank, count in raw["to"].items()} if "to" in raw else None
    times = (_us(raw[name]) for name in ("elapsed_us", "us"))
    counted = _count(raw["calls"]), _count(raw["bytes"])
    more = {"threads": _count(raw.get("threads", 1)), "unlogged": _count(raw.get("unlogged", 0)), **_waited(raw)}
    more |= {"cpu_us": _us(raw["cpu_us"])} if "cpu_us" in raw else {}
    return OfRank(_count(raw["rank"]), *times, *counted, to, str(raw.get("host", "")), **more)


def _mailed(raw: dict) -> Mailed:
    return Mailed(str(raw["name"]), *(_count(raw[name]) for name in ("ranks", "blocks", "bytes")))


def _run(raw: dict) -> dict:
    """The facts about the run. Values are texts, except for the command, the settings and
    numbers."""
    run = {str(name): value if isinstance(value, (int, float)) else str(value) for name, value in raw.items()}
    if isinstance(raw.get("command"), list):
        run["command"] = [str(word) for word in raw["command"]]
    run["settings"] = {str(name): str(value) for name, value in raw.get("settings", {}).items()}
    return run


def rows_of(file: Path) -> Found:
    try:
        raw = json_of(file)
        if not isinstance(raw, dict):
            raise ValueError("it is no JSON object")
        if "traceEvents" in raw and "heddle_report" not in raw:
            raise Problem(f"{file} is a timeline; open it in Perfetto (https://ui.perfetto.dev).")
        if "heddle_compare" in raw and "heddle_report" not in raw:
            raise Problem(
                f"{file} is the JSON of a comparison, and no command shows it again. `heddle compare --html FILE -- ...` "
                "compares again, and writes a page."
            )
        if raw["heddle_report"] not in READABLE:
            raise Problem(
                f"{file} is of version {raw['heddle_report']!r}; this heddle reads versions up to {VERSION}. Read it with the "
                "heddle that made it, or run the program again."
            )
        rows = [_row(row) for row in raw["rows"]]
        communicators = [_communicator(one) for one in raw.get("communicators", [])]
        return Found(
            _count(raw["ranks"]),
            sorted(rows, key=lambda row: -row.time),
            sorted(communicators, key=lambda one: (-one.size, one.call, one.kept)),
            sorted((_procedure(one) for one in raw.get("procedures", [])), key=lambda one: -one.us),
            _us(raw.get("elapsed_us", 0)),
            [_mailed(one) for one in raw.get("mailboxes", [])],
            sorted((_site(one) for one in raw.get("sites", [])), key=lambda one: -one.us),
            [_algorithm(one) for one in raw.get("algorithms", [])],
            sorted((_of_rank(one) for one in raw.get("by_rank", [])), key=lambda one: one.rank),
            _run(raw.get("run", {})),
            str(raw.get("heddle", "on")),
            raw["heddle_report"],
        )
    except IsADirectoryError:
        raise Problem(f"{file} is a folder. Name a report in it.") from None
    except FileNotFoundError as error:
        from heddle import near

        makes = f" `heddle run --report={shlex.quote(str(file))} -- ...` makes one."
        raise Problem(f"cannot read {file} ({error.strerror}).{near.file(file) or makes}") from None
    except OSError as error:
        raise Problem(f"cannot read {file} ({error.strerror}).") from None
    except MemoryError:
        raise Problem(f"{file} is too large for the memory of this machine.") from None
    except KeyError as error:
        raise _no_report(file, f"{error} is missing in it") from None
    except ValueError as error:
        raise _no_report(file, str(error)) from None
    except (TypeError, AttributeError):
        raise _no_report(file, "it has a value of another kind than expected") from None


def _no_report(file: Path, why: str) -> Problem:
    return Problem(f"{file} is no report: {why}. HEDDLE_REPORT=r.json heddle run ... makes one, r.json, when the program ends.")
