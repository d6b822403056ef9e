"""A report names calls: function and line, datatype, communicator, and carrier. 2 ranks."""

import json
import re
import shutil
import subprocess

import pytest
from conftest import compiled
from heddle.reported import Found, Site
from heddle.reported.drawings import by_site
from heddle.reported.functions import brief
from heddle.reported.lines import Place, missing, places
from heddle.reported.reading import rows_of
from test_width import on_a_terminal

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
static MPI_Datatype face;
static MPI_Comm grid;
static void swap(double* from, double* to, int other) {
  MPI_Request request;
  MPI_Irecv(to, 1, face, other, 0, grid, &request); /* line 7 */
  MPI_Send(from, 1, face, other, 0, grid);          /* line 8 */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, counts[2] = {100, 300}, places[2] = {0, 300};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &grid);
  MPI_Comm_set_name(grid, "grid");
  double* data = calloc(2 * 256 * 64, sizeof(double));
  for (int i = 0; i < 10; ++i) {
    MPI_Type_vector(256, i < 5 ? 8 : 4, 64, MPI_DOUBLE, &face);
    MPI_Type_set_name(face, i < 5 ? "face" : "edge");
    MPI_Type_commit(&face);
    swap(data, data + 256 * 64, 1 - rank);
    MPI_Type_free(&face); /* its handle may come again */
  }
  const int nobody = MPI_PROC_NULL;
  for (int i = 0; i < 2; ++i) /* a border: from one place of the program, to somebody and to nobody */
    MPI_Sendrecv(data, 5, MPI_FLOAT, i ? nobody : 1 - rank, 2, data + 99, 5, MPI_FLOAT, i ? nobody : 1 - rank, 2, grid,
                 MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i)
    MPI_Sendrecv(data, 50, MPI_INT, 1 - rank, 1, data + 99, 50, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int come[2] = {counts[rank], counts[rank]};
  MPI_Alltoallv(data, counts, places, MPI_DOUBLE, data + 8192, come, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 7, MPI_DATATYPE_NULL, data, 5, MPI_INT, MPI_COMM_WORLD); /* what is ignored may be anything */
  MPI_Datatype apart; /* nobody has named it; Open MPI calls it "Dup MPI_DOUBLE" */
  MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &apart);
  MPI_Type_commit(&apart);
  MPI_Ssend(data, 3, apart, nobody, 0, grid);
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(mpi, tmp_path_factory):
    folder = tmp_path_factory.mktemp(mpi)
    (folder / "halo.c").write_text(PROGRAM.strip("\n"))
    return compiled(mpi, folder / "halo", "-g", "-O1", folder / "halo.c")


@pytest.fixture
def files(heddle, program):
    """Reports with Heddle, and with HEDDLE=off, made once for each MPI."""
    found = {switch: program.parent / f"{switch}.json" for switch in ("on", "off")}
    for switch, file in found.items():
        if file.exists():
            continue
        done = heddle("run", "-n", 2, "--", program, HEDDLE=switch, HEDDLE_REPORT=str(file))
        assert done.returncode == 0 and not done.stderr, done
    return found


def test_calls_have_their_line_and_their_names(files):
    found = rows_of(files["on"])
    where = places(one.place for one in found.sites)
    sites = {(one.name, one.datatype_name): one for one in found.sites}
    for name in ("face", "edge"):
        for call, line in (("MPI_Irecv", 7), ("MPI_Send", 8)):
            one = sites[call, name]
            assert where[one.place] == f"swap (halo.c:{line})" and one.communicator == "grid"
            assert (one.ranks, one.calls, one.carried, one.handed_on) == (2, 10, 10, 0)
            assert one.bytes == 10 * 256 * (64 if name == "face" else 32) and 0 < one.us_min <= one.us_max < one.us
    plain = sites["MPI_Sendrecv", "MPI_INT"]
    assert (plain.calls, plain.carried, plain.passed, plain.communicator) == (6, 0, {"no holes": 6}, "MPI_COMM_WORLD")
    assert plain.sizes == {128: 6}
    for switch in ("on", "off"):
        (apart,) = [one for one in rows_of(files[switch]).sites if one.name == "MPI_Ssend"]
        assert (apart.datatype_name, apart.datatype, apart.extent, apart.lower_bound) == ("", "block 8", 16, 0)
    assert sites["MPI_Wait", ""].handed_on == 0 == sites["MPI_Wait", ""].carried


