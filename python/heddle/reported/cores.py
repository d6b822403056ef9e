"""Says whether ranks lacked cores, as far as the report knows it.

lacking(rank)        # us that a rank had no core; None: not known
crowded(found)       # there are more ranks than cores
shortage(found)      # "there are more ranks than cores", "a rank had no core for up to 31 % of the run"; "": had them
"""

from __future__ import annotations

from collections import Counter

from . import Found, OfRank

THREADS = 1.02  # of the time on the clock: more time on cores is the work of several threads
SHARE = 0.1  # of the run: ranks without a core for less are not named


def lacking(one: OfRank) -> float | None:
    """The time that a rank had no core. With more time on cores than on the clock, several threads
    work, and nothing is known about each of them."""
    if one.cpu_us is None or one.cpu_us > THREADS * one.elapsed_us:
        return None
    return max(0.0, one.elapsed_us - one.cpu_us)


def crowded(found: Found, host: str = "") -> bool:
    """There are more ranks than cores on a node, as far as the report has the number of cores: that
    of rank 0's node.
    @param host: the node; "": any."""
    cores, first = found.run.get("cores"), found.run.get("host")
    of_host = Counter(one.host for one in found.by_rank)
    return isinstance(cores, int) and host in ("", first) and of_host[first] > cores


def shortage(found: Found) -> str:
    if crowded(found):
        return "there are more ranks than cores"
    times = [(lacking(one), one.elapsed_us) for one in found.by_rank]
    most = max((us / whole for us, whole in times if us is not None and whole > 0), default=0.0)
    if most >= SHARE:
        return f"a rank had no core for up to {100 * most:.0f} % of the run"
    known = times and all(us is not None for us, _ in times)
    return "" if known else "the report does not tell whether ranks had a core"
