"""Runs mpi4py's own tests in one rank of an MPI job and writes their outcomes: python recorder.py
TESTS OUT [MODULE ...]

OUT.RANK is JSON: {"library": the file of MPI_Send, "finished": all tests were run, "outcomes":
{test: outcome}}. mpi4py_suite.py starts this program. Processes of mpi4py's pools import it, and
then it does nothing.
"""

import ctypes
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
outcomes: dict[str, str] = {}


class Recorder(unittest.TextTestResult):
    def _note(self, test, outcome: str) -> None:
        # The worst outcome of a test counts: a subtest that fails makes the test fail.
        if outcomes.get(test.id()) not in ("failed", "error"):
            outcomes[test.id()] = outcome

    def startTest(self, test):
        super().startTest(test)
        self._note(test, "hung or crashed")
        save(finished=False) if os.environ.get("RECORD_EACH") else None

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, "passed")

    def addError(self, test, err):
        super().addError(test, err)
        self._note(test, "error")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._note(test, "failed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note(test, f"skipped: {reason}")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._note(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note(test, "unexpected success")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note(test, "failed")


def face() -> str:
    """The file that the program's MPI_Send comes from."""

    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("at", ctypes.c_void_p)]

    everything = ctypes.CDLL(None)
    try:
        send = ctypes.cast(everything.MPI_Send, ctypes.c_void_p)
    except AttributeError:  # mpi4py opened libmpi for itself alone
        return ""
    info = Info()
    everything.dladdr(send, ctypes.byref(info))
    return os.fsdecode(info.file or b"")


def save(finished: bool) -> None:
    from mpi4py import MPI

    path = f"{out}.{MPI.COMM_WORLD.Get_rank()}"
    with open(path + "~", "w") as file:
        json.dump({"library": face(), "finished": finished, "outcomes": outcomes}, file, indent=0)
    os.replace(path + "~", path)


def run() -> int:
    import main as suite  # mpi4py's own

    only = (word for module in modules for word in ("-i", rf"\b{module}\.py$"))
    arguments = [os.path.join(tests, "main.py"), "-q", *only]
    try:
        suite.main(module=None, argv=arguments, testRunner=unittest.TextTestRunner(verbosity=0, resultclass=Recorder))
    except SystemExit as end:
        save(finished=True)
        return end.code
    return 1


if __name__ == "__main__":
    tests, out, *modules = sys.argv[1:]
    sys.path.insert(0, tests)
    raise SystemExit(run())
