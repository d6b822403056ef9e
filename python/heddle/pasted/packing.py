"""The alignment to which a C program packs a struct: `#pragma pack(2)` and
`__attribute__((packed))`.

packing = Packing(root)
packing.of(struct)       # 0: not packed; 2: members are aligned to 2 bytes at most; None: not known
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heddle.pasted.syntax import all_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

OPERATORS = re.compile(r"_{1,2}[Pp]ragma\s*\(.*pack")  # pragmas in the form of a call
ARGUMENTS = re.compile(r"\(\s*(push|pop)?\s*,?\s*(\d+)?\s*\)")
POWERS = (1, 2, 4, 8, 16)
PACKED = re.compile(r"__attribute__\s*\(\(\s*(__packed__|packed)\s*\)\)")
ANNOTATED = re.compile(r"(?i:packed|align)")  # a macro of a header, such as PACKED or CACHE_ALIGNED
PLAIN = ("struct", "type_identifier", "field_declaration_list", "comment")


class Packing:
    def __init__(self, root: Node) -> None:
        self._macros = {text_of(one.child_by_field_name("name")) for one in all_of(root, "preproc_def", "preproc_function_def")}
        # From a place of the text on, the alignment is that of #pragma pack.
        self._changes: list[tuple[int, int | None]] = [(0, None if OPERATORS.search(text_of(root)) else 0)]
        kept: list[int | None] = []
        for node in all_of(root, "preproc_call"):
            _, pragma, said = text_of(node).partition("pragma")
            words = re.match(r"\s*(\w+)\s*([^/]*)", said)
            if pragma and words and words[1] in ("pack", "options"):
                now = self._carried_out(words[2].strip(), kept) if words[1] == "pack" and _is_certain(node) else None
                self._changes.append((node.start_byte, now))

    def _carried_out(self, arguments: str, kept: list[int | None]) -> int | None:
        now, found = self._changes[-1][1], ARGUMENTS.fullmatch(arguments)
        if now is None or not found or (found[2] and int(found[2]) not in POWERS):
            return None
        if found[1] == "push":
            kept.append(now)
        elif found[1] == "pop":
            return kept.pop() if kept and not found[2] else None
        return int(found[2] or 0) if found[2] or not found[1] else now

    def of(self, struct: Node) -> int | None:
        around, before = struct.parent, struct.prev_sibling or struct.parent.prev_sibling
        if struct.has_error or (before is not None and before.type == "expression_statement" and before.has_error):
            return None
        # A macro after the struct is a declarator to the parser, a macro before its body is a tag.
        words = [one for one in (struct.child_by_field_name("name"), *around.children_by_field_name("declarator")) if one]
        if around.type in ("type_definition", "declaration"):
            its = (one for one in around.children if one is not struct)
            if around.has_error or any(one.type.startswith(("attribute", "alignas")) for one in its):
                return None
        if any(text_of(one) in self._macros or ANNOTATED.search(text_of(one)) for one in words):
            return None
        packed = [its for at, its in self._changes if at <= struct.start_byte][-1]
        for one in struct.children:
            if one.type == "attribute_specifier" and PACKED.fullmatch(text_of(one)):
                packed = None if packed is None else 1
            elif one.type not in PLAIN:
                return None
        return packed


def _is_certain(pragma: Node) -> bool:
    """False: the pragma stands in a branch of #if, other than the guard of a header."""
    around = pragma.parent
    while around is not None:
        guards = around.type == "preproc_ifdef" and text_of(around).startswith("#ifndef") and around.parent.parent is None
        if around.type.startswith("preproc_") and not guards:
            return False
        around = around.parent
    return True
