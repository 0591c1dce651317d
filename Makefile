SHELL := /usr/bin/env bash -o pipefail
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN      := $(CURDIR)/bin
NPM      := hack/npm/node_modules
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  := -s -w -X github.com/fettle-dev/fettle/internal/cli.version=$(VERSION)
GO_FILES := $(shell find . -name '*.go' -not -path './examples/*/repo/*' -not -path './hack/npm/*' 2>/dev/null)
CLUSTER_FILES := $(shell find hack/cluster -type f)
TOOL     := go -C hack/tools tool
FUZZTIME ?= 10s

##@ Use

.PHONY: help
help: ## Show this list.
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: $(BIN)/fettle $(BIN)/fettle-shim $(BIN)/fettle-controller ## Build fettle, fettle-shim and fettle-controller into bin/.

.PHONY: demo
demo: build $(NPM)/.installed ## Put a messy repository in order with the real tools.
	@hack/demo

##@ Check

.PHONY: test
test: build kube $(NPM)/.installed ## Run every test, with the real gofmt, eslint, prettier and tsc.
	go test -timeout 40m ./...

.PHONY: race
race: $(NPM)/.installed ## Run the tests of concurrent packages under the race detector.
	go test -race -short ./internal/enumerate/... ./internal/acquire/... ./internal/inorder/... ./internal/reread/... ./internal/strictfs/... ./internal/workspace/... ./internal/runtime/... ./internal/shim/...

.PHONY: lint
lint: ## Lint, import rules included.
	$$($(TOOL) -n golangci-lint) run

.PHONY: verify
verify: generate ## Regenerate and fail if anything differs from what is committed.
	@test -z "$$(git status --porcelain -- api config docs)" || { git status --porcelain -- api config docs; git diff -- api config docs | head -100; echo "generated files differ: run make generate and commit"; exit 1; }

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 10s) each.
	FUZZTIME=$(FUZZTIME) hack/fuzz

.PHONY: bench
bench: build ## Run the benchmarks of the budgets, floor and subject alternating.
	go test -run "^$$" -bench . -benchtime 5x ./internal/enumerate ./internal/acquire ./internal/reread ./internal/strictfs ./internal/linediff ./internal/workspace/statedir ./blocks
	go run ./hack/bench

.PHONY: soak
soak: build kube $(NPM)/.installed ## Run what is too long for CI: 100,000 files, a million raced reads, thousands of kills.
	go run ./hack/bench -files 100000 -n 3
	FETTLE_SOAK=1 FETTLE_RACED_ROUNDS=1000000 go test -timeout 3h -count=1 ./internal/... ./blocks/... ./transaction/... ./test/...

##@ Cluster

.PHONY: cluster
cluster: build $(BIN)/cluster $(BIN)/kubectl $(NPM)/.installed ## Bring up a one-node Kubernetes on this machine (as root, see docs/cluster.md).
	$(BIN)/cluster up -kube "$$(hack/kube/build)" -bin $(BIN) -node-modules $(NPM) -gofmt "$$(go env GOROOT)/bin/gofmt"

.PHONY: cluster-down
cluster-down: $(BIN)/cluster ## Take it down and check that nothing is left.
	$(BIN)/cluster down

.PHONY: cluster-test
cluster-test: $(if $(KUBECONFIG),$(BIN)/kubectl,cluster) ## Test the cluster, or the one that KUBECONFIG names.
	go -C hack/cluster test -tags cluster -count=1 -parallel 8 -timeout 20m $(if $(KUBECONFIG),./smoke,./...)

# Without cgo and with -trimpath the packages of Kubernetes are the same as for hack/kube/build,
# so they aren't compiled twice.
$(BIN)/cluster: $(CLUSTER_FILES) hack/cluster/go.mod hack/cluster/go.sum
	CGO_ENABLED=0 go build -C hack/cluster -trimpath -ldflags '-s -w' -o $(BIN)/ . ./pause

$(BIN)/kubectl: hack/kube/build hack/kube/go.mod
	@mkdir -p $(BIN)
	ln -sfn "$$(hack/kube/build)/kubectl" $@

##@ Develop

.PHONY: generate
generate: ## Regenerate deep copies, CRDs and the API reference.
	hack/generate

.PHONY: kube
kube: ## Build the API server that tests bring, once per machine (10 minutes).
	hack/kube/build

.PHONY: npm
npm: $(NPM)/.installed ## Install the Node tools that tests and demo use.

.PHONY: clean
clean: ## Remove what was built.
	rm -rf $(BIN) dist $(NPM)

$(BIN)/fettle: $(GO_FILES) go.mod go.sum
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/fettle

$(BIN)/fettle-shim: $(GO_FILES) go.mod go.sum
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o $@ ./cmd/fettle-shim

$(BIN)/fettle-controller: $(GO_FILES) go.mod go.sum
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./cmd/fettle-controller

$(NPM)/.installed: hack/npm/package-lock.json
	cd hack/npm && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
