"""heddle-tool estimate: the times of tasks by LogGP."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from heddle import native

from . import machines


def machine_of(platform: str, ranks: int, members: int | None) -> dict:
    if platform in machines.PROFILES:
        return {"profile": platform, "members": members or os.cpu_count() or 1}
    return machines.by_name(platform, ranks, members).estimator()


def estimates(machine: dict, tasks: list[dict]) -> Iterator[dict]:
    """A row for each task, in order. Between the rows, {"part": ...} tells the progress of the next
    task."""
    with tempfile.TemporaryDirectory(prefix="heddle-") as folder:
        request = Path(folder) / "tasks.json"
        request.write_text(json.dumps({"machine": machine, "tasks": tasks}))
        yield from native.stream("estimate", str(request))