def test_rows_belong_to_the_call_that_began_them(files):
    found = rows_of(files["on"])
    rows = {(row.procedure, row.datatype_name): row for row in found.rows}
    assert rows["MPI_Irecv", "face"].call == "receive" and rows["MPI_Irecv", "face"].calls == 10
    assert rows["MPI_Send", "edge"].bytes == 10 * 256 * 32


def test_what_the_run_was_and_who_sent_to_whom(files, program):
    found = rows_of(files["on"])
    assert found.run["command"] == [str(program)] and found.run["settings"]["HEDDLE"] == "on" and found.run["date"]
    assert [one.rank for one in found.by_rank] == [0, 1]
    messages = 5 * 256 * (64 + 32) + 3 * 50 * 4 + 5 * 4
    gathered = 5 * 4  # in place: a rank receives nothing from itself
    assert [one.to for one in found.by_rank] == [
        {0: 800, 1: messages + 2400 + gathered},
        {0: messages + 800 + gathered, 1: 2400},
    ]


def test_off_is_told_to_be_why(files):
    found = rows_of(files["off"])
    for one in found.sites:
        assert one.carried == 0 and set(one.passed) <= {"off", "by nature"}
    assert {one.datatype_name for one in found.sites if one.name == "MPI_Send"} == {"face", "edge"}


def test_two_reports_are_compared(heddle, files):
    done = heddle("report", files["off"], files["on"], "--json")
    compared = json.loads(done.stdout)
    sends = {one["datatype_name"]: one for one in compared["sites"] if one["procedure"] == "MPI_Send"}
    for one in sends.values():
        assert one["from"] == "swap (halo.c:8)" and one["calls_before"] == one["calls_after"] == 10
        assert one["ratio"] == pytest.approx(one["us_before"] / one["us_after"])
    shown = heddle("report", files["off"], files["on"]).stdout
    assert "before / after" in shown and "swap (halo.c:8)" in shown
    assert heddle("report", files["off"], files["on"], "--html", "x.html").returncode == 2


def test_each_row_is_a_line_for_grep(heddle, files):
    lines = [line for line in heddle("report", files["on"]).stdout.splitlines() if line.startswith("MPI_Send ")]
    assert len([line for line in lines if "swap (halo.c:8)" in line and "face" in line and "grid" in line]) == 1
    exported = json.loads(heddle("report", files["on"], "--json").stdout)
    assert exported["heddle_report"] == 3 and {one["from"] for one in exported["sites"]} >= {"swap (halo.c:7)"}


def test_sites_say_why_calls_were_handed_on(heddle, files):
    lines = heddle("report", files["on"]).stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("procedure") and " from " in line)
    assert lines[head].split()[-4:] == ["carried", "handed", "on", "why"]
    (one,) = [line for line in lines[head:] if line.startswith("MPI_Sendrecv") and "MPI_INT" in line]
    assert one.endswith("no holes") and one.split()[-4:-2] == ["0", "6"]


def test_a_datatype_without_a_name_is_described(heddle, files, tmp_path):
    """On the terminal, on the page, and where two reports are compared."""
    words = "1 block of 8 B; extent 16 B"
    page = tmp_path / "r.html"
    shown = heddle("report", files["on"], "--html", page, "--rows", 99).stdout.splitlines()
    assert len([line for line in shown if line.startswith("MPI_Ssend ") and f"  {words}  " in line]) == 1
    assert page.read_text().count(words) == 2  # a bar and a row
    compared = json.loads(heddle("report", files["off"], files["on"], "--json").stdout)
    assert [one["datatype_name"] for one in compared["sites"] if one["procedure"] == "MPI_Ssend"] == [words]


def test_eighty_columns(files):
    """Line breaks do not split places and values."""
    shown = on_a_terminal(["report", str(files["on"])]).splitlines()
    assert max(map(len, shown)) <= 80, [line for line in shown if len(line) > 80]
    assert any("swap (halo.c:7)" in line for line in shown) and not any(line.endswith(" swap") for line in shown)


