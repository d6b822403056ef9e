"""Places of functions and lines of a program in its file, for HEDDLE_EXPLAIN. The library itself
reads no debug information.

    found("exchange,face", [Path("/home/me/halo")])     # "exchange,face,?,exchange=halo+0x1189-0x11f0,..."
    found("halo.c:42", [Path("/home/me/halo")])         # "halo.c:42,?,halo.c:42=halo+0x11a4-0x11c0,..."

Symbols of the file give the place of a function (a stripped file has none). Debug information (-g)
gives the places of inlined functions and of lines. The last entries are the lines of all calls of
MPI, so that rank 0 can name the line of a call: "?exchange (halo.c:42)=halo+0x11a3-0x11a4".
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from heddle import elf
from heddle.reported import lines

LINE = re.compile(r"(.+):(\d+)")
LARGEST = 64 << 20  # bytes of debug information that are read: more would take too long
SOUGHT = "?"  # tells the library that functions and lines have been sought
SECONDS = 20  # so long may the disassembler take
MOST_LETTERS = 64 << 10  # of the lines of a file: a variable of the environment has room for 128 KiB
IMPORTS = re.compile(rb"\0P?(MPIX?_[A-Z]|mpix?_[a-z])\w+\0")  # a symbol of MPI
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s")
CALL = re.compile(r"\b(?:callq?|blr?)\b.*?<P?(?:MPIX?_[A-Z]|mpix?_[a-z])\w+", re.ASCII)

Range = tuple[int, int]


def found(names: str, files: Iterable[Path]) -> str:
    """`names`, with the places of functions and lines added, and the lines of calls. The names
    themselves stay: a datatype may have the same name."""
    files = [file for file in dict.fromkeys(files) if elf.is_elf(file)]
    ranges = [
        f"{name}={file.name}+{low:#x}-{high:#x}"
        for name in (part.strip() for part in names.split(","))
        if not _said(name)
        for file in files
        for low, high in _of(name, file)
    ]
    return ",".join([names, SOUGHT, *ranges, *(line for file in files for line in _calls(file))])


def _calls(file: Path) -> list[str]:
    """The lines of a program that call MPI, by their return addresses."""
    places = [lines.Place(str(file), hex(address)) for address in _returns(file)]
    said, letters = [], 0
    for place, text in lines.places(places).items():
        offset = int(place.offset, 16)
        one = f"{SOUGHT}{text}={file.name}+{offset - 1:#x}-{offset:#x}"
        letters += len(one) + 1
        if letters > MOST_LETTERS:
            break
        if lines.LINE.search(text) and not {",", "="}.intersection(text + file.name):
            said.append(one)
    return said


def _returns(file: Path) -> list[int]:
    """The addresses behind the calls of MPI, by the disassembler of binutils. That of elfutils does
    not name the called functions."""
    tool = shutil.which("objdump")
    if not tool or file.stat().st_size > LARGEST or not IMPORTS.search(file.read_bytes()):
        return []
    try:
        done = subprocess.run([tool, "-d", file], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    found, called = [], False
    for line in done.stdout.splitlines():
        at = INSTRUCTION.match(line)
        if at and called:
            found.append(int(at[1], 16))
        if at:
            called = bool(CALL.search(line))
    return found


def _said(name: str) -> bool:
    return not name or name == "all" or name.startswith("MPI_") or "+0x" in name or "=" in name


def _of(name: str, file: Path) -> list[Range]:
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile

    line = LINE.fullmatch(name)
    try:
        with open(file, "rb") as image:
            program = ELFFile(image)
            ranges = set() if line else set(_symbols(name, program))
            section = program.get_section_by_name(".debug_info")
            if section is not None and section.data_size <= LARGEST:
                about = program.get_dwarf_info()
                ranges |= set(_lines(line[1], int(line[2]), about) if line else _inlined(name, about))
            return sorted(each for each in ranges if each[0] < each[1])
    except (OSError, ELFError, DWARFError, KeyError, ValueError, AttributeError, AssertionError):
        return []  # damaged or of an unknown kind: only names of datatypes remain


def _symbols(name: str, program) -> Iterator[Range]:
    for table in (program.get_section_by_name(section) for section in (".symtab", ".dynsym")):
        for symbol in table.iter_symbols() if table else ():
            if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"] and names(name, symbol.name):
                yield symbol["st_value"], symbol["st_value"] + symbol["st_size"]


def names(name: str, symbol: str) -> bool:
    """True: a function of this name has that symbol. Compilers add .part.0 and the like. Fortran
    adds an underscore, or the module. C++ adds namespaces, parameters and the lengths of names."""
    plain = symbol.split(".")[0]
    if plain in (name, f"{name.lower()}_") or plain.endswith(f"_MOD_{name.lower()}"):
        return True
    return plain.startswith("_Z") and f"{len(name)}{name}" in plain and _demangled_is(name, plain)


def _demangled_is(name: str, symbol: str) -> bool:
    """True: the name is the last of those nested in _ZN...E, or the only one."""
    rest = re.sub(r"^_ZN?[KVr]*(St)?", "", symbol)
    last = ""
    while length := re.match(r"\d+", rest):
        end = length.end() + int(length[0])
        last, rest = rest[length.end() : end], rest[end:]
    return last == name


def _lines(file: str, line: int, about) -> Iterator[Range]:
    for unit in about.iter_CUs():
        program = about.line_program_for_CU(unit)
        if program is None:
            continue
        first = 0 if program["version"] >= 5 else 1
        wanted = {i + first for i, entry in enumerate(program["file_entry"]) if _named(entry.name, file)}
        before = None
        for entry in program.get_entries() if wanted else ():
            state = entry.state
            if state is None:
                continue
            if before and before.address < state.address:
                yield before.address, state.address
            before = state if not state.end_sequence and state.line == line and state.file in wanted else None


def _named(entry: bytes, file: str) -> bool:
    known = entry.decode(errors="replace")
    return known == file or Path(known).name == file


def _inlined(name: str, about) -> Iterator[Range]:
    from elftools.dwarf.ranges import BaseAddressEntry

    lists = about.range_lists()
    for unit in about.iter_CUs():
        top = unit.get_top_DIE()
        base = top.attributes["DW_AT_low_pc"].value if "DW_AT_low_pc" in top.attributes else 0
        for die in unit.iter_DIEs():
            if die.tag != "DW_TAG_inlined_subroutine" or _name_of(die) != name:
                continue
            if "DW_AT_low_pc" in die.attributes and "DW_AT_high_pc" in die.attributes:
                low, high = die.attributes["DW_AT_low_pc"].value, die.attributes["DW_AT_high_pc"]
                yield low, high.value if high.form == "DW_FORM_addr" else low + high.value
            elif "DW_AT_ranges" in die.attributes and lists:
                place = base
                for one in lists.get_range_list_at_offset(die.attributes["DW_AT_ranges"].value, cu=unit):
                    if isinstance(one, BaseAddressEntry):
                        place = one.base_address
                    else:
                        own = 0 if getattr(one, "is_absolute", False) else place
                        yield own + one.begin_offset, own + one.end_offset


def _name_of(die) -> str:
    """The name of the function that an inlined copy comes from."""
    for _ in range(4):
        if "DW_AT_name" in die.attributes:
            return die.attributes["DW_AT_name"].value.decode(errors="replace")
        origin = next((of for of in ("DW_AT_abstract_origin", "DW_AT_specification") if of in die.attributes), None)
        if origin is None:
            return ""
        die = die.get_DIE_from_attribute(origin)
    return ""
