"""`heddle bench all`: every figure and table of the five papers that this machine can make, beside what the papers report.

One table, a file a paper (balaji.py, ...), says of each figure what it claims, the command that makes ours and how a number is
taken out of its rows. The run, its page and docs/papers.md are made of it.
"""

from __future__ import annotations

from . import balaji, chaarawi, hoefler, schliephake, wu
from .model import Paper

PAPERS: tuple[Paper, ...] = (balaji.PAPER, schliephake.PAPER, wu.PAPER, chaarawi.PAPER, hoefler.PAPER)
