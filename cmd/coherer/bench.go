package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/bench"
	"github.com/coherer/coherer/bench/measure"
)

// contenderName is the hidden sub-command by which bench starts the processes that it measures.
const contenderName = "contender"

func benchCommand() *cobra.Command {
	var size string
	var out output
	o := bench.Options{Args: []string{"bench", contenderName}, Progress: os.Stderr}
	cmd := &cobra.Command{
		Use: "bench local-tell|local-ask|remote-tell|remote-ask", GroupID: "measure", Short: "Measure messages against rivals",
		Long: "Measure how many messages, or asks, go from one endpoint to another, and how long they take: within one process, or\n" +
			"between two over loopback. Rivals do the same in the same run, trial by trial in turn: a Go channel or raw TCP with the same\n" +
			"frames and protobuf, and protoactor. `go doc github.com/coherer/coherer/bench` defines what is measured.",
		Example: "  coherer bench remote-ask\n  coherer bench local-tell --size 1KiB --in-flight 256 --duration 2s --rivals none -o json",
		Args: usages(func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one of %v", measure.Modes)
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			o.Spec.Mode = measure.Mode(args[0])
			if o.Spec.Size, err = measure.ParseSize(size); err != nil {
				return usage(cmd, err)
			}
			if o.Program, err = os.Executable(); err != nil {
				return err
			}
			report, err := bench.Run(cmd.Context(), o)
			if wrong, ok := errors.AsType[bench.UsageError](err); ok {
				return usage(cmd, wrong.Unwrap())
			}
			// An interrupted run has a report of its complete rounds beside its error: print both.
			if report == nil {
				return err
			}
			if asJSON {
				return errors.Join(err, writeJSON(report))
			}
			return errors.Join(err, report.Print(os.Stdout))
		},
	}
	f := cmd.Flags()
	f.StringVar(&size, "size", "76B", "`BYTES` of a message's encoding, such as 76B, 1KiB, 64KiB")
	f.IntVar(&o.Spec.InFlight, "in-flight", 64, "asks under way, or tells sent and not acknowledged")
	f.DurationVar(&o.Spec.Duration, "duration", 5*time.Second, "how long a trial sends, after a fifth of it to warm up")
	f.IntVar(&o.Trials, "trials", 3, "trials of each")
	f.StringVar(&o.Rivals, "rivals", "", "the program of bench/rivals (protoactor), a `FILE`, or none to leave it out; Go channel and raw TCP stay; not given: build it from the source tree")
	f.StringVar(&o.Spec.Record, "record", measure.RecordOff, "off; ring: Coherer keeps the latest records, as its daemons always do; on: it records all to a file besides")
	out.flags(f)
	cmd.AddCommand(&cobra.Command{
		Use: contenderName, Hidden: true, Short: "Be measured; bench starts it", Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return bench.Speak(cmd.Context(), os.Stdin, os.Stdout) },
	})
	return cmd
}
