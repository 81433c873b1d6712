package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/scenario"
)

type simOptions struct {
	settings
	output
	life   scenario.Life
	faults string
	seeds  int
	write  string
	shrunk int
}

func simCommand(s streams) *cobra.Command {
	return newCommand(s, &simOptions{}, &cobra.Command{
		Use: "sim", GroupID: "run", Short: "Live a random life of a cluster in virtual time, and report whether its rules hold",
		Long: "Live a random life of a cluster in virtual time: Workers join, crash, stand still and come back, applications come and\n" +
			"go, the network is cut and slow. All rules of `coherer scenario list` are watched. What happens follows from the seed\n" +
			"alone. A seed that breaks a rule is shrunk, and written as a script that `coherer scenario run FILE` replays. Each step of\n" +
			"shrinking lives the life again with fewer events, --shrink times at most. Ctrl-C prints and writes the results so far.\n" +
			"Exit codes: 0 all rules hold, 1 one is violated, 2 usage.",
		Example: strings.Join([]string{
			"  coherer sim --seed 7",
			"  coherer sim --seed 7 --workers 5 --apps 3 --for 10m --faults cut,crash",
			"  coherer sim --seeds 100                the seeds from 1 to 100",
			"  coherer sim --seed 7 -o json",
		}, "\n"),
		Args: arguments(0, 0),
	})
}

func (o *simOptions) flags(f *pflag.FlagSet) {
	o.pair(f)
	o.output.flags(f)
	f.Uint64Var(&o.life.Seed, "seed", 1, "the seed; with --seeds the first one")
	f.IntVar(&o.life.Masters, "masters", 1, "Masters; more than one are standbys of each other; not with --yarn")
	f.BoolVar(&o.life.YARN, "yarn", false, "a ResourceManager with queues and preemption, and NodeManagers instead of Workers")
	f.IntVar(&o.life.Workers, "workers", 20, "Workers; with --yarn NodeManagers")
	f.IntVar(&o.life.Apps, "apps", 10, "applications")
	f.IntVar(&o.life.Drivers, "drivers", 0, "applications with a driver that runs jobs; not with --yarn")
	f.StringVar(&o.faults, "faults", "all", "all, none, or some of "+strings.Join(scenario.FaultKinds, ","))
	f.DurationVar(&o.life.For, "for", time.Hour, "how much virtual time")
	f.IntVar(&o.seeds, "seeds", 1, "how many seeds, one after the other")
	f.IntVar(&o.shrunk, "shrink", scenario.ShrinkTries, "how many lives it may take to shrink a seed that breaks a rule; 0: do not shrink")
	f.StringVar(&o.write, "write", "", "the file for the script of a seed that breaks a rule; empty: sim-SEED.txt here")
}

func (o *simOptions) run(ctx context.Context, s streams, _ []string) error {
	if err := o.check(); err != nil {
		return usage(err)
	}
	_, c, err := o.settings.check()
	if err != nil {
		return usage(err)
	}
	s.warn(c.Warnings())
	return o.live(ctx, s)
}

func (o *simOptions) check() error {
	var err error
	kinds, bad := scenario.ParseFaults(o.faults)
	o.life.Faults, o.life.Conf = kinds, o.pairs
	if o.seeds < 1 {
		err = errors.Join(err, errors.New("--seeds: want 1 at least"))
	}
	// Past the largest number the seeds would begin again at 0.
	if o.seeds > 0 && o.life.Seed+uint64(o.seeds-1) < o.life.Seed {
		err = errors.Join(err, fmt.Errorf("--seeds %d from --seed %d: no seed is above %d", o.seeds, o.life.Seed, uint64(math.MaxUint64)))
	}
	if o.shrunk < 0 {
		err = errors.Join(err, errors.New("--shrink: want 0 at least"))
	}
	return errors.Join(err, bad, o.life.Validate())
}

// live lives one life after the other.
func (o *simOptions) live(ctx context.Context, s streams) error {
	var failed []string
	var lived []*scenario.Lived
	// JSON is one list, written at each of the ways out; text is printed seed by seed.
	report := func() error {
		if !o.asJSON {
			return nil
		}
		return s.json(lived)
	}
	for i := range o.seeds {
		life := o.life
		life.Seed += uint64(i)
		l, err := life.Live(ctx)
		// The life under way is lost; those before it are not.
		if ctx.Err() != nil {
			return errors.Join(report(), fmt.Errorf("%w: %d of %d seeds lived, broken: %d", context.Cause(ctx), i, o.seeds, len(failed)))
		}
		if err != nil {
			return err
		}
		lived = append(lived, l)
		if !l.Holds() {
			failed = append(failed, fmt.Sprint(life.Seed))
		}
		if !o.asJSON {
			if _, err := fmt.Fprint(s.out, l); err != nil {
				return err
			}
		}
		if l.Holds() || o.shrunk == 0 {
			continue
		}
		if len(l.Violations) == 0 {
			fmt.Fprintf(s.err, "seed %d breaks a rule of the runtime alone: a life is shrunk by the rules of the cluster only\n", life.Seed)
			continue
		}
		if err := o.shrink(ctx, s, &life, l); err != nil {
			return errors.Join(report(), err)
		}
	}
	if err := report(); err != nil {
		return err
	}
	if len(failed) > 0 {
		fmt.Fprintf(s.err, "%d of %d seeds broke a rule: %s\n", len(failed), o.seeds, strings.Join(failed, ", "))
		return errViolated
	}
	return nil
}

// shrink writes the shortest script found that breaks the same rule; when ctx ends, the best so far.
func (o *simOptions) shrink(ctx context.Context, s streams, life *scenario.Life, l *scenario.Lived) error {
	said := time.Now()
	small, stopped := life.Shrink(ctx, l.Violations[0], scenario.ShrinkOptions{Tries: o.shrunk, Progress: func(lived, left, events int) {
		if lived == 1 || time.Since(said) >= shrinkReport {
			said = time.Now()
			fmt.Fprintf(s.err, "shrinking seed %d: life %d of at most %d, %d of %d events left\n", life.Seed, lived, o.shrunk, left, events)
		}
	}})
	// Without a script there is nothing to write. Interrupted, Shrink returns both: write first, then report the signal.
	if small == nil {
		return stopped
	}
	path := o.write
	if path == "" {
		path = fmt.Sprintf("sim-%d.txt", life.Seed)
	}
	// The command below may take a name without a separator for a script of the library.
	if !strings.ContainsAny(path, `/\`) {
		path = "./" + path
	}
	if err := os.WriteFile(path, []byte(small.String()), 0o600); err != nil {
		return errors.Join(stopped, fmt.Errorf("write the script: %w: name another file with --write", err))
	}
	fmt.Fprintf(s.err, "shrunk to %d lines: coherer scenario run %s\n", len(small.Blocks[0].Verbs), path)
	return stopped
}

// shrinkReport is the time between two lines of progress of shrink.
const shrinkReport = 2 * time.Second
