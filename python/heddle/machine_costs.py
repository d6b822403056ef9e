"""The costs of moving bytes on this machine, for `heddle tune`: heddle-tool measures them several
times, and writes a profile.

answer = measured(["--output", "p.json"], notes=[], once=False, progress=lambda done, what: None)
answer["profile"], answer["builtin"], answer["path"]
answer["unsure"]      # the figures on which the tries do not agree: the profile has their built-in values
answer["kept"]        # the figures that were not measured, or whose fit is impossible: they have built-in values, too
answer["without"]     # notes for the user; the profile keeps those about a busy machine
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

from heddle import native, written
from heddle.foreign import json_of
from heddle.links import AGAIN
from heddle.problem import Problem
from heddle.repeated import MOST_TRIES, TRIES, Repeated, Spoilt, repeated

MACHINE = ("process_vm_readv", "mapped_memory", "packing_kernels")  # and the curves
MESSAGES = "messages_of_"
CURVE = "_ns_per_byte"
NAMED = 4
NO_SENSE = "makes no sense"  # heddle-tool's words about figures that nobody would believe
DOUBT = "the machine was busy"  # notes that the profile keeps, because `heddle doctor` shows them


def measured(arguments: list[str], notes: list[str], once: bool, progress: Callable[[float, str], None]) -> dict:
    """@param once: trust a single try."""
    answers: list[dict] = []
    earlier = doubts_of(Path(arguments[arguments.index("--output") + 1])) if "--add" in arguments else []

    def measure() -> dict[str, float]:
        try:
            for line in native.stream("tune", *arguments, "--progress", "--json"):
                if "done" in line:
                    progress(line["done"] if once else _done(len(answers) + line["done"]), line["what"])
                else:
                    answers.append(line)
        except Problem as problem:
            if NO_SENSE not in str(problem):
                raise
            raise Spoilt(str(problem)) from None
        return dict(_figures(answers[-1]["profile"])) | dict.fromkeys(_of_machine(answers[-1]["kept"]), math.nan)

    found = repeated(measure, slower=False, anyway=once)
    if not answers:
        raise Problem(found.spoilt)
    answer = answers[-1]
    builtin = dict(_figures(answer["builtin"]))
    if not once:
        for name, value in (found.values | {name: builtin[name] for name in (*found.unsure, *found.missing)}).items():
            group, _, member = name.partition("/")
            answer["profile"][group][member] = value
    said = [answer["without"]] if answer["without"] else []
    messages = [name for name in answer["kept"] if name.startswith(MESSAGES)]
    answer["unsure"], answer["kept"] = list(found.unsure), [*found.missing, *messages]
    said += [*_impossible([] if said else found.missing, messages), *notes, *_sure(found, len(builtin))]
    again = found.busy or found.spoilt or found.unsure or found.missing
    answer["without"] = [*(one for one in said if one != AGAIN), *([AGAIN] if AGAIN in said or (again and not once) else [])]
    if doubts := [*earlier, *(one for one in answer["without"] if DOUBT in one)]:
        answer["profile"]["doubts"] = doubts
    _write(Path(answer["path"]), answer["profile"])
    return answer


def doubts_of(profile: Path) -> list[str]:
    """The notes about a busy machine in a profile. None if it cannot be read: heddle-tool complains
    of such a profile."""
    try:
        return [str(one) for one in json_of(profile).get("doubts", [])]
    except (OSError, ValueError, AttributeError, TypeError):
        return []


def _of_machine(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(MESSAGES)]


def _impossible(costs: list[str], messages: list[str]) -> Iterator[str]:
    """A note about figures that are less than any machine has. The notes about messages tell why
    their costs on shared cores are missing."""
    names = [*costs, *(name for name in messages if "/shared_core_" not in name)]
    if names:
        named = ", ".join(name.replace("/", ", ") for name in names)
        yield f"not measured: {named} (the times give less than any machine takes); the built-in values are kept"


def _done(tries: float) -> float:
    """The part of the work after so many tries: most measurements need TRIES, some more."""
    usual = 0.9
    further = (1 - usual) * (tries - TRIES) / (MOST_TRIES - TRIES)
    return usual * tries / TRIES if tries < TRIES else min(1.0, usual + further)


def _sure(found: Repeated, many: int) -> Iterator[str]:
    if found.tries > 1:
        agree = f"costs of this machine: measured {found.tries} times, within {100 * (found.within - 1):.0f} %"
        if found.beside:
            agree += ", but beside other work, which may slow each try alike: figures may be too slow"
        if found.unsure:
            names = ", ".join(name.replace("/", ", ") for name in list(found.unsure)[:NAMED])
            more = f", and {len(found.unsure) - NAMED} more" if len(found.unsure) > NAMED else ""
            agree += f"; but the tries do not agree on {len(found.unsure)} of {many} figures, which keep their built-in values"
            agree += f" ({names}{more})"
        yield agree
    if found.busy:
        yield f"the machine was busy: while its own costs were measured, {found.busy}"
    if found.spoilt:
        yield f"the machine was busy: a try of its own costs failed ({found.spoilt.split('. ')[0].removesuffix('.')})"


def _figures(profile: dict) -> Iterator[tuple[str, float]]:
    """The figures of the machine: "process_vm_readv/call_ns" and its value."""
    for group, members in profile.items():
        if isinstance(members, dict) and (group in MACHINE or group.endswith(CURVE)):
            for name, value in members.items():
                yield f"{group}/{name}", value


def _write(path: Path, profile: dict) -> None:
    try:
        written.write(path, json.dumps(profile, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise Problem(f"cannot write {path} ({error.strerror}).") from None
