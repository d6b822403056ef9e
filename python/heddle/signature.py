"""Compares the signatures of a sender's and a receiver's datatype. MPI requires equal signatures.

difference(sender, receiver)       # "the signatures differ: item 1 is int at the sender, and double at the receiver. ..."
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle, islice

MOST = 1 << 16  # items that are compared
PACKED = "packed"  # MPI_PACKED goes with every type


def difference(sender: dict, receiver: dict) -> str:
    """The first difference, in words. "": none is found. Only the first items are compared, as far
    as the descriptions have them.

    @param sender, receiver  Descriptions by heddle-tool. The message has `count` elements of the
    sender's datatype, and as many of the receiver's as it fills.
    """
    items = min(MOST, sender["count"] * sender["type_map"]["total"])
    for number, (ours, theirs) in enumerate(islice(zip(_names(sender), _names(receiver)), items), 1):
        if ours != theirs and PACKED not in (ours, theirs):
            return (
                f"the signatures differ: item {number} is {ours} at the sender, and {theirs} at the receiver. "
                "MPI requires equal signatures."
            )
    return ""


def _names(about: dict) -> Iterable[str]:
    """The basic types in the order of the type map, as far as they are known."""
    names = [entry["name"] for entry in about["type_map"]["entries"]]
    return cycle(names) if len(names) == about["type_map"]["total"] else names
