package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The examples run as their pages say, and print what the pages show.
func TestExamples(t *testing.T) {
	t.Parallel()
	built := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", built)
	for _, name := range []string{"pagerank", "kmeans", "loganalysis", "terasort"} { // once, as coherer run builds a folder each time
		build.Args = append(build.Args, "../../examples/"+name)
	}
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	run := func(name string, args ...string) result {
		return finish(t, command(t, append([]string{"submit", "--master", "local[2]", filepath.Join(built, name)}, args...)...))
	}
	page := func(name string) string {
		text, err := os.ReadFile("../../examples/" + name + "/README.md")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	data := func(path string) string { return "../../examples/" + path }
	for name, args := range map[string][]string{
		"pagerank":    {data("pagerank/testdata/links.txt"), "20"},
		"kmeans":      {data("kmeans/testdata/points.txt"), "3"},
		"loganalysis": {data("loganalysis/testdata/access.log"), data("loganalysis/testdata/hosts.csv")},
	} {
		got := run(name, args...)
		if got.code != 0 || got.stdout == "" || !strings.Contains(page(name), "```\n"+got.stdout+"```") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, args := range [][]string{{"generate", "20000", in}, {"sort", in, out}, {"validate", in, out}} {
		got := run("terasort", args...)
		if got.code != 0 || args[0] == "validate" && got.stdout != "out has the records of in in order\n" {
			t.Errorf("%v: %+v", args, got)
		}
	}
}
