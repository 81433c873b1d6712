package builtin

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"github.com/coherer/coherer/actors/rdd"
)

const (
	// defaultSlices is the number of tasks unless the user says otherwise.
	defaultSlices = 2
	// maxSlices bounds a user's demand: the driver holds the results of all tasks.
	maxSlices = 100_000
	// pointsPerSlice is how many points a task draws.
	pointsPerSlice = 100_000
)

// pi is the job: of each slice, how many of its points lie in the circle.
var pi = rdd.Define("pi", func(slices int) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, int64(slices), slices), pointsInside)
})

// pointsInside draws the points of a slice from a square, always the same ones, and counts those in its inscribed circle.
func pointsInside(slice int64) int64 {
	r := rand.New(rand.NewPCG(uint64(slice), 0)) // a task that runs again counts the same
	inside := int64(0)
	for range pointsPerSlice {
		x, y := r.Float64()*2-1, r.Float64()*2-1
		if x*x+y*y <= 1 {
			inside++
		}
	}
	return inside
}

// Pi estimates π by random points, in as many tasks as its one argument SLICES says, 2 without it. It mirrors
// org.apache.spark.examples.SparkPi, except that the points of a slice, and so the result, are the same in every run.
func Pi(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	slices, err := parseSlices(args)
	if err != nil {
		return fmt.Errorf("pi: %w", err)
	}
	counts, err := rdd.Collect(ctx, a, pi.With(slices))
	if err != nil {
		return fmt.Errorf("pi: %w", err)
	}
	inside := int64(0)
	for _, n := range counts {
		inside += n
	}
	_, err = fmt.Fprintf(out, "Pi is roughly %v\n", 4*float64(inside)/float64(pointsPerSlice*slices))
	return err
}

func parseSlices(args []string) (int, error) {
	if len(args) > 1 {
		return 0, fmt.Errorf("want the argument [SLICES], got %d", len(args))
	}
	if len(args) == 0 {
		return defaultSlices, nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > maxSlices {
		return 0, fmt.Errorf("SLICES is %q: give the number of tasks, 1 to %d", args[0], maxSlices)
	}
	return n, nil
}
