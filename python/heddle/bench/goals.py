"""The project's goals for its benchmarks, which `heddle bench --goals NAME` shows. Users see only
figures.

goals.show(console(), lambda: table)       # prints nothing without --goals
"""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console, RenderableType

_asked = False


def ask(asked: bool) -> None:
    global _asked
    _asked = asked


def asked() -> bool:
    return _asked


def show(screen: Console, made: Callable[[], RenderableType]) -> None:
    if _asked:
        screen.print(made())
