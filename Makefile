# Two commands: `make run Q="…"` answers a question, `make test` runs the tests. Both install what they need, once.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# a file's tests stay together: what one of them starts serves them all
PARALLEL := --numprocesses auto --dist loadfile
# the question exactly as typed: make must not read $ or % in it
export SWITCHYARD_QUESTION := $(value Q)

.PHONY: run chat hydrology studio test check format bench clean help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## Ask a question: make run Q="What is 15% of 2480?"
	@$(BIN)/python -m app run "$$SWITCHYARD_QUESTION"

chat: $(VENV)/.installed ## Ask one question after another
	@$(BIN)/python -m app chat

hydrology: $(VENV)/.installed ## Ask the example: make hydrology Q="盘石头水库当前水位"
	@APP_TOOL_FOLDERS='["examples/hydrology/tools"]' APP_SKILL_FOLDERS='["examples/hydrology/skills"]' \
		$(BIN)/python -m app run "$${SWITCHYARD_QUESTION:-盘石头水库当前水位}"

studio: $(VENV)/.installed-dev ## Serve the graph for LangGraph Studio: make studio STUDIO="--port 2100"
	@$(BIN)/langgraph dev $(STUDIO)

test: $(VENV)/.installed-dev ## Run the tests, but for those that start processes, servers or browsers
	@$(BIN)/python -m pytest $(PARALLEL) -m "not slow"

check: $(VENV)/.installed-dev ## Format, lint, types, import contract, all tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest $(PARALLEL)

format: $(VENV)/.installed-dev ## Format the code and mend what lint can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-dev ## Run the benchmarks and print their ratios
	@$(BIN)/python -m benchmarks

clean: ## Remove the environment and the caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .langgraph_api build *.egg-info

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Switchyard needs Python 3.11 or newer")'
	@echo "Making the environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Switchyard (once; about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]' --constraint constraints.txt
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Switchyard with its development tools (once; about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' --constraint constraints.txt
	@touch $(VENV)/.installed $@
