"""The program `heddle` starts lines of `heddle run` that it knows, without Python and exactly as
Python does."""

import binascii
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CHECKOUT, MPIS, launcher, prefix
from heddle.native import FOLDER

SOURCE = Path(__file__).with_name("recorder.c")
BANNERS = {"mpich": "HYDRA build details:\\n Version: 9.9", "openmpi": "mpirun (Open MPI) 9.9", "none": "srun 9.9"}
SONAMES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40"}
SETTLED_S = 1.1  # files that changed later are not remembered (heddle.remembered)


def compiled(to: Path, *words: object) -> Path:
    subprocess.run(["cc", *map(str, words), "-o", to], check=True)
    return to


def app(to: Path, prefix: Path, *more: object) -> Path:
    """A program that is linked with the libmpi of an installation."""
    source = to.with_suffix(".c")
    source.write_text("int MPI_Init(int*, char***);\nint main(void) { return MPI_Init(0, 0); }\n")
    (library,) = (prefix / "lib").iterdir()
    return compiled(to, source, library, *more, f"-Wl,-rpath,{library.parent}")


def installation(prefix: Path, family: str) -> None:
    """An MPI whose launcher records how it is started."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    compiled(prefix / "bin/mpiexec", SOURCE, f'-DBANNER="{BANNERS[family]}"')
    source = prefix / "mpi.c"
    source.write_text("int MPI_Init(int* a, char*** b) { return a == 0 && b == 0 ? 0 : 1; }\n")
    compiled(prefix / "lib" / SONAMES[family], "-shared", "-fPIC", f"-Wl,-soname,{SONAMES[family]}", source)


def command(folder: Path) -> None:
    """The program and its Python command, which leaves a trace."""
    folder.mkdir()
    shutil.copy2(FOLDER / "bin/heddle", folder / "heddle")
    (folder / "heddle-python").write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(folder / 'asked')!r}, 'a').write('.')\n"
        f"sys.path.insert(0, {str(CHECKOUT / 'python')!r})\nfrom heddle.cli import main\nmain()\n"
    )
    (folder / "heddle-python").chmod(0o755)


class Place:
    """A folder with a command, MPIs and programs. Each test has its own memory."""

    def __init__(self, folder: Path, cache: Path):
        self.folder, self.cache = folder, cache
        self.environment = {
            "PATH": f"{folder}/mpich/bin:{folder}/tools:/usr/bin:/bin",
            "HOME": str(folder),
            "HEDDLE_CACHE": str(cache / "found.json"),
            "ODD": "a=b\n",
        }

    def start(self, *words: object, by: str = "heddle", cwd: Path | None = None, before=None, **more: str):
        line = [self.folder / "bin" / by, "run", *(word if isinstance(word, bytes) else str(word) for word in words)]
        environment = self.environment | more
        return subprocess.run(line, env=environment, cwd=cwd or self.folder, capture_output=True, timeout=60, preexec_fn=before)

    def asked(self) -> int:
        """How often Python has run."""
        trace = self.folder / "bin/asked"
        return trace.stat().st_size if trace.exists() else 0

    def known(self, *words: object, **more) -> bool:
        """True: the program starts this line without Python. It then does the same as Python."""
        before = self.asked()
        done = self.start(*words, **more)
        known = self.asked() == before
        python = self.start(*words, by="heddle-python", **more)
        assert done.stdout == python.stdout and done.stderr == python.stderr, (words, done, python)
        assert done.returncode == python.returncode
        return known

    def learn(self, *words: object, **more) -> None:
        assert not self.known(*words, **more) and self.known(*words, **more), words

    def file(self) -> Path:
        (file,) = (self.cache / "found.json.lines").iterdir()
        return file


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    command(folder / "bin")
    for family in MPIS:
        installation(folder / family, family)
        app(folder / f"app-{family}", folder / family)
    app(folder / "app-asan", folder / "mpich", "-fsanitize=address")
    (folder / "tools").mkdir()
    compiled(folder / "tools/srun", SOURCE, f'-DBANNER="{BANNERS["none"]}"')
    (folder / "script").write_text("#!/bin/sh\nexec ./app-mpich\n")
    (folder / "script").chmod(0o755)
    time.sleep(SETTLED_S)
    return folder


@pytest.fixture
def place(made, tmp_path) -> Place:
    return Place(made, tmp_path / "cache")


@pytest.fixture
def own(made, tmp_path) -> Place:
    """A place that a test may change."""
    shutil.copytree(made, tmp_path / "place", symlinks=True)
    own = Place(tmp_path / "place", tmp_path / "cache")
    command_of = own.folder / "bin/heddle-python"
    command_of.write_text(command_of.read_text().replace(str(made), str(own.folder)))
    for family in MPIS:  # the run path has the folder
        app(own.folder / f"app-{family}", own.folder / family)
    time.sleep(SETTLED_S)
    return own


LINES = {
    "ranks": ["-n", "2", "--", "./app-mpich", "a", "", b"\xff\n"],
    "no ranks": ["./app-openmpi"],
    "word": ["--ranks=3", "./app-openmpi", "--", "-n"],
    "more ranks than cores": ["-np", "999", "--", "./app-openmpi"],
    "path of an MPI": ["--mpi", "./mpich", "-n", "1", "--", "./app-mpich"],
    "path of an mpiexec": ["--mpi=openmpi/bin/mpiexec", "-n1", "./app-openmpi"],
    "launcher": ["--", "mpiexec", "-n", "2", "./app-mpich", "1"],
    "launcher by path": ["./openmpi/bin/mpiexec", "-n", "2", "--bind-to", "core", "./app-openmpi"],
    "several programs": ["--", "mpiexec", "-n", "1", "./app-mpich", "x", ":", "-n", "1", "./app-mpich", "y"],
    "programs of Open MPI": ["openmpi/bin/mpiexec", "-n", "1", "-x", "A", "./app-openmpi", ":", "-n", "1", "./app-openmpi"],
    "preloads of Hydra": ["--", "mpiexec", "-genv", "LD_PRELOAD", "/none.so", "-n", "1", "./app-mpich"],
    "preloads of Open MPI": ["openmpi/bin/mpiexec", "-x", "LD_PRELOAD=/none.so", "-n", "1", "./app-openmpi"],
    "program with such options": ["-n", "1", "./app-openmpi", "-x", "LD_PRELOAD=/none.so", ":"],
    "sanitizer": ["-n", "1", "./app-asan"],
    "srun": ["--", "srun", "-n", "2", "./app-mpich", "--export=NONE"],
    "srun that exports": ["--", "srun", "--export=A,B", "-n", "2", "./app-openmpi"],
    "wrapper": ["--", "env", "./app-mpich", "-i"],
    "script": ["-n", "2", "--mpi", "./mpich", "./script", "1"],
}


@pytest.mark.parametrize("words", LINES.values(), ids=LINES.keys())
def test_a_known_line_does_what_python_does(place, words):
    place.learn(*words)


@pytest.mark.parametrize(
    "variables",
    [
        {"LD_PRELOAD": "libm.so.6"},
        {"HEDDLE_SCHEME": "eager", "HEDDLE": "on"},
        {"LC_ALL": "C"},
        {"LANG": "C.UTF-8", "LC_CTYPE": "C.UTF-8"},
        {"SLURM_EXPORT_ENV": "NONE"},
        {"LD_LIBRARY_PATH": "/nowhere"},
        {"PYTHONDONTWRITEBYTECODE": "1"},
        {"PWD": "/", "HEDDLE_VERBOSE": ""},
    ],
    ids=" ".join,
)
def test_the_environment_is_that_of_python(place, variables):
    for words in (LINES["launcher"], LINES["no ranks"], LINES["srun"], LINES["wrapper"]):
        place.learn(*words, **variables)
    assert not place.known(*LINES["launcher"], HEDDLE_OTHER="1", **variables)


def test_further_words_need_no_python(place):
    place.learn("-n", "2", "./app-mpich")
    assert place.known("-n", "2", "./app-mpich", "1", "2") and place.known("-n", "2", "./app-mpich", "-n", "3")
    assert not place.known("-n", "3", "./app-mpich") and not place.known("-n", "2", "./app-mpich", ":", "-x")
    place.learn("mpiexec", "./app-mpich", "1")
    assert place.known("mpiexec", "./app-mpich", "2") and not place.known("mpiexec", "./app-mpich", ":", "./app-openmpi")
    place.learn("--mpi", "./mpich", "--", "mpiexec", "./script")
    assert not place.known("--mpi", "./mpich", "--", "mpiexec", "./script", "./app-mpich")


def test_lines_that_python_must_see(place, tmp_path):
    report = tmp_path / "r.json"
    for words, variables in (
        (["-n", "1", "./app-mpich"], {"HEDDLE_REPORT": str(report)}),
        (["-n", "1", "./app-mpich"], {"HEDDLE_EXPLAIN": "main"}),
        (["-n", "1", "./app-mpich"], {"HEDDLE_CACHE": "off"}),
        (["-n", "1", "./none"], {}),
        (["--mpi", "nompi", "-n", "1", "./app-mpich"], {}),
        (["--", "mpiexec", "-n", "1", "./app-openmpi"], {}),
        (["--help"], {}),
    ):
        assert [place.known(*words, **variables) for _ in range(2)] == [False, False], words


def test_signals_are_as_after_python(place):
    """A program must not inherit that its starter ignores a broken pipe."""

    def ignore():
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    words = ("--mpi", "./mpich", "--", "sh", "-c", "grep ^Sig /proc/self/status")
    place.start(*words, before=ignore)
    before = place.asked()
    known = place.start(*words, before=ignore)
    assert place.asked() == before
    assert known.stdout == place.start(*words, by="heddle-python", before=ignore).stdout and b"SigIgn:" in known.stdout


def changes() -> dict:
    def rebuilt(place):
        app(place.folder / "app-mpich", place.folder / "openmpi")

    def other_launcher(place):
        shutil.copy2(place.folder / "openmpi/bin/mpiexec", place.folder / "mpich/bin/mpiexec")

    def earlier_launcher(place):
        (place.folder / "first").mkdir()
        shutil.copy2(place.folder / "openmpi/bin/mpiexec", place.folder / "first/mpiexec")

    def replaced(place):
        (place.folder / "mpich").rename(place.folder / "mpich-old")
        installation(place.folder / "mpich", "mpich")

    def removed(place):
        (place.folder / "mpich").rename(place.folder / "mpich-old")

    def not_executable(place):
        (place.folder / "app-mpich").chmod(0o644)

    def script_instead(place):
        (place.folder / "app-mpich").unlink()
        (place.folder / "app-mpich").write_text("#!/bin/sh\nexit 3\n")
        (place.folder / "app-mpich").chmod(0o755)

    def new_library(place):
        shutil.copy2(place.folder / "openmpi/lib/libmpi.so.40", place.folder / "mpich/lib/libmpi.so.40")

    return {change.__name__: change for change in (
        rebuilt, other_launcher, earlier_launcher, replaced, removed, not_executable, script_instead, new_library)}  # fmt: skip


@pytest.mark.parametrize("change", changes().values(), ids=changes().keys())
def test_a_change_is_noticed(own, change):
    path = {"PATH": f"{own.folder}/first:{own.environment['PATH']}"}
    lines = [
        ["--", "mpiexec", "-n", "1", "./app-mpich"],
        ["-n", "1", "./app-mpich"],
        ["--mpi", "mpich", "-n", "1", "./app-mpich"],
    ]
    for words in lines:
        own.start(*words, **path)
    change(own)
    for words in lines:
        own.known(*words, **path)  # fails if Python would do something else


def test_a_library_that_the_loader_finds_earlier_is_noticed(own):
    """A folder of the run path may have been missing, or may be for a kind of processor."""
    (own.folder / "early").mkdir()
    folders = ("late/er", "early/glibc-hwcaps/x86-64-v2", "early")
    program = app(
        own.folder / "app", own.folder / "mpich", *(f"-Wl,-rpath,{own.folder}/{name}" for name in ("early", "late/er"))
    )
    shutil.copytree(own.folder / "mpich", own.folder / "other")
    time.sleep(SETTLED_S)
    for name in folders:
        own.start("-n", "1", program)
        assert own.known("-n", "1", program)
        (own.folder / name).mkdir(parents=True, exist_ok=True)
        library = own.folder / name / "libmpi.so.12"
        library.symlink_to(own.folder / "other/lib/libmpi.so.12")
        assert not own.known("-n", "1", program), name
        library.unlink()
        shutil.rmtree(own.folder / "early/glibc-hwcaps", ignore_errors=True)
        time.sleep(SETTLED_S)


def test_a_library_on_the_library_path_is_noticed(own):
    path = {"LD_LIBRARY_PATH": f"{own.folder}/none:{own.folder}/other/lib"}
    own.learn("-n", "1", "./app-mpich", **path)
    shutil.copytree(own.folder / "mpich", own.folder / "other")
    assert not own.known("-n", "1", "./app-mpich", **path)


def test_in_doubt_a_line_is_not_known(own):
    """A relative run path, a loader that does not say where it searches, an interpreter that is a
    script, a fresh program."""
    library = own.folder / "mpich/lib/libmpi.so.12"
    relative = compiled(own.folder / "app-relative", own.folder / "app-mpich.c", library, "-Wl,-rpath,mpich/lib")
    silent = own.folder / "silent/ldd"
    silent.parent.mkdir()
    silent.write_text('#!/bin/sh\nPATH=/usr/bin:/bin\nunset LD_DEBUG\nexec ldd "$@"\n')
    chooser = own.folder / "tools/python3"
    chooser.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for script in (silent, chooser):
        script.chmod(0o755)
    time.sleep(SETTLED_S)
    fresh = shutil.copy(own.folder / "app-mpich", own.folder / "app-fresh")
    os.utime(fresh, (0, 0))
    for words, more in (
        (["-n", "1", fresh], {}),
        (["-n", "1", relative], {}),
        (["-n", "1", "./app-mpich"], {"PATH": f"{silent.parent}:{own.environment['PATH']}"}),
        (["--mpi", "./mpich", "-n", "1", "python3", "-c", ""], {}),
    ):
        assert [own.known(*words, **more) for _ in range(2)] == [False, False], words


def test_a_moved_command_knows_nothing(own):
    own.learn(*LINES["launcher"])
    (own.folder / "bin").rename(own.folder / "moved")
    (own.folder / "bin").symlink_to("moved")
    assert not own.known(*LINES["launcher"])


def test_another_folder_and_other_cores_are_other_contexts(place):
    words = ("--", place.folder / "mpich/bin/mpiexec", "-n", "1", place.folder / "app-mpich")
    place.learn(*words)
    assert not place.known(*words, cwd=Path("/"))
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        assert not place.known(*words, before=lambda: os.sched_setaffinity(0, cores[:1]))


def damaged(file: Path, how: str) -> None:
    whole = file.read_bytes()
    if how == "empty":
        file.write_bytes(b"")
    elif how == "truncated":
        file.write_bytes(whole[: len(whole) // 2])
    elif how == "zeros":
        file.write_bytes(bytes(len(whole)))
    elif how == "another form":
        file.write_bytes(whole.replace(b"heddle lines 1", b"heddle lines 0", 1))
    elif how == "another context":
        file.write_bytes(whole.replace(str(file.parents[2]).encode(), b"/" * len(str(file.parents[2])), 1))
    elif how == "writable by others":
        file.chmod(0o666)
    elif how == "in a folder of others":
        file.parent.chmod(0o777)
    elif how == "of another user":
        os.chown(file, 1, 1)
    elif how == "a link":
        file.rename(file.parent.parent / "real")
        file.symlink_to(file.parent.parent / "real")
    elif how == "a folder":
        file.unlink()
        file.mkdir()
    elif how == "a pipe":
        file.unlink()
        os.mkfifo(file, 0o600)


@pytest.mark.parametrize(
    "how",
    "empty|truncated|zeros|another form|another context|writable by others|in a folder of others|of another user|a link|"
    "a folder|a pipe".split("|"),
)
def test_a_file_that_is_not_sound_counts_for_nothing(place, how):
    if how == "of another user" and os.geteuid() != 0:
        pytest.skip("only root gives files away")
    place.learn(*LINES["launcher"])
    damaged(place.file(), how)
    assert not place.known(*LINES["launcher"])
    if how in ("empty", "truncated", "zeros", "another form", "writable by others", "of another user", "a link", "a pipe"):
        assert place.known(*LINES["launcher"])  # Python has written it anew


def test_forged_lines_start_nothing(place):
    """Others may write the file. Its checksum is right. Python does not take over its lines
    either."""
    for words in (LINES["launcher"], LINES["no ranks"]):
        place.learn(*words)
    file = place.file()
    form, _, rest = file.read_bytes().split(b"\0", 2)
    rest = rest.replace(b"/bin/mpiexec\0", b"/bin/evil123\0")
    file.write_bytes(b"\0".join([form, b"%d" % binascii.crc32(rest), rest]))
    file.chmod(0o622)
    assert not place.known(*LINES["launcher"]) and place.known(*LINES["launcher"])
    assert b"evil" in rest and b"evil" not in file.read_bytes() and not place.known(*LINES["no ranks"])


def test_a_damaged_file_starts_nothing(place):
    place.learn(*LINES["launcher"])
    whole = place.file().read_bytes()
    for place_of_bit in range(3, 8 * len(whole), 8 * len(whole) // 20):
        damaged_bytes = bytearray(whole)
        damaged_bytes[place_of_bit // 8] ^= 1 << place_of_bit % 8
        place.file().write_bytes(damaged_bytes)
        before = place.asked()
        place.start(*LINES["launcher"])
        assert place.asked() == before + 1, place_of_bit


def test_a_full_disk_and_a_read_only_home_are_no_problem(place):
    done = place.start(*LINES["launcher"], before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert done.returncode == 0 and done.stdout and not done.stderr
    folder = place.cache / "found.json.lines"
    assert not folder.exists() or not list(folder.iterdir())
    for cache in ("/proc/heddle/found.json", f"{place.folder}/script/found.json"):
        assert [place.known(*LINES["launcher"], HEDDLE_CACHE=cache) for _ in range(2)] == [False, False]


def test_several_processes_write_at_once(place):
    lines = [["--", "mpiexec", "-n", str(n), "./app-mpich"] for n in range(1, 7)]
    line = [place.folder / "bin/heddle", "run"]
    started = [subprocess.Popen([*line, *words], env=place.environment, cwd=place.folder, stdout=-1) for words in lines]
    answers = [process.communicate(timeout=60)[0] for process in started]
    assert answers == [place.start(*words, by="heddle-python").stdout for words in lines]
    known = [place.known(*words) for words in lines]
    assert any(known) and all(place.known(*words) for words in lines)
    assert len(list((place.cache / "found.json.lines").iterdir())) == 1


def test_the_oldest_lines_and_files_go(place):
    for n in range(40):
        place.start("-n", n + 1, "./app-mpich")
    assert place.file().read_bytes().split(b"\0")[3] == b"32"
    folder = place.cache / "found.json.lines"
    (folder / "notes").write_text("the user's")
    for n in range(70):
        (folder / f"{n:016}").write_text("")
        os.utime(folder / f"{n:016}", (n, n))
    assert place.known("-n", 40, "./app-mpich") and not place.known("-n", 1, "./app-mpich")
    assert len(list(folder.iterdir())) == 65 and not (folder / f"{0:016}").exists() and (folder / "notes").exists()


def test_a_real_job(place, mpi, who):
    """Under both MPIs, twice: output and exit code are those of the program."""
    time.sleep(SETTLED_S)
    for _ in range(2):
        before = place.asked()
        done = place.start("--", *launcher(mpi), "-n", 2, who[mpi], 7)
        assert done.returncode == 7 and done.stdout.decode().count(f": libheddle_{mpi}") == 2, done
    assert place.asked() == before


def test_a_python_program(place, mpi, tmp_path):
    script = tmp_path / "hello.py"
    script.write_text("from mpi4py import MPI\nprint('libheddle' in open('/proc/self/maps').read(), MPI.COMM_WORLD.size)\n")
    words = ("--mpi", prefix(mpi), "-n", 2, "--", sys.executable, script)
    for _ in range(2):
        before = place.asked()
        done = place.start(*words)
        assert done.stdout.decode().splitlines() == ["True 2"] * 2, done
    assert place.asked() == before
