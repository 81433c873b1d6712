// Command mutants breaks the rules of the packages that decide, one at a time, and lists the breaks that no test notices.
//
// A mutant is one small change of the source: a condition that always or never holds, a clause or a statement left out, a
// boundary moved, an error swallowed, a field left out of a message. All mutants of a run are compiled into the test binaries
// at once, by the overlay of go build, each behind a number; a run with the number in the environment has that mutant alone.
// So a package is compiled once, not once for each of its mutants, and a mutant costs the tests that reach it.
//
// A mutant that no test notices is either a rule without a test, or a change without a visible effect. Those of the second
// kind stand in equivalent.txt, each with the reason; a row there that fits no mutant is an error.
//
//	go run -C .ci ./mutants                                    every mutant of every package
//	go run -C .ci ./mutants actors/master actors/hadoop/token         those of two packages
//	go run -C .ci ./mutants -sample 100 -seed 7                100 of them, spread over a few packages
//	go run -C .ci ./mutants -match 'schedule.go' actors/master those whose line of the report fits
//
// It exits with 1 when more than one in twenty survive, or -allow says another share.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

// options are the flags.
type options struct {
	root      string
	sample    int
	seed      uint64
	spread    int
	match     *regexp.Regexp
	own       bool
	list      bool
	workers   int
	allow     float64
	budget    time.Duration
	survivors string
	out       io.Writer
}

func main() {
	var o options
	match := flag.String("match", "", "try only mutants whose line of the report fits this expression")
	flag.StringVar(&o.root, "root", "..", "folder of the module")
	flag.IntVar(&o.sample, "sample", 0, "try this many mutants, chosen by the seed; 0: all")
	flag.Uint64Var(&o.seed, "seed", 1, "what the sample depends on")
	flag.IntVar(&o.spread, "spread", 6, "how many packages a sample comes from")
	flag.BoolVar(&o.own, "own", false, "run the tests of the mutant's own package only")
	flag.BoolVar(&o.list, "list", false, "only print the mutants")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "mutants tried side by side")
	flag.Float64Var(&o.allow, "allow", 0.05, "the share of mutants that may survive")
	flag.DurationVar(&o.budget, "budget", 0, "begin no further mutant after this time, and say how many were left out; 0: no limit")
	flag.StringVar(&o.survivors, "survivors", "", "write the survivors to this file, a line each")
	flag.Parse()
	o.out = os.Stdout
	o.match = regexp.MustCompile(*match)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tries the mutants of the named packages, or of all of them, and reports.
func run(ctx context.Context, o options, names []string) error {
	began := time.Now()
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	targets, err := choose(names, o)
	if err != nil {
		return err
	}
	sources, err := load(ctx, root, targets)
	if err != nil {
		return err
	}
	excused, err := readExcused(filepath.Join(root, ".ci", "mutants", "equivalent.txt"))
	if err != nil {
		return err
	}
	// All mutants are numbered and excused before some are picked: a key has the same suffix in a sample as in a whole run.
	all := number(sources)
	if err := excused.mark(all, targets); err != nil {
		return err
	}
	tried := pick(all, o)
	if len(tried) == 0 {
		return errors.New("no mutant fits: see -match and the names of packages")
	}
	if o.list {
		for _, m := range tried {
			fmt.Fprintln(o.out, m)
		}
		return nil
	}
	b, err := build(ctx, root, work, targets, sources, tried, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%d mutants in %d packages, %d test programs, built in %.0f s\n", len(tried), len(targets), len(b.programs), time.Since(began).Seconds())
	if err := b.survey(ctx, o.workers); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "what the tests reach is known after %.0f s\n", time.Since(began).Seconds())
	deadline := time.Time{}
	if o.budget > 0 {
		deadline = began.Add(o.budget)
	}
	// Interrupted or not, the mutants that were tried are reported.
	b.try(ctx, tried, o.workers, deadline)
	return errors.Join(ctx.Err(), report(tried, o, time.Since(began)))
}
