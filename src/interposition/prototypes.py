"""The procedures that a host's mpi.h declares, and procedures that its library may have although
the header lacks them. src/mpi/process/host_procedures.py uses this. It needs only MPI's header.

    header = declared(Path(".mpi/mpich/include"), "c++", None)
    header.procedures["MPI_Send"][1].name                               # "count"
    missing = undeclared(header.procedures, ["MPI_Send"])               # {"MPI_Send_c": ...}, if mpi.h has no such thing
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROTOTYPE = re.compile(r"\bint\s+P(MPIX?_\w+)\s*\(([^()]*)\)")
# Open MPI's predefined handles are data. Its predefined callbacks are procedures of other names.
NAMES = re.compile(r"\bP(MPI_\w+) *\(")
PREDEFINED = re.compile(r"\b(?:struct\s+ompi_predefined_\w+\s+(?=ompi_)|int\s+(?=OMPI_C_MPI_))(\w+)\s*[;(]")
PARAMETER = re.compile(r"(.*?)\s*(\w*)\s*((?:\[\w*\])*)")
COUNT = re.compile(r"(send|recv|in|out)?counts?|insize|outsize|position")
PLACES = re.compile(r"[sr]?displs")

# Procedures of MPI-4.0 and later whose parameters differ from those of the procedures that they are
# derived from, and a procedure that MPI-3.0 has removed.
SILENT = """
int PMPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request);
int PMPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request);
int PMPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                           MPI_Comm comm, MPI_Request *request);
int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses);
int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status);
int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                                 MPI_Status *array_of_statuses);
int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers, MPI_Count *num_addresses,
                             MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner);
int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                             MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[]);
"""


@dataclass(frozen=True)
class Parameter:
    text: str  # "const int recvcounts[]"
    kind: str  # "const int[]"
    name: str  # "recvcounts"

    @classmethod
    def of(cls, text: str) -> "Parameter":
        kind, name, array = PARAMETER.fullmatch(text).groups()
        return cls(text, re.sub(r"\s+\*", "*", kind) + array, name)

    @property
    def counts(self) -> bool:
        """True if the parameter, or each entry of its array, is an MPI_Count in the form with large
        counts."""
        return COUNT.fullmatch(self.name) is not None

    @property
    def is_buffer(self) -> bool:
        return self.kind in ("void*", "const void*")

    def with_large_counts(self) -> "Parameter":
        """MPI-4.0 §2.5.8: counts become MPI_Count, and displacements become MPI_Aint."""
        kind = "MPI_Count" if self.counts else "MPI_Aint" if PLACES.fullmatch(self.name) else "int"
        return Parameter.of(re.sub(r"\bint\b", kind, self.text))


Procedures = dict[str, list[Parameter]]


def prototypes(text: str) -> Procedures:
    found = {}
    for name, inside in PROTOTYPE.findall(text):
        inside = " ".join(inside.split())
        found[name] = [] if inside in ("", "void") else [Parameter.of(part.strip()) for part in inside.split(",")]
    return found


@dataclass(frozen=True)
class Header:
    procedures: Procedures
    names: list[str]  # of all procedures, of any return type
    predefined: list[str]  # other symbols of the library: predefined handles and callbacks


def declared(include: Path, compiler: str, define: str | None) -> Header:
    """@param include  The folder of mpi.h. @param define  A macro that must be defined before."""
    command = [*compiler.split(), "-x", "c++", "-E", "-P", f"-I{include}", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    source = "#include <mpi.h>\n"
    text = subprocess.run(
        [*command, *([f"-D{define}"] if define else []), "-"], input=source, capture_output=True, text=True, check=True
    ).stdout
    return Header(prototypes(text), NAMES.findall(text), PREDEFINED.findall(text))


def started(name: str) -> str:
    return "MPI_I" + name[4].lower() + name[5:]


def collectives(names: list[str]) -> list[str]:
    """The names that have a non-blocking and a persistent form."""
    return [name for name in names if started(name) in names and f"{name}_init" in names]


def undeclared(procedures: Procedures, names: list[str]) -> Procedures:
    """The forms of `names`, and the procedures of SILENT, that the header does not declare."""
    missing = prototypes(SILENT)
    request = Parameter.of("MPI_Request *request")
    for name in collectives(names):
        blocking = procedures[name]
        missing[started(name)] = [*blocking, request]
        missing[f"{name}_init"] = [*blocking, Parameter.of("MPI_Info info"), request]
    known = {**missing, **procedures}
    for name in names:
        if name in known and any(parameter.counts for parameter in known[name]):
            missing[f"{name}_c"] = [parameter.with_large_counts() for parameter in known[name]]
    return {name: parameters for name, parameters in missing.items() if name not in procedures}
