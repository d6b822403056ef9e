"""What a host's mpi.h and treatments.csv say of MPI's procedures, as two headers and a table for src/mpi. Called by the build.

    host_procedures.py --include .mpi/mpich/include --compiler c++ --table treatments.csv --out FOLDER [--define MPI_ABI]

host_procedures.hpp   Every PMPI_ procedure is weak: a library may lack it, and programs without MPI load Heddle, too. What the
                      header does not declare, and the library may have all the same, is declared: large counts (_c),
                      persistent collectives. Open MPI has the first since release 6, under the soname of release 5.
entry_points.hpp      For each accelerated or tracked procedure a macro that defines it, and all its forms:

    HEDDLE_ENTRY_Pack(pack)
        int MPI_Pack(const void* inbuf, int incount, ...)         { return pack(PMPI_Pack, inbuf, incount, ...); }
        int MPI_Pack_c(const void* inbuf, MPI_Count incount, ...) { return pack(PMPI_Pack_c, inbuf, incount, ...); }

    HEDDLE_MESSAGE_Recv(recv)                                 likewise, of what sends or receives a message
        int MPI_Recv(void* buf, int count, ...)               { return recv(host, Buffer{buf, count, datatype},
                                                                Envelope{source, tag, comm}, status); }

    HEDDLE_MADE_Comm_split(left)                              likewise, of a tracked one that makes a communicator or a group
        int MPI_Comm_split(MPI_Comm comm, int color, ...)     { return left(communicators::Made{.by = "MPI_Comm_split",
                                                                .comm = comm, .made = newcomm}, [&] { return PMPI_Comm_split(
                                                                comm, color, ...); }); }

    HEDDLE_COLLECTIVE_Gatherv(gather)
        int MPI_Gatherv(const void* sendbuf, ...)             { return gather(Blocking{"MPI_Gatherv"}, host,
                                                                Buffer{sendbuf, ...}, VArgument{recvbuf, ...}, root,
                                                                comm, hand); }
        likewise MPI_Gatherv_c; MPI_Igatherv and MPI_Igatherv_c with Started{"MPI_Igatherv", request}; MPI_Gatherv_init and
        MPI_Gatherv_init_c with Kept{"MPI_Gatherv_init", info, request}

    host()      calls the host's procedure as the program called Heddle's; a message's that has a status, with the one given
    hand(op)    calls that of the same form with what is sent as op.out has it, and what is received as op.in has it, in large
                counts if op.wide; nothing if there is no such procedure

positions.csv         Which parameter of a procedure is what, for who looks on (lifecycle/timed.hpp):

    MPI_Send,.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5
    MPI_Gather,... .root = 6, .pattern = Pattern::gather, .sent = {.buffer = 0, .count = 1, .type = 2}, .received = {...}
"""

import argparse
import csv
import re
import subprocess
from pathlib import Path

PROTOTYPE = re.compile(r"\bint\s+P(MPI_\w+)\s*\(([^()]*)\)")
HANDLE = re.compile(r"\bextern\s+struct\s+ompi_predefined_\w+\s+(ompi_\w+)\s*;")  # Open MPI's predefined handles are data
COUNT = re.compile(r"(send|recv|in|out)?counts?|insize|outsize|position")
PLACES = re.compile(r"[sr]?displs")
NAME = re.compile(r"(\w+)\s*(\[\w*\])*$")

# What a library may have although its header is silent: of MPI-4.0 and later, with other parameters than those that they are
# derived from; and what MPI-3.0 has removed.
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

Parameters = list[str]


def name_of(parameter: str) -> str:
    return NAME.search(parameter).group(1)


def with_large_counts(parameters: Parameters) -> Parameters:
    """MPI-4.0 §2.5.8: counts become MPI_Count, displacements that are no MPI_Aint yet become it."""
    wide = []
    for parameter in parameters:
        kind = (
            "MPI_Count"
            if COUNT.fullmatch(name_of(parameter))
            else "MPI_Aint"
            if PLACES.fullmatch(name_of(parameter))
            else "int"
        )
        wide.append(re.sub(r"\bint\b", kind, parameter))
    return wide


