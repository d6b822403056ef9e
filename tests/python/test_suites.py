"""scripts/suites recognises checkouts, reads testlists, and compares outcomes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHECKOUT, until

sys.path.insert(0, str(CHECKOUT / "tests/conformance"))

from suites import build, compare, figures, imb, job, mpich, openmpi, osu
from suites.launch import Launch
from suites.suite import Case, NotBuilt, Outcome, Program, Suite, makefile_variables

KINDS = (osu, imb, openmpi, openmpi)
TESTLIST = """# comment
bcasttest 4
bcasttest 4 env=MPIR_CVAR_BCAST=binomial
bcasttest 12 arg=-count=3 arg=-x timeLimit=300
errfatal 1 resultTest=TestErrFatal
broken 2 xfail=ticket1
big 2 mem=8.5
device 2 hasgpu=any
extension 2 strict=false
@largetest@huge 2
sub
@rmadir@
"""
MAKEFILE = """noinst_PROGRAMS = bcasttest \\
    twice
twice_CPPFLAGS = -DTWICE $(AM_CPPFLAGS)
twice_SOURCES  = bcasttest.c more.c more.h  # the same
LIST = a
LIST += b
"""


def tree(root: Path, *files: str) -> Path:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("int main(void) { return 0; }\n")
    return root


@pytest.fixture
def test_mpi(tmp_path) -> Path:
    root = tree(
        tmp_path, "test/mpi/include/mpitest.h", "test/mpi/util/mtest.c", "test/mpi/coll/bcasttest.c", "test/mpi/ft/die.c"
    )
    coll = root / "test/mpi/coll"
    (coll / "sub").mkdir()
    (coll / "testlist.in").write_text(TESTLIST)
    (coll / "Makefile.am").write_text(MAKEFILE)
    return root


def test_makefiles():
    assert makefile_variables(MAKEFILE) == {
        "noinst_PROGRAMS": "bcasttest twice",
        "twice_CPPFLAGS": "-DTWICE $(AM_CPPFLAGS)",
        "twice_SOURCES": "bcasttest.c more.c more.h",
        "LIST": "a b",
    }


def test_a_testlist_becomes_cases(test_mpi):
    suite = mpich.recognised(test_mpi, ranks=4)
    assert [case.title for case in suite.cases] == [
        "coll/bcasttest n=4",
        "coll/bcasttest n=4 -count=3 -x",
        "coll/errfatal n=1",
        "coll/huge n=2",
    ]
    assert suite.cases[1].wanted == 12 and suite.cases[0].environment == ()
    assert mpich.parsed("a 2 env=X=1=2 env=Y=")["environment"] == (("X", "1=2"), ("Y", ""))
    assert [case.limit_s for case in suite.cases] == [0, 300, 0, 0] and suite.cases[2].may_fail
    reasons = {(entry.part, entry.reason) for entry in suite.left_out}
    assert {("coll", "MPICH expects it to fail"), ("coll", "needs more than 2 GB"), ("coll", "needs a GPU")} <= reasons
    assert ("coll", "uses extensions of MPICH") in reasons and ("ft", "ends ranks on purpose") in reasons


def test_programs_of_several_sources_and_threads(test_mpi):
    folder = test_mpi / "test/mpi/coll"
    program = mpich.program_of(folder, "coll", "twice", makefile_variables(MAKEFILE))
    assert program.sources == (folder / "bcasttest.c", folder / "more.c") and program.flags[0] == "-DTWICE"
    assert "-DMTEST_USE_THREAD" in mpich.program_of(folder, "threads/pt2pt", "x", {}).flags


def test_datatype_pools():
    text = "# no\npt2pt/sendself::1 512 262144:timeLimit=600:1:32:1024:0\nrma/putfence1::17::2:16::0\n"
    pools = mpich.pool_cases(text)
    assert len(pools["pt2pt"]) == 4 and len(pools["rma"]) == 2  # two types; 262144 is too many
    entry = mpich.parsed(pools["pt2pt"][1])
    assert entry["arguments"] == ("-type=MPI_INT", "-sendcnt=512", "-recvcnt=512", "-seed=2", "-testsize=32")
    assert entry["limit_s"] == 600 and mpich.parsed(pools["rma"][0])["arguments"][1] == "-count=17"


def test_what_is_right_alone_in_mpich(test_mpi):
    suite = mpich.recognised(test_mpi, ranks=4)
    plain, _, fatal, _ = suite.cases
    assert suite.wrong(plain, Outcome(0, " No Errors\n")) == ""
    assert "No Errors" in suite.wrong(plain, Outcome(0, "Found 3 errors\n"))
    assert "status 1" in suite.wrong(plain, Outcome(1, " No Errors\n"))
    assert suite.wrong(fatal, Outcome(1, "")) == ""


def test_other_suites_are_recognised_by_their_files(tmp_path):
    trees = {
        "osu": tree(
            tmp_path / "osu", "c/util/osu_util_mpi.c", "c/mpi/pt2pt/osu_bw.c", "c/mpi/pt2pt/Makefile.am", "c/upc/osu_upc.c"
        ),
        "imb": tree(tmp_path / "imb", "src_c/IMB_benchmark.h", "src_cpp/imb.cpp"),
        "public": tree(
            tmp_path / "public", "collective-big-count/test_bcast.c", "partitioned-communication/test_a.c", "packaging/run.c"
        ),
        "datatype": tree(tmp_path / "ompi", "ompi/test/datatype/to_self.c"),
    }
    found = {name: kind.recognised(path, 2) for (name, path), kind in zip(trees.items(), KINDS, strict=True)}
    assert [case.title for case in found["osu"].cases] == [
        "pt2pt/osu_bw n=2 -c -i 4 -x 1 -m 1:262144",
        "pt2pt, typed/osu_bw n=2 -i 4 -x 1 -m 1:262144 -D vect:4:8",
    ]
    assert [case.title for case in found["osu"].default_cases()] == ["pt2pt/osu_bw n=2", "pt2pt, typed/osu_bw n=2 -D vect:4:8"]
    assert all(case.ranks == 2 for case in found["imb"].cases)
    assert "IMB-MPI1/Bcast n=2 Bcast -npmin 2" in [case.title for case in found["imb"].default_cases()]
    assert [case.program.title for case in found["public"].cases] == [
        "collective-big-count/test_bcast",
        "partitioned-communication/test_a",
    ]
    assert [entry.part for entry in found["public"].left_out] == ["packaging"]
    assert [case.title for case in found["datatype"].cases] == ["datatype/to_self n=1"]
    for kind in (mpich, openmpi, osu, imb):
        assert kind.recognised(tmp_path, 2) is None


@pytest.fixture
def plain(tmp_path) -> Suite:
    return Suite("plain", "plain", tmp_path)


def test_outcomes_are_the_same_but_for_times_addresses_and_order(plain):
    alone = Outcome(0, "rank 0: 3 errors at 0x7f00\nrank 1 took 1.25 s\n[host:123] warning\n")
    ours = Outcome(0, "[host:977] warning\nrank 1 took 33.5e-2 s\nrank 0: 3 errors at 0x55aa\n")
    assert compare.difference(plain, alone, ours) == ""


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        (Outcome(1, "heddle: a receive is gone\n"), "status 0 alone, status 1 under Heddle: heddle: a receive is gone"),
        (Outcome(None, ""), "status 0 alone, not ended under Heddle"),
        (Outcome(0, "2 errors\n"), "says under Heddle only: 2 errors"),
        (Outcome(0, ""), "says alone only: 3 errors"),
        (Outcome(0, "3 errors\n3 errors\n"), "says the same lines, but not equally often"),
    ],
)
def test_outcomes_that_differ(plain, ours, said):
    assert compare.difference(plain, Outcome(0, "3 errors\n"), ours) == said
    if ours.status == 0:
        assert compare.difference(plain, Outcome(0, "3 errors\n"), ours, output_too=False) == ""


def test_defects_of_imb_count_and_times_do_not(tmp_path):
    suite = imb.recognised(tree(tmp_path, "src_c/IMB_benchmark.h", "src_cpp/imb.cpp"), 2)
    alone = Outcome(0, "# Date: today\n 1024 10 1.25 7.50 0.00\n")
    assert compare.difference(suite, alone, Outcome(0, "# Date: later\n 1024 10 9.99 8.00 0.00\n")) == ""
    assert compare.difference(suite, alone, Outcome(0, " 1024 10 9.99 8.00 3.00\n")) != ""


def test_a_job_is_ended_with_all_its_processes(tmp_path):
    pid = tmp_path / "pid"
    outcome = job.run(["sh", "-c", f"setsid sleep 600 & echo $! > {pid}; echo begun; sleep 600"], limit_s=5)
    assert outcome.status is None and outcome.output == "begun\n" and outcome.seconds < 500
    found = Path(f"/proc/{pid.read_text().strip()}/stat")

    def lives() -> bool:
        try:
            return found.read_text().split()[2] not in "ZX"
        except OSError:
            return False

    until(lambda: not lives())  # the kernel may need a moment


def test_what_does_not_compile_says_why(tmp_path, monkeypatch):
    (tmp_path / "a.c").write_text("int main(void) { return nothing; }\n")
    program = Program("part", "a", (tmp_path / "a.c",))
    with pytest.raises(NotBuilt, match="nothing"):
        build.compiled(program, Path("/usr/bin/gcc"), tmp_path / "out", [])
    with pytest.raises(NotBuilt, match="there is no"):
        build.compiled(Program("part", "b", (tmp_path / "b.c",)), Path("/usr/bin/gcc"), tmp_path / "out", [])


def test_figures_are_summed_merged_and_written(tmp_path):
    results = [
        {"part": "coll", "program": "a", "verdict": "same", "reason": ""},
        {"part": "coll", "program": "a", "verdict": "differs", "reason": "status"},
        {"part": "coll", "program": "b", "verdict": "left out", "reason": "does not compile"},
    ]
    rows = figures.summed("S", "mpich", "abc", results, [{"part": "ft", "reason": "ends ranks", "programs": 7}])
    assert [(row["part"], row["programs"], row["tried"], row["alone"], row["heddle"]) for row in rows] == [
        ("coll", 2, 3, 2, 1),
        ("ft", 0, 0, 0, 0),
    ]
    page = tmp_path / "conformance.md"
    page.write_text(f"before\n{figures.BEGIN}\nold\n{figures.END}\nafter\n")
    figures.write(page, rows)
    figures.write(page, figures.summed("S", "openmpi", "abc", results[:1], []))
    text = page.read_text()
    assert "| S | coll | 2 | 3, 2, 1 | 1, 1, 1 |" in text and "| S | ft | MPICH | 7 | ends ranks |" in text
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert len(json.loads(page.with_suffix(".json").read_text())) == 3


def test_the_command_lists_and_refuses(test_mpi, tmp_path):
    done = subprocess.run([CHECKOUT / "scripts/suites", test_mpi, "--list"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "  coll/bcasttest n=4 -count=3 -x\n" in done.stdout
    (tmp_path / "empty").mkdir()
    done = subprocess.run([CHECKOUT / "scripts/suites", tmp_path / "empty"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is no suite that is known here" in done.stderr


def test_a_case_runs_alone_and_under_heddle(tmp_path):
    """Runs a suite of one program, from build to result, on both MPIs."""
    folder = tmp_path / "ompi/test/datatype"
    folder.mkdir(parents=True)
    (folder / "to_self.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n"
        'int main(int c, char** v) { MPI_Init(&c, &v); puts("right"); return MPI_Finalize(); }\n'
    )
    words = [CHECKOUT / "scripts/suites", tmp_path, "--place", tmp_path / "built", "--json", tmp_path / "r.json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "nothing differs in 2 runs" in done.stdout, done
    results = json.loads((tmp_path / "r.json").read_text())
    assert [(one["mpi"], one["verdict"]) for one in results] == [("mpich", "same"), ("openmpi", "same")]
    done = subprocess.run([*words, "--mpi", "mpich", "--only-heddle"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "expect: 1; others: 0; left out: 0" in done.stdout, done


def test_a_case_under_heddle_alone_must_end_as_its_suite_expects(tmp_path):
    folder = tmp_path / "ompi/test/datatype"
    folder.mkdir(parents=True)
    (folder / "to_self.c").write_text(
        "#include <mpi.h>\nint main(int c, char** v) { MPI_Init(&c, &v); MPI_Finalize(); return 3; }\n"
    )
    words = [CHECKOUT / "scripts/suites", tmp_path, "--place", tmp_path / "built", "--mpi", "mpich", "--only-heddle"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "fails (status 3)" in done.stdout and "others: 1;" in done.stdout, done
    refused = subprocess.run([*words, "--write"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "leave out --only-heddle" in refused.stderr, refused


SUM = """#include <mpi.h>
int main(int argc, char** argv) {
  int one = 1, all = 0, ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == ranks ? 0 : 1;
}
"""


def test_ranks_of_mpich_yield_if_they_outnumber_the_cores(tmp_path):
    mpi = CHECKOUT / ".mpi/mpich"
    launch = Launch.of(mpi, CHECKOUT / ".venv/bin/heddle", tmp_path)
    many = len(os.sched_getaffinity(0)) + 1
    maps = ("-c", launch.hook.name, "/proc/self/maps")
    for ranks, status in ((1, 1), (many, 0)):
        line = launch.alone(Case(Program("part", "grep", ()), ranks, maps), Path("/usr/bin/grep"))
        for words in (line, launch.under_heddle(line)):
            assert job.run(words, 60).status == status
    (tmp_path / "sum.c").write_text(SUM)
    program = Program("part", "sum", (tmp_path / "sum.c",))
    line = launch.alone(Case(program, many), build.compiled(program, mpi / "bin/mpicc", tmp_path, []))
    for words in (line, launch.under_heddle(line)):
        assert job.run(words, 60).status == 0
    assert Launch.of(CHECKOUT / ".mpi/openmpi", launch.heddle, tmp_path).hook is None
