"""Runs random MPI programs under Heddle for a given time. Makes failing programs small.

  scripts/soak                                     ten minutes, both MPIs, a new seed
  scripts/soak --minutes 60 --mpi mpich
  scripts/soak --seed 7 --mpi openmpi --programs 1 the same program again
  scripts/soak --without tools,dlsym               leaves out some features (below)
  scripts/soak --only wildcards,probes             leaves out all other features
  scripts/soak --nodes 2                           Heddle treats the ranks as those of two nodes, and uses the fabric

A program is C code for mpicc. It has a few scenarios for 2 to 5 ranks, with random datatypes,
sizes, calls, communicators and order. It checks data, holes and statuses itself. It first runs
under Heddle. If it fails, it also runs without Heddle. If it fails there, too, the failure belongs
to the host: it is only counted. Otherwise it is a finding: a wrong byte or status, an error, a
crash, a hang, or files left in /dev/shm. The soak makes the program smaller for --shrink seconds,
and writes it to --out as finding-MPI-SEED.c. It needs only an MPI. finding-MPI-SEED.txt has the
commands.

Exit status: 0: no finding. 1: a finding. 2: wrong arguments, or no program to run.

Features, for --without and --only:
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import tools
from generate import random_program
from printer import program as printed
from run import ROOT, Machine, Outcome
from scenario import FEATURES, Scenario
from shrink import Shrinker


def parse(arguments: list[str]) -> argparse.Namespace:
    about = __doc__ + "\n".join(f"  {name:24} {what}" for name, what in FEATURES.items())
    p = argparse.ArgumentParser(prog="scripts/soak", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--minutes", type=float, default=10, help="how long in all (10)")
    p.add_argument("--programs", type=int, default=0, help="stop after so many for each MPI (0: no limit)")
    p.add_argument("--seed", type=int, help="of the first program; the next have the next numbers (drawn, and printed)")
    p.add_argument("--mpi", choices=["mpich", "openmpi"], action="append", help="just this one (both)")
    p.add_argument("--without", default="", metavar="FEATURE,...", help="what to leave out")
    p.add_argument("--only", default=None, metavar="FEATURE,...", help="leave out all but these")
    p.add_argument("--nodes", type=int, default=1, help="that the ranks play under Heddle, over the fabric tcp (1: no fabric)")
    p.add_argument("--scenarios", type=int, default=8, help="in a program (8)")
    p.add_argument("--timeout", type=float, default=60, help="seconds after which a program hangs (60)")
    p.add_argument("--shrink", type=float, default=240, help="seconds to make one finding smaller (240)")
    p.add_argument("--findings", type=int, default=10, help="stop after so many (10)")
    p.add_argument(
        "--heddle", default=str(ROOT / "build/release/src/mpi"), metavar="DIR", help="where libheddle_MPI.so are (%(default)s)"
    )
    p.add_argument("--out", default=str(ROOT / "build/soak"), metavar="DIR", help="folder for failures (%(default)s)")
    options = p.parse_args(arguments)
    if not 1 <= options.nodes <= 1024:
        p.error("--nodes is a number from 1 to 1024")
    named = [f for text in (options.without, options.only or "") for f in text.split(",") if f]
    for feature in named:
        if feature not in FEATURES:
            p.error(f"no feature '{feature}'; there are {', '.join(FEATURES)}")
    options.left_out = {f for f in options.without.split(",") if f}
    if options.only is not None:
        options.left_out |= set(FEATURES) - set(options.only.split(","))
    options.mpi = options.mpi or ["mpich", "openmpi"]
    return options


class Soak:
    def __init__(self, options: argparse.Namespace, scratch: Path):
        self.options, self.scratch = options, scratch
        self.programs = self.hosts = self.flaky = self.again = 0
        self.kinds: set[tuple[str, str, str]] = set()  # kinds of failures found
        self.found: list[Path] = []
        self.began = self.told = time.monotonic()
        self.machines = {}
        for mpi in options.mpi:
            library = Path(options.heddle) / f"libheddle_{mpi}.so"
            machine = Machine(mpi, library, scratch, options.timeout, options.nodes)
            if not library.exists() or not machine.prefix.exists():
                print(
                    f"soak: {mpi} left out: there is no {library if machine.prefix.exists() else machine.prefix}; `make build` makes it",
                    file=sys.stderr,
                )
                continue
            machine.probe()
            self.machines[mpi] = machine

    def late(self) -> bool:
        return time.monotonic() - self.began > 60 * self.options.minutes or len(self.found) >= self.options.findings

    def progress(self, what: str = "") -> None:
        minutes = (time.monotonic() - self.began) / 60
        text = (f"{minutes:5.1f} min: {self.programs} programs of {self.options.scenarios} scenarios, {len(self.found)} found, "
                f"{self.again} like those, {self.hosts} failed by the host alone, {self.flaky} not again; {what}")  # fmt: skip
        if sys.stderr.isatty():
            print(f"\r\033[K{text[:120]}", end="", file=sys.stderr, flush=True)
        elif what.startswith("!") or time.monotonic() - self.told > 15:
            self.told = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    def run(self, first: int) -> int:
        if not self.machines:
            return 2
        seed = first
        while not self.late() and not (self.options.programs and seed - first >= self.options.programs):
            for machine in self.machines.values():
                self.one(machine, seed)
                self.programs += 1
                self.progress(f"{machine.mpi}, seed {seed}")
                if self.late():
                    break
            seed += 1
        if sys.stderr.isatty():
            print(file=sys.stderr)
        print(f"soak: {self.programs} programs of {self.options.scenarios} scenarios (seeds {first} ... {seed - 1}), {self.hosts} scenarios failed by "
              f"the host alone, {self.flaky} failures not seen again, {len(self.found)} found, {self.again} more like those")  # fmt: skip
        for path in self.found:
            print(f"  {path}")
        return 1 if self.found else 0

    def one(self, machine: Machine, seed: int) -> None:
        scenarios = random_program(seed, machine.mpi, self.options.left_out, self.options.scenarios)
        tool, first = None, True
        if "tools" not in self.options.left_out:
            random = Random(f"{seed} tool")
            if random.random() < 0.2:
                source, first = tools.random_tool(random)
                tool = tools.build(source, f"tool-{machine.mpi}-{seed}", machine.prefix / "bin/mpicc", self.scratch)
        # The blamed scenario is judged, and the others run again without it.
        while scenarios and not self.late():
            outcome = self.under_heddle(machine, scenarios, tool, first)
            if outcome.passed:
                return
            blamed = [s for s in scenarios if s.number in outcome.scenarios()] or scenarios
            for s in blamed:
                self.judge(machine, seed, s, scenarios, outcome, tool, first)
                if self.late():
                    return
            scenarios = [s for s in scenarios if s not in blamed]

    def under_heddle(self, machine, scenarios, tool, first, seconds=None) -> Outcome:
        path = machine.compile(printed(scenarios, "soak"), f"program-{machine.mpi}")
        return machine.run(path, scenarios[0].ranks, True, tool, first, seconds)

    def judge(
        self, machine: Machine, seed: int, blamed: Scenario, everything: list[Scenario], outcome: Outcome, tool, first
    ) -> None:
        """Finds out whether the scenario fails alone, or only after the scenarios before it."""
        self.progress(f"! {machine.mpi}, seed {seed}, scenario {blamed.number}: {outcome.verdict}, {outcome.first()[:150]}")
        before = everything[: everything.index(blamed) + 1]
        own = [line for line in outcome.text.splitlines() if f"scenario {blamed.number} step" in line]
        kind = (
            machine.mpi,
            outcome.verdict,
            re.sub(r"\d+|\[rank.*step", "#", own[0] if own and outcome.verdict == "wrong" else outcome.first()),
        )
        if kind in self.kinds:  # one failure of a kind is enough
            self.again += 1
            return
        for candidate in ([blamed], before):
            path = machine.compile(printed(candidate, "soak"), f"judged-{machine.mpi}")
            ranks = blamed.ranks
            for _ in range(5):  # some failures of a host are rare
                if not machine.run(path, ranks, False, tool, first).passed:
                    self.hosts += 1
                    return
            tries = 3 if candidate is not before else 2
            outcomes = []
            for _ in range(tries):
                again = machine.run(path, ranks, True, tool, first)
                outcomes.append(again)
                if not again.passed:
                    break
            again = outcomes[-1]
            if not again.passed:
                if self.fails_alone_in_time(machine, path, ranks, again.verdict, tool, first):
                    self.hosts += 1
                    return
                self.kinds.add(kind)
                self.report(machine, seed, candidate, again, tool, first)
                return
        self.flaky += 1
        self.keep(machine, f"unsteady-{machine.mpi}-{seed}-{blamed.number}", before, outcome, tool, first)

    def fails_alone_in_time(self, machine: Machine, path: Path, ranks: int, verdict: str, tool, first) -> bool:
        """Looks longer for a rare failure of the host, such as a crash in a window of Open MPI."""
        until = time.monotonic() + self.options.shrink
        for _ in range(100):
            if machine.run(path, ranks, False, tool, first).verdict == verdict:
                return True
            if time.monotonic() > until:
                break
        return False

    def report(self, machine, seed, program, outcome, tool, first) -> None:
        quick = (
            min(self.options.timeout, max(8.0, 6 * outcome.seconds)) if outcome.verdict != "hangs" else self.options.timeout / 3
        )

        def fails(smaller: list[Scenario]) -> bool:
            path = machine.compile(printed(smaller, "soak"), f"smaller-{machine.mpi}")
            failed = machine.run(path, smaller[0].ranks, True, tool, first, quick).verdict == outcome.verdict
            return failed and machine.run(path, smaller[0].ranks, False, tool, first, quick).passed

        if tool:
            path = machine.compile(printed(program, "soak"), f"smaller-{machine.mpi}")
            if not machine.run(path, program[0].ranks, True, None, True).passed:
                tool = None  # the failure does not need the tool
        shrinker = Shrinker(fails, self.options.shrink, self.progress)
        small = shrinker.shrink(program)
        path = machine.compile(printed(small, "soak"), f"smaller-{machine.mpi}")
        last = machine.run(path, small[0].ranks, True, tool, first)
        name = f"finding-{machine.mpi}-{seed}" + (f"-{machine.nodes}-nodes" if machine.nodes > 1 else "")
        if (Path(self.options.out) / f"{name}.c").exists():
            name += f"-{program[-1].number}"
        self.found.append(self.keep(machine, name, small, outcome if last.passed else last, tool, first))

    def keep(self, machine, name, program, outcome, tool, first) -> Path:
        out = Path(self.options.out)
        out.mkdir(parents=True, exist_ok=True)
        source, binary = out / f"{name}.c", out / name
        nodes = f" on {machine.nodes} nodes" if machine.nodes > 1 else ""
        title = f"Found by scripts/soak: {outcome.verdict} under Heddle, {program[0].ranks} ranks of {machine.mpi}{nodes}; {outcome.first()[:300]}"
        source.write_text(printed(program, title.replace("*/", "* /")))
        kept_tool = None
        if tool:
            kept_tool = out / f"{name}-tool.so"
            (out / f"{name}-tool.c").write_text(tool.with_name(tool.name[3:-3] + ".c").read_text())
            kept_tool.write_bytes(tool.read_bytes())
        quoted = lambda command: " ".join(f"'{a}'" if " " in a or not a else a for a in command)  # noqa: E731
        lines = [title, "", "Build and run, alone and under Heddle:", "  " + quoted(machine.compile_command(source, binary))]
        lines += ["  " + quoted(machine.run_command(binary, program[0].ranks, h, kept_tool, first)) for h in (False, True)]
        lines += ["", "What it says:", outcome.text[:6000], outcome.stacks[:20000]]
        (out / f"{name}.txt").write_text("\n".join(lines))
        if name.startswith("finding"):
            text = source.read_text()
            print("\n" + text[text.index("static void *run_") :][:8000])
            print(
                "\n".join(lines[:6]) + f"\n\n{outcome.text[:1500]}\nAll of it: {source}, {source.with_suffix('.txt')}\n",
                flush=True,
            )
        return source


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    seed = options.seed if options.seed is not None else Random().randrange(10**6)
    print(f"soak: seed {seed}" + (f", without {', '.join(sorted(options.left_out))}" if options.left_out else ""), flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as scratch:
        return Soak(options, Path(os.path.realpath(scratch))).run(seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
