package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
)

// stuck is a job whose task nothing can cancel; atStuck gets one when it runs, in the driver's process.
var (
	stuck = rdd.Define("stuck", func(struct{}) rdd.Dataset[int] {
		return rdd.Map(rdd.Parallelize([]int{1}, 1), func(int) int {
			atStuck <- struct{}{}
			select {}
		})
	})
	atStuck = make(chan struct{}, 1)
)

// ending is an application that ends as its argument says. The process of a test is its driver when it was submitted.
func ending(ctx context.Context, a *app.App, args []string) error {
	switch args[0] {
	case "fails":
		return errors.New("no luck")
	case "exits":
		os.Exit(7)
	case "panics":
		panic("oh no")
	case "leaves a task":
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			<-atStuck
			cancel()
		}()
		_, _ = rdd.Count(ctx, a, stuck.With(struct{}{})) // cancelled
	}
	return nil
}

// A program that ends at once ends its executor, which may only be starting. What it said and its exit code are the program's alone.
func TestProgramsThatEndAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how  string
		code int
		says string
	}{
		{"returns", 0, ""},
		{"fails", 1, "error: no luck"},
		{"exits", 7, ""},
		{"panics", 2, "panic: oh no"},
		{"leaves a task", 0, "WARN The program has ended, but tasks still run, and end with it"},
	} {
		got := finish(t, command(t, "submit", "--master", "local[2]", os.Args[0], c.how))
		if got.code != c.code || !strings.Contains(got.stderr, c.says) || strings.Contains(got.stderr, " ERROR ") {
			t.Errorf("a program that %s: exit code %d: %s", c.how, got.code, got.stderr)
		}
	}
}
