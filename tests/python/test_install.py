"""make install: an installation works in its prefix, without the place where it was built."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import CHECKOUT, MPIS, clean_environment, launcher, once, own_copy, prefix, report, row

PREFIX = Path("/opt/heddle")  # staged by DESTDIR, and used from there
SOURCES = Path(__file__).parent / "installed"
COMMANDS = ("algorithms", "compare", "doctor", "env", "explain", "mpi", "report", "run", "simulate", "tune")


def environment(**more: str) -> dict[str, str]:
    """The environment of a user who has the system's programs and the two MPIs."""
    mpis = ":".join(str(prefix(mpi)) for mpi in MPIS)
    plain = {name: value for name, value in clean_environment().items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return plain | {"PATH": "/usr/local/bin:/usr/bin:/bin", "HEDDLE_MPI_PATH": mpis} | more


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    """An installation."""

    def install(stage: Path) -> None:
        words = ["make", "-s", "install", f"PREFIX={PREFIX}", f"DESTDIR={stage}"]
        subprocess.run(words, cwd=CHECKOUT, check=True, stdout=subprocess.DEVNULL)

    return once(tmp_path_factory, "installation", install) / PREFIX.relative_to("/")


@pytest.fixture(scope="module")
def run(root) -> Callable[..., subprocess.CompletedProcess]:
    """run(words) runs a program of the installation, or any other."""

    def call(*words: object, **more: str) -> subprocess.CompletedProcess:
        first = root / "bin/heddle" if words[0] == "heddle" else words[0]
        return subprocess.run(
            [first, *map(str, words[1:])], env=environment(**more), capture_output=True, text=True, timeout=300, cwd=root
        )

    return call


def test_command(run):
    version = (CHECKOUT / "python/pyproject.toml").read_text().partition('version = "')[2].partition('"')[0]
    done = run("heddle", "--version")
    assert done.stdout == f"heddle {version}\n", done.stderr
    assert "2-D loop nest" in run("heddle", "explain", "hvector(8, 1, 24, vector(8, 1, 8, contiguous(3, double)))").stdout


def test_a_report_as_a_page(root, run, written, tmp_path):
    """Its templates are installed, and the packages beside the command that read them are in pure
    Python."""
    done = run("heddle", "report", written(report(row(bytes=99))), "--html", tmp_path / "r.html")
    assert done.returncode == 0, done.stderr
    assert "128 blocks of 256 B" in (tmp_path / "r.html").read_text()
    vendor = root / "lib/heddle/vendor"
    assert (
        (vendor / "jinja2").is_dir() and (vendor / "markupsafe").is_dir() and not [*vendor.rglob("*.so"), *vendor.rglob("*.c")]
    )


def closed(folder: Path) -> list[Path]:
    """The files and folders that other users cannot read, or that others than the owner may
    write."""
    wrong = []
    for path in (folder, *folder.rglob("*")):
        rights = path.lstat().st_mode & 0o777
        least = 0o755 if path.is_dir() or rights & 0o100 else 0o644
        wrong += [path] if rights != least else []
    return wrong


@pytest.mark.parametrize("umask", [0o077, 0o000], ids=oct)
def test_every_user_can_read_it_whatever_the_umask(umask, tmp_path):
    words = ["make", "-s", "install", f"PREFIX={PREFIX}", f"DESTDIR={tmp_path}"]
    subprocess.run(words, cwd=CHECKOUT, check=True, stdout=subprocess.DEVNULL, umask=umask)
    assert len([*tmp_path.rglob("*")]) > 200 and not closed(tmp_path / "opt")


def test_cmake_makes_files_that_every_user_can_read(tmp_path):
    """CMake makes folders under the umask, so docs/install.md names 022."""
    words = ["cmake", "--install", "build/release", "--prefix", str(PREFIX)]
    environment = {**os.environ, "DESTDIR": str(tmp_path)}
    subprocess.run(words, cwd=CHECKOUT, env=environment, check=True, stdout=subprocess.DEVNULL, umask=0o077)
    assert not [path for path in closed(tmp_path) if not path.is_dir()]


def test_links_of_the_installed_pages_lead_somewhere(root):
    """Files of the tree that are not installed are named without a link."""
    folder = root / "share/doc/heddle"
    pages = [*folder.rglob("*.md")]
    assert {"SECURITY.md", "README.md", "CHANGELOG.md"} <= {page.name for page in pages}
    links = 0
    for page in pages:
        text = re.sub(r"^ *```.*?^ *```[^\n]*$|`[^`\n]+`", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path = target.partition("#")[0]
            links += 1
            assert not path or re.match(r"\w+:", path) or (page.parent / path).exists(), f"{page.name}: {target}"
    assert links > 300
    assert "](../SECURITY.md)" in (folder / "docs/support.md").read_text()


def test_command_by_a_link(root, run, tmp_path):
    (tmp_path / "heddle").symlink_to(root / "bin/heddle")
    assert run(tmp_path / "heddle", "--version").stdout == run("heddle", "--version").stdout


def test_doctor(run):
    done = run("heddle", "doctor")
    assert done.returncode == 0 and done.stdout.count("two ranks exchange") >= 2, done.stdout + done.stderr


@pytest.mark.parametrize("how", ["by itself", "by a launcher"])
def test_run(root, run, mpi, who, how):
    start = ["-n", 2] if how == "by itself" else ["--", *launcher(mpi), "-n", 2]
    done = run("heddle", "run", *start, who[mpi])
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2, done.stderr
    assert all(f"preload {root}/lib/libheddle_{mpi}.so" in line and f": libheddle_{mpi}" in line for line in lines), lines


def test_run_without_python(root, run, mpi, who):
    """The variables of the module file suffice."""
    library = root / f"lib/libheddle_{mpi}.so"
    words = ["-genv", "LD_PRELOAD", library] if mpi == "mpich" else ["-x", f"LD_PRELOAD={library}"]
    done = run(*launcher(mpi), *words, "-n", 2, who[mpi])
    assert done.stdout.count(f": libheddle_{mpi}") == 2, done.stdout + done.stderr


def test_what_is_missing_is_not_built_but_installed(root, run, who, tmp_path):
    part = own_copy(root, tmp_path / "part")
    (part / "lib/libheddle_mpich.so").unlink()
    done = run(part / "bin/heddle", "run", "-n", 2, who["mpich"])
    looked = run(part / "bin/heddle", "doctor")
    assert done.returncode == 1 and f"Install Heddle in {part} again" in done.stderr
    assert looked.returncode == 1 and "make build" not in looked.stdout + done.stderr


@pytest.fixture(scope="module")
def oldest() -> str:
    """The oldest supported Python."""
    for python in [shutil.which("python3.9"), *Path.home().glob(".pyenv/versions/3.9.*/bin/python")]:
        if python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return str(python)
    pytest.skip("there is no Python 3.9 here")


def test_oldest_python(run, mpi, who, oldest):
    done = run("heddle", "doctor", HEDDLE_PYTHON=oldest)
    assert done.returncode == 0 and done.stdout.count("two ranks exchange") >= 2, done.stdout + done.stderr
    assert run("heddle", "run", "-n", 2, who[mpi], HEDDLE_PYTHON=oldest).stdout.count(f": libheddle_{mpi}") == 2
    done = run("heddle", "compare", "--rounds", 1, "-n", 2, "--", who[mpi], HEDDLE_PYTHON=oldest)
    assert "with Heddle" in done.stdout and "Traceback" not in done.stderr, done.stdout + done.stderr


def test_python_that_is_not_there(run):
    """Another is used, and a line says so."""
    for named in ("/nowhere/python3", "python-of-nobody", str(PREFIX)):
        done = run("heddle", "--version", HEDDLE_PYTHON=named)
        assert done.returncode == 0 and done.stdout.startswith("heddle "), done
        assert done.stderr.startswith(f"heddle: HEDDLE_PYTHON={named} cannot be started; ") and done.stderr.count("\n") == 1
    for named in ("", "python3", shutil.which("python3")):
        assert not run("heddle", "--version", HEDDLE_PYTHON=named).stderr


def test_python_that_is_too_old(root, tmp_path):
    """It looks for a newer one on the PATH, or prints which version it needs."""
    start = (root / "lib/heddle/start.py").read_text()
    (tmp_path / "start.py").write_text(start.replace("sys.version_info < OLDEST", "True"))
    (tmp_path / "python3.12").write_text('#!/bin/sh\n[ "$1" = -c ] && exit\necho newer "$@"\n')
    (tmp_path / "python3.12").chmod(0o755)
    ask = [sys.executable, tmp_path / "start.py", "--version"]
    done = subprocess.run(ask, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout == f"newer {tmp_path}/start.py --version\n", done.stderr
    (tmp_path / "start.py").write_text(start.replace("sys.version_info < OLDEST", "True").replace("/usr/bin", "/nowhere"))
    done = subprocess.run(ask, env={"PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.returncode == 1 and "too old: 3.9 is needed" in done.stderr


def test_cmake_package(root, run, tmp_path):
    """Every target works in programs that are not position-independent."""
    compiler = f"-DCMAKE_C_COMPILER={prefix('mpich')}/bin/mpicc"
    flags = [f"-DCMAKE_{language}_FLAGS=-fno-pie -Wall -Wextra -Wpedantic -Werror" for language in ("C", "CXX")]
    flags.append("-DCMAKE_EXE_LINKER_FLAGS=-no-pie")
    made = run("cmake", "-S", SOURCES, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={root}", compiler, *flags)
    assert made.returncode == 0, made.stderr
    made = run("cmake", "--build", tmp_path)
    assert made.returncode == 0, made.stdout + made.stderr
    assert run(tmp_path / "layout").stdout == "1 4 7\n"
    assert run(tmp_path / "schedule").stdout == "3 rounds\n"
    done = run("heddle", "run", "-n", 2, tmp_path / "headers")
    assert done.stdout == "right shared heddle\n" * 2, done.stdout + done.stderr


@pytest.mark.parametrize("code", [["-fno-pie", "-no-pie", "-O2"], ["-fPIE", "-pie"]], ids=lambda code: code[0])
def test_pkg_config(root, run, mpi, code, tmp_path):
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config")
    asked = run("pkg-config", "--cflags", "--libs", "heddle", PKG_CONFIG_PATH=str(root / "lib/pkgconfig"))
    assert asked.returncode == 0, asked.stderr
    compiler = prefix(mpi) / "bin/mpicc"
    made = run(compiler, SOURCES / "headers.c", *asked.stdout.split(), *code, "-o", tmp_path / "headers")
    assert made.returncode == 0, made.stderr
    done = run("heddle", "run", "-n", 2, tmp_path / "headers")
    assert done.stdout == "right shared heddle\n" * 2, done.stdout + done.stderr
    plain = run(*launcher(mpi), "-n", 2, tmp_path / "headers")
    assert plain.stdout == "right plain consensus\n" * 2, plain.stdout + plain.stderr


def test_module_file(root):
    """Every path that it sets exists."""
    (file,) = (root / "share/modulefiles/heddle").iterdir()
    text = file.read_text()
    assert text.startswith("#%Module1.0\n") and f'set root "{PREFIX}"\n' in text and "@" not in text
    set_to = dict(re.findall(r"^(?:prepend-path|setenv) (\w+) \$root(.*)$", text, re.MULTILINE))
    assert {
        "PATH",
        "MANPATH",
        "CMAKE_PREFIX_PATH",
        "PKG_CONFIG_PATH",
        "HEDDLE_LIB_MPICH",
        "HEDDLE_LIB_OPENMPI",
    } <= set_to.keys()
    for name, path in set_to.items():
        assert Path(f"{root}{path}").exists(), name


def test_manual_pages(root):
    pages = {page.name: page.read_text() for page in (root / "share/man/man1").iterdir()}
    assert pages.keys() == {"heddle.1", *(f"heddle-{command}.1" for command in COMMANDS)}
    assert "heddle run \\-n 4 \\-\\- ./app" in pages["heddle-run.1"] and "\\-\\-ranks" in pages["heddle-run.1"]
    assert all(f"heddle\\-{command}" in pages["heddle.1"] for command in COMMANDS)


def test_completion(root, run):
    ask = 'source "$0"; COMP_WORDS=(heddle "$@"); COMP_CWORD=$#; _heddle_completion heddle; echo "${COMPREPLY[@]}"'
    file = root / "share/bash-completion/completions/heddle"
    path = f"{root}/bin:/usr/bin:/bin"
    assert run("bash", "-c", ask, file, "ex", PATH=path).stdout == "explain\n"
    assert "--collective" in run("bash", "-c", ask, file, "explain", "--", PATH=path).stdout
    assert run("bash", "-c", ask, file, "env", "HEDDLE_SCH", PATH=path).stdout == "HEDDLE_SCHEME\n"
    for shell in ("zsh/site-functions/_heddle", "fish/vendor_completions.d/heddle.fish"):
        assert "_HEDDLE_COMPLETE=complete_" in (root / "share" / shell).read_text()


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")
def test_completion_of_fish(root, run, tmp_path):
    file = root / "share/fish/vendor_completions.d/heddle.fish"
    ask = f"source {file}; complete -C 'heddle env HEDDLE_SCH'"
    done = run("fish", "--no-config", "-c", ask, PATH=f"{root}/bin:/usr/bin:/bin", HOME=tmp_path)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["HEDDLE_SCHEME"], done


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_completion_of_zsh(root, run, tmp_path):
    """zsh completes in place, because only one word begins so. It needs a pseudo-terminal."""
    script = tmp_path / "ask.zsh"
    script.write_text(
        "zmodload zsh/zpty; zpty asked zsh -f -i\n"
        f'zpty -w asked "fpath=({root}/share/zsh/site-functions \\$fpath); autoload -Uz compinit"\n'
        f"zpty -w asked \"compinit -u -d {tmp_path}/dump; bindkey '^I' complete-word; print is-\\ready\"\n"
        "zpty -r -m asked ready '*is-ready*'\n"
        "zpty -w -n asked $'heddle env HEDDLE_SCH\\t'; zpty -r -m asked shown '*HEDDLE_SCHEME*' && print completed\n"
        "zpty -d asked\n"
    )
    assert "completed" in run("zsh", "-f", script, PATH=f"{root}/bin:/usr/bin:/bin", HOME=tmp_path).stdout


def test_licences_and_lists_of_the_software_of_others(root):
    folder = root / "share/doc/heddle"
    sources = {file.name: file.read_bytes() for file in (CHECKOUT / "packaging/third_party").glob("*.txt")}
    assert sources and {file.name: file.read_bytes() for file in (folder / "third_party").iterdir()} == sources
    names = {}
    for which in ("heddle", "heddle-command"):
        made = json.loads((folder / f"{which}.cdx.json").read_text())
        names[which] = {one["name"]: one["version"] for one in made["components"]}
    assert {"CLI11", "fmt", "nlohmann-json", "libstdc++"} <= names["heddle"].keys()
    installed = {path.name.partition("-")[0].lower() for path in (root / "lib/heddle/vendor").glob("*.dist-info")}
    assert installed == {name.lower().replace("-", "_") for name in names["heddle-command"]}


def test_nothing_points_to_where_it_was_built(root):
    files = [file for file in root.rglob("*") if file.is_file()]
    assert len(files) > 100
    here = str(CHECKOUT).encode()
    assert not [file for file in files if here in file.read_bytes()]
    binaries = [file for file in files if file.read_bytes()[:4] == b"\x7fELF"]
    interposers = {f"libheddle_{family}.so" for family in (*MPIS, "abi")}
    links = {f"libheddle_links_{mpi}.so" for mpi in MPIS}
    assert {file.name for file in binaries} == interposers | links | {"heddle", "heddle-tool"}
    for file in binaries:
        dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
        assert "NEEDED" in dynamic and not re.search(r"RUNPATH|RPATH|libstdc\+\+", dynamic), dynamic


def test_neither_benches_nor_demos(root):
    """fft2d is the name of a program and of a simulation. Only the simulation is installed."""
    ours = [file for file in root.rglob("*") if not {"vendor", "doc", "simulated"} & {*file.parts}]
    assert not [file for file in ours if re.search(r"bench|demo|fft|null", file.name)]
