"""Makes headers and tables for src/mpi from a host's mpi.h and treatments.csv. The build calls it
with two folders in PYTHONPATH: src/interposition (prototypes.py, which reads mpi.h) and src/report
(positions.py).

    host_procedures.py --include .mpi/mpich/include --compiler c++ --table treatments.csv --out FOLDER [--define MPI_ABI]

host_procedures.hpp   Makes every PMPI_ procedure weak: a library may lack it, and programs without
                      MPI load Heddle, too. Declares procedures that the header lacks but the
                      library may have: large counts (_c) and persistent collectives. Open MPI has
                      large counts since release 6, under the soname of release 5.
entry_points.hpp      For each accelerated or tracked procedure, a macro that defines it in all its
                      forms:

    HEDDLE_ENTRY_Pack(pack)
        int MPI_Pack(const void* inbuf, int incount, ...)         { return pack(PMPI_Pack, inbuf, incount, ...); }
        int MPI_Pack_c(const void* inbuf, MPI_Count incount, ...) { return pack(PMPI_Pack_c, inbuf, incount, ...); }

    HEDDLE_MESSAGE_Recv(recv)                                 the same for a procedure that sends or receives a message
        int MPI_Recv(void* buf, int count, ...)               { return recv(host, Buffer{buf, count, datatype},
                                                                Envelope{source, tag, comm}, status); }

    HEDDLE_MADE_Comm_split(left)                              the same for one that makes a communicator or a group
        int MPI_Comm_split(MPI_Comm comm, int color, ...)     { return left(communicators::Made{.by = "MPI_Comm_split",
                                                                .comm = comm, .made = newcomm}, [&] { return PMPI_Comm_split(
                                                                comm, color, ...); }); }

    HEDDLE_COLLECTIVE_Gatherv(gather)
        int MPI_Gatherv(const void* sendbuf, ...)             { return gather(Blocking{"MPI_Gatherv"}, host,
                                                                Buffer{sendbuf, ...}, VArgument{recvbuf, ...}, root,
                                                                comm, hand); }
        also MPI_Gatherv_c; MPI_Igatherv and MPI_Igatherv_c with Started{"MPI_Igatherv", request}; MPI_Gatherv_init and
        MPI_Gatherv_init_c with Kept{"MPI_Gatherv_init", info, request}

    host()      calls the host's procedure with the program's arguments; if it has a status, with
                the status that is given
    hand(op)    calls the host's procedure of the same form: it sends op.out and receives into
                op.in, with large counts if op.wide. Returns nothing if the host has no such
                procedure

passed_procedures.inc Procedures that the header declares and Heddle leaves to the host
                      (interposition::Passed).
positions.csv         The procedures whose calls are observed, with the meaning of their
                      parameters (report/positions.py).
"""

import argparse
import csv
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from positions import positions
from prototypes import Parameter, Procedures, collectives, declared, started, undeclared


def treated(table: Path, treatment: str) -> list[str]:
    """The procedures with that treatment, in the order of the table."""
    with table.open() as lines:
        rows = csv.reader(line for line in lines if line.startswith("MPI"))
        return [name for name, each, _ in rows if each == treatment]


def passed(table: Path, names: Iterable[str]) -> list[str]:
    """Those of `names` whose first matching row of the table says "passed"."""
    with table.open() as lines:
        rows = [row[:2] for row in csv.reader(line for line in lines if line.startswith("MPI"))]

    def treatment(name: str) -> str:
        fitting = (name, name.removesuffix("_c"))
        return next((each for pattern, each in rows if any(fnmatchcase(one, pattern) for one in fitting)), "")

    return [name for name in names if treatment(name) == "passed"]


def passed_table(names: Iterable[str]) -> str:
    """Elements of interposition::Passed, sorted by hash."""

    def gnu_hash(name: str) -> int:
        value = 5381
        for letter in name.encode():
            value = (value * 33 + letter) % 2**32
        return value | 1

    return "".join(f'{{{value}U, "{name}"}},\n' for value, name in sorted({(gnu_hash(name), name) for name in names}))


def listed(parameters: Iterable[Parameter]) -> str:
    """The parameters as a procedure declares them."""
    return ", ".join(each.text for each in parameters)


