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

# bench: the benchmarks, once each; bench/publish.sh measures the tables of bench/RESULTS.md.
.PHONY: bench
bench:
	go test -run '^$$' -bench . ./...

# mutants: breaks the rules of the packages that decide, one at a time, and names the breaks that no test notices; hours for
# all of them, or those of PACKAGES="actors/master actors/hadoop/token".
.PHONY: mutants
mutants:
	go run -C .ci ./mutants $(PACKAGES)

# soak: what takes minutes. The runtime's rules over 10,000 seeds, with the rate; the changes that break the runtime on
# purpose, each of which a few seeds must find. The rules of a cluster over 1,000 random lives of full size: three Masters,
# 20 Workers, 10 applications, all faults, an hour each. Real members of one gossip that come, go and stand still under an application.
# What came of it is in bench/RESULTS.md.
.PHONY: soak
SEEDS ?= 10000
soak:
	GOGC=400 go test ./rpcenv/sim -count=1 -timeout 1h -v -run TestSeeds -seeds=$(SEEDS) -floods=100
	go test ./rpcenv/sim -count=1 -timeout 1h -v -run TestMutants -mutants=all
	GOGC=400 go test ./cluster/scenario -count=1 -timeout 1h -v -run TestSeedsOfRandomLives -lives=1000
	GOGC=400 go test ./cluster/scenario -count=1 -timeout 1h -v -run TestSeedsOfYARNLives -yarnlives=1000
	go test ./cmd/coherer -count=1 -timeout 1h -v -run TestAMixedRingUnderJobs -ringsteps=200

# ring: MEMBERS members of one gossip on loopback, quiet and on a busy machine, at our pace and at memberlist's own: two minutes. It wants a
# quiet machine: all are in one process, and members that get no processor for too long suspect each other.
.PHONY: ring
MEMBERS ?= 200
ring:
	go test ./cluster/gossip -run '^$$' -bench Ring -benchtime 1x -members=$(MEMBERS) -window=10s
