# roundtable: make lists the targets; make check is what CI runs.

GO      ?= go
BIN     := .bin
tool     = $(GO) tool -modfile=.ci/tools/$(1)/go.mod $(1:lint=golangci-lint)
E2E     := bot/slacksim/e2e
LLM     := bot/llm/e2e
FUZZ    ?= 3s
CHAOS   ?= -chaos.for=15s
# One mode alone: make chaos-long MODES=unconfirmed; the report keeps the sections of the others.
MODES   ?= restarts,failovers,unconfirmed
SEED    ?= 1
# Packages whose tests start servers run one at a time on small machines.
RACE    ?= -race

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## open the local workspace with the bot in it
	$(GO) run ./cmd/roundtable demo

.PHONY: check
check: needs format vet lint build test fuzz client helm ## everything that CI runs

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

.PHONY: build
build: ## the binary, in .bin
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/roundtable ./cmd/roundtable

.PHONY: test
test: ## all Go tests with the race detector, on the embedded Redis and a real one
	cd $(LLM) && npm ci --no-audit --no-fund
	$(GO) test $(RACE) -timeout 20m ./...

.PHONY: sweep
sweep: ## crash at every point of every scenario, on the embedded Redis and on a real one; a thousand ends at once (long)
	$(GO) test ./roundtable/engine -count=1 -run Sweep -sweep.full -timeout 2h -v -datadriven-quiet
	$(GO) test ./roundtable/engine -count=1 -run TestManyEnd -ends 1000 -v -datadriven-quiet

.PHONY: simulate
simulate: ## 100,000 random schedules and 10,000 crash points of the whole system, in virtual time (10 minutes)
	GOGC=400 $(GO) test -timeout 60m -v -run 'TestSchedules|TestCrashPoints' ./roundtable/engine/simulation -simulation.schedules=100000 -simulation.points=10000 -simulation.seed=1

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZ (3s)
	@set -e; for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "fuzz $$p $$f"; GO="$(GO)" .ci/fuzz $$p $$f $(FUZZ); done; done

.PHONY: client
client: build ## the official Slack client for JavaScript, and a browser, against the local workspace
	cd $(E2E) && npm ci --no-audit --no-fund && npm test

.PHONY: helm
helm: ## lint and render the chart
	$(call tool,helm) lint --strict helm/roundtable
	$(call tool,helm) template r helm/roundtable --kube-version 1.31.0 >/dev/null
	$(call tool,helm) template r helm/roundtable --kube-version 1.31.0 -f helm/roundtable/ci/full-values.yaml >/dev/null

.PHONY: chaos
chaos: ## replicas, Redis and Slack ill-treated for CHAOS, then judged
	$(GO) test -v -count=1 -timeout 0 ./cmd/roundtable/chaos $(CHAOS)

.PHONY: chaos-long
chaos-long: ## half an hour of it in each of MODES, written into docs/chaos.md
	$(GO) test -v -count=1 -timeout 0 -run '^TestChaos$$' ./cmd/roundtable/chaos -chaos.for=30m -chaos.kills=506 -chaos.upsets=24 -chaos.lateroots -chaos.patience=10m \
	  -chaos.modes=$(MODES) -chaos.seed=$(SEED) -chaos.report=$(CURDIR)/docs/chaos.md

LOAD     = $(GO) run ./bot/slacksim/load
REPORT  ?=

.PHONY: bench
bench: build ## what a turn costs: benchmarks, then load on one replica (REPORT=docs/bench.md keeps it)
	$(GO) test -run '^$$' -bench . -benchtime 0.5s -benchmem ./roundtable/... ./storage ./bot ./bot/llm/...
	$(GO) test -run '^$$' -bench 'Turn$$' -benchtime 2s -benchmem ./bot/slacksim/load
	$(GO) test -run '^$$' -bench AtLength -benchtime 50x -benchmem ./bot/slacksim/load
	$(GO) test -run '^$$' -bench Analysis -benchtime 1000x ./bot/slacksim/load
	$(LOAD) bench -roundtable $(BIN)/roundtable $(if $(REPORT),-report $(REPORT))

.PHONY: peers
peers: build ## the same load on roundtable and on a bot for the official JavaScript framework (REPORT=docs/bench.md keeps it)
	cd $(E2E)/peer && npm ci --no-audit --no-fund
	$(LOAD) peers -roundtable $(BIN)/roundtable $(if $(REPORT),-report $(REPORT))

.PHONY: generate
generate: ## write generated documents anew (state table, requirement table, README tables)
	$(GO) test ./roundtable ./roundtable/analysis -run TestStateTable -update
	$(GO) test . ./cmd/roundtable -run 'TestRequirements|TestReadme' -update

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN) $(E2E)/node_modules $(E2E)/peer/node_modules $(LLM)/node_modules
