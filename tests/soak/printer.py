"""Scenarios as one C program."""

from __future__ import annotations

import re
from pathlib import Path

import layouts
from layouts import Layout
from scenario import Comm, Scenario, Side

RUNTIME = "".join((Path(__file__).parent / name).read_text() for name in ("runtime.c", "files.c", "sloppy.c"))


class Printer:
    def __init__(self) -> None:
        self.types: list[str] = []
        self.walks: list[str] = []
        self.tables: list[str] = []
        self.numbers: dict[tuple[int, str], int] = {}
        self.alive: list[Layout] = []  # kept, so that their id() stays unique
        self.names: set[str] = set()

    # ---- types
    def number(self, layout: Layout) -> int:
        key = (id(layout), "")
        if key not in self.numbers:
            self.numbers[key] = len(self.walks)
            self.alive.append(layout)
            lines: list[str] = []
            layouts.walk_c(layout.walk, "at", 0, lines, "  ")
            n = self.numbers[key]
            self.walks.append(
                f"/* {self.shown(layout)} */\nstatic void W{n}(struct walk *w, char *at) {{\n" + "\n".join(lines) + "\n}\n"
            )
        return self.numbers[key]

    def shown(self, layout: Layout) -> str:
        return layout.text if len(layout.text) < 400 else layout.text[:400] + " ..."

    def walker(self, layout: Layout) -> str:
        return f"W{self.number(layout)}"

    def make(self, side: Side, variable: str, indent: str = "") -> list[str]:
        """Returns C code that puts the side's type into `variable`, unless it is there already."""
        layout = side.layout
        if layout.basic:
            return [f"{indent}{variable} = {layout.basic};"]
        n = self.number(layout)
        name = f"T{n}" + ("_by_pmpi" if side.commit_by == "PMPI_" else "")
        if name not in self.names:
            self.names.add(name)
            size = sum(1 for _ in layout.build)
            lines = [f"static MPI_Datatype {name}(void) {{", f"  MPI_Datatype t[{size}];"]
            for statement in layout.build:
                lines.append("  OK(" + re.sub(r"@(\d+)", r"t[\1]", statement) + ");")
            lines.append(f"  OK({side.commit_by}Type_commit(&t[{size - 1}]));")
            lines.append(f"  for (int i = 0; i < {size - 1}; i++) OK(MPI_Type_free(&t[i]));")
            lines.append(f'  expect_bounds(t[{size - 1}], {layout.lb}, {layout.extent}, {bytes_of(layout.walk)}, "{name}");')
            lines.append(f"  return t[{size - 1}];\n}}\n")
            self.types.append("\n".join(lines))
        made = f"{variable} = {name}();"
        return [f"{indent}if ({variable} == MPI_DATATYPE_NULL) {made}" if side.keep == "kept" else f"{indent}{made}"]

    def unmake(self, side: Side, variable: str, when: str) -> list[str]:
        if side.layout.basic or side.keep != when:
            return []
        return [f"OK(MPI_Type_free(&{variable}));"]

    # ---- declarations in the scope of the file
    def declare(self, line: str) -> None:
        if line not in self.names:
            self.names.add(line)
            self.tables.append(line)

    def area(self, name: str, low: int, high: int, by_mpi: bool) -> None:
        self.declare(f"static struct area {name} = {{{low}, {high}, {int(by_mpi)}, NULL, NULL}};")

    def parts(self, name: str, parts: list[tuple[Layout, int, int, int, int]]) -> None:
        """Declares the table of parts. Each part is (layout, count, at, id, bytes)."""
        rows = ", ".join(f"{{{self.walker(layout)}, {c}, {layout.extent}, {at}, {i}u, {n}}}" for layout, c, at, i, n in parts)
        self.declare(f"static const struct part {name}[] = {{{rows or '{NULL, 0, 0, 0, 0, 0}'}}};")

    def variable(self, name: str) -> None:
        self.declare(f"static MPI_Datatype {name} = MPI_DATATYPE_NULL;")


