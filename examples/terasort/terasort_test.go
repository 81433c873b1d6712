package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

// lines are those of a folder.
func lines(t *testing.T, r rdd.Runner, path string) []string {
	t.Helper()
	pairs, err := rdd.Collect(t.Context(), r, Records.With(ReadArgs{path, 1}))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range pairs {
		out = append(out, p.Key+p.Value)
	}
	return out
}

func TestGenerateSortValidate(t *testing.T) {
	r := rdd.Local(&rdd.MemDisk{})
	var out strings.Builder
	for _, args := range [][]string{{"generate", "5000", "/in"}, {"sort", "/in", "/out", "3"}, {"validate", "/in", "/out"}} {
		if err := Run(t.Context(), r, args, &out); err != nil {
			t.Fatal(args, err)
		}
	}
	if out.String() != "out has the records of in in order\n" {
		t.Error(out.String())
	}
	in, sorted := lines(t, r, "/in"), lines(t, r, "/out")
	slices.SortFunc(in, func(a, b string) int { return strings.Compare(key(a), key(b)) })
	if len(sorted) != 5000 || !slices.Equal(in, sorted) || len(sorted[7]) != recordSize-1 {
		t.Errorf("%d records, the first %q", len(sorted), sorted[:2])
	}
}

// What is not sorted, lost, or changed is found.
func TestValidateFinds(t *testing.T) {
	disk := &rdd.MemDisk{}
	r := rdd.Local(disk)
	write := func(path string, all ...string) {
		t.Helper()
		f, err := disk.Create(path)
		if err == nil {
			_, err = fmt.Fprintln(f, strings.Join(all, "\n"))
		}
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	a, b, c := record(1), record(2), record(3)
	all := []string{a, b, c}
	slices.Sort(all)
	write("/in", a, b, c)
	write("/swapped", all[1], all[0], all[2])
	write("/lost", all[0], all[2])
	write("/changed", all[0], all[1], all[2]+"x")
	if err := disk.MkdirAll("/parts"); err != nil {
		t.Fatal(err)
	}
	write("/parts/0", all[2])
	write("/parts/1", all[0], all[1])
	for path, want := range map[string]string{
		"/swapped": "partition 0 is not in order", "/lost": "3 records of checksum", "/changed": "3 of ", "/parts": "partition 1 begins with",
	} {
		if err := Validate(context.Background(), r, "/in", path, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"sort", "/in"}, {"generate", "x", "/d"}, {"generate", "-1", "/d"}, {"sort", "/a", "/b", "0"}, {"merge", "/a", "/b"}, {"sort", "/none", "/b"}} {
		if err := Run(t.Context(), rdd.Local(&rdd.MemDisk{}), args, &strings.Builder{}); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
