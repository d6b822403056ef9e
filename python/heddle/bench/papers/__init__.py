"""`heddle bench all`: every figure and table of the five papers that this machine can make, beside
what the papers report.

One table has a file for each paper (balaji.py, ...). For each figure it has the claims, the command
that measures ours, and a function that takes a number out of the command's rows. The run, its page
and docs/papers.md are made from this table.
"""

from __future__ import annotations

from . import balaji, chaarawi, hoefler, schliephake, wu
from .model import Paper

PAPERS: tuple[Paper, ...] = (balaji.PAPER, schliephake.PAPER, wu.PAPER, chaarawi.PAPER, hoefler.PAPER)
