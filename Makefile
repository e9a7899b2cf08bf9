# Everything runs from a virtual environment in .venv, installed from the lock files.
# Needed beforehand: make, and Python 3.11 or newer with its venv module.

PYTHON ?= python3
JOBS ?= 2
LOCK_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.installed-runtime
DEV := $(VENV)/.installed-dev
PIP := $(BIN)/python -m pip --disable-pip-version-check
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Used by `make lock` alone, hence not in the lock files.
UV_VERSION := 0.13.7
UV_COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile pyproject.toml --quiet --group build \
	--universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-emit-index-url $(LOCK_ARGS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check format reference gallery docs bench lock package validate page page-check clean distclean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## Drop the MSL rover onto a slope; results in runs/msl-drop, a page about it beside them
	$(BIN)/planetfall run msl-drop --out runs/msl-drop --force
	$(BIN)/planetfall report runs/msl-drop --out runs/msl-drop-report.html --force

test: check ## Everything that must pass: check, then the test suite (JOBS=2 processes)
	@tools/chromium.sh $(BIN)/python
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

check: $(DEV) ## Style, types, layers and documentation; of simulations only those whose output is documented
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --project pyproject.toml --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/reference_tables.py --check
	$(BIN)/python tools/notebooks.py --check
	$(BIN)/python tools/changelog.py --check
	$(MKDOCS)

format: $(DEV) ## Put the sources into the project's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

reference: $(DEV) ## Rewrite the generated parts of README and documentation, and the tutorials' notebooks
	$(BIN)/python tools/reference_tables.py
	$(BIN)/python tools/notebooks.py

gallery: $(DEV) ## Make the pictures and films of the gallery again (ten minutes; films need a Chromium)
	$(BIN)/python tools/gallery.py

docs: $(DEV) ## Build the documentation; start at site/index.html
	$(MKDOCS)
	@echo "Open site/index.html"

bench: $(DEV) ## Time the engine, and MuJoCo in the same run
	$(BIN)/python benchmarks/box_on_plane.py

lock: | $(BIN)/python ## Bring the lock files up to pyproject.toml (newer versions: LOCK_ARGS=--upgrade)
	$(PIP) install --quiet uv==$(UV_VERSION)
	$(UV_COMPILE) --output-file requirements.lock >/dev/null
	$(UV_COMPILE) --group dev --extra bench --extra cluster --extra sensitivity --extra movie --extra spice \
		--constraint requirements.lock --output-file requirements-dev.lock >/dev/null

package: $(DEV) ## Build wheel and source distribution into dist, and try them on every Python 3.11 to 3.14 that is here
	rm -rf dist
	$(BIN)/python -m hatchling build --target sdist --target wheel --directory dist
	tools/try_package.sh dist

validate: $(DEV) ## Run the same cases here and by other programs; writes docs/validation.md (gigabytes of peers the first time)
	$(BIN)/python validation/validate.py

page: ## Build the viewer's page from page/ (needs Node 20 or newer with npm)
	cd page && npm install --no-save --no-audit --no-fund && npm run --silent check && npm run --silent test && npm run --silent build
	cp page/dist/index.html src/planetfall/viewer/page.html

page-check: ## Types, lint and tests of the viewer's page, and whether the committed one is what its source gives
	cd page && npm install --no-save --no-audit --no-fund && npm run --silent check && npm run --silent test && npm run --silent build
	cmp page/dist/index.html src/planetfall/viewer/page.html

clean: ## Remove what can be made again, except .venv and runs
	rm -rf build dist site page/dist page/node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## The same, and .venv
	rm -rf $(VENV)

# The build backend is in the lock files, so the project itself is built with nothing fetched.
define install
	@echo "Installing $(1) into $(VENV): a minute or two the first time"
	@$(PIP) install --quiet --only-binary :all: --require-hashes --requirement $(1)
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
endef

$(RUNTIME): requirements.lock pyproject.toml | $(BIN)/python
	$(call install,requirements.lock)
	@touch $@

$(DEV): requirements-dev.lock requirements.lock pyproject.toml | $(BIN)/python
	$(call install,requirements-dev.lock)
	@touch $(RUNTIME) $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "No program called $(PYTHON) here; install Python 3.11 or newer, or name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Planetfall needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info >= (3, 15))' || \
		echo "Note: the locked packages have wheels for Python 3.11 to 3.14; if the installation stops, name one of those: make PYTHON=python3.14" >&2
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) could not make a virtual environment (on Debian and Ubuntu: install python3-venv)" >&2; exit 1; }
