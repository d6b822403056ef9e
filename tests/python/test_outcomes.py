"""The outcomes of calls in a report: each call is carried or handed on, once, for a reason that
holds."""

import math

import pytest
from conftest import compiled, report, row
from heddle.reported.reading import rows_of

PROGRAM = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
enum { calls = 100 };
static int rank;
static MPI_Datatype column;
static void* exchange(void* tag) {
  double *from = calloc(20000, 8), *to = calloc(20000, 8);
  for (int i = 0; i < calls; ++i)
    MPI_Sendrecv(from, 1, column, 1 - rank, (int)(long)tag, to, 1, column, 1 - rank, (int)(long)tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  return NULL;
}
int main(int argc, char** argv) {
  int threads = argc > 1;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &(int){0});
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(2048, 4, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  pthread_t other[2];
  for (long i = 0; threads && i < 2; ++i) pthread_create(&other[i], NULL, exchange, (void*)i);
  for (int i = 0; threads && i < 2; ++i) pthread_join(other[i], NULL);
  double *from = calloc(40000, 8), *to = calloc(40000, 8);
  int counts[2] = {1, 1}, places[2] = {0, 20000 * 8};
  MPI_Datatype types[2] = {column, column};
  MPI_Request both[2];
  MPI_Recv_init(to, 1, column, 1 - rank, 9, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(from, 1, column, 1 - rank, 9, MPI_COMM_WORLD, &both[1]);
  for (int i = 0; !threads && i < calls; ++i) {
    MPI_Alltoallw(from, counts, places, types, to, counts, places, types, MPI_COMM_WORLD);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "outcomes.c").write_text(PROGRAM)
    return compiled(mpi, folder / "outcomes", "-O1", folder / "outcomes.c", "-lpthread")


@pytest.fixture
def procedures(heddle, program, tmp_path):
    def run(*words: str) -> dict:
        file = tmp_path / "r.json"
        done = heddle("run", "-n", 2, "--", program, *words, HEDDLE_REPORT=str(file))
        assert done.returncode == 0, done
        return {one.name: one for one in rows_of(file).procedures}

    return run


def test_calls_of_threads_are_carried_once(procedures):
    calls = procedures("threads")["MPI_Sendrecv"]
    assert calls.calls == 400 and calls.carried + sum(calls.passed.values()) == 400, calls


def test_collectives_left_to_the_library_have_a_reason(procedures):
    calls = procedures()["MPI_Alltoallw"]
    assert calls.calls == 200 and calls.carried + sum(calls.passed.values()) == 200, calls
    assert "by nature" not in calls.passed, calls


def test_starts_decide_and_not_the_call_that_makes_the_request(procedures):
    found = procedures()
    assert set(found["MPI_Send_init"].passed) <= {"by nature"}, found["MPI_Send_init"]
    assert set(found["MPI_Startall"].passed) <= {"by nature", "library as fast"}, found["MPI_Startall"]


def test_a_side_that_moves_nothing_has_no_speed(written):
    direct = {"way": "direct", "pack_us": 0.0}
    rows = rows_of(written(report(row(), row(**direct), row(**direct, copy_us=5.0)))).rows
    assert sorted(one.times["copy"] for one in rows if one.speed > 0) == [0.0, 5.0]
    assert [one.way for one in rows if math.isnan(one.speed)] == ["direct"]
