package main

import (
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

// files are those that the page shows.
func files(t *testing.T) rdd.MemFS {
	t.Helper()
	out := rdd.MemFS{}
	for _, name := range []string{"testdata/access.log", "testdata/hosts.csv"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = text
	}
	return out
}

func TestRun(t *testing.T) {
	r := rdd.Local(files(t))
	var out strings.Builder
	if err := Run(t.Context(), r, []string{"testdata/access.log", "testdata/hosts.csv"}, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(page), "\n"+out.String()) {
		t.Errorf("the page shows something else than\n%s%v", out.String(), err)
	}
	for _, args := range [][]string{nil, {"log"}, {"none", "testdata/hosts.csv"}, {"testdata/access.log", "none"}} {
		if err := Run(t.Context(), r, args, &out); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
