# Every target sets itself up: it needs Python 3.10 or newer, bash and git, and a package index the first time.
#
#   make demo      the main job on a bundled broken recipe: findings, --fix, the diff, clean again
#   make test      everything that must pass; the HTML report is opened in Chromium, which root gets by apt-get
#   make lint      style; types: mypy; docs: write the generated pages; build: the packages
#   make site      the documentation as a site, in site/; nothing in it fetches anything from elsewhere
#   make property  the bash property test, a hundred times as long
#   make fuzz      a million inputs for each front end, FRONTS='bash yaml' for some, INPUTS=20000 for fewer (hours)
#   make faults    kill, refuse and disturb runs that write, in front of every system call: a table of what was left
#   make bench     the budgets, beside flake8, shellcheck, Fixit, pandas and bare parsing, CORPUS=/path/to/Relax for a
#                  real checkout; RECORD=1 keeps the figures for docs/
#   make packages  build them and try them: what is in them, every extra alone, pipx, uvx
#   make clean     remove all of it

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One more than there are processors: some tests wait for others.
JOBS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
PROPERTY_EXAMPLES ?= 200000
FRONTS ?=
INPUTS ?= 1000000
FAULT_PLACES ?=
CORPUS ?=
RECORD ?=

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test browser lint types format docs docs-check site build packages release-check bench faults property fuzz clean

help:
	@sed -n 's/^#   //p' Makefile

# verl lies beside the environment, not in it: its scorers are what tests compare with, and nothing may import it.
$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-deps --upgrade --target $(VENV)/originals verl
	@touch $@

demo: $(READY)
	@$(BIN)/python tools/demo.py

browser:
	@tools/browser.sh

test: $(READY) browser
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python tools/build_docs.py

docs-check: $(READY)
	$(BIN)/python tools/build_docs.py --check

# The theme warns of a mkdocs 2 that it does not take; pyproject.toml keeps it away.
site: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

build: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

packages: build
	$(BIN)/python -m tools.package_check dist

# Before a release is tagged.
release-check: $(READY)
	$(BIN)/python -m tools.release_check

bench: $(READY)
	$(BIN)/python -m tools.bench $(if $(CORPUS),--corpus '$(CORPUS)') $(if $(RECORD),--json docs/benchmarks.json)

faults: $(READY)
	$(BIN)/python tools/fault_fixes.py $(if $(FAULT_PLACES),--at-most $(FAULT_PLACES))

property: $(READY)
	RELAX_LINT_PROPERTY_EXAMPLES=$(PROPERTY_EXAMPLES) $(BIN)/python -m pytest tests/shell -k property -n $(JOBS)

fuzz: $(READY)
	mkdir -p .fuzz
	$(BIN)/python -m tools.fuzz $(FRONTS) --inputs $(INPUTS) --json .fuzz/figures.json

clean:
	rm -rf $(VENV) .bench .fuzz build dist site .hypothesis .mypy_cache .pytest_cache .ruff_cache
