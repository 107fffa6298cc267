# roundtable: make lists the targets; make check is what CI runs.

GO      ?= go
BIN     := .bin
tool     = $(GO) tool -modfile=.ci/tools/$(1)/go.mod $(1:lint=golangci-lint)
E2E     := bot/slacksim/e2e
LLM     := bot/llm/e2e
FUZZ    ?= 6s
CHAOS   ?= -chaos.for=15s
# One mode alone: make chaos-long MODES=unconfirmed; the report keeps the sections of the others.
MODES   ?= restarts,failovers,unconfirmed
SEED    ?= 1
RACE    ?= -race
# Where the thinned sweeps begin: at points that follow from the commit.
SWEEP_FROM ?= $(shell printf '%d' 0x$$(git rev-parse HEAD 2>/dev/null | cut -c 1-7))

# All that needs no race detector is compiled in one way, which is the release's, so that
# vetting, linting, tests, tools and the binary share what was compiled.
export CGO_ENABLED ?= 0
export GOFLAGS := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## open the local workspace with the bot in it
	$(GO) run ./cmd/roundtable demo

# One at a time: tests of time-outs on a real Redis want the processors that they are given.
# JOBS=2 is quicker where there are more than two. The tests with the race detector take
# longest and come first.
JOBS ?= 1
STEPS = build test-race vet lint test-plain fuzz client helm

.PHONY: check
check: needs format ## everything that CI runs, JOBS steps at a time; at the end what failed, and why
	@rm -rf $(BIN)/check
	@$(MAKE) --no-print-directory --jobs=$(JOBS) $(STEPS:%=step-%)
	@.ci/step -summary

.PHONY: $(STEPS:%=step-%)
$(STEPS:%=step-%): step-%:
	@MAKE="$(MAKE)" .ci/step $*

# What compiles for others comes before them.
step-test-race step-client: step-build
step-lint: step-vet

.PHONY: needs
needs: ## say what is missing on this machine
	@ok=1; for c in redis-server node npm chromium; do \
	  command -v $$c >/dev/null || { echo "missing: $$c (on Debian: apt-get install redis-server chromium; Node.js 20 or later)"; ok=0; }; done; [ $$ok = 1 ]

.PHONY: format
format: ## fail if a file is not formatted
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not formatted:"; echo "$$out"; exit 1; }

.PHONY: vet
vet: ## go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## golangci-lint, with the few linters of .golangci.yml
	$(call tool,lint) run ./...
	GO="$(GO)" .ci/guard roundtable/forgetting Reacted
	GO="$(GO)" .ci/guard roundtable/engine roundtable.CheckDND

.PHONY: build
build: ## the binary, in .bin
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/roundtable ./cmd/roundtable

.PHONY: test
test: test-race test-plain ## all Go tests, on the embedded Redis and a real one

# go vet is a step of its own.
.PHONY: test-race
test-race: ## the tests in which goroutines run, with the race detector
	cd $(LLM) && npm ci --no-audit --no-fund
	$(if $(RACE),CGO_ENABLED=1) $(GO) test $(RACE) -vet=off -timeout 20m $$(GO="$(GO)" .ci/racing)

.PHONY: test-plain
test-plain: ## the other tests, sweeps of a part of all points, and what the race detector would falsify
	$(GO) test -vet=off -timeout 20m $$(GO="$(GO)" .ci/racing -v)
	$(GO) test -vet=off -timeout 20m ./roundtable/engine/sweep -sweep.from=$(SWEEP_FROM)
	$(GO) test -vet=off -run 'Allocates?Linearly' ./bot ./bot/llm/panel

.PHONY: sweep
sweep: ## crash at every point of every scenario, on the embedded Redis and on a real one; a thousand ends at once (long)
	$(GO) test ./roundtable/engine/sweep -count=1 -run 'Sweep|Forgetting' -sweep.full -timeout 2h -v -datadriven-quiet
	$(GO) test ./roundtable/engine/sweep -count=1 -run TestManyEnd -ends 1000 -v -datadriven-quiet

