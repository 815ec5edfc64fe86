# The developer commands. `make demo` shows the main job, `make test` runs every test.

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)
# Where the reference data is; parts that need it are skipped with a note when it is missing.
SHARED ?= ../shared

.DEFAULT_GOAL := help
.PHONY: help build demo test unit e2e crd-corpus check fmt lint deny deploy image base-image conformance render-cases cases bench bench-render bench-operator fuzz differ clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build the operator
	$(CARGO) build --locked --release

demo: ## Turn charts/memcached into an operator and use it, on a real control plane (KEEP=1 leaves it running)
	@KEEP=$(KEEP) tools/demo.sh

test: unit e2e ## Run every test
	@if [ -d $(SHARED)/vectors ]; then $(MAKE) --no-print-directory conformance render-cases; \
	else echo "note: $(SHARED) is not there: conformance with Helm was not measured"; fi

unit: ## Run the tests that need no cluster
	$(CARGO) test --locked --workspace --quiet

e2e: ## Run the tests against a real control plane
	$(CARGO) build --locked --quiet -p chartwright -p devcluster
	$(CARGO) test --locked --quiet -p chartwright --test e2e -- --ignored
	$(CARGO) test --locked --quiet -p chartwright --test crd_corpus -- --ignored

crd-corpus: ## Give the types of all charts of the corpus to a real API server, and write the figures to docs/TYPED-API.md
	CRD_CORPUS_ALL=1 CRD_CORPUS_WRITE=1 $(CARGO) test --locked --release -p chartwright --test crd_corpus -- --ignored --nocapture

check: fmt lint ## Check format and lints

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --locked --workspace --all-targets --quiet -- -D warnings

deny: ## Check licences and banned crates (needs cargo-deny)
	$(CARGO) deny --offline check bans licenses sources

deploy: ## Write deploy/ anew from templates/ and charts/memcached
	$(CARGO) run --locked --quiet -- manifests --chart charts/memcached --api-version anywhere.io/v1alpha1 \
		--kind Memcached --image you/memcached-operator --output-dir deploy

HELM_CHART ?= charts/memcached
API_VERSION ?= anywhere.io/v1alpha1
KIND ?= Memcached
IMAGE ?= you/memcached-operator
image: ## Build an image with docker, podman or buildah (HELM_CHART=, API_VERSION=, KIND=, IMAGE=, BUILDER=)
	@tools/image.sh '$(IMAGE)' '$(HELM_CHART)' '$(API_VERSION)' '$(KIND)' '$(BUILDER)'

BASE_IMAGE ?= you/helm-operator
base-image: ## Build the image that takes the place of operator-sdk's in a project's Dockerfile (BASE_IMAGE=, BUILDER=)
	@tools/image.sh '$(BASE_IMAGE)' --base '$(BUILDER)'

CORPUS ?= $(SHARED)/corpus
VECTORS ?= $(wildcard $(SHARED)/vectors/*.jsonl)
CASES ?= $(SHARED)/cases
CONFORMANCE = $(CARGO) run --locked --release --quiet -p conformance --
conformance: ## Compare with real Helm's output (CORPUS=DIR, VECTORS="A.jsonl B.jsonl" for other sets)
ifeq ($(origin CORPUS)$(origin VECTORS),filefile)
	@$(CONFORMANCE) --corpus $(CORPUS) --vectors $(VECTORS) --scoreboard tests/conformance/SCOREBOARD.md
else
	@$(CONFORMANCE) $(if $(filter-out file,$(origin CORPUS)),--corpus $(CORPUS)) \
		$(if $(filter-out file,$(origin VECTORS)),--vectors $(VECTORS))
endif

render-cases: ## Run the rendering cases only (CASES=DIR for others)
	@$(CONFORMANCE) --cases $(CASES)

cases: ## Run the rendering and the operator cases, these against a real control plane (CASES=DIR for others)
	$(CARGO) build --locked --release --quiet -p chartwright -p cases -p conformance
	@$(TARGET)/release/cases --cases $(CASES) --operator $(TARGET)/release/chartwright \
		--render-runner $(TARGET)/release/conformance

SECONDS ?= 1200
JOBS ?= 1
fuzz: ## Run each fuzz target for a while (SECONDS=, JOBS=; needs cargo-fuzz)
	@tools/fuzz.sh $(SECONDS) $(JOBS)

differ: ## Compare random charts, templates, documents and values with a live Helm for a while (SECONDS=; needs Go)
	@cd tools/oracle/helm && go build -o $(abspath $(TARGET))/oracle-helm .
	@$(CONFORMANCE) --fuzz $(abspath $(TARGET))/oracle-helm --seconds $(SECONDS) --seed $$(($$(date +%s) * 1000000 % (1 << 40))) \
		$(if $(wildcard $(CORPUS)/cases.tsv),--fuzz-corpus $(CORPUS))

clean: ## Delete what was built here (the control plane's cache stays)
	$(CARGO) clean

bench: bench-render bench-operator ## Measure everything and write docs/PERFORMANCE.md (needs a quiet machine)

HELM ?= $(HOME)/.cache/chartwright/devcluster/current/bin/helm
bench-render: ## Measure rendering against helm (HELM=PATH)
	$(CARGO) build --locked --profile image --quiet -p chartwright
	$(CARGO) build --locked --release --quiet -p bench
	@$(TARGET)/release/bench render --corpus $(SHARED)/corpus --work $(TARGET)/bench-corpus --helm $(HELM) \
		--chartwright $(abspath $(TARGET))/image/chartwright --write docs/PERFORMANCE.md

OPERATOR ?=
# Further flags, as BENCH_FLAGS="--sizes 1,10 --details 10 --rounds 1"; `target/release/bench operator --help` lists them.
BENCH_FLAGS ?=
# Built as the Dockerfile builds it.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
bench-operator: ## Measure the operator against a floor, and against another operator (OPERATOR=PATH of a helm-operator)
	RUSTFLAGS='-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs' \
		$(CARGO) build --locked --profile image --target $(HOST) --quiet -p chartwright
	$(CARGO) build --locked --release --quiet -p bench
	@$(TARGET)/release/bench operator --chartwright $(TARGET)/$(HOST)/image/chartwright --write docs/PERFORMANCE.md \
		$(if $(OPERATOR),--operator '$(OPERATOR)') $(BENCH_FLAGS)
