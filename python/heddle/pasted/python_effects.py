"""What a use of a name does to its list: `len(d)` reads it, `shift(d)` and `e = d` may change it.

effects = Effects(tree, parents)
effects.of(node)       # "": it reads; WHOLE: the list may change; ELEMENT: lists in it may; ARRAY: it may if it is NumPy's
"""

from __future__ import annotations

import ast

WHOLE, ELEMENT, ARRAY = "whole", "element", "array"
# Functions of Python. The first return no list, the second return a new list of the same elements.
READS = set("len print sum str repr int float bool any all abs round range isinstance type id hash max min".split())
COPIES = set("list tuple sorted set frozenset enumerate zip reversed map filter iter".split())
METHODS = set(  # these only read
    "index count copy tolist astype item sum min max mean prod cumsum any all tobytes nonzero argsort argmin argmax dot".split()
)
ATTRIBUTES = ("size", "shape", "dtype", "ndim", "itemsize", "nbytes", "strides")
OF_NUMPY = set(  # these make new arrays or numbers
    "array copy zeros ones empty full arange linspace sum prod cumsum cumprod diff concatenate append max min amax amin dot "
    "array_equal allclose unique sort argsort where repeat tile stack hstack vstack insert delete int32 int64 intc intp any "
    "all mean size shape ndim zeros_like ones_like empty_like full_like add subtract multiply".split()
)
VIEWS = set("asarray asanyarray ascontiguousarray reshape ravel squeeze transpose atleast_1d flip".split())
OF_MPI = ("Get_cart_rank", "Compute_dims")  # and all Create_
READING = (ast.Compare, ast.UnaryOp, ast.FormattedValue, ast.Expr, ast.Assert, ast.If, ast.While)
OVER = (ast.For, ast.AsyncFor, ast.comprehension, ast.Starred, ast.AugAssign, ast.BinOp)


class Effects:
    def __init__(self, tree: ast.AST, parents: dict[ast.AST, ast.AST]) -> None:
        self._parents = parents
        self._own = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self._numpy = {"np", "numpy"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._numpy |= {one.asname for one in node.names if one.name == "numpy" and one.asname}

    def is_numpy(self, function: ast.expr) -> bool:
        return isinstance(function, ast.Attribute) and ast.unparse(function.value) in self._numpy

    def of(self, node: ast.AST) -> str:
        parent = self._parents[node]
        if isinstance(parent, ast.Attribute):
            return self._of_attribute(parent)
        if isinstance(parent, ast.Subscript):
            return self._of_part(node, parent)
        if isinstance(parent, ast.Call):
            return "" if parent.func is node else self._of_argument(parent)
        if isinstance(parent, ast.keyword):
            call = self._parents[parent]
            return self._of_argument(call) if isinstance(call, ast.Call) and parent.arg != "out" else WHOLE
        if isinstance(parent, READING):
            return ""
        if isinstance(parent, OVER):
            return ELEMENT
        if isinstance(parent, ast.IfExp) and parent.test is node:
            return ""
        if isinstance(parent, (ast.IfExp, ast.BoolOp)):
            return self.of(parent)
        if isinstance(parent, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
            return WHOLE if self.of(parent) else ""
        if isinstance(parent, ast.Assign) and all(map(_takes_elements, parent.targets)):
            return ELEMENT
        return WHOLE  # e = d, return d, del d, and all else

    def _of_attribute(self, attribute: ast.Attribute) -> str:
        around = self._parents[attribute]
        if isinstance(around, ast.Call) and around.func is attribute:
            return "" if attribute.attr in METHODS or attribute.attr.startswith("Create_") else WHOLE
        return "" if attribute.attr in ATTRIBUTES and isinstance(attribute.ctx, ast.Load) else ARRAY

    def _of_part(self, node: ast.AST, part: ast.Subscript) -> str:
        if part.value is not node:
            return ""
        if isinstance(part.ctx, ast.Store):  # python_names.py notes the new element
            return "" if isinstance(node, (ast.Name, ast.Attribute)) else WHOLE
        if isinstance(part.ctx, ast.Del):
            return WHOLE
        return (ARRAY if isinstance(part.slice, ast.Slice) else ELEMENT) if self.of(part) else ""

    def _of_argument(self, call: ast.Call) -> str:
        function = call.func
        if isinstance(function, ast.Name) and function.id not in self._own:
            if function.id in ("max", "min") and len(call.args) > 1:
                return WHOLE if self.of(call) else ""
            return "" if function.id in READS else ELEMENT if function.id in COPIES else WHOLE
        if not isinstance(function, ast.Attribute):
            return WHOLE
        if self.is_numpy(function):
            if function.attr in VIEWS:
                return ARRAY if self.of(call) else ""
            return "" if function.attr in OF_NUMPY else WHOLE
        its = ast.unparse(function.value)
        is_reader = its == "math" or function.attr.startswith("Create_") or function.attr in OF_MPI
        return "" if is_reader or isinstance(function.value, (ast.Constant, ast.JoinedStr)) else WHOLE


def _takes_elements(target: ast.expr) -> bool:
    """True for a, b = d and x[0:2] = d: they copy the elements."""
    return isinstance(target, (ast.Tuple, ast.List)) or (
        isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)
    )
