"""A program with Heddle and without: the values that `heddle compare` finds. runs.py measures them,
outputs.py and heddle.verdict judge them."""

from __future__ import annotations

from dataclasses import dataclass, field

from heddle import verdict
from heddle.reported import SIDES
from heddle.verdict import Spread

from .outputs import Output, Verdict

VERSION = 2
INK = {"without Heddle": "#5b7f95", "with Heddle": "#b5542a"}  # of pictures


@dataclass(frozen=True)
class Round:
    """A run of each way, one right after the other. A coin has decided the order."""

    without_first: bool
    without_s: float
    with_s: float

    @property
    def ratio(self) -> float:
        return self.without_s / self.with_s


@dataclass(frozen=True)
class Failure:
    """How a pair of runs ended if one of them failed. A code of None: we had to end the run."""

    codes: tuple[int | None, int | None]  # without, with
    errors: tuple[str, str]  # the ends of their stderr


@dataclass(frozen=True)
class Calls:
    """All calls of one procedure, over all ranks; times are a rank's on average."""

    name: str
    calls: int
    without_us: float
    with_us: float


@dataclass(frozen=True)
class Site(Calls):
    """The calls of a procedure from one place with one datatype."""

    place: str = ""  # "exchange (halo.c:42)"
    datatype: str = ""  # its name, or its layout in words


@dataclass(frozen=True)
class Carried:
    """The data of one datatype that Heddle moved one way, over all ranks. The time is a rank's on
    average."""

    call: str
    datatype: str
    way: str
    calls: int
    bytes: int
    us: float
    procedure: str = ""
    datatype_name: str = ""
    place: str = ""  # "exchange (halo.c:42)"
    extent: int | None = None  # of the datatype, bytes
    lower_bound: int = 0

    @property
    def called(self) -> str:
        """MPI_Sendrecv send; MPI_Bcast."""
        return f"{self.procedure} {self.call}" if self.procedure and self.call in SIDES else self.procedure or self.call


@dataclass(frozen=True)
class Compared:
    command: str
    mpi: str
    date: str
    heddle: str  # its version
    machine: str
    settings: dict[str, str]
    rounds: list[Round]
    ignored: list[str] = field(default_factory=list)  # the patterns of --ignore
    failure: Failure | None = None
    outputs: list[Output] = field(default_factory=list)
    calls: list[Calls] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    others: str = ""  # other work on the machine during the rounds; empty: there was little
    looked: bool = True  # at the calls; False: --no-calls
    carries: bool | None = None  # Heddle has carried a call; None: not known

    @property
    def without(self) -> Spread:
        return verdict.spread(one.without_s for one in self.rounds)

    @property
    def with_heddle(self) -> Spread:
        return verdict.spread(one.with_s for one in self.rounds)

    @property
    def gain(self) -> verdict.Verdict:
        return verdict.judge(one.ratio for one in self.rounds)

    @property
    def outliers(self) -> list[int]:
        """The rounds whose ratios lie far from the others, counted from 0."""
        return verdict.outliers([one.ratio for one in self.rounds])

    @property
    def good(self) -> bool:
        """Nothing failed, and no output is known to differ."""
        return self.failure is None and all(one.verdict is not Verdict.different for one in self.outputs)
