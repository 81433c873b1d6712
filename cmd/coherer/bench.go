package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/bench"
	"github.com/coherer/coherer/bench/measure"
)

// contenderName is the hidden sub-command by which bench starts the processes that it measures.
const contenderName = "contender"

type benchOptions struct {
	output
	bench bench.Options
	size  string
}

func benchCommand(s streams) *cobra.Command {
	cmd := newCommand(s, &benchOptions{}, &cobra.Command{
		Use: "bench local-tell|local-ask|remote-tell|remote-ask", GroupID: "measure", Short: "Measure messages against rivals",
		Long: "Measure how many messages, or asks, go from one endpoint to another, and how long they take: within one process, or\n" +
			"between two over loopback. Rivals do the same in the same run, trial by trial in turn: a Go channel or raw TCP with the same\n" +
			"frames and protobuf, and protoactor. `go doc github.com/coherer/coherer/bench` defines what is measured.",
		Example: "  coherer bench remote-ask\n  coherer bench local-tell --size 1KiB --in-flight 256 --duration 2s --rivals none -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one of %v", measure.Cases())
			}
			return nil
		},
	})
	cmd.AddCommand(newCommand(s, contenderOptions{}, &cobra.Command{
		Use: contenderName, Hidden: true, Short: "Be measured; bench starts it", Args: arguments(0, 0),
	}))
	return cmd
}

func (o *benchOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	f.StringVar(&o.size, "size", "76B", "`BYTES` of a message's encoding, such as 76B, 1KiB, 64KiB")
	f.IntVar(&o.bench.Spec.InFlight, "in-flight", 64, "asks under way, or tells sent and not acknowledged")
	f.DurationVar(&o.bench.Spec.Duration, "duration", 5*time.Second, "how long a trial sends, after a fifth of it to warm up")
	f.IntVar(&o.bench.Trials, "trials", 3, "trials of each")
	f.StringVar(&o.bench.Rivals, "rivals", "", "the program of bench/rivals (protoactor), a `FILE`, or none to leave it out; Go channel and raw TCP stay; not given: build it from the source tree")
	f.StringVar(&o.bench.Spec.Record, "record", measure.RecordOff, "off; ring: Coherer keeps the latest records, as its daemons always do; on: it records all to a file besides")
}

func (o *benchOptions) run(ctx context.Context, s streams, args []string) error {
	b := &o.bench
	b.Args, b.Progress, b.Spec.Case = []string{"bench", contenderName}, s.err, measure.Case(args[0])
	b.Spec.Pairs = 1
	var err error
	if b.Spec.Size, err = measure.ParseSize(o.size); err != nil {
		return usage(err)
	}
	if b.Program, err = os.Executable(); err != nil {
		return err
	}
	report, err := bench.Run(ctx, *b)
	if wrong, ok := errors.AsType[bench.UsageError](err); ok {
		return usage(wrong.Unwrap())
	}
	// An interrupted run has a report of its complete rounds beside its error: print both.
	if report == nil {
		return err
	}
	if o.asJSON {
		return errors.Join(err, s.json(report))
	}
	return errors.Join(err, report.Print(s.out))
}

// contenderOptions are none: bench says over stdin what to do.
type contenderOptions struct{ noFlags }

func (contenderOptions) run(ctx context.Context, s streams, _ []string) error {
	return bench.Speak(ctx, s.in, s.out)
}
