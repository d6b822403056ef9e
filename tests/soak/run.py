"""Compiles programs, and runs them alone or under Heddle.

A run has a time-out. The module reports stacks of hanging ranks, and files left in /dev/shm.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}


@dataclass
class Outcome:
    verdict: str  # "passed", "wrong", "crashed", "hangs", "left files"
    text: str
    seconds: float
    stacks: str = ""

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    def scenarios(self) -> list[int]:
        """The scenarios that the output blames."""
        return sorted({int(n) for n in re.findall(r"scenario (\d+) step", self.text)})

    def first(self) -> str:
        lines = [line for line in self.text.splitlines() if re.match(r"(WRONG|CRASHED|HANGS|heddle:)", line)]
        return lines[0] if lines else (self.text.strip().splitlines() or [self.verdict])[0]


@dataclass
class Machine:
    mpi: str
    heddle: Path
    scratch: Path
    seconds: float = 60
    nodes: int = 1  # under Heddle, the ranks play so many nodes
    private: bool = field(default=False)  # each run has its own /dev/shm, so all files left in it are of that run

    @property
    def prefix(self) -> Path:
        return ROOT / ".mpi" / self.mpi

    def probe(self) -> None:
        command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/shm"]
        self.private = shutil.which("unshare") is not None and subprocess.run(command, capture_output=True).returncode == 0

    def compile_command(self, source: Path, program: Path) -> list[str]:
        return [str(self.prefix / "bin/mpicc"), "-g", "-w", "-pthread", "-o", str(program), str(source), "-ldl"]

    def compile(self, text: str, name: str) -> Path:
        source, program = self.scratch / f"{name}.c", self.scratch / name
        source.write_text(text)
        done = subprocess.run(self.compile_command(source, program), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{source} does not compile:\n{done.stderr[:2000]}")
        return program

    def run_command(
        self, program: Path, ranks: int, heddle: bool, tool: Path | None = None, tool_first: bool = True
    ) -> list[str]:
        launch = [str(self.prefix / "bin/mpiexec")]
        if self.mpi == "openmpi":
            launch += [
                "--oversubscribe",
                "--mca",
                "mpi_yield_when_idle",
                "1",
                "--mca",
                "btl",
                "^ofi",
            ]  # which sleeps for a second in MPI_Init
            if os.getuid() == 0:
                launch.append("--allow-run-as-root")
        preload = [str(tool)] if tool and (tool_first or not heddle) else []
        if heddle:
            preload.append(str(self.heddle))
            preload += [str(tool)] if tool and not tool_first else []
            preload.append(str(self.prefix / "lib" / LIBRARY[self.mpi]))
        settings = {name: value for name, value in os.environ.items() if name.startswith("HEDDLE_")}
        if self.nodes > 1:
            settings |= {"HEDDLE_NODES": str(self.nodes), "HEDDLE_FABRIC": "tcp"}
        given = [f"{name}={value}" for name, value in settings.items()] if heddle else []
        environment = ["env", *given, f"LD_PRELOAD={' '.join(preload)}"] if preload else []
        return [*launch, "-n", str(ranks), *environment, str(program)]

    def run(
        self,
        program: Path,
        ranks: int,
        heddle: bool,
        tool: Path | None = None,
        tool_first: bool = True,
        seconds: float | None = None,
    ) -> Outcome:
        command = self.run_command(program, ranks, heddle, tool, tool_first)
        if self.private:
            script = 'mount -t tmpfs none /dev/shm && "$@"; rc=$?; [ $rc = 0 ] && ls /dev/shm | sed "s/^/LEFT /"; exit $rc'
            command = ["unshare", "-m", "sh", "-c", script, "sh", *command]
        start = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as out:
            environment = {**os.environ, "TMPDIR": str(self.scratch)}
            child = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, env=environment, stdin=subprocess.DEVNULL
            )
            stacks, hung = "", False
            try:
                child.wait(seconds or self.seconds)
            except subprocess.TimeoutExpired:
                hung = True
                stacks = self.stacks(program)
            for pid in self.processes(program):
                kill(pid, signal.SIGKILL)
            for left in Path("/dev/shm").glob(f"{self.scratch.name}-*"):  # files of a program that has failed (files.c)
                left.unlink(missing_ok=True)
            if hung:
                try:
                    child.wait(5)
                except subprocess.TimeoutExpired:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            out.seek(0)
            text = out.read()
        took = time.monotonic() - start
        if hung:
            return Outcome("hangs", text, took, stacks)
        if child.returncode == 0 and "SOAKED" in text:
            return Outcome("left files" if "LEFT " in text else "passed", text, took)
        return Outcome("crashed" if "CRASHED" in text or "ENDED" in text else "wrong", text, took)

    def processes(self, program: Path) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if os.readlink(entry / "exe") == str(program):
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def stacks(self, program: Path) -> str:
        """The place of each rank. Ranks report it themselves (SIGALRM), and so does gdb if it is
        there."""
        pids = self.processes(program)
        for pid in pids:
            kill(pid, signal.SIGALRM)
        time.sleep(0.3)
        if not shutil.which("gdb"):
            return ""
        out = []
        for pid in pids:
            command = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set pagination off", "-ex", "thread apply all bt 14"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
            except subprocess.TimeoutExpired:
                continue
            out += [f"-- process {pid}", *(line[:220] for line in done.stdout.splitlines() if line.startswith(("#", "Thread")))]
        return "\n".join(out)


def kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
