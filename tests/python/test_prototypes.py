"""The build reads a host's mpi.h (src/interposition/prototypes.py, src/report/positions.py)."""

import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
sys.path[:0] = [str(SRC / "interposition"), str(SRC / "report")]

from positions import positions, positions_of  # noqa: E402
from prototypes import PREDEFINED, Parameter, prototypes, undeclared  # noqa: E402

HEADER = """
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int PMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);
int  PMPI_Finalize( void );
int PMPI_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm);
int PMPI_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                  const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int PMPI_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm);
int PMPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request);
int PMPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm, MPI_Request *request);
int PMPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win);
int PMPI_Barrier(MPI_Comm comm);
int PMPI_Startall(int count, MPI_Request array_of_requests[]);
int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
int PMPI_Pcontrol(const int level, ...);
int PMPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                  int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status);
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);
int PMPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status);
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
"""
DECLARED = prototypes(HEADER)


def test_only_the_profiling_interface_is_read():
    assert list(DECLARED) == [
        *("MPI_Send", "MPI_Finalize", "MPI_Gatherv", "MPI_Igatherv", "MPI_Scatter", "MPI_Send_init"),
        *("MPI_Ireduce_scatter", "MPI_Accumulate", "MPI_Barrier", "MPI_Startall", "MPI_Group_range_incl", "MPI_Pcontrol"),
        *("MPI_Sendrecv", "MPI_Improbe", "MPI_Testany", "MPI_Comm_split"),
    ]
    assert DECLARED["MPI_Finalize"] == []


@pytest.mark.parametrize(
    "text, kind, name",
    [
        ("const void *buf", "const void*", "buf"),
        ("MPI_Datatype datatype", "MPI_Datatype", "datatype"),
        ("const int recvcounts[]", "const int[]", "recvcounts"),
        ("int ranges[][3]", "int[][3]", "ranges"),
        ("MPI_Comm *newcomm", "MPI_Comm*", "newcomm"),
        ("MPI_Comm* newcomm", "MPI_Comm*", "newcomm"),
        ("...", "...", ""),
    ],
)
def test_a_parameter_has_a_kind_and_a_name(text, kind, name):
    assert Parameter.of(text) == Parameter(text, kind, name)


def test_predefined_handles_and_callbacks_are_symbols_of_the_library():
    text = """
extern __attribute__((visibility("default"))) struct ompi_predefined_datatype_t ompi_mpi_int;
__attribute__((visibility("default"))) int OMPI_C_MPI_COMM_NULL_COPY_FN( MPI_Comm comm, int comm_keyval, int* flag );
int MPI_Send(const void *buf);
"""
    assert PREDEFINED.findall(text) == ["ompi_mpi_int", "OMPI_C_MPI_COMM_NULL_COPY_FN"]


def test_what_a_header_is_silent_about():
    missing = undeclared(DECLARED, ["MPI_Send", "MPI_Gatherv", "MPI_Igatherv", "MPI_Gatherv_init", "MPI_Startall"])
    texts = {name: [parameter.text for parameter in parameters] for name, parameters in missing.items()}
    assert texts["MPI_Send_c"][:3] == ["const void *buf", "MPI_Count count", "MPI_Datatype datatype"]
    assert texts["MPI_Send_c"][3] == "int dest"
    assert texts["MPI_Gatherv_c"][4:6] == ["const MPI_Count recvcounts[]", "const MPI_Aint displs[]"]
    assert texts["MPI_Gatherv_init"][-3:] == ["MPI_Comm comm", "MPI_Info info", "MPI_Request *request"]
    assert texts["MPI_Gatherv_init_c"][4] == "const MPI_Count recvcounts[]"
    assert "MPI_Igatherv" not in texts  # it is declared
    assert "MPI_Isendrecv" in texts


def ends(parts: str) -> dict[str, str]:
    return {"ends": f"{{{parts}}}"}


@pytest.mark.parametrize(
    "name, positions",
    [
        ("MPI_Send", {"buffer": 0, "count": 1, "type": 2, "peer": 3, "communicator": 5} | ends(".destination = 3, .tag = 4")),
        ("MPI_Finalize", {}),
        (
            "MPI_Gatherv",
            {"buffer": 0, "count": 1, "type": 2, "communicator": 8, "root": 7, "pattern": "Pattern::gather"}
            | {"sent": "{.buffer = 0, .count = 1, .type = 2}", "received": "{.buffer = 3, .counts = 4, .type = 6}"}
            | ends(".meets = Meets::at_root"),
        ),
        (
            "MPI_Scatter",  # the type that each rank receives: the other has a meaning only at the root
            {"buffer": 3, "count": 4, "type": 5, "communicator": 7, "root": 6, "pattern": "Pattern::scatter"}
            | {"sent": "{.buffer = 0, .count = 1, .type = 2}", "received": "{.buffer = 3, .count = 4, .type = 5}"}
            | ends(".meets = Meets::root"),
        ),
        (
            "MPI_Send_init",
            {"buffer": 0, "count": 1, "type": 2, "peer": 3, "communicator": 5, "request": 6, "later": "true"}
            | ends(".destination = 3, .tag = 4, .begun = 6"),
        ),
        ("MPI_Startall", {"count": 0, "request": 1} | ends(".started = 1, .requests = 0")),
        ("MPI_Barrier", {"communicator": 0} | ends(".meets = Meets::all")),
        (
            "MPI_Sendrecv",
            {"buffer": 0, "count": 1, "type": 2, "peer": 3, "source": 8, "communicator": 10}
            | {"sent": "{.buffer = 0, .count = 1, .type = 2}", "received": "{.buffer = 5, .count = 6, .type = 7}"}
            | ends(".destination = 3, .tag = 4, .source = 8, .source_tag = 9, .statuses = 11"),
        ),
        ("MPI_Improbe", {"communicator": 2} | ends(".source = 0, .source_tag = 1, .flag = 3, .statuses = 5")),
        (
            "MPI_Testany",
            ends(".completed = 1, .requests = 0, .flag = 3, .index = 2, .statuses = 4, .completes = Completes::any"),
        ),
        ("MPI_Comm_split", {"communicator": 0} | ends(".made = 3")),
        ("MPI_Ireduce_scatter", {"buffer": 1, "type": 3, "communicator": 5}),  # a count for each rank is no count
        ("MPI_Accumulate", {"buffer": 0, "count": 1, "type": 2, "window": 8}),
    ],
)
def test_which_parameter_is_what(name, positions):
    assert positions_of(name, DECLARED[name]) == positions


def test_procedures_that_communicate_or_wait_are_observed():
    lines = dict(line.split(",", 1) for line in positions(DECLARED, ["MPI_Send", "MPI_Send_init"]).splitlines())
    assert sorted(lines) == [
        *("MPI_Accumulate", "MPI_Barrier", "MPI_Comm_split", "MPI_Improbe", "MPI_Ireduce_scatter", "MPI_Send"),
        *("MPI_Send_init", "MPI_Startall", "MPI_Testany"),
    ]
    assert lines["MPI_Send"].startswith(".carriable = true, .buffer = 0") and "carriable" not in lines["MPI_Barrier"]
