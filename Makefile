# Two commands need nothing but Python >= 3.11 and make: `make demo`, `make test`.
# Each sets up .venv by itself on first use, with the versions pinned in constraints.txt.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint lab bench clean

demo: $(VENV)/.lab
	$(BIN)/rig demo

test: $(VENV)/.dev lint
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lab: $(VENV)/.lab
	$(BIN)/rig lab up

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("gallery-rig needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.lab: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[lab]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[lab,dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