def test_page_has_the_pictures(heddle, files, tmp_path):
    assert heddle("report", files["on"], "--html", tmp_path / "r.html").returncode == 0
    text = (tmp_path / "r.html").read_text()
    for title in ("By call site", "By size", "By rank", "Who sends to whom"):
        assert f"<h2>{title}</h2>" in text
    for name, call in (("face", "MPI_Send send in swap (halo.c:8), "), ("edge", "MPI_Irecv receive in swap (halo.c:7), ")):
        assert re.search(rf'<b>{name}</b><br><small>{re.escape(call)}[^<]*</small></div><svg class="layout"', text), name
    assert "http" not in text and "<script" not in text


def test_without_debug_information_or_the_file_there_is_module_and_offset(mpi, program):
    bare = program.parent / "bare"
    subprocess.run(["strip", "-o", bare, program], check=True)
    place = Place(str(bare), "0x1200", "")
    assert places([place]) == {place: "bare+0x1200"}
    gone = Place("/no/such/app", "0x1200", "work")
    assert places([gone])[gone] == "work (app+0x1200)"
    mangled = Place("/no/such/app", "0x1200", "_ZN4halo8exchangeEi")
    assert places([gone, mangled])[mangled] == "halo::exchange(int) (app+0x1200)"


@pytest.fixture
def told(heddle, tmp_path):
    """told(report) returns the sentence about calls without a line, or "". The page has it, too."""

    def ask(file, *more, **environment) -> str:
        words = [file, *more] if more else [file, "--html", tmp_path / "page.html"]
        lines = heddle("report", *words, **environment).stdout.splitlines()
        said = [line for line in lines if "have no file and line" in line]
        assert len(said) <= 1
        if not more:
            page = (tmp_path / "page.html").read_text()
            assert page.count("have no file and line") == len(said) and (not said or f"<p>{said[0]}</p>" in page)
        return said[0] if said else ""

    return ask


def test_why_calls_have_no_line(heddle, files, program, told, tmp_path):
    assert told(files["on"]) == ""
    assert "eu-addr2line" in (without := told(files["on"], PATH=str(tmp_path))) and "apt-get install elfutils" in without
    assert without == told(files["off"], files["on"], PATH=str(tmp_path))
    bare, report = tmp_path / "bare", tmp_path / "bare.json"
    subprocess.run(["strip", "-g", "-o", bare, program], check=True)
    done = heddle("run", f"--report={report}", "-n", 2, "--", bare)
    assert done.returncode == 0 and done.stderr.count("Calls from bare have no file and line") == 1, done.stderr
    stripped = told(report)
    assert stripped.startswith("Calls from bare have") and "compile with -g" in stripped
    assert told(files["on"], report) == stripped
    bare.unlink()
    assert "not where it was" in told(report)


def test_either_tool_will_do(heddle, files, program, tmp_path):
    """elfutils' addr2line takes the same arguments, and gives the same answer."""
    if not shutil.which("eu-addr2line"):
        pytest.skip("there is no eu-addr2line (apt-get install elfutils)")
    (tmp_path / "eu-addr2line").symlink_to(shutil.which("eu-addr2line"))
    shown = heddle("report", files["on"], PATH=str(tmp_path)).stdout
    assert "swap (halo.c:7)" in shown and "have no file and line" not in shown


NESTED = "unstructured_mesh_library::communication::"


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        ("main", "main"),
        ("halo::exchange(int, std::vector<double, std::allocator<double> >&) const", "halo::exchange"),
        ("(anonymous namespace)::swap(int) [clone .isra.0]", "(anonymous namespace)::swap"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"),
        ("Send::operator()", "Send::operator()"),
        (f"{NESTED}Field<double, 3>::exchange(int)", "communication::Field::exchange"),
        (f"{NESTED}exchange_of_all_layers_of_all_fields_at_once", "exchange_of_all_layers_of_all_fields_at_once"),
        (
            "exchange_in_fortran_of_a_name_that_is_longer_than_any_line",
            "exchange_in_fortran_of_a_name_that_is_longer_than_any_line",
        ),
    ],
)
def test_names_of_functions_are_short(function, shown):
    assert brief(function) == shown


