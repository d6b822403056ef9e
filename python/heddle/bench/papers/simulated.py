"""Numbers from the rows of `heddle simulate`. No MPI is involved, so their names are the source:
SimGrid or the estimate."""

from __future__ import annotations

from .model import Number, Numbers, Take

NAMES = {"simgrid": "simulated", "estimate": "estimated"}


def _find(rows: list[dict], algorithm: str, ranks: int, size: int, **more: int) -> dict | None:
    known = {"algorithm": algorithm, "ranks": ranks, "bytes": size} | more
    return next((row for row in rows if all(row.get(name) == value for name, value in known.items())), None)


def _by(*rows: dict) -> str:
    """The source of numbers: estimated if one of the rows is."""
    return NAMES["estimate" if any(row["by"] == "estimate" for row in rows) else "simgrid"]


def ratio(slow: str, quick: str, ranks: int, size: int) -> Take:
    """The time of one algorithm over that of another."""

    def take(rows: list[dict]) -> Numbers:
        one, other = _find(rows, slow, ranks, size), _find(rows, quick, ranks, size)
        if not one or not other:
            return {}
        return {_by(one, other): Number(one["us"] / other["us"], f"{_us(one)} against {_us(other)} µs")}

    return take


def growth(algorithm: str, few: dict[str, int], many: dict[str, int], percent: bool = False) -> Take:
    """The time of `many` (ranks, bytes, partners, stride) over that of `few`, or the additional
    time in percent."""

    def take(rows: list[dict]) -> Numbers:
        words = [{("size" if name == "bytes" else name): value for name, value in of.items()} for of in (few, many)]
        one, other = (_find(rows, algorithm, **of) for of in words)
        if not one or not other:
            return {}
        value = other["us"] / one["us"]
        return {_by(one, other): Number(100 * (value - 1) if percent else value, f"{_us(one)} → {_us(other)} µs")}

    return take


def _us(row: dict) -> str:
    return f"{row['us']:,.1f}" if row["us"] < 1000 else f"{row['us']:,.0f}"
