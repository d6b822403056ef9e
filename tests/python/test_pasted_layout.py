"""heddle explain gives the layout that an MPI library gives for the compiled C source."""

import json
import random
import subprocess

from conftest import clean_environment, compiled, launcher
from heddle.native import tool
from heddle.pasted import described

CASES = 60
SEED = 20070

PROGRAM = r"""
#include <mpi.h>
#include <complex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned char* memory;
enum { room = 1 << 20 };
static void tell(MPI_Datatype t) {
  MPI_Aint lower, extent, true_lower, true_extent;
  int size, done = 0;
  MPI_Type_commit(&t);
  MPI_Type_size(t, &size);
  MPI_Type_get_extent(t, &lower, &extent);
  MPI_Type_get_true_extent(t, &true_lower, &true_extent);
  printf("{\"size\": %d, \"lower_bound\": %ld, \"extent\": %ld, ", size, (long)lower, (long)extent);
  printf("\"true_lower_bound\": %ld, \"true_extent\": %ld, \"packed\": \"", (long)true_lower, (long)true_extent);
  unsigned char* packed = malloc(size + 1);
  MPI_Pack(memory + room / 2, 1, t, packed, size, &done, MPI_COMM_SELF);
  for (int i = 0; i < done; ++i) printf("%02x", packed[i]);
  printf("\"}\n");
  free(packed);
}
@CASES@
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  memory = malloc(room);
  for (unsigned i = 0; i < room; ++i) memory[i] = (i * 2654435761u) >> 23;
  @CALLS@
  MPI_Finalize();
  return 0;
}
"""
ROOM = 1 << 20


