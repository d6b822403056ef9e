"""heddle explain reads structs: the size and the places are those of the compiler, or the command
asks for them."""

import subprocess

import pytest
from heddle.pasted import described
from heddle.problem import Problem

C = (
    "#pragma pack(push, 1)\nstruct P { char a; double b; int c; };\n#pragma pack(pop)\n",
    "#pragma pack(push, 1)\nstruct Q { char a; };\n#pragma pack(pop)\nstruct P { char a; double b; int c; };\n",
    "#pragma pack(2)\nstruct P { char a; double b; int c; };\n",
    "#pragma pack(2)\n#pragma pack()\nstruct P { char a; double b; int c; };\n",
    "#ifndef P_H\n#define P_H\n#pragma pack(push, 4)\nstruct P { char a; double b; int c; };\n#pragma pack(pop)\n#endif\n",
    "struct P { char a; double b; int c; } __attribute__((packed));\n",
    "struct __attribute__((__packed__)) P { char a; double b; int c; };\n",
    "struct Q { char a; double x; };\nstruct __attribute__((packed)) P { char a; struct Q b; int c; };\n",
    "struct __attribute__((packed)) Q { char a; double x; };\nstruct P { char a; struct Q b; int c; };\n",
    "typedef double real;\ntypedef real vec[3];\nstruct P { char a; vec b; real c; };\n",
    "typedef struct Q { char a; } Q;\ntypedef Q R, *S;\nstruct P { R a; S b; int c; };\n",
    "struct P { const char a; double *b[2]; volatile int c; };\n",
)
CPP = (
    "struct P { char a; static int k; static constexpr double z = 3; double b; inline static long l = 2; int c = 4; };\n",
    "using real = double;\nstruct P { char a; real b; mutable int c; };\n",
)
ASKED = (  # the compiler has another layout than that of the members alone
    "struct alignas(16) P { char a; double b; int c; };",
    "struct P { char a; alignas(16) double b; int c; };",
    "struct P { char a; _Alignas(16) double b; int c; };",
    "struct P { char a; double b __attribute__((aligned(16))); int c; };",
    "struct P { char a; __attribute__((aligned(16))) double b; int c; };",
    "struct P { char a; double b [[gnu::aligned(16)]]; int c; };",
    "struct P { char a; double b; int c; } __attribute__((aligned(64)));",
    "struct [[gnu::packed]] P { char a; double b; int c; };",
    "struct P { char a; double b __attribute__((packed)); int c; };",
    "struct P { char a; int b __attribute__((vector_size(16))); int c; };",
    "typedef int v4 __attribute__((vector_size(16)));\nstruct P { char a; v4 b; int c; };",
    "struct B { int x; };\nstruct P : B { char a; double b; int c; };",
    "#define PACKED __attribute__((packed))\nstruct P { char a; double b; int c; } PACKED;",
    "struct P { char a; double b; int c; } PACKED;",
    "struct PACKED P { char a; double b; int c; };",
    "struct P { char a; ALIGN(16) double b; int c; };",
    "struct P { char a; double CACHED b; int c; };",
    '_Pragma("pack(1)")\nstruct P { char a; double b; int c; };',
    "#ifdef SMALL\n#pragma pack(1)\n#endif\nstruct P { char a; double b; int c; };",
    "#pragma pack(N)\nstruct P { char a; double b; int c; };",
    "#pragma pack(pop)\nstruct P { char a; double b; int c; };",
    "struct P {\n#pragma pack(1)\nchar a; double b; int c; };",
    "#ifdef BIG\nstruct P { char a; double b; int c; };\n#else\nstruct P { char a; float b; int c; };\n#endif",
    "void f() { struct P { char a; float b; int c; }; }\nstruct P { char a; double b; int c; };",
    "struct P { char a; struct { int *x; int y; } b; int c; };",
    "struct P { char a; std::vector<int*> b; int c; };",
)
MAKES = "MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){offsetof(struct P, b), offsetof(struct P, c)}, "
MAKES += "(MPI_Datatype[]){MPI_BYTE, MPI_INT}, &f); MPI_Type_create_resized(f, 0, sizeof(struct P), &t);"


@pytest.mark.parametrize("text", (*C, *CPP))
def test_structs_are_those_of_the_compiler(tmp_path, text):
    compiler, ending = ("gcc", "c") if text in C else ("g++", "cpp")
    source = tmp_path / f"s.{ending}"
    main = 'int main(void) { printf("[%zu, %zu] %zu", offsetof(struct P, b), offsetof(struct P, c), sizeof(struct P)); }'
    source.write_text(f"#include <stdio.h>\n#include <stddef.h>\n{text}{main}\n")
    subprocess.run([compiler, "-o", tmp_path / "s", source], check=True)
    places, size = subprocess.run([tmp_path / "s"], capture_output=True, text=True, check=True).stdout.rsplit(" ", 1)
    assert described(text + MAKES) == f"resized(struct([1, 1], {places}, [MPI_BYTE, MPI_INT]), 0, {size})"


@pytest.mark.parametrize("text", ASKED)
def test_structs_that_are_asked_for(text):
    with pytest.raises(Problem, match=r"what .*sizeof\(struct P\)"):
        described(f"{text}\n{MAKES}")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("typedef double real; MPI_Type_contiguous(sizeof(real), MPI_BYTE, &t);", "8"),
        ("typedef double real; real a[3]; MPI_Type_contiguous(sizeof a, MPI_BYTE, &t);", "24"),
        ("typedef struct N { double x; int n; } *P; MPI_Type_contiguous(sizeof(P), MPI_BYTE, &t);", "8"),
        ("MPI_Type_contiguous(sizeof(const int *), MPI_BYTE, &t);", "8"),
    ],
)
def test_sizes_of_typedefs(text, wanted):
    assert described(text) == f"contiguous({wanted}, MPI_BYTE)"


@pytest.mark.parametrize(
    "text",
    [
        "int a __attribute__((vector_size(16))); MPI_Type_contiguous(sizeof a, MPI_BYTE, &t);",
        "MPI_Type_contiguous(sizeof(int *[3]), MPI_BYTE, &t);",
    ],
)
def test_sizes_that_are_asked_for(text):
    with pytest.raises(Problem, match="what is sizeof"):
        described(text)


ADDRESSES = "MPI_Aint a[2]; MPI_Get_address(&s[0], &a[0]); MPI_Get_address({}, &a[1]);\n"
ADDRESSES += "MPI_Type_create_hindexed_block(1, 2, (MPI_Aint[]){{a[1] - a[0]}}, MPI_DOUBLE, &t);"


@pytest.mark.parametrize("target", ["s[0].p", "&s[0].p[0]", "&*s[0].p"])
def test_addresses_behind_pointers_are_asked_for(target):
    text = "struct S { char c; double x[2]; double *p; } ;\nstruct S s[10];\n"
    with pytest.raises(Problem, match=r"what (is|are)"):
        described(text + ADDRESSES.format(target))
    for own, place in (("&s[0].p", 24), ("s[0].x", 8), ("&s[0].x[0]", 8)):
        assert described(text + ADDRESSES.format(own)) == f"hindexed_block(2, [{place}], MPI_DOUBLE)"


def test_a_variable_of_two_types_is_asked_for():
    text = "struct A { char c; double x; }; struct B { double c, x, y; };\n"
    text += "void f(struct B *s) { g(s->x); }\nvoid h(struct A *s) {\n" + ADDRESSES.format("&s[0].x") + "}"
    with pytest.raises(Problem, match=r"what (is|are)"):
        described(text)
