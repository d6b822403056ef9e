"""SimGrid's simulated network. heddle-smpi runs the schedules and the engine over SMPI's messages,
with real data."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from heddle import native
from heddle.problem import Problem

from .machines import Machine

PROGRAM = "heddle-smpi.so"
# The limits of a run. A message takes a processor about 20 us; one process holds the bytes of all
# ranks.
MOST_MESSAGES = 1.5e6
MOST_BYTES = 4e9
MOST_RANKS = 16384
# SimGrid 3.32 fails in its sharing of links if more ranks than these have so many messages each
# under way.
RANKS_OF_MANY = 120
MANY_MESSAGES = 100


def missing() -> str:
    """The reason why SimGrid is missing; empty: SimGrid is here."""
    if shutil.which("smpirun") is None:
        return "SimGrid is not installed. Install it (sudo apt-get install libsimgrid-dev) and build Heddle again"
    if not (native.FOLDER / "lib" / PROGRAM).exists():
        return (
            f"this Heddle was built without SimGrid ({PROGRAM} is missing). Build it again in a checkout, with libsimgrid-dev"
        )
    return ""


def affordable(row: dict) -> bool:
    """True: SimGrid can run the task, by the estimator's figures."""
    everything = row["ranks"] * (row["sent_bytes"] + row["copied_bytes"])
    # Received blocks share memory unless they are bundled, so only bundles count.
    held = 0 if row["copied_bytes"] == 0 and row["bench"] != "allgatherv" else everything
    if row["took"] == "direct" and row["messages"] >= MANY_MESSAGES and row["ranks"] > RANKS_OF_MANY:
        return False
    return row["ranks"] <= MOST_RANKS and row["ranks"] * row["messages"] <= MOST_MESSAGES and held <= MOST_BYTES


def _settings(machine: Machine) -> list[str]:
    """Options that switch off the factors which SimGrid has measured on some cluster. The machine's
    own numbers remain."""
    send, receive = machine.send_ns * 1e-9, machine.receive_ns * 1e-9
    return [
        "smpi/bw-factor:0:1",
        "smpi/lat-factor:0:1",
        "network/weight-S:0",
        "network/TCP-gamma:0",
        "network/crosstraffic:0",
        f"smpi/os:0:{send}:0",
        f"smpi/ois:0:{send}:0",
        f"smpi/or:0:{receive}:0",
        "smpi/wtime:0",
        "smpi/simulate-computation:no",
        "smpi/host-speed:1Gf",
        "smpi/cpu-threshold:0",  # copies of a few bytes count, too
        f"smpi/send-is-detached-thresh:{machine.eager_bytes}",
        f"smpi/async-small-thresh:{machine.eager_bytes}",
        "contexts/stack-size:128",
        "contexts/guard-size:0",
    ]


def simulated(machine: Machine, ranks: int, tasks: list[dict]) -> Iterator[dict]:
    """A row for each task, in order."""
    with tempfile.TemporaryDirectory(prefix="heddle-") as name:
        folder = Path(name)
        (folder / "platform.xml").write_text(machine.platform())
        (folder / "hosts").write_text(machine.hosts(ranks))
        (folder / "tasks.json").write_text(json.dumps({"machine": machine.estimator(), "tasks": tasks}))
        line = ["smpirun", "-np", str(ranks), "-no-privatize", "-platform", folder / "platform.xml"]
        line += ["-hostfile", folder / "hosts", *(f"--cfg={one}" for one in _settings(machine))]
        line += ["--log=root.thres:warning", native.FOLDER / "lib" / PROGRAM, folder / "tasks.json"]
        with open(folder / "errors", "w+") as errors:
            with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=folder) as child:
                try:
                    for text in child.stdout:
                        if text.startswith("{"):
                            yield json.loads(text)
                except BaseException:
                    child.kill()
                    raise
            errors.seek(0)
            complaint = [text for text in errors.read().splitlines() if "CRITICAL" in text or text.startswith("heddle: ")]
    if child.returncode != 0:
        why = complaint[0].removeprefix("heddle: ") if complaint else f"it ended with code {child.returncode}"
        raise Problem(f"SimGrid failed with {ranks} ranks: {why}. Leave that case out, or add --estimate.")