def bytes_of(m: layouts.Map) -> int:
    match m:
        case layouts.Run(bytes=n):
            return n
        case layouts.Loop(count=n, inner=inner):
            return n * bytes_of(inner)
        case layouts.Blocks(lengths=lengths, inner=inner):
            return sum(lengths) * bytes_of(inner)
        case layouts.Several(parts=parts):
            return sum(bytes_of(p) for _, p in parts)
    raise TypeError(m)


def create(comm: Comm, ranks: int) -> list[str]:
    text = comm.create.replace("@", comm.name)
    if comm.everybody:
        return [text]
    inside = " || ".join(f"me == {r}" for r in comm.members)
    return [f"if ({inside}) {text}"]


def thread_body(scenario: Scenario, index: int, printer: Printer) -> list[str]:
    thread = scenario.threads[index]
    requests = max(1, sum(p.requests for p in thread.patterns))
    out = [
        f"static void *run_{scenario.number}_{index}(void *unused) {{",
        f"  static MPI_Request q[{requests}];",
        f"  static MPI_Status s[{requests}];",
    ]
    out += ["  (void)unused, (void)q, (void)s;", f"  for (int round = 0; round < {scenario.rounds}; round++) {{"]
    for step, stage in enumerate(thread.timeline):
        out.append(f"    AT({step});")
        if stage.done:
            rank = stage.ops[0][0]
            of, after = [], []
            for p, op in stage.entries:
                of += [p.first_request + k for k in p.requests_of(op, rank)]
                after += p.after(op, rank, printer)
            if not of and not after:
                continue
            out.append(f"    if (me == {rank}) {{")
            if of:
                out.append(f"      static const int of[] = {{{layouts.listed(of)}}};")
                out.append(f"      complete({stage.how}, {int(stage.profiled)}, {len(of)}, of, q, s);")
            out += ["      " + line for line in after]
            out.append("    }")
            continue
        bodies: dict[tuple[str, ...], list[int]] = {}
        for rank, op in stage.ops:
            bodies.setdefault(tuple(stage.pattern.emit(op, rank, printer)), []).append(rank)
        for body, who in bodies.items():
            if body:
                out.append(f"    if ({' || '.join(f'me == {r}' for r in who)}) {{")
                out += ["      " + line for line in body]
                out.append("    }")
    out.append("  }")
    for p in thread.patterns:
        out += ["  " + line for line in p.finish(printer)]
    out += ["  return NULL;", "}", ""]
    return out


def program(scenarios: list[Scenario], title: str) -> str:
    printer = Printer()
    bodies: list[str] = []
    for s in scenarios:
        s.renumber()
        comms = [*s.quiet, *s.comms]
        for c in comms:
            printer.declare(f"static MPI_Comm {c.name} = MPI_COMM_NULL;")
        for i in range(len(s.threads)):
            bodies += thread_body(s, i, printer)
        bodies += [f"static void scenario_{s.number}(void) {{", f"  at_scenario = {s.number};", "  AT(-1);"]
        for c in comms:
            bodies += ["  " + line for line in create(c, s.ranks)]
        if len(s.threads) == 1:
            bodies.append(f"  run_{s.number}_0(NULL);")
        else:
            n = len(s.threads)
            bodies.append(f"  pthread_t threads[{n}];")
            bodies += [f"  pthread_create(&threads[{i}], NULL, run_{s.number}_{i}, NULL);" for i in range(n)]
            bodies.append(f"  for (int i = 0; i < {n}; i++) pthread_join(threads[i], NULL);")
        bodies.append("  AT(-2);")
        bodies += [f"  if ({c.name} != MPI_COMM_NULL) OK(MPI_Comm_free(&{c.name}));" for c in comms]
        bodies += ["}", ""]
    ranks = scenarios[0].ranks
    settings = {name: value for s in scenarios for p in s.patterns() for name, value in p.settings().items()}
    threads = int(any(len(s.threads) > 1 for s in scenarios))
    main = [
        "int main(void) {",
        *(f'  setenv("{name}", "{value}", 0);' for name, value in sorted(settings.items())),
        f"  begin({ranks}, {threads});",
        *(f"  scenario_{s.number}();" for s in scenarios),
        "  return end();",
        "}",
        "",
    ]
    return "\n".join([f"/* {title} */", RUNTIME, *printer.walks, *printer.types, *printer.tables, "", *bodies, *main])