.PHONY: simulate
simulate: ## 100,000 random schedules and 10,000 crash points of the whole system, in virtual time (10 minutes)
	GOGC=400 $(GO) test -timeout 60m -v -run 'TestSchedules|TestCrashPoints' ./roundtable/engine/simulation -simulation.schedules=100000 -simulation.points=10000 -simulation.seed=1

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZ (6s)
	GO="$(GO)" .ci/fuzz $(FUZZ)

.PHONY: client
client: build ## the official Slack client for JavaScript, and a browser, against the local workspace
	cd $(E2E) && npm ci --no-audit --no-fund && npm test

.PHONY: helm
helm: ## lint and render the chart
	$(call tool,helm) lint --strict helm/roundtable
	$(call tool,helm) template r helm/roundtable --kube-version 1.31.0 >/dev/null
	$(call tool,helm) template r helm/roundtable --kube-version 1.31.0 -f helm/roundtable/ci/full-values.yaml >/dev/null

.PHONY: fuzz-serve
fuzz-serve: ## 20,000 forged and broken envelopes at the program, from SEED (5 minutes)
	$(GO) test -v -count=1 -timeout 0 ./cmd/roundtable/barrage -barrage.envelopes=20000 -barrage.seed=$(SEED)

.PHONY: chaos
chaos: ## replicas, Redis and Slack ill-treated for CHAOS, then judged
	$(GO) test -v -count=1 -timeout 0 ./cmd/roundtable/chaos $(CHAOS)

.PHONY: chaos-long
chaos-long: ## half an hour of it in each of MODES, written into docs/chaos.md
	$(GO) test -v -count=1 -timeout 0 -run '^TestChaos$$' ./cmd/roundtable/chaos -chaos.for=30m -chaos.kills=506 -chaos.upsets=24 -chaos.lateroots -chaos.patience=10m \
	  -chaos.modes=$(MODES) -chaos.seed=$(SEED) -chaos.report=$(CURDIR)/docs/chaos.md

.PHONY: hostile
hostile: ## ten minutes of rogues among a team that talks, written into docs/chaos.md
	$(GO) test -v -count=1 -timeout 0 -run '^TestChaos$$' ./cmd/roundtable/chaos -chaos.modes=hostile -chaos.for=10m -chaos.prompt=250ms -chaos.patience=10m \
	  -chaos.seed=$(SEED) -chaos.report=$(CURDIR)/docs/chaos.md

LOAD     = $(GO) run ./cmd/load
REPORT  ?=

.PHONY: bench
bench: build ## what a turn costs: benchmarks, then load on one replica (REPORT=docs/bench.md keeps it)
	$(GO) test -run '^$$' -bench . -benchtime 0.5s -benchmem ./roundtable/... ./storage ./bot ./bot/llm/...
	$(GO) test -run '^$$' -bench 'Turn$$' -benchtime 2s -benchmem ./cmd/load
	$(GO) test -run '^$$' -bench AtLength -benchtime 50x -benchmem ./cmd/load
	$(GO) test -run '^$$' -bench Analysis -benchtime 1000x ./cmd/load
	$(LOAD) bench -roundtable $(BIN)/roundtable $(if $(REPORT),-report $(REPORT))

.PHONY: peers
peers: build ## the same load on roundtable and on a bot for the official JavaScript framework (REPORT=docs/bench.md keeps it)
	cd $(E2E)/peer && npm ci --no-audit --no-fund
	$(LOAD) peers -roundtable $(BIN)/roundtable $(if $(REPORT),-report $(REPORT))

.PHONY: generate
generate: ## write generated documents anew (state tables, requirements, packages, commands, settings, voices)
	$(GO) test ./roundtable ./roundtable/analysis -run TestStateTable -update
	$(GO) test . ./cmd/roundtable -run 'TestRequirements|TestImportTable|TestGeneratedTables' -update

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN) $(E2E)/node_modules $(E2E)/peer/node_modules $(LLM)/node_modules
