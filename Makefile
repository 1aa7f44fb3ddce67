# The two commands: `make demo` shows the main job on a built-in robot, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python

.PHONY: help demo test test-all check mutants bench bench-flash bench-sim bench-ident bench-ops bench-tools golden docs clean tools
.DEFAULT_GOAL := help

help:
	@echo "make demo      set up .venv and run the main job on a built-in robot"
	@echo "make test      set up, then every test (under 10 minutes)"
	@echo "make test-all  the slow studies too"
	@echo "make check     ruff, strict types, import layers"
	@echo "make mutants   plant known errors one by one: is each noticed by the tests?"
	@echo "make bench     install the peers, measure speed beside them and generation time"
	@echo "make bench-flash  size and cycles of emitted C on a Cortex-M4 beside CasADi's"
	@echo "make bench-sim closed loops beside MuJoCo's C loop, laws, time-optimal paths, friction"
	@echo "make bench-ident DATA=folder  identification on recordings of others"
	@echo "make bench-ops operation counts beside other tools and SymPy's cse, and the rounding errors"
	@echo "make golden    accept the emitted text as the new golden files"
	@echo "make docs      run every example of the documentation"

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[test]"
	@touch $@

$(VENV)/.checked: $(VENV)/.tested
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[test,check]"
	@touch $@

# a C compiler is the one thing pip cannot bring; without it the C tests are skipped and say so
tools:
	@command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && apt-get update -qq && apt-get install -y -qq gcc libc6-dev; } || \
	  echo "no C compiler: the tests that compile emitted C will be skipped"
	@for tool in c++ cargo cmake gfortran node nvcc octave-cli pdflatex; do \
	  command -v $$tool >/dev/null 2>&1 || echo "no $$tool: the emitted code that needs it will not be run"; done

demo: $(VENV)/.installed
	@$(RUN) -m manipula.cli demo

test: $(VENV)/.tested tools
	$(RUN) -m pytest

test-all: $(VENV)/.tested tools
	$(RUN) -m pytest -m ""

check: $(VENV)/.checked
	$(BIN)/ruff check manipula tests bench
	$(BIN)/ruff format --check manipula tests bench
	$(BIN)/mypy
	$(RUN) -m pytest -n 0 tests/units/test_layers.py

# the other libraries come from the package indexes; one that cannot be had is left out of the tables
$(VENV)/.benched: $(VENV)/.tested
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[bench]" || \
	  for peer in matplotlib casadi mujoco cmeel-eigen; do \
	    $(BIN)/pip install --quiet --disable-pip-version-check $$peer || echo "no $$peer: it is left out"; done
	@touch $@

# MUTANTS='cache proof': only those whose name has one of these words
mutants: $(VENV)/.tested tools
	$(RUN) -m tests.mutants $(MUTANTS)

bench-tools: tools
	@command -v valgrind >/dev/null 2>&1 && pkg-config --exists orocos-kdl 2>/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && apt-get update -qq && \
	    apt-get install -y -qq g++ valgrind pkg-config liborocos-kdl-dev >/dev/null; } || \
	  echo "valgrind or KDL (liborocos-kdl-dev) is missing: the tables that need it will be shorter"

# BENCH=--quick: fewer states, no instruction counts; BENCH_PINOCCHIO=1: Pinocchio in C++ too; RBDL_PREFIX: a built RBDL
bench: $(VENV)/.benched bench-tools
	PYTHONPATH=. $(RUN) bench/all.py $(BENCH)

bench-flash: $(VENV)/.benched
	$(RUN) bench/flash.py

bench-sim: $(VENV)/.benched
	@failed=0; for part in simulation work_precision laws time_optimal stick; do \
	  $(RUN) bench/$$part.py || failed=1; done; exit $$failed

# DATA: a folder of recordings, see the head of the file
bench-ident: $(VENV)/.tested
	$(RUN) bench/identification.py $(DATA)

bench-ops: $(VENV)/.tested
	$(RUN) bench/operations.py
	$(RUN) bench/operations.py --others
	$(RUN) bench/accuracy.py

golden: $(VENV)/.tested tools
	$(RUN) -m pytest tests/golden --update

docs: $(VENV)/.tested
	$(RUN) -m pytest -n 0 tests/units/test_docs.py

clean:
	rm -rf $(VENV) build dist out
