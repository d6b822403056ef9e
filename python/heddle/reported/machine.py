"""The part of heddle tune's profile that a report uses: the times of messages on this machine.

profile = profile_here()            # None: no profile can be read
profile.message_ns                  # ns, to announce a message and hand it over
profile.libraries["mpich"].byte_ns  # KeyError: its messages were not measured
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from heddle import native
from heddle.foreign import json_of

LENGTHS = tuple(4 << 2 * i for i in range(8))  # of blocks, bytes: select::Curve (src/select/profile.hpp)


@dataclass(frozen=True)
class Library:
    """Messages of an MPI library between two ranks of a node, ns."""

    one_ns: float
    byte_ns: float  # a byte of a long message in one piece
    holes_ns: tuple[float, ...] = ()  # a byte of a message with holes, by LENGTHS; empty: not measured

    def holed_byte_ns(self, block: float) -> float:
        """Interpolated between LENGTHS, linearly in the logarithm, as in src/select/profile.cpp."""
        place = min(max(math.log2(max(block, 1) / LENGTHS[0]) / 2, 0), len(LENGTHS) - 1)
        below = min(int(place), len(LENGTHS) - 2)
        return self.holes_ns[below] + (place - below) * (self.holes_ns[below + 1] - self.holes_ns[below])


@dataclass(frozen=True)
class Profile:
    processor: str
    cores: int
    message_ns: float
    libraries: dict[str, Library]


def profile_here() -> Profile | None:
    """The profile of any machine. A report may be read on another machine, so estimate() checks the
    profile's machine."""
    try:
        answer, _ = native.ask("profile", "--json")  # the tool's complaints about the profile do not concern the report
        return _profile(json_of(Path(answer["file"]))) if answer["file"] else None
    except (native.Problem, OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _profile(raw: dict) -> Profile:
    memory, machine = raw["mapped_memory"], raw.get("machine", {})
    libraries = {family: _library(raw[name]) for family in ("mpich", "openmpi") if (name := f"messages_of_{family}") in raw}
    return Profile(
        str(machine.get("processor", "")),
        int(machine.get("cores", 0)),
        float(memory["announcement_ns"]) + float(memory["handover_ns"]),
        libraries,
    )


def _library(raw: dict) -> Library:
    holes = raw.get("with_holes_ns_per_byte", {})
    curve = tuple(float(holes[f"{length} B"]) for length in LENGTHS) if holes else ()
    return Library(float(raw["one_ns"]), float(raw["byte_ns"]), curve)
