"""heddle explain of Python programs whose datatypes are in lists."""

import pytest
from heddle.pasted import described
from heddle.problem import Problem

HALO = """
from mpi4py import MPI
n = 8
def make(column):
    return MPI.DOUBLE.Create_subarray([n, n], [n, 1], [0, column]).Commit()
faces = []
for col in (0, 1, n - 1):
    faces.append(make(col))
comm.Sendrecv([grid, 1, faces[1]], 0, 0, [grid, 1, faces[2]], 1, 0)
"""
BLOCKS = """
from mpi4py import MPI
types, others = [], list()
rows = 64 // comm.size
for r in range(comm.size):
    block = MPI.INT.Create_vector(rows, 1, r)
    whole = block.Create_contiguous(2)
    types.append(block)
    others.append(whole.Commit())
comm.Alltoallw([a, sc, sd, types], [b, rc, rd, others])
"""


@pytest.mark.parametrize(("variable", "at"), [("faces", 7), ("faces[0]", 0), ("faces[1]", 1), ("faces[-1]", 7)])
def test_a_list_that_append_fills(variable, at):
    assert described(HALO, variable=variable) == f"subarray([8, 8], [8, 1], [0, {at}], MPI_DOUBLE, order=C)"


def test_the_command_explains_an_element(heddle, tmp_path):
    (tmp_path / "halo.py").write_text(HALO)
    done = heddle("explain", "halo.py", "--variable", "faces[1]", cwd=tmp_path)
    assert done.returncode == 0 and "subarray([8, 8], [8, 1], [0, 1], double)" in done.stdout, done
    done = heddle("explain", "halo.py", "--variable", "nothing", cwd=tmp_path)
    assert "the text makes no datatype in nothing. Its datatypes are: faces." in " ".join(done.stderr.split()), done


def test_a_list_that_grows_with_the_number_of_ranks():
    with pytest.raises(Problem, match=r"what is comm\.size\? types needs it"):
        described(BLOCKS, variable="types")
    four = {"comm.size": "4"}
    assert described(BLOCKS, four, "types") == "vector(16, 1, 3, MPI_INT)"
    assert described(BLOCKS, four, "types[1]") == "vector(16, 1, 1, MPI_INT)"
    assert described(BLOCKS, four, "others[2]") == "contiguous(2, vector(16, 1, 2, MPI_INT))"
    assert described(BLOCKS, {**four, "r": "9"}, "types") == "vector(16, 1, 9, MPI_INT)"


@pytest.mark.parametrize(
    ("fills", "element", "count"),
    [
        ("t = [None] * 3\nfor i in range(3):\n    t[i] = row(i + 1)", 1, 2),
        ("t = [row(5), row(6)]", 1, 6),
        ("t = [row(2 * i) for i in range(4)]", 3, 6),
        ("t = []\nfor i in range(2):\n    for j in range(3):\n        t.append(row(10 * i + j))", 4, 11),
        ("t = [row(1)]\nt.append(row(2))\nt[0] = row(3)", 0, 3),
    ],
)
def test_elements(fills, element, count):
    text = f"from mpi4py import MPI\ndef row(n):\n    return MPI.INT.Create_contiguous(n)\n{fills}"
    assert described(text, variable=f"t[{element}]") == f"contiguous({count}, MPI_INT)"