def at(offset: int) -> int:
    return ((offset + ROOM // 2) * 2654435761 & 0xFFFFFFFF) >> 23 & 0xFF


def numbers(values) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


BASIC = ("MPI_CHAR", "MPI_SHORT", "MPI_INT", "MPI_DOUBLE")


def darray(draw: random.Random) -> str:
    dimensions = draw.randint(1, 3)
    sizes = [draw.randint(1, 9) for _ in range(dimensions)]
    grid, how, own, ranks = [], [], [], 1
    for size in sizes:
        places, one, argument = draw.randint(1, 3), draw.choice(("BLOCK", "CYCLIC", "NONE")), "MPI_DISTRIBUTE_DFLT_DARG"
        if one == "NONE":
            places = 1
        elif draw.random() < 0.6:
            argument = draw.randint(-(-size // places), size + 1) if one == "BLOCK" else draw.randint(1, 4)
        grid.append(places)
        how.append(f"MPI_DISTRIBUTE_{one}")
        own.append(argument)
        ranks *= places
    order = draw.choice(("C", "FORTRAN"))
    return (
        f"int sizes[] = {numbers(sizes)}, how[] = {numbers(how)}, own[] = {numbers(own)}, grid[] = {numbers(grid)};\n"
        f"MPI_Type_create_darray({ranks}, {draw.randrange(ranks)}, {dimensions}, sizes, how, own, grid, MPI_ORDER_{order}, "
        f"{draw.choice(BASIC)}, &t);"
    )


def subarray(draw: random.Random) -> str:
    sizes = [draw.randint(1, 7) for _ in range(draw.randint(1, 4))]
    parts = [draw.randint(1, size) for size in sizes]
    starts = [draw.randint(0, size - part) for size, part in zip(sizes, parts, strict=True)]
    order = draw.choice(("C", "FORTRAN"))
    return (
        f"const int n[] = {numbers(sizes)}, part[] = {numbers(parts)}, first[] = {numbers(starts)};\n"
        f"MPI_Type_create_subarray({len(sizes)}, n, part, first, MPI_ORDER_{order}, {draw.choice(BASIC)}, &t);"
    )


def blocks(draw: random.Random) -> str:
    # Elements are aligned: for others, Open MPI rounds up extents, and MPICH does not.
    count = draw.randint(1, 6)
    places = [draw.randint(-50, 200) for _ in range(count)]
    if draw.random() < 0.5:
        return (
            f"MPI_Aint places[{count}] = {numbers(f'{place} * (MPI_Aint)sizeof(double)' for place in places)};\n"
            f"MPI_Type_create_hindexed_block({count}, {draw.randint(1, 4)}, places, {draw.choice(BASIC)}, &t);"
        )
    lengths = "".join(f"length[{i}] = {draw.randint(0, 4)}; " for i in range(count))
    made = f"MPI_Type_indexed({count}, length, (int[]){numbers(places)}, {draw.choice(BASIC)}, &t);"
    return f"int length[{count}]; {lengths}\n{made}"


def records(draw: random.Random) -> str:
    kinds = {"char": "MPI_CHAR", "short": "MPI_SHORT", "int": "MPI_INT", "double": "MPI_DOUBLE"}
    kinds |= {"unsigned long": "MPI_UNSIGNED_LONG", "double complex": "MPI_C_DOUBLE_COMPLEX"}
    members = [(f"m{i}", draw.choice(list(kinds)), draw.randint(1, 4)) for i in range(draw.randint(1, 6))]
    sent = sorted(draw.sample(range(len(members)), draw.randint(1, len(members))))
    return (
        "typedef struct { "
        + " ".join(f"{kind} {name}[{length}];" for name, kind, length in members)
        + " } Record;\n"
        + f"int many[] = {numbers(members[i][2] for i in sent)};\n"
        + f"MPI_Aint places[] = {numbers(f'offsetof(Record, {members[i][0]})' for i in sent)};\n"
        + f"MPI_Datatype of[] = {numbers(kinds[members[i][1]] for i in sent)}, one;\n"
        + f"MPI_Type_create_struct({len(sent)}, many, places, of, &one);\n"
        + "MPI_Type_create_resized(one, 0, sizeof(Record), &t);"
    )


def nested(draw: random.Random) -> str:
    count, length, stride = draw.randint(1, 5), draw.randint(1, 3), draw.randint(-6, 9)
    inner = draw.choice(
        ("MPI_Type_dup(MPI_INT, &a)", "MPI_Type_create_f90_real(15, 307, &a)", "MPI_Type_contiguous(3, MPI_SHORT, &a)")
    )
    return (
        f"MPI_Datatype a, b; const int count = {count};\n{inner};\n"
        f"MPI_Type_vector(count, {length}, {stride}, a, &b);\n"
        f"MPI_Type_create_hvector(count + 1, 1, {draw.randint(1, 9)} * 64, b, &t);"
    )


def all_cases() -> list[str]:
    draw = random.Random(SEED)
    makers = (darray, darray, darray, subarray, blocks, records, nested)
    return [makers[i % len(makers)](draw) for i in range(CASES)]


def test_pasted_c_has_the_layout_that_mpi_gives_it(mpi, tmp_path):
    cases = all_cases()
    functions = "\n".join(
        f"static void case_{i}(void) {{\nMPI_Datatype t;\n{text}\ntell(t);\n}}" for i, text in enumerate(cases)
    )
    calls = " ".join(f"case_{i}();" for i in range(len(cases)))
    (tmp_path / "cases.c").write_text(PROGRAM.replace("@CASES@", functions).replace("@CALLS@", calls))
    program = compiled(mpi, tmp_path / "cases", tmp_path / "cases.c")
    done = subprocess.run([*launcher(mpi), "-n", "1", program], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, done.stderr
    real = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(real) == len(cases)
    for text, told in zip(cases, real, strict=True):
        about = tool("explain", "--segments", "100000", "--json", "--", described(text))
        packed = "".join(f"{at(segment['offset'] + i):02x}" for segment in about["segments"] for i in range(segment["length"]))
        if told["size"] == 0:  # in Open MPI, such a type begins at the end of the address space
            told = {name: value for name, value in told.items() if not name.startswith("true")}
        mine = {name: packed if name == "packed" else about[name] for name in told}
        assert mine == told, text
