"""Places of functions and lines of a program in its file, for HEDDLE_EXPLAIN. The library itself reads no debug information.

    found("exchange,face", [Path("/home/me/halo")])     # "exchange,face,exchange=halo+0x1189-0x11f0"
    found("halo.c:42", [Path("/home/me/halo")])         # "halo.c:42,halo.c:42=halo+0x11a4-0x11c0"

Symbols of the file give the place of a function (a stripped file has none). Debug information (-g) gives the places of inlined
functions and of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from heddle import elf

LINE = re.compile(r"(.+):(\d+)")
LARGEST = 64 << 20  # bytes of debug information that are read: more would take too long

Range = tuple[int, int]


def found(names: str, files: Iterable[Path]) -> str:
    """`names`, with the places of functions and lines added. The names themselves stay: a datatype may have the same name."""
    files = [file for file in dict.fromkeys(files) if elf.is_elf(file)]
    ranges = [
        f"{name}={file.name}+{low:#x}-{high:#x}"
        for name in (part.strip() for part in names.split(","))
        if not _said(name)
        for file in files
        for low, high in _of(name, file)
    ]
    return ",".join([names, *ranges])


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
    """True: a function of this name has that symbol. Compilers add .part.0 and the like. Fortran adds an underscore, or the
    module. C++ adds namespaces, parameters and the lengths of names."""
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
