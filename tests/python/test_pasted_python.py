"""heddle explain reads mpi4py programs: values that may have changed are asked for, and never
guessed."""

import re

import pytest
from heddle.pasted import described
from heddle.problem import Problem

USE = "\nt = MPI.INT.Create_indexed_block(1, d)"


@pytest.mark.parametrize(
    "text",
    [
        "d = [0, 3, 9]\ne = d\ne[0] = 7",
        "d = [0, 3, 9]\nbox.d = d",
        "d = e = [0, 3, 9]\ne[0] = 7",
        "d = [0, 3, 9]\nboth = (d, 1)",
        "d = [0, 3, 9]\ne = d or []",
        "d = [0, 3, 9]\nfor one in (d, f):\n    one[0] = 7",
        "d = [0, 3, 9]\nshift(d)",
        "d = [0, 3, 9]\nshift(many=d)",
        "d = [0, 3, 9]\nother.take(d)",
        "d = [0, 3, 9]\ndel d[0]",
        "d = [0, 3, 9]\nd.reverse()",
        "d = [0, 3, 9]\nrandom.shuffle(d)",
        "d = [0, 3, 9]\nheapify(d)",
        "d = [0, 3, 9]\nnp.copyto(d, [1, 2, 3])",
        "d = [0, 3, 9]\nnp.cumsum([1, 1, 1], out=d)",
        "d = [0, 3, 9]\ncomm.Bcast([d, MPI.INT])",
        "d = [0, 3, 9]\ndef shift():\n    d[0] = 7\nshift()",
        "def len(e):\n    e[0] = 7\nd = [0, 3, 9]\nlen(d)",
        "d = np.array([0, 3, 9])\ne = d[1:]\ne[0] = 7",
        "d = np.array([0, 3, 9])\ne = np.asarray(d)\ne[0] = 7",
        "d = np.array([0, 3, 9], dtype=float)",
        "d = [0, 3, 9]\nd = sorted(d)",
    ],
)
def test_a_list_that_may_have_changed_is_asked_for(text):
    with pytest.raises(Problem, match=r"what is d\?"):
        described(text + USE)
    assert described(text + USE, {"d": "[1, 2]"}) == "indexed_block(1, [1, 2], MPI_INT)"


@pytest.mark.parametrize(
    "text",
    [
        "print(len(d), d, *d, d[0], sum(d), max(d), min(d))",
        "e = list(d)\nf = tuple(d)\ng = sorted(d)\ne[0] = 7",
        "for i, one in enumerate(d):\n    print(i, one)",
        "for one, two in zip(d, d[1:]):\n    print(f'{d} {one}')",
        "e = np.array(d)\nf = np.asarray(d, dtype='i')",
        "e = [2 * i for i in d] + d\ne[0] = 7",
        "e = d[1:]\ne[0] = 7",
        "u = MPI.INT.Create_indexed(d, d).Commit()\ncomm.Create_cart(d)",
        "a, b, c = d\nassert d != [4] and 3 in d and d.index(3)",
        "def other():\n    d = [4]\n    shift(d)",
        "def other(d):\n    d[0] = 7",
    ],
)
def test_a_list_that_is_only_read_is_known(text):
    assert described(f"d = [0, 3, 9]\n{text}{USE}") == "indexed_block(1, [0, 3, 9], MPI_INT)"


def test_changes_count_from_the_assignment_to_the_use():
    assert described("d = [0]\nshift(d)\nd = [0, 3]" + USE) == "indexed_block(1, [0, 3], MPI_INT)"
    assert described("d = [0]\nd[0] = 8\nd = [0, 3]" + USE) == "indexed_block(1, [0, 3], MPI_INT)"
    assert described("d = [0, 3]" + USE + "\nshift(d)") == "indexed_block(1, [0, 3], MPI_INT)"
    assert described("d = (0, 3)\nshift(d)" + USE) == "indexed_block(1, [0, 3], MPI_INT)"
    assert described("d = [0, 3]\nd[0], d[1] = d[1], d[0]" + USE) == "indexed_block(1, [3, 0], MPI_INT)"
    with pytest.raises(Problem, match=r"what is d\?"):
        described("d = [0, 3]\nfor i in range(2):\n    t = MPI.INT.Create_indexed_block(1, d)\n    shift(d)")


