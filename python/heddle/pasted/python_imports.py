"""The names by which a program imports mpi4py: `from mpi4py import MPI as mpi`,
`from mpi4py.MPI import DOUBLE`."""

from __future__ import annotations

import ast
import re

IMPORT = re.compile(r"(?m)^\s*(?:from\s+mpi4py\b.*\bimport\b|import\s+(?:\w+\s*,\s*)*mpi4py\b)")

# The names of `from mpi4py.MPI import *` that datatypes need.
MEMBERS = re.compile(
    r"(?:UN)?SIGNED_\w+|S?CHAR|WCHAR|BYTE|SHORT|INT|LONG|LONG_LONG|FLOAT|DOUBLE|LONG_DOUBLE|BOOL|AINT|COUNT|OFFSET|PACKED|"
    r"U?INT(?:8|16|32|64)_T|(?:C|CXX|F)_\w+|\w*COMPLEX\w*|(?:CHARACTER|LOGICAL|INTEGER|REAL)\d*|DOUBLE_PRECISION|"
    r"\w+_INT|TWO\w+|SINT\w+|UNSIGNED|ORDER_\w+|DISTRIBUTE_\w+"
)


def with_mpi(tree: ast.Module) -> ast.Module:
    """The tree with MPI.DOUBLE wherever the program means it."""
    modules, members, everything = set(), {}, False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name == "mpi4py.MPI":
                    modules.add(one.asname or one.name)
                elif one.name == "mpi4py":
                    modules.add(f"{one.asname or one.name}.MPI")
        elif isinstance(node, ast.ImportFrom) and node.module == "mpi4py":
            modules.update(one.asname for one in node.names if one.name == "MPI" and one.asname)
        elif isinstance(node, ast.ImportFrom) and node.module == "mpi4py.MPI":
            everything = everything or any(one.name == "*" for one in node.names)
            members.update({one.asname or one.name: one.name for one in node.names})
    if not modules and not members:
        return tree
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return _Renamed(modules, {name: its for name, its in members.items() if name not in own}, everything, own).visit(tree)


class _Renamed(ast.NodeTransformer):
    def __init__(self, modules: set[str], members: dict[str, str], everything: bool, own: set[str]) -> None:
        self._modules, self._members, self._everything, self._own = modules, members, everything, own

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        name = self._members.get(node.id)
        if self._everything and MEMBERS.fullmatch(node.id) and node.id not in self._own:
            name = name or node.id
        if name:
            return _at(node, ast.Attribute(_at(node, ast.Name("MPI", ast.Load())), name, ast.Load()))
        return _at(node, ast.Name("MPI", ast.Load())) if node.id in self._modules - self._own else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if ast.unparse(node) in self._modules:
            return _at(node, ast.Name("MPI", ast.Load()))
        return self.generic_visit(node)


def _at(node: ast.expr, made: ast.expr) -> ast.expr:
    return ast.copy_location(made, node)
