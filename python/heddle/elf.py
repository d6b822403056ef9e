"""Facts in an ELF file. pyelftools is imported only if a file is really read: the import takes
longer than a stat."""

from __future__ import annotations

import mmap
import os
from pathlib import Path


def is_elf(path: str | os.PathLike) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def defines(path: Path, symbol: str) -> bool:
    """True: the executable itself defines a function of this name."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with open(path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
                if image.find(symbol.encode() + b"\0") < 0:  # longer names may share their end with it
                    return False
            for section in (ELFFile(file).get_section_by_name(name) for name in (".symtab", ".dynsym")):
                if section and any(each["st_shndx"] != "SHN_UNDEF" for each in section.get_symbol_by_name(symbol) or ()):
                    return True
    except (OSError, ValueError, ELFError):
        pass
    return False


def build_id(path: Path) -> str:
    """The build ID in hexadecimal digits. Empty: the file has none, or is no ELF file."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.segments import NoteSegment

    try:
        with open(path, "rb") as file:
            for segment in ELFFile(file).iter_segments():
                for note in segment.iter_notes() if isinstance(segment, NoteSegment) else ():
                    if note["n_type"] == "NT_GNU_BUILD_ID":
                        return str(note["n_desc"])
    except (OSError, ValueError, ELFError):
        pass
    return ""


def soname(path: Path) -> str:
    """The name that programs were linked with. A file without a soname has its own name, such as
    libmpi.so.40.40.7."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with open(path, "rb") as file:
            dynamic = ELFFile(file).get_section_by_name(".dynamic")
            for tag in dynamic.iter_tags("DT_SONAME") if dynamic else ():
                return tag.soname
    except (OSError, ELFError):
        pass
    return path.name
