"""A report has all of MPI: the procedures that Heddle carries out, and those that it leaves to the
library. 2 ranks."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import compiled, prefix
from heddle.reported import LAST, Found, OfRank, Procedure, Site
from heddle.reported.afterwards import lines
from heddle.reported.imbalance import latest
from heddle.reported.reading import rows_of

REDUCTIONS = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double mine[8] = {1}, sum[8];
  for (int i = 0; i < 30; ++i)
    MPI_Allreduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* line 6 */
  MPI_Finalize();
  return 0;
}
"""

# Rank 1 comes 20 ms late to the last MPI_Waitall. MPI_Win_free deletes an attribute, and the
# callback sends.
OTHERS = r"""
#include <mpi.h>
#include <unistd.h>
static int rank, other;
static int deleted(MPI_Win window, int key, void* value, void* state) {
  int got;
  MPI_Sendrecv(&rank, 1, MPI_INT, other, 5, &got, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  double mine[8] = {1}, sum[8], shared[16] = {0};
  int flag;
  MPI_Request requests[2];
  for (int i = 0; i < 5; ++i) {
    if (i == 4 && rank == 1) usleep(20000);
    MPI_Irecv(sum, 8, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, 8, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &half);
  MPI_Comm_set_name(half, "half");
  MPI_Reduce(mine, sum, 8, MPI_DOUBLE, MPI_SUM, 0, half);
  MPI_Exscan(mine, sum, 1, MPI_DOUBLE, MPI_SUM, half);
  MPI_Win window;
  int key;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deleted, &key, NULL);
  MPI_Win_create(shared, sizeof shared, sizeof shared[0], MPI_INFO_NULL, half, &window);
  MPI_Win_set_name(window, "ghosts");
  MPI_Win_set_attr(window, key, &key);
  MPI_Win_fence(0, window);
  MPI_Accumulate(mine, 8, MPI_DOUBLE, other, 0, 8, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_File file;
  MPI_File_open(half, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * 64, mine, 8, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
"""

# The ranks that a rank waits for are late. In `late`, rank 2 comes late to each of its messages to
# rank 0, and the others soon wait in MPI_Finalize. In `alone`, rank 1 works after its last call.
LATE = r"""
#include <mpi.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, got;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 60 && !strcmp(argv[1], "late"); ++i) {
    if (rank == 2) usleep(20000);
    if (rank) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else for (int from = 1; from < size; ++from) MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_SELF);
  if (rank == 1 && !strcmp(argv[1], "alone")) usleep(1200000);
  MPI_Finalize(); /* line 16 */
  return 0;
}
"""

# Four threads of each rank meet their counterparts in the other rank.
THREADS = r"""
#include <mpi.h>
#include <pthread.h>
static int other;
static MPI_Comm own[4];
static void* work(void* number) {
  const long i = (long)number;
  int sent = 0, got;
  for (int turn = 0; turn < 50; ++turn) {
    MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, own[i]);
    MPI_Sendrecv(&sent, 1, MPI_INT, other, 0, &got, 1, MPI_INT, other, 0, own[i], MPI_STATUS_IGNORE);
  }
  return NULL;
}
int main(int argc, char** argv) {
  int provided, rank;
  pthread_t threads[4];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (int i = 0; i < 4; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&own[i]);
  MPI_Finalize();
  return provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
"""


def built(mpi, folder, name, text, *more):
    (folder / f"{name}.c").write_text(text.strip("\n"))
    return compiled(mpi, folder / name, "-g", folder / f"{name}.c", *more)


def adds_up(found: Found) -> bool:
    """The times of the calls of a rank are the rank's time in MPI, and the time of the run contains
    it."""
    sums = sum(one.us for one in found.procedures), sum(one.us for one in found.sites), sum(one.us for one in found.by_rank)
    inside = found.threads > 1 or all(one.us <= one.elapsed_us for one in found.by_rank)
    return inside and sums == pytest.approx([sums[0]] * 3)


