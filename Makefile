# Everything is in .ci/run, which needs no make: these are its steps under short names.

.PHONY: all generate lint fmt vet build test race ci

# What to run before a commit.
all: generate lint race

# messages/ and the examples' messages from their proto files, and what explain reads from the source; no protoc is needed.
generate:
	.ci/run generate

lint: vet
	.ci/run lint

# gofumpt, and imports in their groups.
fmt:
	.ci/run fmt

# go vet for Linux and macOS, and endpointrule.
vet:
	.ci/run vet endpointrule

build:
	.ci/run build

test:
	.ci/run tests

# All tests with the race detector.
race:
	go test -race ./...

# All that must hold of a commit.
ci:
	.ci/run

# bench: the benchmarks; figures of whole commands are in bench/results.
.PHONY: bench
bench:
	go test -run '^$$' -bench . ./...