def test_bars_have_whole_labels():
    place = Place("/no/app", "0x1", "work")
    site = Site("MPI_Sendrecv", 2, 1, 5.0, place=place, datatype_name="ghost layer of momentum, density and temperature")
    (bar,) = by_site(Found(2, [], [], sites=[site]), {place: f"{'exchange' * 5} (halo.cpp:42)"}).bars
    assert bar.name == f"MPI_Sendrecv in {'exchange' * 5} (halo.cpp:42)" and bar.about == site.datatype_name


def test_libraries_between_are_named():
    fortran, python = (
        Place("/x/libmpifort.so.12", "0x1", "mpi_send_"),
        Place("/x/MPI.cpython-311-x86_64-linux-gnu.so", "0x1", ""),
    )
    assert places([fortran, python]) == {
        fortran: "libmpifort.so.12 (Fortran binding)",
        python: "MPI.cpython-311-x86_64-linux-gnu.so (mpi4py)",
    }


def test_the_end_of_python_is_named():
    """mpi4py's function jumps to MPI_Finalize, so the return address is in the interpreter. The
    interpreter may have debug information."""
    for file in ("/x/libpython3.11.so.1.0", "/usr/bin/python3.11", "/usr/bin/python3", "/x/libpython3.13t.so"):
        place = Place(file, "0x2938b9", "Py_FinalizeEx")
        assert places([place]) == {place: "the end of Python (mpi4py)"} and not missing(places([place]))
    for file in ("/x/python-solver", "/x/pythonic.so", "/x/libpythonista.so"):
        assert "end of Python" not in Place(file, "0x1", "f").plain


FORTRAN = """
program waves
  integer :: i
  i = command_argument_count()
  call both(i)
  call both(i + 1)
contains
  subroutine both(n)
    integer :: n
    call abort_(n)
    call other(n)
  end subroutine
end program
subroutine abort_(n)
  integer :: n
  print *, n
end subroutine
subroutine other(n)
  integer :: n
  print *, n
end subroutine
"""


def test_each_inlined_call_of_fortran_names_the_inlined_function(tmp_path):
    """addr2line names the outer function for the first address in an inlined function."""
    if not all(map(shutil.which, ("gfortran", "addr2line", "objdump"))):
        pytest.skip("there is no gfortran or no binutils")
    source, program = tmp_path / "waves.f90", tmp_path / "waves"
    source.write_text(FORTRAN.lstrip("\n"))
    subprocess.run(["gfortran", "-g", "-O1", "-finline-functions", "-fno-ipa-cp", source, "-o", program], check=True)
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    behind = re.findall(r"call +\S+ <(?:abort__|other_)>\n +([0-9a-f]+):", code)
    shown = places(Place(str(program), f"0x{address}") for address in behind)
    assert len(shown) >= 2, code
    assert {text.partition(" (")[0] for text in shown.values()} <= {"both", "both.0"}, shown


def test_a_program_that_was_built_again_has_no_lines(heddle, mpi, tmp_path):
    """Offsets of the run mean other places in the new file."""
    source = """#include <mpi.h>
int main(int c, char** v) {
  MPI_Init(&c, &v);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
"""
    (tmp_path / "app.c").write_text(source)
    program, file = compiled(mpi, tmp_path / "app", "-g", tmp_path / "app.c"), tmp_path / "r.json"
    assert heddle("run", "-n", 2, "--", program, HEDDLE_REPORT=str(file)).returncode == 0
    assert "main (app.c:4)" in heddle("report", file).stdout
    (tmp_path / "app.c").write_text(source.replace("  MPI_Barrier", "\n\n  c += c;\n  MPI_Barrier"))
    compiled(mpi, tmp_path / "app", "-g", "-O2", tmp_path / "app.c")
    shown = " ".join(heddle("report", file).stdout.split())
    assert "(app.c:" not in shown and "the file has been built again since the run" in shown


