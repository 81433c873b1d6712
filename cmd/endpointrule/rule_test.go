package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// Each package of testdata says in its doc comment what it shows; comments `want` stand where a report is wanted.
func TestRule(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Analyzer,
		"good", "bad", "pure", "program", "example.org/rpcenv", "example.org/rpcenv/rpctest")
}

func TestJobs(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), Jobs, "jobs", "goodjobs", "setsjobs", "changingjobs")
}