def handed_on(parameters: Iterable[Parameter]) -> str:
    """The parameters as a procedure hands them on."""
    return ", ".join(each.name for each in parameters)


def host_header(procedures: Procedures, missing: Procedures, predefined: list[str]) -> str:
    lines = ["// Made by src/mpi/process/host_procedures.py.", "#pragma once", ""]
    lines += ["#pragma GCC visibility push(default)", 'extern "C" {']
    for name, parameters in sorted(missing.items()):
        lines += [f"int P{name}({listed(parameters)});", f"decltype(P{name}) {name};"]
    lines += ["}", "#pragma GCC visibility pop", ""]
    lines += [f"#pragma weak P{name}" for name in sorted({*procedures, *missing})]
    lines += [f"#pragma weak {symbol}" for symbol in predefined]
    return "\n".join(lines) + "\n"


def definition(name: str, parameters: list[Parameter], arguments: list[str], progresses: bool = False) -> str:
    """A procedure that calls the macro's argument with `arguments`. `progresses`: the host may
    complete receives in this call, among them receives whose requests the program has freed
    (requests/freed.hpp)."""
    called = f"__VA_ARGS__({', '.join(arguments)})"
    returned = f"::heddle::mpi::requests::after_progress({called})" if progresses else called
    return f"  int {name}({listed(parameters)}) {{ return {returned}; }}"


def macro(head: str, lines: list[str]) -> str:
    return "\n".join([f"#define {head} \\", *(f"{line} \\" for line in lines[:-1]), lines[-1]])


def forms(name: str, known: Procedures) -> list[tuple[str, list[Parameter]]]:
    """The procedure, and its form with large counts, if there is one."""
    return [(form, known[form]) for form in (name, f"{name}_c") if form in known]


def entry(name: str, known: Procedures) -> str:
    bodies = [definition(form, given, [f"P{form}", *(each.name for each in given)]) for form, given in forms(name, known)]
    return macro(f"HEDDLE_ENTRY_{name.removeprefix('MPI_')}(...)", bodies)


def is_message(parameters: list[Parameter]) -> bool:
    """It begins with a buffer and has a destination, a source or a matched message."""
    names = {parameter.name for parameter in parameters}
    return any("MPI_Datatype" in each.kind for each in parameters[2:3]) and not names.isdisjoint({"dest", "source", "message"})


def message_arguments(parameters: list[Parameter]) -> list[str]:
    """The parameters of a send or receive, as the family's function takes them."""
    given: list[str] = []
    rest = list(parameters)
    while rest:
        first, *rest = rest
        if first.name in ("dest", "source"):
            tag, *rest = rest
            given.append(f"::heddle::mpi::Envelope{{{handed_on([first, tag])}, comm}}")
        elif first.is_buffer:
            count, datatype, *rest = rest
            given.append(f"::heddle::mpi::Buffer{{{handed_on([first, count, datatype])}}}")
        elif first.name != "comm":
            given.append(first.name)
    return given


def message(name: str, known: Procedures) -> str:
    bodies = []
    for form, parameters in forms(name, known):
        names = [each.name for each in parameters]
        handed = ["told" if each == "status" else each for each in names]
        host = f"[&]{'(MPI_Status* told)' if 'status' in names else ''} {{ return P{form}({', '.join(handed)}); }}"
        bodies.append(definition(form, parameters, [host, *message_arguments(parameters)]))
    return macro(f"HEDDLE_MESSAGE_{name[4:]}(...)", bodies)


MADE = {  # members of communicators::Made: the parameter's kind, and 0 for the first of that kind, 1 for the second
    "comm": ("MPI_Comm", 0),
    "group": ("MPI_Group", 0),
    "other": ("MPI_Group", 1),
    "info": ("MPI_Info", 0),
    "made": ("MPI_Comm*", 0),
    "made_group": ("MPI_Group*", 0),
}


