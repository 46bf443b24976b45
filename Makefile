# visavis: `make demo` sets up and shows it, `make test` checks everything.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TRAIN := .venv-train
# Only files whose hashes are locked are installed. torch differs by machine, so it is installed apart.
LOCKED := python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r
EDITABLE := python -m pip install --quiet --disable-pip-version-check --no-deps --editable .

.DEFAULT_GOAL := help
.PHONY: help install demo demo-check test test-train wheel lint format web web-test bench lock clean

help: ## show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamp changes only when the locked versions do, so that a second `make` costs nothing.
$(VENV)/.installed: pyproject.toml requirements/dev.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(LOCKED) requirements/dev.lock
	$(BIN)/$(EDITABLE)
	@touch $@

$(TRAIN)/.installed: pyproject.toml requirements/train.lock
	$(PYTHON) -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(TRAIN)/bin/$(LOCKED) requirements/train.lock
	$(TRAIN)/bin/$(EDITABLE)
	@touch $@

install: $(VENV)/.installed ## create .venv with the package and its development tools (no torch)

demo: install ## draw and index the demo collection, then open the page that talks about it
	$(BIN)/visavis demo

demo-check: install ## the same without a browser: play a conversation over HTTP and check what it finds
	$(BIN)/visavis demo --check

lint: install ## ruff, mypy and the layers of the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What npm installs is locked too; the stamp lies inside, so that it goes with the folder.
web/node_modules/.installed: web/package.json web/package-lock.json web/api-types/package.json
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

web: install web/node_modules/.installed ## generate the types of the interface and build the web app into the package
	$(BIN)/python tools/openapi.py
	cd web && npm run --silent types && npm run --silent build

web-test: ## types and unit tests of the web app, where Node is (the browser tests are part of `test`)
	@if ! command -v npm >/dev/null; then echo "web-test: no npm here, so the web app's own tests are passed over"; \
	elif ! $(MAKE) --no-print-directory web/node_modules/.installed; then \
		echo "web-test: npm could not install what they need, so the web app's own tests are passed over"; \
	else cd web && npm run --silent check && npm run --silent test; fi

test: lint web-test ## lint, types and tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-train: $(TRAIN)/.installed ## the tests that need torch, in an environment of their own
	$(TRAIN)/bin/python -m pytest -m train

format: install ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install ## the benchmarks (long): tables on the screen, JSON in out/
	$(BIN)/$(LOCKED) requirements/bench.lock
	for file in benchmarks/[a-z]*.py; do $(BIN)/python $$file || exit 1; done

wheel: ## build the wheel, install it into an empty environment, and use it there as a person would
	$(PYTHON) tools/wheel.py

lock: ## write requirements/*.lock from pyproject.toml (versions locked already stay)
	$(PYTHON) requirements/lock.py

clean: ## remove what was made here
	rm -rf $(VENV) $(TRAIN) out dist build .mypy_cache .ruff_cache .pytest_cache
