# The front door. `make` alone says what there is.
PYTHON ?=
MPI ?=
PREFIX ?= /usr/local
SUITES ?=
REV ?=
DESTDIR ?=
export PYTHON MPI PREFIX DESTDIR

# ccache, where there is one, makes the second build quick.
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(shell command -v ccache)

.PHONY: help bootstrap packages build programs install uninstall wheel aarch64 test-aarch64 sdist deb release reproducible test check demo gain figures docs bench conformance suites asan tsan fuzz soak verbs applications lint format clean

help:  ## This list
	@echo "heddle: MPI datatypes at machine speed"; echo
	@sed -n 's/^\([a-z0-9-]*\):.*##/\1\t/p' $(firstword $(MAKEFILE_LIST)) | awk -F'\t' '{printf "  make %-13s %s\n", $$1, $$2}'
	@echo; echo '  MPI="PATH ..." uses MPI installations of this machine instead of those from PyPI, PYTHON=PATH another Python.'

bootstrap:  ## Install what a build needs (packages when root, .venv, .mpi)
	@scripts/bootstrap

packages: bootstrap  ## All Python packages of .venv, with those of the demo, the benchmarks and the tests
	@scripts/bootstrap --python

build: bootstrap  ## The libraries and a working .venv/bin/heddle
	@scripts/build

programs:  ## With them all programs of `heddle bench`, `heddle simulate` and apps/
	@scripts/bootstrap --programs
	@scripts/build programs

install:  ## Put what is built into PREFIX (/usr/local), below DESTDIR
	@scripts/install

uninstall:  ## Remove from PREFIX, below DESTDIR, what `make install` has put there
	@scripts/uninstall

wheel: packages  ## dist/heddle_mpi-*.whl of what is built, for pip
	@scripts/wheel

sdist:  ## dist/heddle_mpi-*.tar.gz of the last commit, from which pip builds
	@scripts/sdist

deb:  ## dist/heddle_*.deb and heddle-dev_*.deb of the last commit
	@scripts/deb

aarch64: packages  ## Libraries, heddle-tool and wheel for aarch64, on this machine (scripts/aarch64)
	@scripts/aarch64 wheel

test-aarch64: packages  ## Their tests under emulation, with both MPIs
	@scripts/aarch64 test

reproducible: packages  ## Wheel and tarball of the last commit into dist/, each built twice in different places: equal, or an error
	@scripts/reproducible

release:  ## What a release carries, from a tagged commit (docs/adding.md)
	@scripts/release

test:  ## All tests
	@scripts/bootstrap --test
	@scripts/build programs
	@scripts/test

check:  ## Tests of the folders that changed since REV (main), and the fastest of each kind: five minutes (scripts/check --help)
	@scripts/bootstrap --test
	@scripts/build
	@.venv/bin/python scripts/check $(REV)

demo:  ## Filter a photograph with a 2-D FFT over 4 ranks and exchange halos, with and without Heddle
	@scripts/bootstrap --programs
	@scripts/build demo
	@.venv/bin/python -m heddle.demo

gain: programs  ## Whole programs with Heddle and without, on both MPIs: draws docs/gain.svg
	@.venv/bin/python scripts/gain

figures: programs  ## The figures and tables of the five papers, short and rough: papers-output/index.html (15 minutes)
	@.venv/bin/heddle bench all --quick

docs: build  ## The manual as a site, in build/site
	@scripts/docs

bench: programs  ## Packing speed against the host MPI, memcpy and plain loops
	@.venv/bin/heddle bench pack

conformance: build packages  ## mpi4py's whole test suite, with and without Heddle, on both MPIs
	@tests/conformance/run --all

suites: build packages  ## mpi4py's suite, and SUITES="CHECKOUT ..." (scripts/suites --help), alone and under Heddle: docs/conformance.md
	@.venv/bin/python tests/conformance/mpi4py_suite.py --all --figures
	@test -z "$(SUITES)" || scripts/suites $(SUITES) --once --write

asan:  ## Tests without MPI under the address and undefined-behaviour sanitizers
	@scripts/bootstrap --test
	@scripts/sanitize asan

tsan:  ## Tests of several threads under the thread sanitizer
	@scripts/bootstrap --test
	@scripts/sanitize tsan

fuzz:  ## Fuzz the wire form and the grammar of `heddle explain` for a minute each
	@scripts/bootstrap --test
	@scripts/fuzz

soak: build packages  ## Random MPI programs under Heddle against both MPIs, for ten minutes (scripts/soak --help)
	@scripts/soak

verbs:  ## The fabric's tests over InfiniBand verbs, in a QEMU guest with soft-RoCE (scripts/verbs --help)
	@scripts/bootstrap --verbs
	@.venv/bin/python scripts/verbs

applications: programs  ## Programs of others (Debian's: NWChem, LAMMPS, HPCC, ...) with Heddle and without
	@scripts/applications

lint:  ## clang-format, clang-tidy, ruff
	@scripts/bootstrap --lint
	@scripts/lint

format:  ## Put all sources into the house style
	@scripts/bootstrap --lint
	@git ls-files '*.cpp' '*.hpp' '*.h' '*.c' | xargs clang-format -i
	@.venv/bin/ruff format -q python packaging tests apps examples src scripts/tidy scripts/applications scripts/check scripts/gain scripts/rows scripts/suites scripts/verbs scripts/site

clean:  ## Remove what was built; .venv and .mpi stay
	@rm -rf build dist python/heddle/native demo-output examples/build
