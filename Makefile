# Two commands: `make run` starts Blindread, `make test` proves it. Both prepare what they need, on a machine with Python 3.11+ and make.

PORT     ?= 8501
DATA_DIR ?= var
VENV     ?= .venv

# The Python that .venv is made from (`make run PYTHON=...` for another): the distribution's own 3.11 before one that a
# version manager compiled, which is a fifth slower where it was not optimised by profile, then any python3.
PYTHON ?= $(shell for each in /usr/bin/python3.11 python3.11; do \
  "$$each" -c 'import ensurepip, venv' >/dev/null 2>&1 && { echo "$$each"; exit; }; done; \
  if python3.11 -c '' >/dev/null 2>&1; then echo python3.11; else echo python3; fi)

BIN     := $(VENV)/bin/python
# `pytest` arguments: make unit ARGS="-k kappa -x"
ARGS    ?=
INSTALL  = $(BIN) -m pip install -qq --disable-pip-version-check --no-input --require-hashes -r

# Some environments tell Python to store no bytecode: every process, and a test run starts hundreds, would compile it all anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run links test lint types unit browser studies lock format clean venv venv-dev provide

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: export BLINDREAD_DATA_DIR := $(DATA_DIR)
run: venv  ## Start the application: make run [PORT=8501] [DATA_DIR=var]
	@$(BIN) -c 'import socket, sys; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", int(sys.argv[1])))' \
	  "$(PORT)" 2>/dev/null || { echo "Port $(PORT) of 127.0.0.1 cannot be opened (another program uses it, or it is no port): choose another, as in 'make run PORT=8601'." >&2; exit 1; }
	@$(BIN) manage.py init
	@$(BIN) manage.py demo
	@$(BIN) manage.py links --port "$(PORT)"
	@exec $(BIN) manage.py serve --port "$(PORT)"

links: export BLINDREAD_DATA_DIR := $(DATA_DIR)
links: venv  ## Print new sign-in links of the demo: make links [PORT=8501] [DATA_DIR=var]
	@$(BIN) manage.py links --port "$(PORT)"

# One more than there are cores, since tests in a browser, and with a server, wait at times; with two more, browsers that
# draw without a graphics card hold each other up.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

test: venv-dev provide  ## Prove it: lint, types and every test, with a browser and with PostgreSQL
	@failed=; \
	$(MAKE) --no-print-directory lint || failed="$$failed lint"; \
	$(MAKE) --no-print-directory types || failed="$$failed types"; \
	$(BIN) -m pytest -n $(WORKERS) $(ARGS) || failed="$$failed pytest"; \
	test -z "$$failed" || { echo "Failed:$$failed" >&2; exit 1; }

FRONT_END := components/viewer/frontend
# The reading room's sources are checked where there is node; running Blindread needs none. CI must not skip it.
lint: venv-dev  ## Check style and format, and the types of the reading room's sources
	@$(BIN) -m ruff check .
	@$(BIN) -m ruff format --check .
	@if command -v npm >/dev/null; then \
	  $(MAKE) -s $(FRONT_END)/node_modules/.package-lock.json && npm --prefix $(FRONT_END) --silent run lint; \
	else case "$$(printf '%s' "$$CI" | tr '[:upper:]' '[:lower:]')" in \
	  1|true|yes) echo "CI=true: node is missing, and the reading room's sources must not go unchecked." >&2; exit 1 ;; \
	  *) echo "The reading room's sources are not checked: there is no node here." ;; esac; \
	fi

# npm writes this file last: it is there, and no older than the lock file, exactly when what that lists was installed.
$(FRONT_END)/node_modules/.package-lock.json: $(FRONT_END)/package-lock.json
	@echo "Installing what the check of the reading room's sources needs."
	@npm --prefix $(FRONT_END) --silent ci --include=dev --no-audit --no-fund && touch $@

types: venv-dev  ## Check types
	@$(BIN) -m mypy

# Two workers whose linear algebra starts threads of its own hold each other up.
unit: export OPENBLAS_NUM_THREADS := 1
unit: venv-dev  ## Run the quick tests, without server, browser and PostgreSQL: make unit [ARGS="-k kappa"]
	@$(BIN) -m pytest -n auto -m "not server and not browser and not postgresql" $(ARGS)

browser: venv-dev provide  ## Run the browser tests: make browser [ARGS="-k keyboard"]
	@$(BIN) -m pytest -n auto -m browser $(ARGS)

studies: venv-dev provide  ## Read every published study to its end in a browser: make studies [ARGS="-k likert"]
	@$(BIN) -m pytest -m "studies or browser" tests/shapes $(ARGS)

format: venv-dev  ## Put the sources into shape
	@$(BIN) -m ruff check --fix .
	@$(BIN) -m ruff format .

# uv resolves for every platform and Python at once and notes the hashes of all files; package indexes are left out of the files.
LOCK = $(BIN) -m uv --no-config pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
       --no-header --no-emit-index-url --no-emit-find-links --annotation-style line $(ARGS)
lock: venv-dev  ## Write the lock files anew: make lock [ARGS=--upgrade]
	@$(LOCK) --output-file requirements.lock requirements.txt >/dev/null
	@$(LOCK) --constraint requirements.lock --output-file requirements-dev.lock requirements-dev.txt >/dev/null

clean:  ## Remove what the tools made; what was entered (DATA_DIR) stays
	rm -rf $(VENV) test-artifacts .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The copy of the lock file inside .venv is written last: it is there, and equal, exactly when everything it lists was installed.
venv:
	@if ! { cmp -s requirements.lock $(VENV)/installed.lock && $(BIN) -c '' 2>/dev/null; }; then \
	  "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "Blindread needs Python 3.11 or newer, and '$(PYTHON)' is not one: install it, or name it as in 'make run PYTHON=/path/to/python3.12'." >&2; exit 1; }; \
	  "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	      echo "Installing the system package python3-venv, which makes virtual environments." ; \
	      apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv; \
	    fi; \
	    "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	      echo "'$(PYTHON)' cannot make virtual environments: install its venv module (on Debian and Ubuntu: sudo apt install python3-venv) and try again." >&2; exit 1; }; }; \
	  echo "Installing the locked requirements into $(VENV) (a minute or two, once)."; \
	  rm -rf "$(VENV)" && "$(PYTHON)" -m venv "$(VENV)" && $(INSTALL) requirements.lock && cp requirements.lock $(VENV)/installed.lock || { \
	    echo "The requirements could not be installed (see above); is there a way to a package index?" >&2; exit 1; }; \
	fi

venv-dev: venv
	@if ! cmp -s requirements-dev.lock $(VENV)/installed-dev.lock; then \
	  echo "Installing what the tests need into $(VENV)."; \
	  $(INSTALL) requirements-dev.lock && cp requirements-dev.lock $(VENV)/installed-dev.lock || { \
	    echo "What the tests need could not be installed (see above)." >&2; exit 1; }; \
	fi

# A Chromium and PostgreSQL's programs: found, installed, or named as missing (which is an error when CI=true).
provide: venv-dev
	@$(BIN) -m tests.harness.provide