@pytest.mark.parametrize("switch", ["on", "off"])
def test_reductions_alone(heddle, mpi, tmp_path, switch):
    program, file = built(mpi, tmp_path, "reductions", REDUCTIONS), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program, HEDDLE=switch)
    assert done.returncode == 0, done
    found = rows_of(file)
    (site,) = [one for one in found.sites if one.name != LAST]
    assert (site.name, site.ranks, site.calls, site.bytes) == ("MPI_Allreduce", 2, 2 * 30, 2 * 30 * 64)
    assert (site.datatype_name, site.communicator, site.handed_on) == ("MPI_DOUBLE", "MPI_COMM_WORLD", 0)
    assert adds_up(found) and 0 < site.us_min <= site.us / 2 <= site.us_max
    said = [
        line.split() for line in done.stderr.splitlines() if line.startswith("heddle:   MPI_Allreduce in main (reductions.c:6)")
    ]
    assert len(said) == 1 and said[0][-2:] == ["60", "calls"], done.stderr
    assert "a rank spent" in done.stderr and "(0 %" not in done.stderr.splitlines()[0], done.stderr
    shown = heddle("report", file, "--html", tmp_path / "r.html").stdout
    table = [line.split()[:2] for line in shown.splitlines()]
    assert ["MPI_Allreduce", "60"] in table and ["in", "all"] in table
    page = (tmp_path / "r.html").read_text()
    assert page.count("reductions.c:6") >= 2 and '<tr class="sum"><td class="w">in all</td>' in page
    exported = json.loads(heddle("report", file, "--json").stdout)
    (sums,) = [one for one in exported["procedures"] if one["name"] == "MPI_Allreduce"]
    assert sums["us_mean"] == pytest.approx(site.us / 2) and exported["by_rank"][0]["threads"] == 1


def test_every_kind_of_call_is_timed_and_counted_once(heddle, mpi, tmp_path):
    program, file = built(mpi, tmp_path, "others", OTHERS), tmp_path / "r.json"
    done = heddle("run", "-n", 2, "--", program, tmp_path / "data", HEDDLE_REPORT=str(file))
    assert done.returncode == 0, done
    found = rows_of(file)
    calls = {one.name: one.calls for one in found.procedures}
    assert calls.pop("MPI_Test") >= 2
    assert calls == {
        **dict.fromkeys(("MPI_Irecv", "MPI_Isend", "MPI_Waitall"), 10),
        **dict.fromkeys(("MPI_Ibarrier", "MPI_Barrier", "MPI_Comm_split", "MPI_Comm_free", "MPI_Reduce", "MPI_Exscan"), 2),
        **dict.fromkeys(("MPI_Win_create", "MPI_Win_free", "MPI_Accumulate", "MPI_Sendrecv"), 2),
        **dict.fromkeys(("MPI_File_open", "MPI_File_write_at_all", "MPI_File_close"), 2),
        "MPI_Win_fence": 4,
        LAST: 2,
    }
    assert adds_up(found)
    by_name = {one.name: one for one in found.sites}
    assert by_name["MPI_Reduce"].communicator == "half" and by_name["MPI_Reduce"].bytes == 2 * 64
    assert by_name["MPI_Accumulate"].communicator == "ghosts" and by_name["MPI_Accumulate"].bytes == 2 * 64
    assert by_name["MPI_File_write_at_all"].bytes == 2 * 64
    assert by_name["MPI_Waitall"].us_max >= 15000  # rank 0 waits for rank 1


def test_threads_are_told_and_their_times_added_up(heddle, mpi, tmp_path):
    program, file = built(mpi, tmp_path, "threads", THREADS, "-pthread"), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program)
    assert done.returncode == 0, done
    found = rows_of(file)
    calls = {one.name: one.calls for one in found.procedures}
    assert calls["MPI_Allreduce"] == calls["MPI_Sendrecv"] == 2 * 4 * 50 and calls["MPI_Comm_dup"] == 8
    assert [one.threads for one in found.by_rank] == [5, 5] and adds_up(found)
    assert "up to 5 threads of a rank are added up" in done.stderr and "imbalance" not in done.stderr, done.stderr
    assert "Up to 5 threads" in heddle("report", file).stdout


def test_python(heddle, mpi, tmp_path):
    (tmp_path / "sums.py").write_text(
        "from mpi4py import MPI\nfor i in range(20): MPI.COMM_WORLD.allreduce(i)\nMPI.COMM_WORLD.Barrier()\n"
    )
    file = tmp_path / "r.json"
    line = ("--mpi", prefix(mpi), "-n", 2, "--", sys.executable, tmp_path / "sums.py")
    done = heddle("run", f"--report={file}", *line)
    assert done.returncode == 0 and "most time in MPI" in done.stderr, done
    calls = {one.name: one.calls for one in rows_of(file).procedures}
    assert calls["MPI_Barrier"] == 2 and sum(calls.values()) >= 42, calls