def declared(include: Path, compiler: str, define: str | None) -> tuple[dict[str, Parameters], list[str]]:
    """Of mpi.h: procedures with their parameters, and handles that are data."""
    command = [*compiler.split(), "-x", "c++", "-E", "-P", f"-I{include}", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    source = "#include <mpi.h>\n"
    text = subprocess.run(
        [*command, *([f"-D{define}"] if define else []), "-"], input=source, capture_output=True, text=True, check=True
    ).stdout
    return prototypes(text), HANDLE.findall(text)


def prototypes(text: str) -> dict[str, Parameters]:
    found = {}
    for name, inside in PROTOTYPE.findall(text):
        inside = " ".join(inside.split())
        found[name] = [] if inside in ("", "void") else [part.strip() for part in inside.split(",")]
    return found


def treated(table: Path, treatment: str) -> list[str]:
    """In the order of the table."""
    with table.open() as lines:
        rows = csv.reader(line for line in lines if line.startswith("MPI"))
        return [name for name, each, _ in rows if each == treatment]


def collectives(names: list[str]) -> list[str]:
    """Those that have a non-blocking and a persistent form."""
    return [name for name in names if started(name) in names and f"{name}_init" in names]


def started(name: str) -> str:
    return "MPI_I" + name[4].lower() + name[5:]


def completed(procedures: dict[str, Parameters], names: list[str]) -> dict[str, Parameters]:
    """What the header does not declare of the forms of `names`, and of SILENT."""
    missing = prototypes(SILENT)
    for name in collectives(names):
        blocking = procedures[name]
        missing[started(name)] = [*blocking, "MPI_Request *request"]
        missing[f"{name}_init"] = [*blocking, "MPI_Info info", "MPI_Request *request"]
    known = {**missing, **procedures}
    for name in names:
        if name in known and any(COUNT.fullmatch(name_of(parameter)) for parameter in known[name]):
            missing[f"{name}_c"] = with_large_counts(known[name])
    return {name: parameters for name, parameters in missing.items() if name not in procedures}


def host_header(procedures: dict[str, Parameters], missing: dict[str, Parameters], handles: list[str]) -> str:
    lines = ["// Made by src/mpi/process/host_procedures.py.", "#pragma once", ""]
    lines += ["#pragma GCC visibility push(default)", 'extern "C" {']
    for name, parameters in sorted(missing.items()):
        lines += [f"int P{name}({', '.join(parameters)});", f"decltype(P{name}) {name};"]
    lines += ["}", "#pragma GCC visibility pop", ""]
    lines += [f"#pragma weak P{name}" for name in sorted({*procedures, *missing})]
    lines += [f"#pragma weak {handle}" for handle in handles]
    return "\n".join(lines) + "\n"


def definition(name: str, parameters: Parameters, body: str) -> str:
    return f"  int {name}({', '.join(parameters)}) {{ return {body}; }}"


def macro(head: str, lines: list[str]) -> str:
    return "\n".join([f"#define {head} \\", *(f"{line} \\" for line in lines[:-1]), lines[-1]])


def entry(name: str, known: dict[str, Parameters]) -> str:
    forms = [form for form in (name, f"{name}_c") if form in known]
    bodies = [
        definition(form, known[form], f"__VA_ARGS__({', '.join([f'P{form}', *map(name_of, known[form])])})") for form in forms
    ]
    return macro(f"HEDDLE_ENTRY_{name[4:]}(...)", bodies)


def is_message(parameters: Parameters) -> bool:
    """It begins with a buffer, and says whom that is for, or whom from."""
    names = {name_of(parameter) for parameter in parameters}
    return any("MPI_Datatype" in each for each in parameters[2:3]) and not names.isdisjoint({"dest", "source", "message"})


def message_arguments(parameters: Parameters) -> list[str]:
    """The parameters of what sends or receives, as the family's function takes them."""
    names = [name_of(parameter) for parameter in parameters]
    given: list[str] = []
    rest = list(zip(names, parameters, strict=True))
    while rest:
        (name, parameter), *rest = rest
        if name in ("dest", "source"):
            (tag, _), *rest = rest
            given.append(f"::heddle::mpi::Envelope{{{name}, {tag}, comm}}")
        elif re.match(r"(const )?void\b", parameter):
            (count, _), (datatype, _), *rest = rest
            given.append(f"::heddle::mpi::Buffer{{{name}, {count}, {datatype}}}")
        elif name != "comm":
            given.append(name)
    return given


def message(name: str, known: dict[str, Parameters]) -> str:
    bodies = []
    for form in (form for form in (name, f"{name}_c") if form in known):
        names = [name_of(parameter) for parameter in known[form]]
        handed = ["told" if each == "status" else each for each in names]
        host = f"[&]{'(MPI_Status* told)' if 'status' in names else ''} {{ return P{form}({', '.join(handed)}); }}"
        bodies.append(definition(form, known[form], f"__VA_ARGS__({', '.join([host, *message_arguments(known[form])])})"))
    return macro(f"HEDDLE_MESSAGE_{name[4:]}(...)", bodies)


MADE = {  # communicators::Made: the first or the second parameter of that kind
    "comm": ("MPI_Comm", 0),
    "group": ("MPI_Group", 0),
    "other": ("MPI_Group", 1),
    "info": ("MPI_Info", 0),
    "made": ("MPI_Comm*", 0),
    "made_group": ("MPI_Group*", 0),
}


def made(name: str, parameters: Parameters) -> list[str]:
    """Nothing, if it makes neither a communicator nor a group."""
    names = [name_of(parameter) for parameter in parameters]
    kinds = ["".join(NAME.sub("", parameter).split()) for parameter in parameters]
    places = {what: [i for i, each in enumerate(kinds) if each == kind][n:] for what, (kind, n) in MADE.items()}
    found = {what: names[at[0]] for what, at in places.items() if at}
    if "made" not in found and "made_group" not in found:
        return []
    if "reorder" in names:
        found["reordered"] = "reorder != 0"
    what = ", ".join([f'.by = "{name}"', *(f".{member} = {value}" for member, value in found.items())])
    host = f"[&] {{ return P{name}({', '.join(names)}); }}"
    body = f"__VA_ARGS__(::heddle::mpi::communicators::Made{{{what}}}, {host})"
    return [macro(f"HEDDLE_MADE_{name[4:]}(...)", [definition(name, parameters, body)])]


def buffer_arguments(parameters: Parameters) -> tuple[list[str], list[str]]:
    """The parameters of a collective as the family's function takes them, and as the host gets them from an op."""
    given: list[str] = []
    handed: list[str] = []
    starts = [i for i, each in enumerate(parameters) if re.match(r"(const )?void\b", each)]
    ends = [i for i, each in enumerate(parameters) if re.search(r"\bMPI_Datatype\b", each)]
    for i, each in enumerate(parameters):
        if i in starts:
            side = "op.in" if i == starts[-1] else "op.out"
            end = ends[starts.index(i)]
            several, types = end - i == 3, not re.fullmatch(r"MPI_Datatype \w+", parameters[end])
            what = "WArgument" if types else "VArgument" if several else "Buffer"
            given.append(f"::heddle::mpi::{what}{{{', '.join(map(name_of, parameters[i : end + 1]))}}}")
            parts = ["address", *(["counts", "displacements"] if several else ["count"]), "types" if types else "type"]
            handed += [f"{side}.{part}()" for part in parts]
        elif not any(start < i <= end for start, end in zip(starts, ends, strict=True)):
            given.append(name_of(each))
            handed.append(name_of(each))
    return given, handed


def collective(name: str, known: dict[str, Parameters]) -> str:
    forms = [(name, f'Blocking{{"{name}"}}', ""), (started(name), f'Started{{"{started(name)}", request}}', ", request")]
    forms.append((f"{name}_init", f'Kept{{"{name}_init", info, request}}', ", info, request"))
    given, handed = map(", ".join, buffer_arguments(known[name]))
    bodies = []
    for plain, how, rest in forms:
        hand = f"[&](auto& op) {{ return HEDDLE_CALL_HOST(op.wide, {plain[4:]}, {handed}{rest}); }}"
        for form in (plain, f"{plain}_c"):
            host = f"[&] {{ return P{form}({', '.join(map(name_of, known[form]))}); }}"
            bodies.append(definition(form, known[form], f"__VA_ARGS__(::heddle::mpi::{how}, {host}, {given}, {hand})"))
    return macro(f"HEDDLE_COLLECTIVE_{name[4:]}(...)", bodies)


def entry_header(known: dict[str, Parameters], names: list[str], tracked: list[str]) -> str:
    parts = ["// Made by src/mpi/process/host_procedures.py, which says what it is.", "#pragma once", ""]
    parts += [(message if is_message(known[name]) else entry)(name, known) for name in (*names, *tracked) if name in known]
    parts += [line for name in tracked if name in known for line in made(name, known[name])]
    parts += [collective(name, known) for name in collectives(names)]
    return "\n".join(parts) + "\n"


COLLECTIVE = re.compile(r"MPI_I?(neighbor_)?(alltoall|allgather|gather|scatter|bcast)[vw]?(_init)?(_c)?", re.IGNORECASE)


def positions_of(name: str, parameters: Parameters) -> dict[str, int | str]:
    """Of what it sends, or of its only datatype. A scatter's sending datatype means something at the root alone."""
    types = [i for i, each in enumerate(parameters) if re.fullmatch(r"MPI_Datatype \w+", each)]
    named = {match[1]: i for i, each in enumerate(parameters) if (match := NAME.search(each))}
    found: dict[str, int | str] = {}
    if types:
        at = types[-1] if "catter" in name else types[0]
        several = "displs" in name_of(parameters[at - 1])
        number = at - 2 if several else at - 1
        if number > 0 and COUNT.fullmatch(name_of(parameters[number])):
            found["buffer"] = number - 1
            if not several:
                found["count"] = number
        found["type"] = at
    for i, each in enumerate(parameters):
        if re.fullmatch(r"int dest", each) and "count" in found:
            found["peer"] = i
        if re.fullmatch(r"MPI_Comm \w+", each):
            found.setdefault("communicator", i)
    persistent = name.removesuffix("_c").endswith("_init") and "request" in named
    started = re.fullmatch(r"MPI_Start(all)?", name)
    if started:
        found |= {"count": named["count"]} if "count" in named else {}
    if persistent or started:
        found["request"] = next(i for i, each in enumerate(parameters) if each.startswith("MPI_Request"))
    collective = COLLECTIVE.fullmatch(name)
    if collective:
        neighbours, what = collective[1] or "", collective[2].lower()
        found |= {"root": named["root"]} if "root" in named else {}
        found["pattern"] = f"Pattern::{neighbours.lower()}{'broadcast' if what == 'bcast' else what}"
    if collective or "sendtype" in named:  # or MPI_Sendrecv
        found |= {side: blocks for side, prefix in SIDES.items() if (blocks := blocks_of(named, prefix))}
    if persistent:
        found["later"] = "true"
    return {what: found[what] for what in POSITIONS if what in found}


POSITIONS = ("buffer", "count", "type", "peer", "communicator", "root", "request", "pattern", "sent", "received", "later")
SIDES = {"sent": "send", "received": "recv"}


def blocks_of(named: dict[str, int], prefix: str) -> str:
    """What a collective sends, or receives."""
    parts = {"buf": "buffer", "count": "count", "counts": "counts", "type": "type", "types": "types"}
    found = {part: named[prefix + word] for word, part in parts.items() if prefix + word in named}
    return f"{{{', '.join(f'.{part} = {at}' for part, at in found.items())}}}" if found else ""


def positions(known: dict[str, Parameters]) -> str:
    lines = []
    for name, parameters in sorted(known.items()):
        found = positions_of(name, parameters)
        lines.append(f"{name}," + ", ".join(f".{what} = {at}" for what, at in found.items()))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, required=True, help="folder of mpi.h")
    parser.add_argument("--compiler", default="c++", help="C++ compiler, whose preprocessor reads it")
    parser.add_argument("--define", help="a macro that must be defined before")
    parser.add_argument("--table", type=Path, required=True, help="treatments.csv")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    given = parser.parse_args()
    procedures, handles = declared(given.include, given.compiler, given.define)
    names = treated(given.table, "accelerated")
    missing = completed(procedures, names)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "host_procedures.hpp").write_text(host_header(procedures, missing, handles))
    (given.out / "entry_points.hpp").write_text(entry_header({**procedures, **missing}, names, treated(given.table, "tracked")))
    (given.out / "positions.csv").write_text(positions({**procedures, **missing}))


if __name__ == "__main__":
    main()
