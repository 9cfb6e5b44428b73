# Two commands for a newcomer: `make demo` and `make test`. Each sets up all it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# torch first and pinned. On Linux the package index has the CUDA build, several gigabytes; `make cpu` before
# anything else takes the small one (docs/install.md).
TORCH := torch==2.13.0
UV := build/uv/bin/uv
export PATH := $(abspath $(BIN)):$(PATH)
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.PHONY: demo demo-train test test-slow test-examples explore check format docs wheel wheels cpu lock locked lowest \
	mutate faults coverage bench mini clean

demo: $(VENV)/.dev          ## read, graph, check, encode, index, search: a minute
	bash examples/demo.sh

demo-train: $(VENV)/.dev    ## train and evaluate a small model on fictional patents
	bash examples/demo_train.sh

# Three workers keep two cores busy, because servers and browsers make tests wait. One thread in each: a
# second one only waits for the first, up to ten times longer.
test: export OMP_NUM_THREADS := 1
test: $(VENV)/.dev          ## the whole test suite but the slow one
	python -m pytest -m "not slow" -n 3 src tests

test-slow: $(VENV)/.slow    ## a real Ray cluster, GNNs, mteb, corpora
	python -m pytest -m slow tests

test-examples: export OMP_NUM_THREADS := 1
test-examples: $(VENV)/.dev ## run demo, guides, notebooks and the API reference
	python -m pytest -m slow -n 2 tests/test_notebooks.py tests/test_examples.py tests/test_guides.py \
		tests/test_reference.py

TURNS ?= 20
explore: export HYPOTHESIS := explore
explore: $(VENV)/.dev       ## properties on new random cases; make test tries the same ones each time
	for turn in $$(seq $(TURNS)); do python -m pytest -q -n 2 -m "hypothesis and not slow" tests || exit 1; done

check: $(VENV)/.dev         ## style, types, architecture
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	@! git ls-files -co --exclude-standard src | grep -E '/(utils?|common|helpers?|misc|managers?)(/|\.py$$)' \
		|| { echo "a file is named after the stage or the thing it holds"; exit 1; }

format: $(VENV)/.dev
	ruff check --fix .
	ruff format .

docs: export NO_MKDOCS_2_WARNING := 1
docs: $(VENV)/.dev          ## the documentation site, offline → build/site/index.html
	mkdocs build --strict --quiet
	python docs/reference.py build/site/api

wheel: $(VENV)/.dev         ## dist/*.whl, with the embedded model, the page and the recipes
	rm -rf dist
	python -m pip wheel --quiet --no-deps --wheel-dir dist .

PYTHONS ?= $(PYTHON)
wheels: $(VENV)/.dev        ## build and check wheel and sdist, install and try them for PYTHONS → results/install.json
	python release/install.py $(PYTHONS)

cpu: $(UV)                  ## an environment with torch for processors alone, instead of the CUDA build
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(UV) pip install --quiet --python $(BIN)/python --torch-backend cpu $(TORCH)

# torch is not locked: its build depends on the machine. Every other package is, by version and hash.
LOCK := $(UV) pip compile --quiet --no-annotate --override release/without-torch.txt --no-emit-package torch
lock: $(UV)                 ## renew requirements.lock
	$(LOCK) --upgrade --universal --python-version 3.11 --generate-hashes --extra dev \
		--custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

locked: | $(VENV)/bin/python ## the developers' environment exactly as requirements.lock has it
	$(BIN)/pip install --quiet --require-hashes --no-deps --requirement requirements.lock
	$(BIN)/pip install --quiet --no-deps --editable .
	touch $(VENV)/.dev

# What the oldest versions must pass: the whole way from a file to a hit, and the service.
OLDEST := torch==2.8.0
TESTERS := $(shell grep -oE '(pytest|hypothesis|httpx|openpyxl)==[0-9.]+' pyproject.toml)
CORE := tests/claims tests/graph tests/encoder tests/search tests/test_api.py tests/test_frames.py \
	tests/test_objective.py tests/test_platforms.py tests/test_projection.py tests/serve/test_api.py
lowest: $(UV)               ## the core tests on the oldest versions that pyproject.toml allows
	mkdir -p build
	$(LOCK) --resolution lowest-direct --python-version 3.11 --no-header --output-file build/lowest.txt \
		$(foreach extra,draw frames search serve train eval spacy,--extra $(extra)) pyproject.toml
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/pip install --quiet $(OLDEST) $(TESTERS) --requirement build/lowest.txt
	build/lowest/bin/pip install --quiet --no-deps --editable .
	build/lowest/bin/python -m pytest -m "not slow" $(CORE)

mutate: $(VENV)/.dev        ## break the method's lines one by one: each must fail a test
	python tests/mutation/mutate.py

faults: $(VENV)/.dev        ## damage documents, kill commands, corrupt state: twenty minutes on two cores
	python tests/faults/campaign.py

coverage: $(VENV)/.dev      ## lines of src that the tests run
	python -m pytest -m "not slow" -n 2 --cov --cov-report term:skip-covered src tests

bench: $(VENV)/.slow        ## side-by-side measurements on this machine → results/
	for script in benchmarks/*.py; do python $$script || exit 1; done

# On a machine with a GPU, once `phage ablate PLAN --prepare` has been run where the patents are.
PLAN ?= experiments/controls/plan.toml
DEADLINE ?= 500
mini:                       ## the runs of a plan on the small model; start it again until all are done
	PYTHONPATH=src $(PYTHON) -m phage ablate $(PLAN) --jobs 5 --deadline $(DEADLINE) -o runs/$(notdir $(patsubst %/,%,$(dir $(PLAN))))

clean:
	rm -rf $(VENV) demo demo-train runs dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet $(TORCH)

$(UV): # apart from the environment it fills
	$(PYTHON) -m venv build/uv
	build/uv/bin/pip install --quiet uv==0.13.7

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.slow: pyproject.toml $(VENV)/.dev
	$(BIN)/pip install --quiet --editable '.[slow]'
	touch $@
