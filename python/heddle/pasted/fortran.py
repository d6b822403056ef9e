"""Statements of Fortran, brought into the form of C:
`call MPI_Type_vector(3, 1, 8, MPI_REAL8, t, ierr)`.

Names become lower case, because case does not matter in Fortran; MPI's own names become those of C.
Elements of arrays count from 0. Subroutines, loops and branches become blocks, which show where a
name gets its value. All other statements are dropped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from heddle.pasted.constructors import TAKES
from heddle.pasted.implied import IMPLIED
from heddle.pasted.syntax import FORTRAN, all_of, complain_if_open, parsed, parts, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

CALL = re.compile(r"^\s*(?:if\s*\(.*\)\s*)?call\s+mpi_type_\w+", re.IGNORECASE | re.MULTILINE)
# The grammar knows only the free form. In the fixed form, a comment begins with c or *, and column
# 6 continues a line.
COMMENT = re.compile(r"^(?:\*|[cC](?=\s(?!\s*=)|$))[^\n]*", re.MULTILINE)
CONTINUED = re.compile(r"\n {5}[&$+*1-9]")
CONTINUES = re.compile(r"&[ \t]*(?:![^\n]*)?$", re.MULTILINE)  # in the free form, at the end of a line
# MPI's procedures that write integers for use in a datatype. All others only read their arguments.
WRITES = re.compile(r"mpi_(?:comm_(?:rank|size)|cart\w*|dims_create|get_count|type_(?:size|get)\w*|bcast|recv)")
CTYPES = {"integer": "int", "logical": "int", "character": "char", "real": "float", "complex": "float complex"}
INTRINSIC = ("mod", "modulo", "min", "max", "abs")  # of c.py's FUNCTIONS
OPERATORS = ("+", "-", "*", "/", "**")
RELATIONS = {
    old: f" {new} "
    for new, names in {"==": "== .eq.", "!=": "/= .ne.", "<": "< .lt.", "<=": "<= .le.", ">": "> .gt.", ">=": ">= .ge."}.items()
    for old in names.split()
}
LOGICAL = {".and.": " && ", ".or.": " || ", ".not.": "!"}
UNKNOWN = "_unknown"  # a condition that has no form in C
OPENS = ("subroutine_statement", "function_statement")
CLOSES = ("end_subroutine_statement", "end_function_statement", "end_do_loop_statement", "end_do_label_loop_statement")
CASES = ("select_case_statement", "select_type_statement", "select_rank_statement")


def is_fortran(text: str) -> bool:
    return CALL.search(text) is not None


def as_c(text: str) -> str:
    text = COMMENT.sub("", text).lower()
    joined: list[int] = []  # rows to which the fixed form adds another line
    if not CONTINUES.search(text):
        joined = [text[: one.start()].count("\n") - i for i, one in enumerate(CONTINUED.finditer(text))]
        text = CONTINUED.sub(" ", text)
    root = parsed(text, FORTRAN)
    complain_if_open(root, re.compile(r"mpi_type_\w+"))
    translated = Translated(joined, {text_of(one.child_by_field_name("name")) for one in all_of(root, "function_statement")})
    translated.add(root)
    translated.lines += ["}"] * translated.depth
    return re.sub(r"\bmpi_(?!type_|get_address)\w+", lambda name: name[0].upper(), "\n".join(translated.lines))


class Translated:
    def __init__(self, joined: list[int], functions: set[str]) -> None:
        self._joined = joined
        self._functions = functions  # of the program
        self.lines: list[str] = []
        self.lowest: dict[str, str] = {}  # the first index of an array
        self.doubles: set[str] = set()  # names of kinds
        self.depth = 0

    def add(self, node: Node) -> None:
        """A statement, or a part of the program with statements."""
        kind = node.type
        if kind == "variable_declaration":
            self._declared(node)
        elif kind == "parameter_assignment" and len(parts(node)) > 1:
            name, *_, value = parts(node)
            self.lines.append(f"const int {text_of(name)} = {self.text(value)};")
        elif kind == "derived_type_definition":
            self._struct(node)
        elif kind in OPENS:
            names = node.child_by_field_name("parameters")
            own = ", ".join(f"int {text_of(one)}" for one in (parts(names) if names else ()))
            self._open(f"int {text_of(node.child_by_field_name('name'))}({own}) {{")
        elif kind == "do_statement":
            loop = next(all_of(node, "loop_control_expression"), None)
            self._open(f"for (int {text_of(parts(loop)[0])} = 0; 1;) {{" if loop else "while (1) {")
        elif kind in CLOSES:
            self._all(node)  # the last statement of a loop may have the label of its end
            if self.depth:
                self._close()
        elif kind == "if_statement":
            self._open(f"if ({self._condition(parts(node)[0])}) {{")
            self._branch(parts(node)[1:])
            self._close()
        elif kind in CASES:
            self._select(node)
        elif kind == "elseif_clause":
            self.lines.append(f"}} else if ({self._condition(parts(node)[0])}) {{")
            self._branch(parts(node)[1:])
        elif kind == "else_clause":
            self.lines.append("} else {")
            self._all(node)
        elif kind in ("preproc_ifdef", "preproc_if", "preproc_elif", "preproc_else"):
            self._of_preprocessor(node)
        elif kind == "stop_statement" or (kind == "keyword_statement" and node.children[0].type == "return"):
            self.lines.append("return;")
        elif kind == "statement_label":
            self.lines.append(f"label{text_of(node)}: ;")
        elif kind == "keyword_statement" and node.children[0].type in ("goto", "go"):
            label = next(all_of(node, "statement_label"), None)
            self.lines += [f"goto label{text_of(label)};"] if label else []
        elif kind == "subroutine_call":
            self._call(node)
        elif kind == "assignment_statement":
            self._set(node.child_by_field_name("left"), node.child_by_field_name("right"))
        else:
            self._all(node)

    def _line(self, node: Node) -> int:
        row = node.start_point[0]
        return row + 1 + sum(one < row for one in self._joined)

    def _branch(self, statements: list[Node]) -> None:
        for one in statements:
            self.add(one)

    def _select(self, node: Node) -> None:
        """The cases become a chain of if and else. A range of values is no condition of C."""
        selector, *cases = parts(node)
        is_open = False
        for case in cases:
            if case.type != "case_statement":
                continue
            values, *statements = parts(case) or [case]
            is_default = values.type == "default"
            each = [values] if values.type != "case_value_range_list" else parts(values)
            tests = [f"{self.text(parts(selector)[0])} == {text_of(one)}" for one in each]
            is_plain = all(one.type == "number_literal" for one in each)
            test = "if (" + (" || ".join(tests) if is_plain else UNKNOWN) + ") "
            test = "" if is_default and case is [one for one in cases if one.type == "case_statement"][-1] else test
            if is_open:
                self.lines.append(f"}} else {test}{{")
            else:
                self._open(f"{test}{{")
            is_open = True
            self._branch(statements)
        if is_open:
            self._close()

    def _of_preprocessor(self, node: Node) -> None:
        head = text_of(node).splitlines()[0]
        self.lines.append(head)
        skipped = (node.child_by_field_name("name"), node.child_by_field_name("condition"))
        self._branch([one for one in node.named_children if one not in skipped])
        if node.type in ("preproc_ifdef", "preproc_if"):
            self.lines.append("#endif")

    def _condition(self, node: Node) -> str:
        kind = node.type
        if kind == "parenthesized_expression" and len(parts(node)) == 1:
            return f"({self._condition(parts(node)[0])})"
        does = next((text_of(one) for one in node.children if not one.is_named), "")
        if kind == "relational_expression" and does in RELATIONS:
            return RELATIONS[does].join(self.text(node.child_by_field_name(side)) for side in ("left", "right"))
        if kind == "logical_expression" and does in LOGICAL:
            sides = [self._condition(one) for one in parts(node)]
            return f"({LOGICAL[does].join(sides)})" if len(sides) == 2 else f"(!({sides[0]}))"
        if kind == "boolean_literal":
            return "1" if "true" in text_of(node) else "0"
        return text_of(node) if kind in ("identifier", "number_literal") else UNKNOWN

    def text(self, node: Node) -> str:
        """An expression."""
        kind = node.type
        if kind == "number_literal":
            return text_of(node).partition("_")[0]
        if kind == "math_expression":
            return self._combined(node)
        if kind == "unary_expression":
            return "".join(self.text(one) for one in node.children if one.type not in ("&", "comment"))
        if kind == "parenthesized_expression":
            return f"({', '.join(map(self.text, parts(node)))})"
        if kind == "array_literal":
            return f"{{{', '.join(self.text(one) for one in parts(node) if not one.type.endswith('_type'))}}}"
        if kind == "implied_do_loop_expression":
            return self._implied(node)
        if kind == "derived_type_member_expression":
            return ".".join(map(self.text, parts(node)))
        if kind == "keyword_argument":
            return self.text(node.child_by_field_name("value"))
        if kind == "call_expression":
            return self._element(node)
        return text_of(node)

    def _implied(self, node: Node) -> str:
        """The call _implied(i, 0, 3, 1, 7) for the loop (7, i = 0, 3)."""
        *elements, loop = parts(node)
        bounds = list(map(self.text, parts(loop)))
        return f"{IMPLIED}({', '.join([*bounds, *['1'] * (4 - len(bounds)), *map(self.text, elements)])})"

    def _all(self, node: Node) -> None:
        for one in node.named_children:
            self.add(one)

    def _open(self, text: str) -> None:
        self.lines.append(text)
        self.depth += 1

    def _close(self) -> None:
        self.lines.append("}")
        self.depth -= 1

    def _combined(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        does = next((one.type for one in node.children if one.type in OPERATORS), "+")
        if does == "**":
            return self._power(left, right)
        if does == "-" and self._is_array(left) and not self._is_array(right):
            return f"_minus({self.text(left)}, {self.text(right)})"
        return f"{self.text(left)} {does} {self.text(right)}"

    def _power(self, left: Node, right: Node) -> str:
        """A power. The grammar takes a**b**c for (a**b)**c, but Fortran for a**(b**c)."""
        power = self.text(right)
        while left.type == "math_expression" and any(one.type == "**" for one in left.children):
            power = f"_power({self.text(left.child_by_field_name('right'))}, {power})"
            left = left.child_by_field_name("left")
        return f"_power({self.text(left)}, {power})"

    def _is_array(self, node: Node) -> bool:
        """True if an expression is a whole array, or a section that begins at an element."""
        if node.type == "identifier":
            return text_of(node) in self.lowest
        return node.type == "call_expression" and any(one.type == "extent_specifier" for one in parts(parts(node)[-1]))

    def _element(self, node: Node) -> str:
        """An element or a section of an array, or a call of a function."""
        first, given = parts(node)[0], parts(parts(node)[-1])
        name = self.text(first)
        if name == "int" and given:
            return f"({self.text(given[0])})"
        if name in self.lowest and len(given) == 1:
            if given[0].type != "extent_specifier":
                return f"{name}[{self.text(given[0])} - ({self.lowest[name]})]"
            bounds = [one for one in given[0].children if one.type != "comment"]
            if sum(one.type == ":" for one in bounds) == 1:
                return name if bounds[0].type == ":" else f"{name} + ({self.text(bounds[0])} - ({self.lowest[name]}))"
        if any(one.type == "extent_specifier" for one in given):
            return f"_part({name})"
        if name in INTRINSIC and name not in self.lowest and name not in self._functions:
            name = f"_of_fortran_{name}"
        return f"{'sizeof' if name == 'c_sizeof' else name}({', '.join(map(self.text, given))})"

    def _struct(self, node: Node) -> None:
        name = next(all_of(node, "type_name"))
        self.lines.append(f"struct {text_of(name)} {{")
        for line in parts(node):
            if line.type != "variable_declaration":
                continue
            kind = self._ctype(line)
            for one, sizes, _ in self._entities(line):
                self.lines.append(f"{kind} {one}{''.join(f'[{self.text(size)}]' for size in reversed(sizes))};")
        self.lines.append("};")

    def _declared(self, node: Node) -> None:
        kind = self._ctype(node)
        attributes = [text_of(one) for one in node.children_by_field_name("attribute")]
        constant = "const " if "parameter" in attributes else ""
        for name, sizes, value in self._entities(node):
            said = text_of(value) if value else ""
            if constant and (re.match(r"kind\s*\(\s*[\d.]+d", said) or said in ("c_double", "real64", "mpi_real8", "8")):
                self.doubles.add(name)
            if sizes:
                low = [one for one in sizes[0].children if one.type == ":"] and sizes[0].children[0]
                self.lowest[name] = self.text(low) if low and low.type != ":" else "1"
            if kind not in ("float", "double", "char"):
                is_array = name in self.lowest
                shown = f" = {self._list(value) if is_array else self.text(value)}" if value else ""
                self.lines.append(f"{constant}{kind} {name}{'[]' if is_array else ''}{shown};")

    def _entities(self, node: Node) -> list[tuple[str, list[Node], Node | None]]:
        """The name, dimensions and value of each variable."""
        found = []
        for one in node.children_by_field_name("declarator"):
            value = one.child_by_field_name("right") if one.type == "init_declarator" else None
            left = one.child_by_field_name("left") if one.type == "init_declarator" else one
            sizes = [size for inside in parts(left) if inside.type == "size" for size in parts(inside)]
            for attribute in node.children_by_field_name("attribute"):
                if not sizes and text_of(attribute).startswith("dimension"):
                    sizes = [size for inside in parts(attribute) for size in parts(inside)]
            found.append((text_of(next(all_of(left, "identifier"), left)), sizes, value))
        return found

    def _ctype(self, node: Node) -> str:
        kind = node.child_by_field_name("type")
        if kind.type == "derived_type":
            name = text_of(kind.child_by_field_name("name") or kind)
            return "MPI_Datatype" if name == "mpi_datatype" else name
        base, size = re.fullmatch(r"(\w*)(.*)", text_of(kind), re.DOTALL).groups()
        words = re.findall(r"\w+", size)
        double = base == "double" or any(word in size for word in ("double", "64", "8")) or not self.doubles.isdisjoint(words)
        if base == "integer":
            return "long" if double or "address" in size or "count" in size else "int"
        if base in ("real", "complex", "double"):
            return ("double" if double else "float") + (" complex" if base == "complex" else "")
        return CTYPES.get(base, "int")

    def _list(self, value: Node) -> str:
        """The value of an array. A number is the value of all elements."""
        text = self.text(value)
        arrays = any(text_of(one) in self.lowest for one in all_of(value, "identifier"))
        return (
            text
            if arrays or value.type == "array_literal" or next(all_of(value, "call_expression"), None)
            else f"_every({text})"
        )

    def _set(self, left: Node, right: Node) -> None:
        name = self.text(left)
        if text_of(right).startswith("mpi_"):  # a datatype
            self.lines.append(f"#line {self._line(left)}")
        if left.type == "identifier":
            self.lines.append(f"{name} = {self._list(right) if name in self.lowest else self.text(right)};")
        elif left.type == "derived_type_member_expression" and "(" not in name:
            self.lines.append(f"{name} = {self.text(right)};")
        elif left.type == "call_expression":
            array = self.text(parts(left)[0])
            self.lowest.setdefault(array, "1")
            name = self.text(left)
            # The values of several elements are not tracked.
            self.lines.append(f"{name} = {self.text(right)};" if name.endswith("]") else f"{array} += 0;")

    def _call(self, node: Node) -> None:
        inside = next((one for one in parts(node) if one.type == "argument_list"), None)
        name = text_of(node.child_by_field_name("subroutine"))
        arguments = [self.text(one) for one in (parts(inside) if inside else ())]
        constructor = re.sub(r"^mpi_type_(?:create_)?", "", name)
        if name.startswith("mpi_type_") and constructor in TAKES:
            arguments = arguments[: len(TAKES[constructor]) + 1]  # without the error
            arguments[-1:] = ["&" + one for one in arguments[-1:]]
            self.lines += [f"#line {self._line(node)}", f"MPI_Type_{name[9:]}({', '.join(arguments)});"]
        elif name == "mpi_get_address":
            self.lines.append(f"MPI_Get_address({', '.join(arguments[:2])});")
        elif name.startswith("mpi_type_") and not WRITES.match(name):
            self.lines.append(f"MPI_Type_{name[9:]}({', '.join(arguments)});")
        else:
            mark = "&" if WRITES.match(name) or not name.startswith("mpi_") else ""
            self.lines.append(f"{name}({', '.join(mark + one for one in arguments)});")
