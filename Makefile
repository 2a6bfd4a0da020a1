# Two commands do all on a fresh Debian 12 with the Swift toolchain: `make serve` and `make test`.

DATA ?= data
LISTEN ?= 127.0.0.1:8080
SECONDS ?= 300
# A crash in a test must end the run, not open the interactive backtracer.
export SWIFT_BACKTRACE = enable=no

LINTED = Package.swift Sources Tests Migrations Benchmarks/Micro
# The same for everything that is built for release: other flags would build it all again.
RELEASE = -c release --static-swift-stdlib -Xswiftc -cross-module-optimization
# Suites in which threads meet; in the others there is one thread a test.
THREADED = ^(EventLoops|HTTPServer|TransportSecurity|SQLiteStorage|Backend|Realtime|NCMBAdapter|PieSocketAdapter|HatoServer)Tests\.

.PHONY: help deps build serve test lint format imports tsan micro instructions record coverage check fuzz conformance bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

deps: ## install the Debian packages that are missing
	@Scripts/deps

build: deps ## build the release with the Swift runtime inside: .build/hato
	swift build $(RELEASE) --product hato
	@strip -o .build/hato .build/release/hato

serve: build ## build, then serve DATA (./data) at LISTEN (127.0.0.1:8080)
	@exec .build/hato serve --data "$(DATA)" --listen "$(LISTEN)"

test: deps ## build everything and run every test
	swift build --build-tests
	swift test

lint: ## check the format
	swift format lint --strict --recursive --parallel $(LINTED)

format: ## write the format
	swift format format --in-place --recursive --parallel $(LINTED)

imports: deps ## refuse an import that Package.swift does not declare
	swift build --build-tests --explicit-target-dependency-import-check error

tsan: deps ## run the suites with threads under the thread sanitizer
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.txt \
	    swift test --sanitize=thread --scratch-path .build-tsan --filter '$(THREADED)'

micro: ## build the micro-benchmarks
	@Scripts/deps --checks
	swift build $(RELEASE) --product MicroBenchmarks

instructions: micro ## hold the instruction counts of the micro-benchmarks against their record
	@Scripts/instructions .build/release/MicroBenchmarks

record: micro ## write the instruction counts of this tree as the new record
	@Scripts/instructions .build/release/MicroBenchmarks --record

coverage: deps ## hold the lines that each decoder's corpus covers against 90 percent
	@Scripts/coverage $(TARGET)

fuzz: deps ## look for inputs that break a decoder: TARGET (all of them), SECONDS (300) for each
	@Scripts/fuzz --seconds $(SECONDS) $(TARGET)

conformance: deps ## ask the tools of ../shared/tools, where they are, how the servers behave (PARTS="abuse fuzz" for less)
	@Scripts/conformance $(PARTS)

# The whole test run comes last, so that its closing line is the last word.
check: ## all that must hold before a merge
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory imports
	@$(MAKE) --no-print-directory tsan
	@$(MAKE) --no-print-directory instructions
	@$(MAKE) --no-print-directory coverage
	@$(MAKE) --no-print-directory test

bench: build ## measure beside PocketBase and floors in C, write Benchmarks/RESULTS.md (BENCH="part --quick" for less)
	@Benchmarks/bench.py --hato .build/hato $(BENCH)

clean: ## remove what was built; the data folder stays
	rm -rf .build .build-tsan .build-fuzz