@pytest.mark.parametrize(
    "fills",
    [
        "t = []\nfor i in range(3):\n    if i != wanted:\n        t.append(row(i))",
        "t = []\nfor i in range(3):\n    t.append(row(i))\nt.reverse()",
        "t = []\nfor i in range(3):\n    t.append(row(i))\nt[0], t[1] = t[1], t[0]",
        "t = []\nfor i in range(3):\n    t.append(row(i))\nt.insert(0, row(7))",
        "t = []\nfor i in range(3):\n    t.append(row(i))\ndel t[0]",
        "t = []\nfor i in range(3):\n    t.append(row(i))\nt[0:1] = []",
        "t = []\nfor i in range(3):\n    t.append(row(i))\nshuffle(t)",
        "t = []\nfor i in range(3):\n    if i == 1:\n        break\n    t.append(row(i))",
        "t = []\nfor i in range(3):\n    i += 1\n    t.append(row(i))",
        "t = []\ndef add(i):\n    t.append(row(i))\nadd(3)",
        "t = []\nwhile more():\n    t.append(row(1))",
        "t = []\nfor side in ('left', 'right'):\n    t.append(row(len(side)))",
        "for i in range(3):\n    t = []\n    t.append(row(i))",
    ],
)
def test_elements_that_the_text_does_not_say(fills):
    text = f"from mpi4py import MPI\ndef row(n):\n    return MPI.INT.Create_contiguous(n)\n{fills}"
    with pytest.raises(Problem, match=r"does not say which datatype t\[0\] is\. .*HEDDLE_EXPLAIN=all heddle run"):
        described(text, variable="t[0]")


def test_a_number_that_the_loop_changes_is_asked_for():
    text = "t = []\nat = 1\nfor i in range(3):\n    t.append(MPI.INT.Create_contiguous(at))\n    at += i"
    for variable in ("t", "t[1]"):
        with pytest.raises(Problem, match=r"what is at\?.*HEDDLE_EXPLAIN=all"):
            described(text, variable=variable)


def test_an_element_that_the_list_has_not():
    with pytest.raises(Problem, match=r"faces has no element 3: the text stores 3 there"):
        described(HALO, variable="faces[3]")


def test_a_loop_that_fills_a_list_of_numbers_needs_no_variable():
    text = "from mpi4py import MPI\nd = [0] * 4\nfor i in range(4):\n    d[i] = i + 1\nt = MPI.INT.Create_indexed(d, d)"
    with pytest.raises(Problem, match=r"what is d\?"):
        described(text)
    assert described(text, {"d": "[1, 2, 3, 4]"}).startswith("indexed(")


def test_a_list_of_an_object():
    text = "class A:\n    def f(self):\n        self.t = []\n        for i in range(3):\n"
    text += "            self.t.append(MPI.INT.Create_contiguous(i + 1))"
    assert described(text, variable="self.t") == "contiguous(3, MPI_INT)"
    assert described(text, variable="self.t[1]") == "contiguous(2, MPI_INT)"


def test_other_elements():
    text = "from mpi4py import MPI\nt = {}\nfor side in ('left', 'right'):\n    t[side] = MPI.INT.Create_contiguous(3)"
    assert described(text, variable="t") == "contiguous(3, MPI_INT)"
    with pytest.raises(Problem, match=r"which datatype t\['left'\] is\. .*HEDDLE_EXPLAIN=all"):
        described(text, variable="t['left']")
    text = "from mpi4py import MPI\nt = [MPI.INT.Create_contiguous(3) for side in ('left', 'right')]"
    assert described(text, variable="t") == "contiguous(3, MPI_INT)"
    text = "from mpi4py import MPI\nt = []\nt.append(MPI.INT.Create_contiguous(3))\nt = [MPI.INT.Create_contiguous(4)]"
    assert described(text, variable="t") == "contiguous(4, MPI_INT)"


IN_LISTS = """\
halos = []
for side in range(2):
    halos.append(MPI.DOUBLE.Create_vector(8, 1, 8).Commit())
faces: list = [MPI.INT.Create_vector(5, 1, 8)]
faces += [MPI.INT.Create_vector(6, 1, 8)]
self.rows["a"] = MPI.INT.Create_contiguous(9)
last = MPI.INT.Create_contiguous(4)
"""


def test_lists_of_python():
    assert described(IN_LISTS, variable="halos") == "vector(8, 1, 8, MPI_DOUBLE)"
    assert described(IN_LISTS, variable="faces") == "vector(6, 1, 8, MPI_INT)"
    assert described(IN_LISTS, variable="self.rows") == "contiguous(9, MPI_INT)"
    with pytest.raises(Problem, match=r"Its datatypes are: halos, faces, self\.rows, last\."):
        described(IN_LISTS, variable="none")
