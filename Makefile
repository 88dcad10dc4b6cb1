# Two commands need nothing but Python >= 3.11 and make: `make demo`, `make test`.
# Each sets up .venv by itself on first use, with the versions pinned in constraints.txt.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
APPIUM  = tests/end_to_end/appium
PIP     = $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint lab bench appium clean

demo: $(VENV)/.lab
	$(BIN)/rig demo

# The tests that drive phones through Appium run where node is, and skip with a reason where it is not.
test: $(VENV)/.dev lint
	@if command -v npm >/dev/null; then $(MAKE) appium || echo "Appium could not be installed: its tests are skipped" >&2; fi
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lab: $(VENV)/.lab
	$(BIN)/rig lab up

# The Appium server for the tests, 240 MB, in the versions of its lock file. None of its packages' scripts are run.
appium: $(APPIUM)/node_modules/.installed

$(APPIUM)/node_modules/.installed: $(APPIUM)/package.json $(APPIUM)/package-lock.json
	cd $(APPIUM) && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries 1
	@touch $@

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
