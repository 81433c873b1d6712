// Command endpointrule checks that endpoints and jobs are deterministic. Time, randomness and concurrency reach an endpoint
// through its Context alone, so that one run of it in a simulation can be repeated exactly; values reach a job through its
// argument alone, so that an executor computes what the driver means. It runs as a tool of go vet, in any module:
//
//	go install github.com/coherer/coherer/cmd/endpointrule@latest
//	go vet -vettool="$(go env GOPATH)/bin/endpointrule" ./...
//
// or, from a checkout, go build -C cmd/endpointrule -o /tmp/endpointrule . and go vet -vettool=/tmp/endpointrule ./...
// go vet then runs this check instead of its own, so run it without -vettool too.
//
// What is checked, test files excepted:
//   - a package in which a type has a method Receive whose first parameter is *rpcenv.Context: whole; in package main,
//     which also starts what it defines, only the methods of that type,
//   - any file with the line //coherer:pure.
//
// rpcenv and the packages below it are the runtime itself: there only the line counts.
//
// What is reported: go statements; channels; coroutines; the clock and the machine's time zone; the packages sync, os, net,
// runtime, crypto/rand, hash/maphash and those below them; math/rand but for its types; reading files by path/filepath;
// protojson and prototext, whose output depends on the build; and iterating over a map where the order could be seen. The order cannot
// be seen when keys or values are only appended to a slice that the same function sorts, counted, put into or deleted
// from a map by key, or when the loop does nothing but return one constant.
//
// It also checks the functions that any package gives to package rdd, and those of the package that they call, since driver
// and executor each call them in a process of its own. Reported are: what the function given to Define captures; package
// variables that are assigned outside of their declaration and of functions init, whose address is taken, or whose first
// value is from the environment or the command line; the clock, randomness without a seed, os and flag; and variables of
// another package with jobs that are assigned. A write to what is declared outside of such a function is always reported: n++ in
// Map counts in the processes of the executors, and the driver never sees it.
package main

import "golang.org/x/tools/go/analysis/unitchecker"

func main() { unitchecker.Main(Analyzer, Jobs) }