def test_files_that_are_off_say_how_they_go_on(heddle, mpi, tmp_path):
    (tmp_path / "app.c").write_text(
        "#include <mpi.h>\nstatic char data[64];\nint main(int c, char** v) {\n  MPI_Init(&c, &v);\n  MPI_File f;\n"
        "  MPI_File_open(MPI_COMM_WORLD, v[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);\n"
        "  MPI_File_write_all(f, data, 64, MPI_CHAR, MPI_STATUS_IGNORE);\n  MPI_Datatype two;\n"
        "  MPI_Type_vector(32, 1, 2, MPI_CHAR, &two);\n  MPI_Type_commit(&two);\n"
        '  MPI_File_set_view(f, 0, MPI_CHAR, two, "native", MPI_INFO_NULL);\n'
        "  MPI_File_write_all(f, data, 64, MPI_CHAR, MPI_STATUS_IGNORE);\n  MPI_File_close(&f);\n  return MPI_Finalize();\n}\n"
    )
    program, file = compiled(mpi, tmp_path / "app", "-g", tmp_path / "app.c"), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program, tmp_path / "data", HEDDLE_FILES="off")
    assert done.returncode == 0 and "next: try it without HEDDLE_FILES=off" in " ".join(done.stderr.split()), done
    [written] = [one for one in rows_of(file).procedures if one.name == "MPI_File_write_all"]
    assert written.passed == {"files off": 2, "no holes": 2}


def test_a_packed_read_of_a_file_is_received(heddle, mpi, tmp_path):
    (tmp_path / "app.c").write_text(
        "#include <mpi.h>\nstatic int data[4096];\nint main(int c, char** v) {\n  MPI_Init(&c, &v);\n  MPI_File f;\n"
        "  MPI_File_open(MPI_COMM_WORLD, v[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);\n"
        "  MPI_Datatype two;\n  MPI_Type_vector(2048, 1, 2, MPI_INT, &two);\n  MPI_Type_commit(&two);\n"
        "  MPI_File_write_at_all(f, 0, data, 2048, MPI_INT, MPI_STATUS_IGNORE);\n"
        "  MPI_File_read_at(f, 0, data, 1, two, MPI_STATUS_IGNORE);\n  MPI_File_close(&f);\n  return MPI_Finalize();\n}\n"
    )
    program, file = compiled(mpi, tmp_path / "app", "-g", tmp_path / "app.c"), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program, tmp_path / "data")
    shown = " ".join(done.stderr.split())
    assert done.returncode == 0 and "carried: read 16 KiB in 2 file accesses, with holes" in shown, shown


def test_a_fence_serves_memory_of_the_program_by_default(heddle, mpi, tmp_path):
    """Without any variable, a column of 64 KiB waits for the fence on both MPIs."""
    (tmp_path / "app.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\nenum { n = 16384 };\nint main(int c, char** v) {\n"
        "  MPI_Init(&c, &v);\n  int rank;\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
        "  int *window = calloc(4 * n, 4), *row = malloc(4 * n);\n  for (int i = 0; i < n; ++i) row[i] = i + rank;\n"
        "  MPI_Win w;\n  MPI_Win_create(window, 16 * n, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w);\n"
        "  MPI_Datatype column;\n  MPI_Type_vector(n, 1, 4, MPI_INT, &column);\n  MPI_Type_commit(&column);\n"
        "  MPI_Win_fence(0, w);\n  MPI_Put(row, n, MPI_INT, 1 - rank, 0, 1, column, w);\n  MPI_Win_fence(0, w);\n"
        '  for (int i = 0; i < n; ++i)\n    if (window[4 * i] != i + 1 - rank || window[4 * i + 1]) puts("wrong");\n'
        "  MPI_Win_free(&w);\n  return MPI_Finalize();\n}\n"
    )
    program, file = compiled(mpi, tmp_path / "app", "-g", tmp_path / "app.c"), tmp_path / "r.json"
    done = heddle("run", f"--report={file}", "-n", 2, "--", program)
    assert (done.returncode, done.stdout) == (0, ""), done
    assert [(row["call"], row["way"]) for row in json.loads(file.read_text())["rows"]] == [("put", "fence")]
