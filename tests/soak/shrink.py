"""Makes a failing program small: one scenario, few patterns, simple types, one round.

The small program still fails under Heddle, and passes without.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable

from scenario import Scenario

Fails = Callable[[list[Scenario]], bool]


class Shrinker:
    def __init__(self, fails: Fails, seconds: float, say: Callable[[str], None]):
        self.fails, self.until, self.say, self.tries = fails, time.monotonic() + seconds, say, 0

    def late(self) -> bool:
        return time.monotonic() > self.until

    def attempt(self, program: list[Scenario], change: Callable[[list[Scenario]], None]) -> list[Scenario] | None:
        if self.late():
            return None
        smaller = copy.deepcopy(program)
        try:
            change(smaller)
        except ValueError:
            return None
        self.tries += 1
        return smaller if self.fails(smaller) else None

    def patterns(self, program: list[Scenario]) -> list[Scenario]:
        """Drops patterns, by delta debugging."""

        def numbers(p):
            return [q.number for s in p for q in s.patterns()]

        chunk = max(1, len(numbers(program)) // 2)
        while chunk >= 1 and not self.late():
            at = 0
            while at < len(numbers(program)) and not self.late():
                these = set(numbers(program)[at : at + chunk])

                def drop(p, these=these):
                    if len(numbers(p)) == len(these):
                        raise ValueError
                    for s in p:
                        s.without(these)

                smaller = self.attempt(program, drop)
                if smaller:
                    program = [s for s in smaller if s.patterns()] or smaller
                else:
                    at += chunk
            chunk = chunk // 2
        return program

    def details(self, program: list[Scenario]) -> list[Scenario]:
        def once(p):
            if all(s.rounds == 1 for s in p):
                raise ValueError
            for s in p:
                s.rounds = 1

        def in_line(p):
            """One thread after another."""
            if all(len(s.threads) == 1 for s in p):
                raise ValueError
            for s in p:
                for t in s.threads[1:]:
                    s.threads[0].timeline += t.timeline
                    s.threads[0].patterns += t.patterns
                s.threads = s.threads[:1]

        def waits(p):
            stages = [e for s in p for t in s.threads for e in t.timeline if e.done]
            if all(e.how == "WAIT" and not e.profiled for e in stages):
                raise ValueError
            for e in stages:
                e.how, e.profiled = "WAIT", False

        program = self.attempt(program, once) or program
        program = self.attempt(program, in_line) or program
        program = self.attempt(program, waits) or program
        again = True
        while again and not self.late():
            again = False
            for s in range(len(program)):
                for k in range(len(program[s].patterns())):
                    for n in range(len(list(program[s].patterns()[k].simpler()))):
                        before = signature(program)

                        def simplify(p, s=s, k=k, n=n):
                            list(p[s].patterns()[k].simpler())[n]()

                        smaller = self.attempt_if_other(program, simplify, before)
                        if smaller:
                            program, again = smaller, True
            if len([1 for s in program for _ in s.patterns()]) > 6:
                break
        return program

    def attempt_if_other(self, program, change, before):
        trial = copy.deepcopy(program)
        try:
            change(trial)
        except ValueError:
            return None
        return self.attempt(program, change) if signature(trial) != before else None

    def shrink(self, program: list[Scenario]) -> list[Scenario]:
        program = self.patterns(program)
        program = self.details(program)
        return self.patterns(program)


def signature(program: list[Scenario]) -> str:
    from printer import program as printed

    return printed(program, "")
