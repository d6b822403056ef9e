"""Options with numbers: a message about a wrong value quotes the value, and says which are allowed.

    app.command(cls=Command)(run)       # heddle run -n two: 'two' is no integer. Allowed: 1 and more.

Typer itself names the value only in some versions.
"""

from __future__ import annotations

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
    faults = getattr(wrong.__cause__, "errors", None)  # of Pydantic
    fault = faults()[0] if callable(faults) else {}
    kind = str(fault.get("type", ""))
    what = {"int": "integer", "float": "number"}.get(kind.partition("_")[0], "")
    if "input" not in fault or not (what or kind.endswith("_than_equal")):
        return ""
    allowed = _allowed(wrong.param)
    value = f"{str(fault['input'])!r}"
    return (f"{value} is no {what}." if what else f"{value} is not allowed.") + (f" Allowed: {allowed}." if allowed else "")


def _allowed(option: object | None) -> str:
    least, most = (getattr(option, name, None) for name in ("min", "max"))
    if least is None or most is None:
        return f"{least:,} and more" if least is not None else f"at most {most:,}" if most is not None else ""
    return f"{least:,} to {most:,}"