@pytest.mark.parametrize(
    "text",
    [
        "n = 3\ndef f():\n    global n\n    n = 4\nf()",
        "n = 3\nif (n := 7) > 2:\n    pass",
        "n = 3\nwith open(name) as n:\n    pass",
        "n = 3\nfrom settings import n",
        "n = 3\nclass n:\n    pass",
        "n = 3\ndel n",
        "n = 3\ntry:\n    pass\nexcept OSError as n:\n    pass",
    ],
)
def test_a_number_that_may_have_changed_is_asked_for(text):
    with pytest.raises(Problem, match=r"what is n\?"):
        described(text + "\nt = MPI.INT.Create_contiguous(n)")


@pytest.mark.parametrize(
    "text",
    [
        "def g():\n    n = 3\n    def f():\n        nonlocal n\n        n = 4\n    f()\n    t = MPI.INT.Create_contiguous(n)",
        "n = 1\nif large:\n    n = 2\nelse:\n    t = MPI.INT.Create_contiguous(n)",
        "n = 1\nfor i in range(3):\n    t = MPI.INT.Create_contiguous(n)\n    n += 1",
        "n = 1\nwhile True:\n    n = n + 1\n    t = MPI.INT.Create_contiguous(n)",
        "box.n = 1\nfill(box)\nt = MPI.INT.Create_contiguous(box.n)",
        "def f():\n    fill(box)\n    t = MPI.INT.Create_contiguous(box.n)\nbox.n = 4\nf()",
        "box.n = 1\nbox.grow()\nt = MPI.INT.Create_contiguous(box.n)",
        "box.n = 1\nbox = other\nt = MPI.INT.Create_contiguous(box.n)",
    ],
)
def test_other_ways_to_change_a_number(text):
    with pytest.raises(Problem, match=r"what is (box\.)?n\?"):
        described(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("class A:\n    n = 4\n", "contiguous(3, MPI_INT)"),
        ("def f():\n    n = 4\n", "contiguous(3, MPI_INT)"),
        ("n = n + 2", "contiguous(5, MPI_INT)"),
        ("n, m = 6, n", "contiguous(6, MPI_INT)"),
        ("m, n = n, 2\nn = m", "contiguous(3, MPI_INT)"),
    ],
)
def test_names_of_other_scopes_are_others(text, wanted):
    assert described(f"n = 3\n{text}\nt = MPI.INT.Create_contiguous(n)") == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("from mpi4py.MPI import DOUBLE\nt = DOUBLE.Create_vector(3, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        ("from mpi4py.MPI import DOUBLE as D, INT\nt = D.Create_vector(3, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        ("from mpi4py.MPI import *\nN = 3\nt = DOUBLE.Create_vector(N, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        ("import mpi4py.MPI as M\nt = M.DOUBLE.Create_vector(3, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        ("import mpi4py.MPI\nt = mpi4py.MPI.DOUBLE.Create_vector(3, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        ("from mpi4py import MPI as mpi\nt = mpi.DOUBLE.Create_vector(3, 1, 8)", "vector(3, 1, 8, MPI_DOUBLE)"),
        (
            "from mpi4py.MPI import Datatype, INT\nt = Datatype.Create_struct([1], [0], [INT])",
            "struct([1], [0], [MPI_INT])",
        ),
    ],
)
def test_imports_of_mpi4py(text, wanted):
    assert described(text) == wanted


def test_a_program_of_mpi4py_without_datatypes(heddle, tmp_path):
    (tmp_path / "imp.py").write_text("from mpi4py.MPI import COMM_WORLD\nprint(COMM_WORLD.rank)\n")
    for word in ("imp.py", "from mpi4py.MPI import COMM_WORLD\nprint(COMM_WORLD.rank)"):
        done = heddle("explain", word, cwd=tmp_path)
        assert done.returncode == 2 and "no statement here makes a datatype" in done.stderr, done


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("MPI.INT.Create_contiguous(count=4)", "contiguous(4, MPI_INT)"),
        ("MPI.INT.Create_vector(count=4, blocklength=1, stride=8)", "vector(4, 1, 8, MPI_INT)"),
        ("MPI.INT.Create_vector(4, stride=8, blocklength=2)", "vector(4, 2, 8, MPI_INT)"),
        ("MPI.INT.Create_hvector(count=4, blocklength=1, stride=8)", "hvector(4, 1, 8, MPI_INT)"),
        ("MPI.INT.Create_indexed(blocklengths=[1], displacements=[4])", "indexed([1], [4], MPI_INT)"),
        ("MPI.INT.Create_hindexed(displacements=[4], blocklengths=[1])", "hindexed([1], [4], MPI_INT)"),
        ("MPI.INT.Create_indexed_block(blocklength=2, displacements=[4])", "indexed_block(2, [4], MPI_INT)"),
        ("MPI.INT.Create_hindexed_block(blocklength=2, displacements=[4])", "hindexed_block(2, [4], MPI_INT)"),
        ("MPI.INT.Create_resized(lb=0, extent=8)", "resized(MPI_INT, 0, 8)"),
        (
            "MPI.Datatype.Create_struct(blocklengths=[1], displacements=[0], datatypes=[MPI.INT])",
            "struct([1], [0], [MPI_INT])",
        ),
        (
            "MPI.INT.Create_subarray(sizes=[4, 5], subsizes=[2, 2], starts=[0, 1], order=MPI.ORDER_F)",
            "subarray([4, 5], [2, 2], [0, 1], MPI_INT, order=F)",
        ),
        (
            "MPI.INT.Create_darray(size=4, rank=1, gsizes=[8], distribs=[MPI.DISTRIBUTE_BLOCK], dargs=[2], psizes=[4])",
            "darray(4, 1, [8], [block(2)], [4], MPI_INT, order=C)",
        ),
    ],
)
def test_arguments_by_name(made, wanted):
    assert described(f"t = {made}") == wanted


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("Create_vector(4, 1, width=8)", "has no argument width; it takes count, blocklength, stride"),
        ("Create_vector(4, 1, 8, count=4)", "has count twice"),
        ("Create_vector(4, count=1)", "has count twice"),
        ("Create_vector(count=4, stride=8)", "has 2 arguments; 3 are needed"),
        ("Create_vector(*sizes)", "one by one"),
        ("Create_vector(**sizes)", "one by one"),
    ],
)
def test_wrong_arguments(made, said):
    with pytest.raises(Problem, match=re.escape(said)):
        described(f"t = MPI.INT.{made}")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n = int(1e3)\nt = MPI.INT.Create_contiguous(n)", "contiguous(1000, MPI_INT)"),
        ("n = int(9 / 2)\nt = MPI.INT.Create_contiguous(n)", "contiguous(4, MPI_INT)"),
        ("t = MPI.INT.Create_vector(max(2, 3), min(4, 1), 9)", "vector(3, 1, 9, MPI_INT)"),
        ("a = np.zeros((4, 5))\nt = MPI.INT.Create_vector(a.shape[0], 1, a.shape[1])", "vector(4, 1, 5, MPI_INT)"),
        ("a = np.zeros((4, 5))\nn, m = a.shape\nt = MPI.INT.Create_vector(n, 1, m)", "vector(4, 1, 5, MPI_INT)"),
        ("n = 4\na = np.empty(shape=(n, 5))\nt = MPI.INT.Create_indexed(a.shape, a.shape)", "indexed([4, 5], [4, 5], MPI_INT)"),
        ("d = np.array([0, 4, 8])" + USE, "indexed_block(1, [0, 4, 8], MPI_INT)"),
        ("d = np.array([0, 4, 8], dtype='i')\nd[1] = 5" + USE, "indexed_block(1, [0, 5, 8], MPI_INT)"),
        ("d = np.arange(0, 12, 4)" + USE, "indexed_block(1, [0, 4, 8], MPI_INT)"),
        ("e = np.array([1, 2])\nd = e * 2" + USE, "indexed_block(1, [2, 4], MPI_INT)"),
        ("e = [1, 2]\nd = e * 2" + USE, "indexed_block(1, [1, 2, 1, 2], MPI_INT)"),
        ("counts = [4] * 3\nd = [sum(counts[:r]) for r in range(3)]" + USE, "indexed_block(1, [0, 4, 8], MPI_INT)"),
        ("e = [4, 5]\nt = MPI.INT.Create_contiguous(e[1])", "contiguous(5, MPI_INT)"),
    ],
)
def test_values(text, wanted):
    assert described(text) == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n = 1e3\nt = MPI.INT.Create_contiguous(n)", "needs integers, and 1000.0 is a float"),
        ("n = 8\nt = MPI.INT.Create_contiguous(n / 2)", "needs integers, and 4.0 is a float"),
        ("d = [0, 1.5]" + USE, "needs integers, and 1.5 is a float"),
        ("n = int(sys.argv[1])\nt = MPI.INT.Create_contiguous(n)", "what is n?"),
        ("a = load()\nn, m = a.shape\nt = MPI.INT.Create_vector(n, 1, m)", "what are n and m?"),
        ("a = np.zeros(4)\na.resize(8)\nt = MPI.INT.Create_contiguous(a.shape[0])", "what is a.shape[0]?"),
        ("d = [q[r] // 2 for r in range(size)]" + USE, "what is size?"),
        ("d = [r // 0 for r in range(3)]" + USE, "what is [r // 0 for r in range(3)]?"),
    ],
)
def test_values_that_are_asked_for(text, said):
    with pytest.raises(Problem, match=re.escape(said)) as problem:
        described(text)
    assert "--define r=" not in str(problem.value)


