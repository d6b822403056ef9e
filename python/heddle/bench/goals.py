"""What the project wants of its benchmarks: shown by `heddle bench --goals NAME`. Who measures a machine wants the figures.

goals.show(console(), lambda: table)       # nothing, unless they are asked for
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