def made(name: str, parameters: list[Parameter]) -> list[str]:
    """The macro of a procedure that makes a communicator or a group. Empty: it makes neither."""
    of_kind = {what: [each.name for each in parameters if each.kind == kind][n:] for what, (kind, n) in MADE.items()}
    found = {what: names[0] for what, names in of_kind.items() if names}
    if "made" not in found and "made_group" not in found:
        return []
    if any(each.name == "reorder" for each in parameters):
        found["reordered"] = "reorder != 0"
    what = ", ".join([f'.by = "{name}"', *(f".{member} = {value}" for member, value in found.items())])
    host = f"[&] {{ return P{name}({handed_on(parameters)}); }}"
    arguments = [f"::heddle::mpi::communicators::Made{{{what}}}", host]
    body = definition(name, parameters, arguments, progresses="made" in found)
    return [macro(f"HEDDLE_MADE_{name.removeprefix('MPI_')}(...)", [body])]


def buffer_arguments(parameters: list[Parameter]) -> tuple[list[str], list[str]]:
    """The parameters of a collective: as the family's function takes them, and as the host gets
    them from an op."""
    given: list[str] = []
    handed: list[str] = []
    starts = [i for i, each in enumerate(parameters) if each.is_buffer]
    ends = [i for i, each in enumerate(parameters) if "MPI_Datatype" in each.kind]
    for i, each in enumerate(parameters):
        if i in starts:
            side = "op.in" if i == starts[-1] else "op.out"
            end = ends[starts.index(i)]
            several, types = end - i == 3, parameters[end].kind != "MPI_Datatype"
            what = "WArgument" if types else "VArgument" if several else "Buffer"
            given.append(f"::heddle::mpi::{what}{{{handed_on(parameters[i : end + 1])}}}")
            parts = ["address", *(["counts", "displacements"] if several else ["count"]), "types" if types else "type"]
            handed += [f"{side}.{part}()" for part in parts]
        elif not any(start < i <= end for start, end in zip(starts, ends, strict=True)):
            given.append(each.name)
            handed.append(each.name)
    return given, handed


def collective(name: str, known: Procedures) -> str:
    hows = [(name, f'Blocking{{"{name}"}}', ""), (started(name), f'Started{{"{started(name)}", request}}', ", request")]
    hows.append((f"{name}_init", f'Kept{{"{name}_init", info, request}}', ", info, request"))
    given, handed = buffer_arguments(known[name])
    bodies = []
    for plain, how, rest in hows:
        hand = f"[&](auto& op) {{ return HEDDLE_CALL_HOST(op.wide, {plain[4:]}, {', '.join(handed)}{rest}); }}"
        for form, parameters in forms(plain, known):
            host = f"[&] {{ return P{form}({handed_on(parameters)}); }}"
            bodies.append(definition(form, parameters, [f"::heddle::mpi::{how}", host, *given, hand], plain == name))
    return macro(f"HEDDLE_COLLECTIVE_{name[4:]}(...)", bodies)


def entry_header(known: Procedures, names: list[str], tracked: list[str]) -> str:
    parts = ["// Made by src/mpi/process/host_procedures.py, which says what it is.", "#pragma once", ""]
    parts += [(message if is_message(known[name]) else entry)(name, known) for name in (*names, *tracked) if name in known]
    parts += [line for name in tracked if name in known for line in made(name, known[name])]
    parts += [collective(name, known) for name in collectives(names)]
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, required=True, help="folder of mpi.h")
    parser.add_argument("--compiler", default="c++", help="C++ compiler, whose preprocessor reads it")
    parser.add_argument("--define", help="a macro that must be defined before")
    parser.add_argument("--table", type=Path, required=True, help="treatments.csv")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    given = parser.parse_args()
    header = declared(given.include, given.compiler, given.define)
    names = treated(given.table, "accelerated")
    tracked = treated(given.table, "tracked")
    typed = [name for name in tracked if any(each.kind == "MPI_Datatype" for each in header.procedures.get(name, []))]
    missing = undeclared(header.procedures, [*names, *typed])
    known = {**header.procedures, **missing}
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "host_procedures.hpp").write_text(host_header(header.procedures, missing, header.predefined))
    (given.out / "entry_points.hpp").write_text(entry_header(known, names, tracked))
    (given.out / "passed_procedures.inc").write_text(passed_table(passed(given.table, header.names)))
    (given.out / "positions.csv").write_text(positions(known, names))


if __name__ == "__main__":
    main()
