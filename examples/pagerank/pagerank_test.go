package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

const links = "# a comment\na b\na c\nb c\nc a\nd c\n\na b\n"

// plain is the algorithm over maps. A page that no page leads to drops out after the first round, as in Spark's example.
func plain(text string, iterations int) map[string]float64 {
	to := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0][0] != '#' {
			if to[f[0]] == nil {
				to[f[0]] = map[string]bool{}
			}
			to[f[0]][f[1]] = true
		}
	}
	ranks := map[string]float64{}
	for page := range to {
		ranks[page] = 1
	}
	for range iterations {
		given := map[string]float64{}
		for page, all := range to {
			if rank, ok := ranks[page]; ok {
				for other := range all {
					given[other] += rank / float64(len(all))
				}
			}
		}
		ranks = map[string]float64{}
		for page, g := range given {
			ranks[page] = 0.15 + 0.85*g
		}
	}
	return ranks
}

func TestRanksAreThoseOfAPlainLoop(t *testing.T) {
	many := links
	for i := range 300 {
		many += fmt.Sprintf("p%d p%d\n", i%37, i*i%41)
	}
	for _, text := range []string{links, many} {
		for _, partitions := range []int{1, 3} {
			got, err := rdd.CollectAsMap(t.Context(), rdd.Local(rdd.MemFS{"links": []byte(text)}), Ranks.With(Args{"links", 7, partitions}))
			want := plain(text, 7)
			if err != nil || len(got) != len(want) {
				t.Fatal(err, got)
			}
			for page, rank := range want {
				if math.Abs(got[page]-rank) > 1e-9 {
					t.Errorf("%s: %v, want %v", page, got[page], rank)
				}
			}
		}
	}
}

// The page shows what the program prints.
func TestRun(t *testing.T) {
	text, err := os.ReadFile("testdata/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := rdd.Local(rdd.MemFS{"links": text})
	var out strings.Builder
	if err := Run(t.Context(), r, []string{"links", "20"}, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(page), "\n"+out.String()) {
		t.Errorf("the page shows something else than\n%s%v", out.String(), err)
	}
	for _, args := range [][]string{nil, {"links", "0"}, {"links", "x"}, {"links", "1", "2"}, {"none"}} {
		if err := Run(t.Context(), r, args, &out); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
