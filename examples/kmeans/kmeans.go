package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

// Point is a point of any number of dimensions.
type Point []float64

// Args are what the points are read from.
type Args struct {
	// Path of a text file with a point on each line: its coordinates, with blanks between them.
	Path       string
	Partitions int
}

// Points is the job of the points. They are kept in memory: the first job parses the file, and each round reads what is kept.
var Points = rdd.Define("kmeans: points", func(a Args) rdd.Dataset[Point] {
	return rdd.Cache(rdd.Map(rdd.TextFile(a.Path, a.Partitions), parse))
})

// parse reads a point. Any other line ends the job with its text.
func parse(line string) Point {
	var p Point
	for field := range strings.FieldsSeq(line) {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			panic(fmt.Errorf("no point: %q: want numbers with blanks between them", line))
		}
		p = append(p, x)
	}
	if len(p) == 0 {
		panic(errors.New("no point: an empty line"))
	}
	return p
}

// StepArgs are a round: the points, and the centres that the round before has found.
type StepArgs struct {
	Points  rdd.Bound[Point]
	Centres rdd.Broadcast[[]Point]
}

// Cluster is how many points belong to a centre, their sum in each dimension, and the sum of their squared distances from it.
type Cluster struct {
	Points int64
	Sum    Point
	Cost   float64
}

// Step is the job of a round: the cluster of each centre, by its index. A centre that is nearest to no point has none.
var Step = rdd.Define("kmeans: step", func(a StepArgs) rdd.Dataset[rdd.Pair[int, Cluster]] {
	nearest := rdd.Map(rdd.From(a.Points), func(p Point) rdd.Pair[int, Cluster] {
		at, cost := closest(p, a.Centres.Value())
		return rdd.PairOf(at, Cluster{1, p, cost})
	})
	return rdd.ReduceByKey(nearest, plus, 1)
})

// closest is the index of the centre nearest to p, the first of several, and the squared distance.
func closest(p Point, centres []Point) (at int, cost float64) {
	cost = math.Inf(1)
	for i, c := range centres {
		if len(c) != len(p) {
			panic(fmt.Errorf("point %v has %d dimensions, the first points of the file have %d", p, len(p), len(c)))
		}
		if d := squared(p, c); d < cost {
			at, cost = i, d
		}
	}
	return at, cost
}

func squared(a, b Point) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

// plus adds two clusters of one centre.
func plus(a, b Cluster) Cluster {
	sum := make(Point, len(a.Sum)) // anew: the sum of a single point is the point itself
	for i := range sum {
		sum[i] = a.Sum[i] + b.Sum[i]
	}
	return Cluster{a.Points + b.Points, sum, a.Cost + b.Cost}
}

const (
	// settled ends the rounds: all centres together moved less in the last one. It is a sum of squared distances.
	settled = 1e-6
	// maxRounds ends them otherwise.
	maxRounds = 50
)

// Centres finds k centres of points, and the sum of the points' squared distances from the centres of the round before the last move.
// The first k points are the centres to begin with. A centre that is nearest to no point stays where it is.
func Centres(ctx context.Context, r rdd.Runner, points rdd.Bound[Point], k int) (centres []Point, cost float64, err error) {
	centres, err = rdd.Take(ctx, r, points, k)
	switch {
	case err != nil:
		return nil, 0, err
	case len(centres) < k:
		return nil, 0, fmt.Errorf("%d points have no %d centres: give a smaller K", len(centres), k)
	}
	for range maxRounds {
		clusters, err := step(ctx, r, points, centres)
		if err != nil {
			return nil, 0, err
		}
		next, moved := make([]Point, k), 0.0
		cost = 0
		for i, old := range centres { // in their order, so that two runs add in the same one
			c, found := clusters[i]
			if !found {
				next[i] = old
				continue
			}
			next[i] = make(Point, len(old))
			for d := range old {
				next[i][d] = c.Sum[d] / float64(c.Points)
			}
			moved += squared(next[i], old)
			cost += c.Cost
		}
		if centres = next; moved < settled {
			break
		}
	}
	return centres, cost, nil
}

// step runs a round. The centres go to each executor once, and from executor to executor, whatever the number of tasks.
func step(ctx context.Context, r rdd.Runner, points rdd.Bound[Point], centres []Point) (map[int]Cluster, error) {
	shared, err := rdd.NewBroadcast(ctx, r, centres)
	if err != nil {
		return nil, err
	}
	clusters, err := rdd.CollectAsMap(ctx, r, Step.With(StepArgs{points, shared}))
	return clusters, errors.Join(err, shared.Destroy(ctx))
}

// partitions is how many tasks read the points.
const partitions = 2

// Run is the program: args are FILE K. It prints the centres, and the sum of the points' squared distances from them.
func Run(ctx context.Context, r rdd.Runner, args []string, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("want FILE K, not %q", args)
	}
	k, err := strconv.Atoi(args[1])
	if err != nil || k < 1 {
		return fmt.Errorf("K %q: want a number of at least 1", args[1])
	}
	points := Points.With(Args{args[0], partitions})
	centres, cost, err := Centres(ctx, r, points, k)
	if err := errors.Join(err, rdd.Unpersist(ctx, r, points)); err != nil {
		return err
	}
	var text strings.Builder
	for _, c := range centres {
		for i, x := range c {
			if i > 0 {
				text.WriteByte(' ')
			}
			fmt.Fprintf(&text, "%.3f", x)
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "cost %.3f\n", cost)
	_, err = io.WriteString(out, text.String())
	return err
}
