"""Lines on stderr for a user who waits for minutes. They take the place of a bar where no terminal
is.

with Waited(lambda: "2 of 7 rounds are done") as waited:
    waited.say("16 runs")                # at once
    ...                                  # the words of the function every 30 s
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

EVERY_S = 30.0


class Waited:
    def __init__(self, state: Callable[[], str], shown: bool = True):
        """@param shown: False: a bar tells it."""
        self._state, self._shown = state, shown
        self._said, self._over = threading.Event(), threading.Event()

    def __enter__(self) -> Waited:
        self._thread = threading.Thread(target=self._tell, daemon=True)
        if self._shown:
            self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._said.set()
        if self._shown:
            self._thread.join()

    def say(self, text: str) -> None:
        """The next line comes EVERY_S later."""
        if self._shown:
            print(f"heddle: {text}", file=sys.stderr, flush=True)
            self._said.set()

    def _tell(self) -> None:
        while not self._over.is_set():
            if self._said.wait(EVERY_S):
                self._said.clear()
            else:
                print(f"heddle: {self._state()}", file=sys.stderr, flush=True)


def in_words(seconds: float) -> str:
    """20 s; 3 min."""
    return f"{max(1, round(seconds))} s" if seconds < 100 else f"{round(seconds / 60)} min"
