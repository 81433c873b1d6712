package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/rpcenv/trace/show"
)

type traceStatsOptions struct {
	choice
	output
}

func traceStatsCommand(s streams) *cobra.Command {
	return newCommand(s, &traceStatsOptions{}, &cobra.Command{
		Use: "stats [RUN] [FILTER...]", Short: "Count the messages of a run and what they took",
		Long: "Count the messages of a run by type, and by the endpoint that they were sent to: how many, bytes, a second; how long asks took\n" +
			"until their answer arrived, how long messages waited in the inbox and were handled (p50/p99); how many were not delivered.\n" +
			"In JSON times are nanoseconds.\n" + aboutFilters,
		Example: "  coherer trace stats\n  coherer trace stats '*->Master/Master:*' -o json\n  coherer trace stats --not '*->*:CheckExistence'",
	})
}

func (o *traceStatsOptions) flags(f *pflag.FlagSet) {
	o.choice.flags(f)
	o.output.flags(f)
}

func (o *traceStatsOptions) run(_ context.Context, s streams, args []string) error {
	t, chosen, err := o.load(s, args)
	if err != nil {
		return err
	}
	of(s, t, chosen) // for its note when nothing fits
	stats := show.NewStats(t, chosen)
	if o.asJSON {
		return s.json(stats)
	}
	return stats.WriteText(s.out)
}