BOX = """\
def box(side, width=1):
    t = MPI.DOUBLE.Create_vector(4, width, side)
    t.Commit()
    return t
n = 9
ghost = box(n)
wide = box(width=2, side=n).Create_contiguous(3)
same = ghost
"""


def test_functions_that_return_a_datatype():
    assert described(BOX, variable="ghost") == "vector(4, 1, 9, MPI_DOUBLE)"
    assert described(BOX, variable="same") == "vector(4, 1, 9, MPI_DOUBLE)"
    assert described(BOX) == "contiguous(3, vector(4, 2, 9, MPI_DOUBLE))"


@pytest.mark.parametrize(
    "text",
    [
        "def box(n):\n    n += 1\n    t = MPI.INT.Create_contiguous(n)\n    return t\nghost = box(3)",
        "def box(n):\n    t = MPI.INT.Create_contiguous(n)\n    if n:\n        return MPI.INT\n    return t\nghost = box(3)",
        "@cache\ndef box(n):\n    t = MPI.INT.Create_contiguous(n)\n    return t\nghost = box(3)",
        "class A:\n    def box(self, n):\n        t = MPI.INT.Create_contiguous(n)\n        return t\nghost = A().box(3)",
    ],
)
def test_functions_that_are_not_followed(text):
    with pytest.raises(Problem, match=r"ghost comes from (A\(\)\.)?box\(\.\.\.\), .*--variable t\."):
        described(text, variable="ghost")


