"""Which MPI a program uses: an executable by what the loader will give it, a Python program by what mpi4py picks."""

import mmap
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from heddle import families
from heddle.families import Family
from heddle.problem import Problem


@dataclass(frozen=True)
class Linkage:
    program: str
    soname: str
    path: Path | None  # None: the loader does not find it by itself

    @property
    def family(self) -> Family | None:
        return families.of_library(self.soname)


def resolve(word: str) -> Path:
    """The file that a shell would start for this word."""
    if "/" in word:
        path = Path(word)
        if not path.exists():
            raise Problem(f"there is no program {word}.", code=127)
        if path.is_dir() or not os.access(path, os.X_OK):
            raise Problem(f"{word} is not an executable file (chmod +x, or start it with its interpreter).", code=126)
        return path
    found = shutil.which(word)
    if found is None:
        hint = f" There is a file of that name here: write ./{word}." if Path(word).is_file() else ""
        raise Problem(f"there is no program {word} on the PATH.{hint}", code=127)
    return Path(found)


def linkage(path: Path, word: str = "") -> Linkage | None:
    """The MPI library that an executable (`word` as the user wrote it) is linked with; None: no MPI, or a script."""
    if not _is_elf(path):
        return None
    for soname, target in _shared_libraries(path):
        if families.is_mpi(soname):
            return Linkage(word or str(path), soname, target)
    if _defines_mpi(path):
        raise Problem(
            f"{path} has its MPI linked statically, where nothing can be put between. Link it with the shared libmpi "
            f"(mpicc without -static), then run it again."
        )
    return None


def _is_elf(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _shared_libraries(path: Path) -> list[tuple[str, Path | None]]:
    """(soname, file) of all that the loader will map, as the loader itself says: it knows run paths and the cache."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    answer = subprocess.run(["ldd", path.absolute()], capture_output=True, text=True, env=environment)
    return [
        (found[1], Path(found[2]) if found[2].startswith("/") else None)
        for found in re.finditer(r"^\s*(\S+) => (not found|\S+)", answer.stdout, re.MULTILINE)
    ]


def _defines_mpi(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
                if image.find(b"\0MPI_Init\0") < 0:
                    return False
            for section in (ELFFile(file).get_section_by_name(name) for name in (".symtab", ".dynsym")):
                if section and any(
                    symbol["st_shndx"] != "SHN_UNDEF" for symbol in section.get_symbol_by_name("MPI_Init") or ()
                ):
                    return True
    except (OSError, ValueError, ELFError):
        pass
    return False


def python_of(path: Path) -> list[str] | None:
    """The interpreter's command line, if this is Python or a Python script."""
    if re.fullmatch(r"python[\d.]*", path.name):
        return [str(path)]
    try:
        with open(path, "rb") as file:
            first = file.readline(512).decode(errors="replace")
    except OSError:
        return None
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[:1] if words and re.fullmatch(r"python[\d.]*", Path(words[0]).name) else None


# mpi4py decides at import; what it decided is what is mapped then. Nothing is initialized.
_PROBE = """
import mpi4py
mpi4py.rc.initialize = mpi4py.rc.finalize = False
from mpi4py import MPI
for line in open("/proc/self/maps"):
    words = line.split(None, 5)
    if len(words) == 6:
        print(words[5], end="")
"""


def python_linkages(interpreter: list[str], preload: Path | None = None) -> list[Linkage]:
    """The MPI libraries mapped once mpi4py is imported; `preload` is there before. Empty: no mpi4py, or no MPI for it."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    try:
        answer = subprocess.run(
            [*interpreter, "-c", _PROBE],
            capture_output=True,
            text=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    if answer.returncode != 0:
        return []
    files = dict.fromkeys(Path(line) for line in answer.stdout.splitlines() if line.startswith("/"))
    linkages = []
    for file in files:
        soname = _soname(file) if file.name.startswith("lib") and families.is_mpi(_short(file.name)) else None
        if soname and families.is_mpi(soname):
            linkages.append(Linkage(interpreter[0], soname, file))
    return linkages


def _short(file_name: str) -> str:
    return re.sub(r"(\.so\.\d+).*", r"\1", file_name)


def _soname(path: Path) -> str:
    """As it was linked; the file's own name where it has none (maps show the file, say libmpi.so.40.40.7)."""
    try:
        with open(path, "rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            for tag in dynamic.iter_tags("DT_SONAME") if dynamic else ():
                return tag.soname
    except (OSError, ELFError):
        pass
    return path.name