def test_fortran(heddle, mpi, tmp_path):
    if shutil.which(f"mpif90.{mpi}") is None:
        pytest.skip(f"Debian's {mpi} for Fortran is not here: scripts/bootstrap --test installs it as root")
    (tmp_path / "sums.f90").write_text(
        "program sums\nuse mpi\ninteger error, i, total\ncall MPI_Init(error)\ndo i = 1, 20\n"
        "call MPI_Allreduce(i, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)\nend do\n"
        "call MPI_Finalize(error)\nend\n"
    )
    subprocess.run([f"mpif90.{mpi}", tmp_path / "sums.f90", "-o", tmp_path / "sums"], check=True, cwd=tmp_path)
    file = tmp_path / "r.json"
    words = ["--allow-run-as-root", "--oversubscribe"] if mpi == "openmpi" else []
    done = heddle("run", f"--report={file}", "--", f"mpiexec.{mpi}", *words, "-n", 2, tmp_path / "sums")
    assert done.returncode == 0, done
    (one,) = [each for each in rows_of(file).procedures if each.name != LAST]
    assert (one.name, one.ranks, one.calls) == ("MPI_Allreduce", 2, 40)


@pytest.mark.parametrize("switch", ["on", "off"])
@pytest.mark.parametrize(("what", "rank"), [("late", 2), ("alone", 1)])
def test_the_rank_that_is_late_is_named(heddle, mpi, tmp_path, what, rank, switch):
    """The wait for it in MPI_Finalize is timed, counted and in the timeline."""
    program, file = built(mpi, tmp_path, "late", LATE), tmp_path / "r.json"
    trace = tmp_path / "t.json"
    done = heddle("run", f"--report={file}", "-n", 4, "--", program, what, HEDDLE=switch, HEDDLE_TRACE=str(trace))
    assert done.returncode == 0, done
    assert f"imbalance: rank {rank} spends " in done.stderr, done.stderr
    assert "MPI_Finalize in main (late.c:16)" in done.stderr
    found = rows_of(file)
    (last,) = [one for one in found.procedures if one.name == LAST]
    assert (last.ranks, last.calls) == (4, 4) and adds_up(found)
    assert last.us_max >= 9e5 and last.us_min < last.us_max / 4, last
    slices = {one["pid"]: one["dur"] for one in json.loads(trace.read_text())["traceEvents"] if one["name"] == LAST}
    assert sorted(slices) == [0, 1, 2, 3] and min(slices, key=slices.get) in (rank, 0), slices
    assert sum(slices.values()) == pytest.approx(last.us, rel=0.01)


def test_python_with_several_threads_says_why_there_is_no_line(heddle, mpi, tmp_path):
    """mpi4py calls MPI_Finalize after Python has ended. That is no reason to complain."""
    text = "from mpi4py import MPI\nimport threading\n{}for i in range(3): MPI.COMM_WORLD.allreduce(i)\n{}"
    begin = "go = threading.Event()\nother = threading.Thread(target=go.wait)\nother.start()\n"
    for several, parts in ((True, (begin, "go.set()\nother.join()\n")), (False, ("", ""))):
        (tmp_path / "sums.py").write_text(text.format(*parts))
        file = tmp_path / "r.json"
        line = ("--mpi", prefix(mpi), "-n", 2, "--", sys.executable, tmp_path / "sums.py")
        done = heddle("run", f"--report={file}", *line)
        assert done.returncode == 0, done
        why = "Calls through mpi4py have no file and line: Python runs several threads."
        shown = heddle("report", file, "--html", tmp_path / "r.html").stdout
        for said in (done.stderr, shown, (tmp_path / "r.html").read_text()):
            assert (why in said) == several and ("(sums.py:3)" in said) != several, said
        assert "Python has ended" not in shown and "the end of Python (mpi4py)" in shown


def ranks(*us: float, threads: int = 1) -> list[OfRank]:
    return [OfRank(i, 1e6, one, 10, 0, None, threads=threads) for i, one in enumerate(us)]


def test_the_rank_that_the_others_wait_for():
    calls = [Procedure("MPI_Barrier", 3, 30, 1.7e6, 1e5, 8e5, passed={"by nature": 30}), Procedure(LAST, 3, 3, 30.0)]
    uneven = Found(3, [], [], calls, 1e6, by_rank=ranks(8e5, 1e5, 8e5))
    late = latest(uneven)
    assert late and (late.rank, round(late.us), late.sure) == (1, 900000, False)
    text = lines(uneven, 1.5)
    said = "imbalance: rank 1 spends 900 ms outside MPI, 2.1 × the mean; the other ranks wait for it"
    assert f"{said}. It works longest, or waited for a core" in text
    assert text[0].endswith("a rank spent 567 ms in MPI (57 % on average, 10 to 80 %)")
    more = "unless rank 1 waited for a core; Heddle carries none of these calls"
    assert text[-1] == f"next: divide the work more evenly among the ranks, {more}"
    for even in (ranks(5e5, 4.9e5, 5e5), ranks(8e5, 1e5, 8e5, threads=2), ranks(8e5)):
        assert latest(Found(len(even), [], [], calls, 1e6, by_rank=even)) is None
    assert latest(Found(3, [], [], calls, 1e6, by_rank=ranks(8e5, 1e5, 8e5), version=2)) is None
    assert latest(Found(3, [], [], calls[:1], 1e6, by_rank=ranks(8e5, 1e5, 8e5))) is None  # the last wait was not timed


