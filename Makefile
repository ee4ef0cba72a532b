# What a developer types; `make` alone prints the list. Everything works through ./lps or .venv, which ./lps makes.
.DEFAULT_GOAL := help
.PHONY: help bench-load test-hosts setup up test fast chaos chaos-tests test-alerts images lint types check bench bench-search bench-queue bench-match bench-crawl bench-parse soak web worker scheduler psql
PYTHON := .venv/bin/python
N ?= 15
MINUTES ?= 5
JOBS ?= 1000000
SECONDS ?= 120
CYCLES ?= 200
PAGES ?= 1000

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## .venv with the locked packages, and browser, display and font where they can be installed
	@./lps setup

up: ## Everything at once: database, sandbox market, workers, clock, web
	@./lps up

test: ## All tests
	@./lps test

fast: setup ## The tests that need neither a browser nor killed processes
	@$(PYTHON) -m pytest -m 'not browser and not chaos'

chaos-tests: setup ## The tests that kill, stop and cut processes
	@$(PYTHON) -m pytest -m chaos

chaos: setup ## Searches under random kills, freezes and database restarts, 2 × MINUTES=5, and what must hold after
	@$(PYTHON) -m tests.chaos.run --minutes $(MINUTES)

test-alerts: setup ## Each alert rule through its whole life, and how notices are delivered
	@$(PYTHON) -m pytest tests/alerts tests/tasks/test_alarm.py

bench-crawl: setup ## Browsers: a warm search beside a bare page load, memory, parsing; bytes (N=15, PAGES=1000)
	@$(PYTHON) -m bench.crawl --runs $(N) --pages $(PAGES)

soak: setup ## 200 browser starts, 1,000 pages with random faults: what is left over (CYCLES=200 PAGES=1000)
	@$(PYTHON) -m tests.soak.run --cycles $(CYCLES) --pages $(PAGES)

images: setup ## What the container images hold, built in chroots and run (root, debootstrap, network; DATABASE=postgresql://…)
	@$(PYTHON) -m tests.images.build /var/tmp/lps-images --database $(DATABASE)

lint: setup ## Ruff: rules and layout
	@.venv/bin/ruff check . && .venv/bin/ruff format --check .

types: setup ## mypy, strict
	@.venv/bin/mypy .

check: lint types test ## Everything that must be green before a change goes in

bench: bench-search bench-match bench-parse bench-queue ## All measurements

bench-search: setup ## A search stage by stage against its bare critical path (N=15 runs)
	@$(PYTHON) -m bench.search --runs $(N)

bench-load: setup ## Searches an hour with 1, 2 and 4 worker processes, and their connections
	@$(PYTHON) -m bench.load

test-hosts: setup ## Five hosts in network namespaces, one cut off amid its crawls and brought back (root)
	@$(PYTHON) -m tests.hosts.run

bench-match: setup ## Verdicts against the labelled cases beside the project, where they are
	@$(PYTHON) -m bench.match

bench-parse: setup ## Reading a 3.5 MB page beside other parsers
	@$(PYTHON) -m bench.parse

bench-queue: setup ## The queue beside stock dramatiq-pg, a bare loop, Redis and PgQueuer (QUICK=--quick: a short one)
	@$(PYTHON) -m bench.queue $(QUICK)

bench-web: setup ## The web process beside a bare Flask route (JOBS=1000000 finished searches)
	@$(PYTHON) -m bench.web --jobs $(JOBS)

fuzz-api: setup ## schemathesis over the whole OpenAPI document (SECONDS=120)
	@$(PYTHON) -m tests.web.fuzz --seconds $(SECONDS)

web: ## The web process alone
	@./lps web

worker: ## A worker alone (more of them: run it again)
	@./lps worker

scheduler: ## The clock alone
	@./lps scheduler

psql: ## psql on the database
	@./lps psql
