// Package debug serves a process's counters to Prometheus and its profiles to pprof, over HTTP: GET /metrics and
// /debug/pprof/. Nothing is served before Serve, and nothing after Close.
//
// There is no access control: a client that can reach the address can read profiles. Bind it to loopback.
package debug
