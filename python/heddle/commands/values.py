"""Options with numbers: a message about a wrong value quotes the value, and says which are allowed.

    app.command(cls=Command)(run)       # heddle run -n two: 'two' is no integer. Allowed: 1 and more.

Typer itself names the value only in some versions.
"""

from __future__ import annotations

import re

import typer
from typer.core import TyperCommand


class Command(TyperCommand):
    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as wrong:
            wrong.message = _message(wrong) or wrong.message
            raise


def _message(wrong: typer.BadParameter) -> str:
    """The message for a number. "": the value is none, or Typer's own message quotes it."""
    value, what = _of_pydantic(wrong) or _of_click(wrong) or ("", "")
    if not value:
        return ""
    allowed = _allowed(wrong.param)
    return (f"{value!r} is no {what}." if what else f"{value!r} is not allowed.") + (f" Allowed: {allowed}." if allowed else "")


def _of_pydantic(wrong: typer.BadParameter) -> tuple[str, str] | None:
    """The value, and the kind of number that it is not ("": it is out of range). Newer versions of
    Typer ask Pydantic."""
    faults = getattr(wrong.__cause__, "errors", None)
    fault = faults()[0] if callable(faults) else {}
    kind = str(fault.get("type", ""))
    what = {"int": "integer", "float": "number"}.get(kind.partition("_")[0], "")
    return (str(fault["input"]), what) if "input" in fault and (what or kind.endswith("_than_equal")) else None


def _of_click(wrong: typer.BadParameter) -> tuple[str, str] | None:
    """The same from the text of a Typer that has Click's types."""
    found = re.match(r"'?(.*?)'? is not (?:a valid (int|float)|in the range)", wrong.message)
    return (found[1], {"int": "integer", "float": "number"}.get(found[2], "")) if found else None


def _allowed(option: object | None) -> str:
    ranges = (option, getattr(option, "type", None))
    least, most = (
        next((got for each in ranges if (got := getattr(each, name, None)) is not None), None) for name in ("min", "max")
    )
    if least is None or most is None:
        return f"{least:,} and more" if least is not None else f"at most {most:,}" if most is not None else ""
    return f"{least:,} to {most:,}"
