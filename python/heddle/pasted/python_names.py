"""The names of a Python program: where each name gets a value, and whether this value is certain.

A name is known if the last assignment before its use gives its value literally, and is in no branch
or loop without the use. It is not known if several functions assign it, or if a loop around the use
changes it later.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from heddle.pasted.python_effects import WHOLE, Effects

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Module)
BRANCHES = (ast.If, ast.Try, *LOOPS, *((ast.TryStar,) if hasattr(ast, "TryStar") else ()))
CASES = (ast.ExceptHandler, *((ast.match_case,) if hasattr(ast, "match_case") else ()))
NAMED = ("FunctionDef", "AsyncFunctionDef", "ClassDef", "ExceptHandler", "MatchAs", "MatchStar")
GROWS = ("append", "extend", "insert")  # a list


class Binding(NamedTuple):
    target: ast.AST
    value: ast.expr | None  # None: not known


class Change(NamedTuple):
    at: ast.AST  # a[2] in a[2] = 5
    value: ast.expr | None = None  # None: not known
    effect: str = WHOLE
    certain: bool = True  # it has happened exactly once before the use


class Names:
    def __init__(self, tree: ast.Module) -> None:
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.effects = Effects(tree, self.parents)
        self._bound: dict[str, list[Binding]] = {}
        self._changed: dict[str, list[Change]] = {}
        self._local: dict[ast.AST, set[str]] = {}  # names of a function
        self._declared: dict[tuple[ast.AST, str], bool] = {}  # of other scopes; True: global
        self._seen: set[ast.AST] = set()  # targets
        for node in ast.walk(tree):
            self._see(node)
        for node in ast.walk(tree):
            self._see_rest(node)
        words = [name.split(".") for name in self._bound]
        objects = {".".join(each[:many]) for each in words for many in range(1, len(each))}
        objects |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for node in ast.walk(tree):
            if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
                continue
            name = ast.unparse(node)
            if (name in self._bound or name in objects) and (effect := self.effects.of(node)):
                self._changed.setdefault(name, []).append(Change(node, effect=effect))

    def is_set(self, name: str) -> bool:
        """True if the text has statements that set the name, anywhere."""
        return name in self._bound or name in self._changed

    def is_set_once(self, name: str) -> bool:
        return len(self._bound.get(name, ())) == 1

    def last(self, name: str) -> Binding | None:
        """The last assignment to a name in the text."""
        return max(self._bound.get(name, ()), key=lambda one: place(one.target), default=None)

    def beginning(self, name: str, appends: int) -> Binding | None:
        """The only assignment of a list that otherwise grows by so many appends, each at its end.
        None: other statements set it, too."""
        bound = self._bound.get(name, [])
        whole = [one for one in bound if one.value is not None]
        return whole[0] if len(whole) == 1 and len(bound) == 1 + appends else None

    def changes_of(self, name: str) -> list[ast.AST]:
        """The uses that may change a list, except append, and the elements that are assigned."""
        uses = [one.at for one in self._changed.get(name, []) if one.effect == WHOLE]
        return [one for one in uses if getattr(self.parents[one], "attr", "") != "append"]

    def is_set_within(self, name: str, loop: ast.For) -> bool:
        """True: statements of the loop set its own variable."""
        return any(one.target is not loop.target and loop in self.chain(one.target) for one in self._bound.get(name, ()))

    def chain(self, node: ast.AST) -> list[ast.AST]:
        found = []
        while node in self.parents:
            node = self.parents[node]
            found.append(node)
        return found

    def scope(self, node: ast.AST) -> ast.AST:
        return next(one for one in self.chain(node) if isinstance(one, SCOPES))

    def binding(self, name: str, use: ast.AST) -> Binding | None:
        """The assignment that a use of a name sees. None: it is not certain."""
        home = self._home(name, use)
        if isinstance(home, COMPREHENSIONS) or (isinstance(home, FUNCTIONS) and name in _parameters(home)):
            return None
        found = [one for one in self._bindings(name) if self._home(name, one.target) is home]
        scopes = {self.scope(one.target) for one in found}
        if len(scopes) != 1:  # none, or several functions assign it
            return None
        if self.scope(use) not in scopes:
            enclosing = scopes.pop() in self.chain(use)
            return found[0] if enclosing and len(found) == 1 and self.reaches(found[0].target, use) else None
        before = [one for one in found if place(one.target) < place(use) and not self._is_set_by(one.target, use)]
        if not before:
            return None
        last = max(before, key=lambda one: place(one.target))
        again = any(one is not last and self._is_repeated(one.target, use, last.target) for one in found)
        return None if again or not self.reaches(last.target, use) else last

    def definition(self, name: str, use: ast.AST) -> ast.expr | None:
        """The expression that a name stands for at its use."""
        found = self.binding(name, use)
        return found.value if found else None

    def changes(self, name: str, use: ast.AST, made: ast.AST) -> list[Change]:
        """Changes of a list between its use and its assignment to the target `made`, in their
        order."""
        home, own = self._home(name, use), self.scope(made)
        found = []
        for one in sorted(self._changed.get(name, []), key=lambda each: place(each.at)):
            if self._home(name, one.at) is not home:
                continue
            is_own = self.scope(one.at) is own
            if is_own and (place(one.at) < place(made) or self._is_set_by(one.at, use)):
                continue
            if not is_own or self.scope(use) is not own or self._is_repeated(one.at, use, made):
                found.append(one._replace(certain=False))
            elif place(one.at) <= place(use):
                found.append(one._replace(certain=self.reaches(one.at, use)))
        return found

    def is_kept(self, parameter: str, function: ast.AST) -> bool:
        """True: a function only reads its parameter."""
        sets = (*self._bound.get(parameter, []), *self._changed.get(parameter, []))
        return not any(function in self.chain(one[0]) for one in sets)

    def reaches(self, target: ast.AST, use: ast.AST) -> bool:
        """True: the target is in no branch or loop without the use."""
        return self._regions(target) <= self._regions(use)

    def _regions(self, node: ast.AST) -> set[tuple[ast.AST, str]]:
        found = set()
        for around in self.chain(node):
            if isinstance(around, BRANCHES):
                part = next(name for name, its in ast.iter_fields(around) if its is node or (_is_list(its) and node in its))
                if part not in ("test", "iter", "finalbody"):
                    found.add((around, part))
            elif isinstance(around, CASES):
                found.add((around, ""))
            node = around
        return found

    def _is_set_by(self, target: ast.AST, use: ast.AST) -> bool:
        """True: the use is in the assignment itself, and still sees the old value."""
        if not isinstance(getattr(target, "ctx", None), ast.Store):
            return False
        its = next((one for one in self.chain(target) if isinstance(one, ast.stmt)), None)
        return isinstance(its, ASSIGNMENTS) and its in self.chain(use)

    def _is_repeated(self, change: ast.AST, use: ast.AST, made: ast.AST) -> bool:
        """True: a loop has the change and the use, and not the assignment."""
        loops = [one for one in self.chain(use) if isinstance(one, LOOPS)]
        return any(one in self.chain(change) and one not in self.chain(made) for one in loops)

    def _bindings(self, name: str) -> list[Binding]:
        """The assignments of a name. Whatever changes box also changes box.n."""
        own = self._bound.get(name, [])
        first = min((one.target for one in own), key=place, default=None)
        found = list(own)
        while "." in name and own:
            name = name.rpartition(".")[0]
            others = [*self._bound.get(name, []), *(Binding(one.at, None) for one in self._changed_object(name))]
            found += [Binding(one.target, None) for one in others if not self._is_before(one.target, first)]
        return found

    def _is_before(self, node: ast.AST, other: ast.AST) -> bool:
        return self.scope(node) is self.scope(other) and place(node) < place(other)

    def _changed_object(self, name: str) -> list[Change]:
        return [one for one in self._changed.get(name, []) if one.effect == WHOLE]

    def _home(self, name: str, node: ast.AST) -> ast.AST:
        """The function, comprehension or module whose variable a name is."""
        first = re.split(r"\W", name)[0]
        own = self.scope(node)
        for around in self.chain(node):
            if isinstance(around, COMPREHENSIONS) and any(first in names(one.target) for one in around.generators):
                return around
            if not isinstance(around, SCOPES) or (isinstance(around, ast.ClassDef) and around is not own):
                continue
            is_global = self._declared.get((around, first))
            if is_global:
                return self.chain(node)[-1]
            if is_global is None and (first in self._local.get(around, ()) or first in _parameters(around)):
                return around
        return self.chain(node)[-1]

    def _see(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
                if len(node.targets) > 1 and isinstance(target, (ast.Name, ast.Attribute)):  # d = e = [0, 3, 9]
                    self._changed.setdefault(ast.unparse(target), []).append(Change(node.value))
        elif isinstance(node, ast.AnnAssign):
            self._bind(node.target, node.value) if node.value else self._seen.add(node.target)
        elif isinstance(node, ast.AugAssign):
            self._bind(node.target, None)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                self._declared[self.scope(node), name] = isinstance(node, ast.Global)
        elif isinstance(node, ast.Attribute) and node.attr in (*GROWS, "pop", "sort"):
            self._bound.setdefault(ast.unparse(node.value), []).append(Binding(node.value, None))
        elif isinstance(node, ast.comprehension):
            self._seen.update(ast.walk(node.target))

    def _see_rest(self, node: ast.AST) -> None:
        """Whatever else sets a name: loops, with, import, def and the like."""
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            deletes_an_element = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Del)
            if node not in self._seen and not isinstance(node.ctx, ast.Load) and not deletes_an_element:
                self._bind(node, None)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for one in node.names:
                self._set((one.asname or one.name).partition(".")[0], node)
        elif type(node).__name__ in NAMED and node.name:
            self._set(node.name, node)

    def _set(self, name: str, by: ast.AST) -> None:
        self._local.setdefault(self.scope(by), set()).add(name)
        self._bound.setdefault(name, []).append(Binding(by, None))

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        self._seen.add(target)
        if isinstance(target, (ast.Tuple, ast.List)):
            values = self._apart(value, target.elts)
            for one, its in zip(target.elts, values):
                self._bind(one, its)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)
        elif isinstance(target, (ast.Name, ast.Attribute)):
            if isinstance(target, ast.Name):
                self._local.setdefault(self.scope(target), set()).add(target.id)
            self._bound.setdefault(ast.unparse(target), []).append(Binding(target, value))
        elif isinstance(target, ast.Subscript):
            self._changed.setdefault(ast.unparse(target.value), []).append(Change(target, value))

    def _apart(self, value: ast.expr | None, targets: list[ast.expr]) -> list[ast.expr | None]:
        """The values of a, b = c, d or a, b = array.shape."""
        if any(isinstance(one, ast.Starred) for one in (*targets, *getattr(value, "elts", ()))):
            return [None] * len(targets)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
            return value.elts
        if not (isinstance(value, ast.Attribute) and value.attr == "shape"):
            return [None] * len(targets)
        made: list[ast.expr | None] = []
        for which in range(len(targets)):
            index = ast.copy_location(ast.Constant(which), value)
            made.append(ast.copy_location(ast.Subscript(value, index, ast.Load()), value))
            self.parents[made[-1]] = self.parents[value]
        return made


def names(target: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def place(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _parameters(scope: ast.AST) -> set[str]:
    return {one.arg for one in ast.walk(scope.args) if isinstance(one, ast.arg)} if isinstance(scope, FUNCTIONS) else set()


def _is_list(value: object) -> bool:
    return isinstance(value, list)
