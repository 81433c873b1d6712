// Package local runs whole clusters for tests and tools: in a simulated World, or in this process over memory or TCP.
//
// A [World] is where the processes of a cluster live. The same endpoints run in each: what a test or a script sees of them
// is the trace.
package local
