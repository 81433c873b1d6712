package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

// plain is the algorithm over a slice: the points of each centre are put together, and their mean is the next centre.
func plain(points [][]float64, k int) ([][]float64, float64) {
	centres := make([][]float64, k)
	copy(centres, points)
	var cost float64
	for range 50 {
		members := make([][][]float64, k)
		cost = 0
		for _, p := range points {
			best, least := 0, math.MaxFloat64
			for i, c := range centres {
				distance := 0.0
				for d := range p {
					distance += (p[d] - c[d]) * (p[d] - c[d])
				}
				if distance < least {
					best, least = i, distance
				}
			}
			members[best] = append(members[best], p)
			cost += least
		}
		moved := 0.0
		next := make([][]float64, k)
		for i, c := range centres {
			next[i] = c
			if len(members[i]) == 0 {
				continue
			}
			next[i] = make([]float64, len(c))
			for d := range c {
				for _, p := range members[i] {
					next[i][d] += p[d] / float64(len(members[i]))
				}
				moved += (next[i][d] - c[d]) * (next[i][d] - c[d])
			}
		}
		if centres = next; moved < 1e-6 {
			break
		}
	}
	return centres, cost
}

func TestCentresAreThoseOfAPlainLoop(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		k, dimensions := 1+random.IntN(5), 1+random.IntN(4)
		var points [][]float64
		var text strings.Builder
		for range k + random.IntN(300) {
			p := make([]float64, dimensions)
			for d := range p {
				p[d] = float64(random.IntN(4)*10) + random.NormFloat64()
				fmt.Fprint(&text, p[d], " ")
			}
			points = append(points, p)
			text.WriteByte('\n')
		}
		if seed%4 == 0 { // two centres at one place: the second gets no points, and stays
			k++
			points = append([][]float64{points[0]}, points...)
			first, _, _ := strings.Cut(text.String(), "\n")
			rest := text.String()
			text.Reset()
			text.WriteString(first + "\n" + rest)
		}
		want, wantCost := plain(points, k)
		for _, partitions := range []int{1, 3} {
			r := rdd.Local(rdd.MemFS{"points": []byte(text.String())})
			got, cost, err := Centres(t.Context(), r, Points.With(Args{"points", partitions}), k)
			if err != nil || len(got) != len(want) || math.Abs(cost-wantCost) > 1e-6 {
				t.Fatalf("seed %d: %v: cost %v, want %v", seed, err, cost, wantCost)
			}
			for i := range want {
				for d := range want[i] {
					if math.Abs(got[i][d]-want[i][d]) > 1e-9 {
						t.Errorf("seed %d, %d partitions, centre %d: %v, want %v", seed, partitions, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// The page shows what the program prints.
func TestRun(t *testing.T) {
	text, err := os.ReadFile("testdata/points.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Run(t.Context(), rdd.Local(rdd.MemFS{"points": text}), []string{"points", "3"}, &out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("README.md")
	if err != nil || !strings.Contains(string(page), "```\n"+out.String()+"```") {
		t.Errorf("the page shows something else than\n%s%v", out.String(), err)
	}
}

func TestRunRefuses(t *testing.T) {
	r := rdd.Local(rdd.MemFS{
		"points": []byte("1 2\n3 4\n"),
		"words":  []byte("1 2\n3 four\n"),
		"nan":    []byte("1 2\n3 NaN\n"),
		"empty":  []byte("1 2\n\n3 4\n"),
		"uneven": []byte("1 2\n3 4\n5\n"),
	})
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "want FILE K"},
		{[]string{"points"}, "want FILE K"},
		{[]string{"points", "0"}, "at least 1"},
		{[]string{"points", "x"}, "at least 1"},
		{[]string{"points", "3"}, "give a smaller K"},
		{[]string{"none", "1"}, "none"},
		{[]string{"words", "1"}, "3 four"},
		{[]string{"nan", "1"}, "3 NaN"},
		{[]string{"empty", "1"}, "an empty line"},
		{[]string{"uneven", "1"}, "point [5] has 1 dimensions"},
	} {
		var out strings.Builder
		if err := Run(t.Context(), r, c.args, &out); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}
