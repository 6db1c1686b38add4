# One command a line; `make help` lists them. Everything lives in .venv, made on first use.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
MODEL := .venv/local/models/SmolLM2-135M-Instruct.gguf

.PHONY: help setup run fmt check test soak local bench docs locale clean

help:  ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

setup: $(STAMP)  ## Create .venv and install chatcli with its development tools
$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "chatcli needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	touch $(STAMP)

run: $(STAMP)  ## Start chatcli in this folder
	$(BIN)/chatcli

fmt: $(STAMP)  ## Format and sort imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet .

check: $(STAMP)  ## Everything CI asks: format, lint, types, imports, unused code, docs, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/deptry .
	$(BIN)/python docs/generate.py --check
	$(MAKE) --no-print-directory test

test: $(STAMP)  ## Run the tests, with coverage
	$(BIN)/pytest -n 2 --cov --cov-report=term:skip-covered

soak: $(STAMP)  ## The long harnesses in full: kills, fuzz
	CHATCLI_SOAK_KILLS=1000 $(BIN)/pytest -m soak --timeout 5400

local: $(STAMP) $(MODEL)  ## Tests with a real model on this machine, fetched once: 93 MB
	$(BIN)/pytest -m local tests/providers/local

$(MODEL): | $(STAMP)
	CHATCLI_HOME=.venv/local $(BIN)/chatcli local get

bench: $(STAMP)  ## Start-up, pipeline, memory: ratios measured in one run
	$(BIN)/python -m tests.bench

docs: $(STAMP)  ## Write the generated reference and command help
	$(BIN)/python docs/generate.py

locale: $(STAMP)  ## Collect texts and compile the translations
	$(BIN)/python docs/translate.py

clean:  ## Remove the environment and caches
	rm -rf .venv dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
