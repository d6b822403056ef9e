"""Pages by templates (Jinja2). A page is one file: no scripts, nothing fetched from elsewhere.

render("reported/report.html.j2", title="...", ...)     # templates are *.j2 beside the code; every text is escaped
Table.of(("procedure", "calls"), rows, texts={"procedure"})   # parts.html.j2 draws it

pages/page.html.j2 is the frame, pages/parts.html.j2 has the macros: tables, bars, pictures of
layouts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from heddle.problem import Problem

if TYPE_CHECKING:
    from jinja2 import Environment


@lru_cache
def _engine() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("heddle", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def require() -> None:
    """Checks that pages can be made, before any run."""
    if find_spec("jinja2") is None:
        raise Problem("--html needs Jinja2, which this Python does not have. Install it (pip install jinja2).")


def render(template: str, **values: Any) -> str:
    return _engine().get_template(template).render(values)


@dataclass(frozen=True)
class Column:
    head: str
    style: str  # class of the cells. w: never broken into lines, n: numbers, type: texts that may be broken


@dataclass(frozen=True)
class Table:
    """A row is a list of cells. The first line of a text is the main one, further lines are small.
    A cell may be a datatype."""

    columns: list[Column]
    rows: Sequence[Sequence[Any]]
    below: Sequence[str] = ()  # a sentence under each row, or ""
    sum_last: bool = False

    @classmethod
    def of(cls, heads: Sequence[str], rows: Sequence[Sequence[Any]], texts: Collection[str], **more: Any) -> Table:
        """A table whose first column and `texts` are at the left. Other columns are numbers."""
        columns = [Column(head, _style(head, i == 0 or head in texts)) for i, head in enumerate(heads)]
        return cls(columns, rows, **more)


def _style(head: str, left: bool) -> str:
    """Only datatypes and reasons may be broken into lines."""
    return "type" if head in ("datatype", "why") else "w" if left else "n"


@dataclass(frozen=True)
class Stretch:
    """A piece of a bar. The longest bar of a chart has a length of 1 in all."""

    length: float
    colour: str  # of CSS


@dataclass(frozen=True)
class Bar:
    """A line of a chart: its name, one bar or several, and the text behind each."""

    name: str
    bars: list[tuple[list[Stretch], str]]
    about: str = ""  # small, below the name
    datatype: Any = None  # of heddle.reported.datatypes. Its picture and its title come before the name


@dataclass(frozen=True)
class Chart:
    title: str
    bars: list[Bar] = field(default_factory=list)

    @classmethod
    def of(cls, title: str, bars: Sequence[Bar]) -> Chart:
        """Bars whose stretches have lengths of any unit. A chart without a length has no bars."""
        longest = max((_length(stretches) for bar in bars for stretches, _ in bar.bars), default=0)
        if longest <= 0:
            return cls(title)
        return cls(title, [_scaled(bar, longest) for bar in bars])


def _length(stretches: Sequence[Stretch]) -> float:
    return sum(one.length for one in stretches)


def _scaled(bar: Bar, longest: float) -> Bar:
    bars = [([Stretch(one.length / longest, one.colour) for one in stretches], text) for stretches, text in bar.bars]
    return Bar(bar.name, bars, bar.about, bar.datatype)
