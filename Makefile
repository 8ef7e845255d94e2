# ostinato: `make` lists the targets.
#
# Two environments, so that neither build invalidates the other:
#   .venv       holds the release build, installed from a wheel as users get it: for `demo`, `bench` and looking around.
#   .venv-test  holds an editable install; its extension, built with every check on, lies in python/ostinato.
# Both cannot share one: an editable install keeps its extension beside the sources, where there is room for one profile.
#
# A file `.ready` or `.built` in an environment says when it was last made; make compares it with the sources.
# A change of Python sources needs no new build for the tests, and cargo itself knows what a change of Rust sources needs.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo build test test-slow test-peers bench fmt lint type fuzz vectors cases data clean check-machine FORCE

# PYTHON=/path/to/python3 chooses the Python that makes the environments.
export PYTHON
USER_ENV := .venv
TEST_ENV := .venv-test
TEST_PYTHON := $(TEST_ENV)/bin/python

# Folders are listed too: their time changes when a file is removed.
RUST_SOURCES := Cargo.toml Cargo.lock $(shell find rust/core rust/python -name target -prune -o -print)
PYTHON_SOURCES := $(shell find python -name __pycache__ -prune -o \( -name '*.py' -o -name '*.pyi' -o -name py.typed \) -print)
# The test build's extension is built again where it is missing, or was replaced by hand since.
TEST_EXTENSION := $(wildcard python/ostinato/_core*.so)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(USER_ENV)/.built ## build the release extension and measure the sample histories in tests/data
	$(USER_ENV)/bin/ostinato measure tests/data

build: $(USER_ENV)/.built ## build the release wheel (dist/) and install it in .venv

test: $(TEST_ENV)/.built ## build with every check on, then run all Rust and Python tests
	cargo test --locked --workspace --exclude ostinato-python
	$(TEST_PYTHON) -m pytest

test-slow: $(TEST_ENV)/.built ## try the laws on TEST_BUDGET (20) times as many examples, other ones each time
	OSTINATO_TEST_BUDGET=$(TEST_BUDGET) $(TEST_PYTHON) -m pytest
TEST_BUDGET ?= 20

test-peers: $(USER_ENV)/.built ## compare with the real fast-agent and provider SDKs (slow; needs Python 3.13)
	python=$$(sh scripts/find_peer_python.sh) && "$$python" tests/peers/run.py $(PEERS)

vectors: $(TEST_ENV)/.built ## play the vectors of a folder, whichever kind it holds: make vectors DIR=path
	$(TEST_PYTHON) tests/run_vectors.py $(or $(DIR),tests/vectors/fast-agent)

cases: $(TEST_ENV)/.built ## play the field cases of a folder that have a player: make cases DIR=path
	$(TEST_PYTHON) tests/run_cases.py $(or $(DIR),tests/cases)

data: $(TEST_ENV)/.built ## measure a folder of histories against its expected.json: make data DIR=path
	$(TEST_PYTHON) tests/run_data.py $(or $(DIR),tests/data)

bench: $(USER_ENV)/.built ## measure the release build beside what users would pick instead (needs Python 3.13)
	$(USER_ENV)/bin/python benches/run.py --wheel dist/*.whl $(BENCH_FLAGS)

fmt: $(TEST_ENV)/.ready ## format Rust and Python
	cargo fmt --all
	$(TEST_PYTHON) -m ruff format
	$(TEST_PYTHON) -m ruff check --fix-only --quiet

lint: $(TEST_ENV)/.built ## check format, clippy, ruff, who imports whom, and types
	cargo fmt --all --check
	$(LINT_CARGO) clippy --locked --workspace --all-targets -- -D warnings
	sh scripts/check_core_is_pure.sh
	$(TEST_PYTHON) -m ruff format --check
	$(TEST_PYTHON) -m ruff check
	$(TEST_ENV)/bin/lint-imports
	$(MAKE) type
# A folder of its own: maturin builds pyo3 under settings that would make each of the two rebuild it after the other.
LINT_CARGO := CARGO_TARGET_DIR=target/lint PYO3_PYTHON=$(CURDIR)/$(TEST_PYTHON) cargo

type: $(TEST_ENV)/.built ## check types with mypy, and the stub of the extension against the extension
	$(TEST_PYTHON) -m mypy
	$(TEST_PYTHON) -m mypy.stubtest ostinato._core

fuzz: check-machine ## fuzz each target for FUZZ_SECONDS (60); needs cargo-fuzz
	sh scripts/fuzz.sh $(FUZZ_SECONDS)
FUZZ_SECONDS ?= 60

clean: ## remove environments and builds
	rm -rf $(USER_ENV) $(TEST_ENV) .peers dist target rust/fuzz/target python/ostinato/_core*.so

check-machine:
	@sh scripts/check_machine.sh >/dev/null

$(USER_ENV)/.ready: pyproject.toml | check-machine
	@sh scripts/make_venv.sh $(USER_ENV) build
	@touch $@

$(USER_ENV)/.built: $(USER_ENV)/.ready $(RUST_SOURCES) $(PYTHON_SOURCES)
	@echo "ostinato: building the release extension (a few minutes the first time)"
	rm -rf dist
	$(USER_ENV)/bin/maturin build --release --interpreter $(USER_ENV)/bin/python --out dist
	$(USER_ENV)/bin/python -m pip install --quiet --no-deps --force-reinstall dist/*.whl
	@touch $@

$(TEST_ENV)/.ready: pyproject.toml | check-machine
	@sh scripts/make_venv.sh $(TEST_ENV) build test lint
	@touch $@

$(TEST_ENV)/.built: $(TEST_ENV)/.ready $(RUST_SOURCES) $(or $(TEST_EXTENSION),FORCE)
	@echo "ostinato: building the extension for the tests"
	VIRTUAL_ENV=$(CURDIR)/$(TEST_ENV) $(TEST_ENV)/bin/maturin develop --profile dev
	@touch $@
