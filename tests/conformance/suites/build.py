"""Builds one program with mpicc, unless it is newer than its sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

from suites.suite import NotBuilt, Program


def compiled(program: Program, mpicc: Path, place: Path, helpers: list[str]) -> Path:
    target = place / program.part / program.name
    if missing := [str(source) for source in program.sources if not source.is_file()]:
        raise NotBuilt(f"there is no {missing[0]}")
    if target.exists() and all(target.stat().st_mtime > source.stat().st_mtime for source in program.sources):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    switches = [word for word in program.flags if not word.startswith("-l")]
    libraries = [word for word in program.flags if word.startswith("-l")]
    # -w: the suites are built as they are. Warnings of later compilers are for the suites' authors.
    command = [mpicc, "-w", "-O1", "-g", *switches, *helpers, *program.sources, "-o", target, *libraries]
    _run(command)
    return target


def library(source: Path, mpicc: Path, target: Path) -> Path:
    """Builds a library to preload."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _run([mpicc, "-O2", "-shared", "-fPIC", source, "-o", target], source)
    return target


def archive(target: Path, sources: list[Path], words: list[str], mpicc: Path) -> None:
    """Compiles the helpers that programs of a suite share, once."""
    if target.exists():
        return
    objects = []
    for source in sources:
        objects.append(target.parent / f"{target.stem}-{source.stem}.o")
        _run([mpicc, "-w", "-O1", "-g", "-c", *words, source, "-o", objects[-1]], source)
    subprocess.run(["ar", "rcs", target, *objects], check=True)


def _run(command: list, source: Path | None = None) -> None:
    """Raises NotBuilt if the compiler fails. The text begins with `source`, if that is given."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise NotBuilt(f"{source.name}: {complaint(done.stderr)}" if source else complaint(done.stderr))


def complaint(text: str) -> str:
    """The first line with an error."""
    lines = [line.strip() for line in text.splitlines() if "error" in line or "undefined reference" in line]
    line = lines[0] if lines else text.strip().partition("\n")[0]
    return line.split("error: ")[-1].split(": ")[-1] if line else "does not compile"
