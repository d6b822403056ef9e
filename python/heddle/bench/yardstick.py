"""The yardstick: a program from outside the project that packs some of the same cases by plain
hand-written loops.

It prints one JSON object for each case: {"case", "bytes", "gbs"}. Its speed is its best try, so it
is compared with our best.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from heddle.native import CHECKOUT
from heddle.problem import Problem

from .rows import Row

FLAGS = ["-O3", "-march=native", "-std=c++20"]


def default_source() -> Path | None:
    """The yardstick's source beside the checkout, if it is there."""
    for folder in (CHECKOUT.parent, CHECKOUT.parent.parent):
        source = folder / "shared" / "limits" / "limits.cpp"
        if source.is_file():
            return source
    return None


def build(source: Path) -> Path:
    """Compiles `source` once. The user's cache folder keeps the program under the hash of its
    text."""
    if not source.is_file():
        raise Problem(f"no yardstick at {source}. Give --yardstick the path of its source, or leave out the option.")
    mark = hashlib.sha256(source.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "heddle"
    target = folder / f"yardstick-{mark}"
    if not target.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run(["g++", *FLAGS, str(source), "-o", str(partial)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Problem(f"the yardstick {source} does not compile:\n{done.stderr.strip()}")
        partial.rename(target)
    return target


def run(source: Path, core: int) -> Iterator[Row]:
    """Runs the yardstick on one core, and yields its rows as they come."""
    command = [str(build(source))]
    pin = (lambda: os.sched_setaffinity(0, {core})) if core >= 0 else None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pin) as process:
        for line in process.stdout:
            found = json.loads(line)
            speed = float(found["gbs"])
            yield Row(
                "pack",
                found["case"],
                "yardstick",
                "pack",
                speed,
                "GB/s",
                bytes=found["bytes"],
                best=speed,
                samples=1,
                core=core,
            )
    if process.returncode != 0:
        raise Problem(f"the yardstick ended with code {process.returncode}")
