package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/bench"
	"github.com/coherer/coherer/bench/measure"
)

// contenderName is the hidden sub-command by which bench starts the processes that it measures.
const contenderName = "contender"

// What `coherer bench` alone measures: a quick look at the runtime, at a usual depth and at a deep one.
var (
	reportCases    = []measure.Case{measure.LocalTell, measure.LocalAsk, measure.RemoteTell, measure.RemoteAsk, measure.OneWay}
	reportInFlight = []int{64, 8192}
)

const reportDuration = time.Second

type benchOptions struct {
	benchFlags
	inFlight         list[int]
	baseline, failIf string
}

func benchCommand(s streams) *cobra.Command {
	cmd := newCommand(s, &benchOptions{}, &cobra.Command{
		Use: "bench [CASE[,CASE...]]", GroupID: "measure", Short: "Measure messages against rivals",
		Long: "Measure how many messages, asks or operations a second go from one endpoint to another, and how long they take: within one\n" +
			"process, or between two over loopback. Rivals do the same in the same run, trial by trial in turn: a Go channel, raw TCP with\n" +
			"the same frames and protobuf, and the libraries of bench/rivals. Lists of sizes, numbers in flight and pairs make a cell for each\n" +
			"combination. Without a CASE: " + join(reportCases) + ", each with 64 and with 8192 in flight, for " + reportDuration.String() + ".\n\n" +
			"Cases: " + join(measure.Cases()) + ".\n\n" +
			"`go doc github.com/coherer/coherer/bench` defines what is measured.\n" +
			"Exit codes: 0 measured, 1 a trial of Coherer failed or --fail-if holds, 2 the command line or the baseline cannot be used.\n" +
			"Ctrl-C prints the complete rounds.",
		Example: strings.Join([]string{
			"  coherer bench                                                 the default report",
			"  coherer bench remote-ask,remote-tell --size 76B,1KiB,64KiB --in-flight 1,64,1024",
			"  coherer bench local-tell --contenders coherer,go-channel --duration 2s --trials 5",
			"  coherer bench remote-ask --trials 5 --rivals none -o json --out ask.json a table here, all of it in the file",
			"  coherer bench remote-ask --trials 5 --baseline ask.json --fail-if 'worse>5%,allocs worse'",
			"  coherer bench remote-ask --connect HOST:7099                  the receiving sides at HOST, where coherer bench serve runs",
			"  coherer bench remote-ask --trials 10 -o benchstat >new.txt    for benchstat old.txt new.txt",
		}, "\n"),
		Args: arguments(0, 1),
	})
	cmd.AddCommand(benchSweepCommand(s), benchPlotCommand(s), benchServeCommand(s), newCommand(s, contenderOptions{}, &cobra.Command{
		Use: contenderName, Hidden: true, Short: "Be measured; bench starts it", Args: arguments(0, 0),
	}))
	return cmd
}

func (o *benchOptions) flags(f *pflag.FlagSet) {
	o.benchFlags.flags(f)
	o.inFlight = list[int]{of: []int{64}, parse: parseWhole}
	f.Var(&o.inFlight, "in-flight", "how many asks or operations are under way, or tells sent and not acknowledged, for each pair, at a role for all peers together, a `LIST` such as 1,64,1024")
	f.StringVar(&o.baseline, "baseline", "", "compare with the report in `FILE`, which -o json wrote: better, worse or same")
	f.StringVar(&o.failIf, "fail-if", "", "exit code 1 when Coherer is worse than the baseline beyond a `LIMIT` such as worse>5% (the rate), or allocs worse,p99 worse>20%")
}

func (o *benchOptions) run(ctx context.Context, s streams, args []string) error {
	grid := bench.Grid{Cases: reportCases, InFlight: o.inFlight.of}
	if len(args) > 0 {
		grid.Cases = parseCases(args[0])
	} else {
		if !o.set.Changed("in-flight") {
			grid.InFlight = reportInFlight
		}
		if !o.set.Changed("duration") {
			o.spec.Duration = reportDuration
		}
	}
	b, err := o.options(s, grid)
	if err != nil {
		return err
	}
	limits, err := o.compare(&b)
	if err != nil {
		return usage(err)
	}
	out, err := o.open()
	if err != nil {
		return err
	}
	defer out.abandon()
	report, err := bench.Run(ctx, b)
	if err = out.end(s, report, err); report == nil {
		return err
	}
	return errors.Join(err, report.Check(limits))
}

// compare reads the baseline and the limits.
func (o *benchOptions) compare(b *bench.Options) ([]bench.FailIf, error) {
	if o.baseline != "" {
		r, err := bench.ReadReport(o.baseline)
		if err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
		b.Baseline = &bench.Baseline{File: o.baseline, Report: r}
	}
	switch {
	case o.failIf == "":
		return nil, nil
	case o.baseline == "":
		return nil, errors.New("--fail-if compares with a baseline: name it with --baseline FILE")
	}
	limits, err := bench.ParseFailIf(o.failIf)
	if err != nil {
		return nil, fmt.Errorf("--fail-if: %w", err)
	}
	// The ranges of fewer differ by chance too often to fail a build.
	if n := min(b.Trials, b.Baseline.Trials()); n < bench.LeastForTest {
		return nil, fmt.Errorf("--fail-if wants at least %d trials in the baseline and here, there are %d: measure both with --trials %d", bench.LeastForTest, n, bench.LeastForTest+1)
	}
	return limits, nil
}

// parseCases reads a list of cases. Run reports unknown ones.
func parseCases(text string) (cases []measure.Case) {
	for name := range strings.SplitSeq(text, ",") {
		cases = append(cases, measure.Case(name))
	}
	return cases
}

func join(cases []measure.Case) string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// contenderOptions are none: bench says over stdin what to do.
type contenderOptions struct{ noFlags }

func (contenderOptions) run(ctx context.Context, s streams, _ []string) error {
	return bench.Speak(ctx, s.in, s.out)
}

// contenderProgram is how bench starts a contender of this binary.
func contenderProgram() (path string, args []string, err error) {
	path, err = os.Executable()
	return path, []string{"bench", contenderName}, err
}
