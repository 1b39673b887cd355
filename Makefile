# Two commands do everything on a fresh machine with Go: make run, make test.

GO     ?= go
PREFIX ?= /usr/local
# With cgo off the program is one static file.
BUILD  := CGO_ENABLED=0 $(GO) build -trimpath
# Every package but the tests of the whole program, which run by themselves:
# they measure time, and should not share the processors.
UNITS   = $$($(GO) list ./... | grep -v '/test')
# A result of go test kept from before says nothing about the peers of today.
# Those of the whole program measure time: the ones that fail get another chance.
WHOLE  := $(GO) run ./test/again

.PHONY: build run test test-all test-uml test-windows bench bench-quick cross lint race fuzz install peer clean

build: ## compile ./linkperf
	$(BUILD) -o linkperf ./cmd/linkperf

run: ## the main job: loopback against this host's own address (ARGS="--repeat 3" and the like)
	CGO_ENABLED=0 $(GO) run ./cmd/linkperf matrix $(ARGS)

test: peer ## unit tests, and the short form of the tests against stock iperf3
	$(GO) test $(UNITS)
	$(WHOLE) -timeout 20m

test-all: peer ## everything: all modes, User Mode Linux, Wine
	$(GO) test $(UNITS)
	LINKPERF_TEST_ALL=1 $(WHOLE) -timeout 40m
	$(MAKE) test-uml test-windows

test-uml: ## SCTP, netem and fq inside a User Mode Linux kernel
	LINKPERF_TEST_UML=1 $(WHOLE) -timeout 12m -run '^TestUML$$'

test-windows: ## the Windows build under Wine
	LINKPERF_TEST_WINDOWS=1 $(WHOLE) -timeout 15m -run '^TestWindows'

bench: ## speed against stock iperf3, with STOCK=/path against that one
	LINKPERF_BENCH=7 $(WHOLE) -timeout 60m -run '^TestBench$$' -v

bench-quick: ## the same in less than a minute
	LINKPERF_BENCH=3 $(WHOLE) -timeout 10m -run '^TestBench$$' -v

cross: ## compile and vet for every supported system
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64; do \
		echo "cross $$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) build -o /dev/null ./cmd/linkperf || exit 1; \
		GOOS=$${target%/*} GOARCH=$${target#*/} CGO_ENABLED=0 $(GO) vet ./... || exit 1; \
	done

lint: ## formatting, vet, staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

race: ## unit tests, and a linkperf built so against stock, with the race detector
	$(GO) test -race $(UNITS)
	LINKPERF_TEST_RACE=1 $(WHOLE) -timeout 10m -run '^TestInterop$$'

FUZZTIME ?= 10s
# Two targets at a time, each with one worker. A target is named after the
# package that lists it.
fuzz: ## every fuzz target for FUZZTIME
	@$(GO) test -list '^Fuzz' $(UNITS) | awk '/^Fuzz/ {name[++n] = $$1} /^ok/ {for (i = 1; i <= n; i++) print $$2, name[i]; n = 0}' | \
	GO="$(GO)" xargs -P 2 -n 2 sh -c 'sh test/fuzz.sh "$$0" "$$1" $(FUZZTIME)'

install: build ## copy linkperf to $(PREFIX)/bin
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 linkperf $(DESTDIR)$(PREFIX)/bin/linkperf

# The stock peer for the tests. Without it they name what they skip.
peer:
	@command -v iperf3 >/dev/null || [ -n "$$STOCK" ] || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends iperf3; \
	else \
		echo "no iperf3 here: the tests against a stock peer (TestInterop and others in ./test) are skipped"; \
	fi

clean:
	rm -rf linkperf linkperf.exe dist