@pytest.mark.parametrize(
    "made, wanted",
    [
        ("[i * i for i in range(n)]", "[0, 1, 4, 9]"),
        ("[8 * i + j for i in range(2) for j in (0, 4)]", "[0, 4, 8, 12]"),
        ("[i for i in range(1, 3 * n, 2) if i != 5 if 1 < i < 10]", "[3, 7, 9]"),
        ("list(range(0, 12, 4))", "[0, 4, 8]"),
        ("tuple(2 * i for i in [3, 1, 2])", "[6, 2, 4]"),
        ("[len(rows) * i for i in rows]", "[0, 6, 15]"),
        ("[i + k for i in range(3) for k in range(i)]", "[1, 2, 3]"),
        ("[n for n in range(2)] + [n]", "[0, 1, 4]"),  # the name has another meaning within the brackets
        ("[i for i in range(0)]", "[]"),
    ],
)
def test_comprehensions_of_python(made, wanted):
    text = f"n = 4\nrows = [0, 2, 5]\nat = {made}\nt = MPI.INT.Create_indexed_block(1, at)"
    assert described(text) == f"indexed_block(1, {wanted}, MPI_INT)"


@pytest.mark.parametrize("made", ["[abs(i) for i in range(n)]", "[i for i in range(1 << 20)]", "[a for a, b in pairs]"])
def test_comprehensions_that_need_the_run(made):
    with pytest.raises(Problem, match="what is "):
        described(f"n = 4\nat = {made}\nt = MPI.INT.Create_indexed_block(1, at)")