def of_cpu(*cpu: float, whole: float = 1e6, run: dict | None = None) -> Found:
    """Three ranks; rank 1 spends 90 % of the time outside MPI, the others 20 %."""
    calls = [Procedure("MPI_Barrier", 3, 30, 1.7e6, 1e5, 8e5, passed={"by nature": 30}), Procedure(LAST, 3, 3, 30.0)]
    times = zip((0.8 * whole, 0.1 * whole, 0.8 * whole), cpu or [None] * 3, strict=True)
    by_rank = [OfRank(i, whole, us, 10, 0, None, host="loom", cpu_us=one) for i, (us, one) in enumerate(times)]
    return Found(3, [], [], calls, whole, by_rank=by_rank, run=run or {})


def test_a_rank_that_had_no_core_is_not_said_to_have_more_work():
    sure = latest(of_cpu(1e6, 9.8e5, 1e6))
    assert sure.sure and sure.sentence.endswith("2.1 × the mean; the other ranks wait for it")
    assert sure.advice == "divide the work more evenly among the ranks"
    assert not latest(of_cpu(1e6, 2.5e6, 1e6)).sure  # several threads: one of them may have waited
    doubt = latest(of_cpu(1e6, 5e5, 1e6))
    assert not doubt.sure and doubt.sentence.endswith(
        "the other ranks wait for it. It had no core for up to 500 ms of this: it slept, or waited for a file or for a core"
    )
    assert "unless rank 1 waited for a core" in doubt.advice


@pytest.mark.parametrize(("cores", "host", "crowded"), [(2, "loom", True), (3, "loom", False), (2, "reed", False)])
def test_more_ranks_than_cores_are_named(cores, host, crowded):
    late = latest(of_cpu(run={"cores": cores, "host": host}))
    assert late.sentence.endswith(": there are more ranks than cores") == crowded, late.sentence


def test_a_short_run_has_no_imbalance():
    assert latest(of_cpu(whole=9e5)) is None and latest(of_cpu(whole=1.1e6))


@pytest.mark.parametrize(("late", "named"), [({1: 6e5, 0: 4e5}, True), ({1: 4e5, 0: 6e5}, False), ({0: 1e4}, True)])
def test_a_rank_for_which_others_hardly_wait_is_no_imbalance(late, named):
    """Waits of less than a twentieth of the run say nothing."""
    found = replace(of_cpu(), sites=[Site("MPI_Barrier", 3, 30, 1.7e6, waited_for=late)])
    assert (latest(found) is not None) == named
    assert any(line.startswith("imbalance: ") for line in lines(found, 1.5)) == named


def test_the_time_on_cores_is_read_from_a_report(tmp_path):
    rank = {"rank": 0, "elapsed_us": 9.0, "us": 2.0, "calls": 1, "bytes": 0}
    report = {"heddle_report": 3, "ranks": 2, "rows": [], "by_rank": [rank | {"cpu_us": 8.5}, rank | {"rank": 1}]}
    (tmp_path / "r.json").write_text(json.dumps(report))
    assert [one.cpu_us for one in rows_of(tmp_path / "r.json").by_rank] == [8.5, None]


def test_a_rank_that_makes_no_call_spends_nothing_in_it():
    root = Procedure("MPI_Win_lock", 1, 5, 6e5, 6e5, 6e5).of_a_rank(3)
    assert (root.mean, root.least, root.most) == (2e5, 0, 6e5)


def test_a_program_that_hardly_calls_mpi_is_left_alone():
    few = Found(1, [], [], [Procedure("MPI_Barrier", 1, 1, 5.0)], 1e6)
    assert lines(few, 1.0)[-1] == "next: nothing to gain in MPI; the program spends its time elsewhere"
    older = Found(1, [], [], [Procedure("MPI_Send", 1, 1, 5.0)], 1e6, version=2)
    assert "in MPI calls that Heddle replaces" in lines(older, 1.0)[0] and not lines(older, 1.0)[-1].startswith("next")
