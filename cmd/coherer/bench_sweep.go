package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/bench"
)

// sweepInFlight is the window of a sweep by rate: deep enough that it does not hold back a rate that can be reached.
const sweepInFlight = 8192

type benchSweepOptions struct {
	benchFlags
	by string
}

func benchSweepCommand(s streams) *cobra.Command {
	return newCommand(s, &benchSweepOptions{}, &cobra.Command{
		Use: "sweep CASE", Short: "Raise the load until throughput grows no more, and find the knee",
		Long: "Raise the load of a case step by step: what is in flight is doubled, or the rate goes up by tenths of what a closed loop brings,\n" +
			"until no contender gains by it and its latency explodes. The table marks the knee, and says by which rule.\n" +
			"`coherer bench plot` draws the report.",
		Example: strings.Join([]string{
			"  coherer bench sweep remote-ask",
			"  coherer bench sweep remote-tell --by rate --contenders raw-tcp --duration 2s",
			"  coherer bench sweep remote-ask -o json --out sweep.json && coherer bench plot sweep.json --out sweep.svg",
		}, "\n"),
		Args: arguments(1, 1),
	})
}

func (o *benchSweepOptions) flags(f *pflag.FlagSet) {
	o.benchFlags.flags(f)
	f.StringVar(&o.by, "by", bench.ByInFlight, strings.Join(bench.Ways, " or "))
	// A sweep has a dozen steps: each is short, and coherer alone unless others are named.
	o.spec.Duration, o.contenders.of = time.Second, []string{"coherer"}
	f.Lookup("duration").DefValue = time.Second.String()
	f.Lookup("contenders").DefValue = "coherer"
	f.Lookup("contenders").Usage = "contenders to measure beside coherer, a `LIST` of names"
	f.Lookup("rate").Hidden = true
}

func (o *benchSweepOptions) run(ctx context.Context, s streams, args []string) error {
	if o.set.Changed("rate") {
		return usage(errors.New("--rate: a sweep finds the rates itself, with --by rate"))
	}
	b, err := o.options(s, bench.Grid{Cases: parseCases(args[0]), InFlight: []int{sweepInFlight}})
	if err != nil {
		return err
	}
	out, err := o.open()
	if err != nil {
		return err
	}
	defer out.abandon()
	report, err := bench.MeasureSweep(ctx, b, o.by)
	return out.end(s, report, err)
}

type benchPlotOptions struct{ out string }

func benchPlotCommand(s streams) *cobra.Command {
	return newCommand(s, &benchPlotOptions{}, &cobra.Command{
		Use: "plot FILE", Short: "Draw throughput against latency, from a JSON report, as SVG",
		Long: "Draw throughput against latency from a report that -o json wrote: a panel for each case, a line for each contender through its\n" +
			"loads, that is numbers in flight or rates. A sweep's knees are marked.",
		Example: "  coherer bench plot sweep.json >sweep.svg\n  coherer bench plot sweep.json --out sweep.svg",
		Args:    arguments(1, 1),
	})
}

func (o *benchPlotOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.out, "out", "", "write the SVG to `FILE`; not given: to stdout")
}

func (o *benchPlotOptions) run(_ context.Context, s streams, args []string) error {
	report, err := bench.ReadReport(args[0])
	if err != nil {
		return usage(err)
	}
	if o.out == "" {
		return report.Plot(s.out)
	}
	file, err := bench.NewFile(o.out)
	if err != nil {
		return usage(fmt.Errorf("--out: %w", err))
	}
	return file.Commit(report.Plot)
}
