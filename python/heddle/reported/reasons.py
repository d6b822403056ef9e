"""The library's reasons for a way, in the units and numbers of the tables.

plain("262144 blocks of 8 B: 1 remote entries, 4373.3 us in all")   # "262,144 blocks of 8 B: 1 remote entry, 4.37 ms in all"
"""

from __future__ import annotations

import re

from .words import duration

TIME = re.compile(r"(?<![\w.,])(\d+(?:\.\d+)?) us\b")
LONG = re.compile(r"(?<![\w.,=])\d{4,}(?![\w.])")
ONE = re.compile(r"(?<![\w.,])1 ((?:remote |local )?)(entries|blocks|lines|pieces|bytes)\b")


def plain(why: str) -> str:
    said = TIME.sub(lambda found: duration(float(found[1])), why)
    said = LONG.sub(lambda found: f"{int(found[0]):,}", said)
    return ONE.sub(lambda found: f"1 {found[1]}{'entry' if found[2] == 'entries' else found[2][:-1]}", said)
