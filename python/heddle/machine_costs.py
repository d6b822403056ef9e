"""The costs of moving bytes on this machine, for `heddle tune`: heddle-tool measures them several
times, and writes a profile.

answer = measured(["--output", "p.json"], notes=[], once=False, progress=lambda done, what: None)
answer["profile"], answer["builtin"], answer["path"]
answer["unsure"]      # the figures on which the tries do not agree: the profile has their built-in values
answer["without"]     # notes for the user
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from heddle import native, written
from heddle.problem import Problem
from heddle.repeated import MOST_TRIES, TRIES, Repeated, Spoilt, repeated

MACHINE = ("process_vm_readv", "mapped_memory", "packing_kernels")  # and the curves
CURVE = "_ns_per_byte"
NAMED = 4
NO_SENSE = "makes no sense"  # heddle-tool's words about figures that nobody would believe


def measured(arguments: list[str], notes: list[str], once: bool, progress: Callable[[float, str], None]) -> dict:
    """@param once: trust a single try."""
    answers: list[dict] = []

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
        return dict(_figures(answers[-1]["profile"]))

    found = repeated(measure, slower=False, anyway=once)
    if not answers:
        raise Problem(found.busy)
    answer = answers[-1]
    builtin = dict(_figures(answer["builtin"]))
    if not once:
        for name, value in (found.values | {name: builtin[name] for name in found.unsure}).items():
            group, _, member = name.partition("/")
            answer["profile"][group][member] = value
        _write(Path(answer["path"]), answer["profile"])
    said = [answer["without"]] if answer["without"] else []
    answer["unsure"] = list(found.unsure)
    answer["without"] = [*said, *notes, *_sure(found, len(builtin))]
    return answer


def _done(tries: float) -> float:
    """The part of the work after so many tries: most measurements need TRIES, some more."""
    usual = 0.9
    further = (1 - usual) * (tries - TRIES) / (MOST_TRIES - TRIES)
    return usual * tries / TRIES if tries < TRIES else min(1.0, usual + further)


def _sure(found: Repeated, many: int) -> Iterator[str]:
    if found.tries > 1:
        agree = f"costs of this machine: measured {found.tries} times, within {100 * (found.within - 1):.0f} %"
        if found.unsure:
            names = ", ".join(name.replace("/", ", ") for name in list(found.unsure)[:NAMED])
            more = f", and {len(found.unsure) - NAMED} more" if len(found.unsure) > NAMED else ""
            agree += f"; but the tries do not agree on {len(found.unsure)} of {many} figures, which keep their built-in values"
            agree += f" ({names}{more})"
        yield agree
    if found.busy:
        yield f"{found.busy.removesuffix('.')}: run heddle tune again when it is quiet"


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
