package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/rpcenv/trace"
)

func statsCommand() *cobra.Command {
	var c choice
	var out output
	cmd := &cobra.Command{
		Use: "stats [RUN] [FILTER...]", Short: "Count the messages of a run and what they took",
		Long: "Count the messages of a run by type, and by the endpoint that they were sent to: how many, bytes, a second; how long asks took\n" +
			"until their answer arrived, how long messages waited in the inbox and were handled (p50/p99); how many were not delivered.\n" +
			"In JSON times are nanoseconds.\n" + aboutFilters,
		Example: "  coherer trace stats\n  coherer trace stats '*->Master/Master:*' -o json\n  coherer trace stats --not '*->*:CheckExistence'",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			t, s, err := c.load(cmd, args)
			if err != nil {
				return err
			}
			of(t, s) // for its note when nothing fits
			stats := trace.NewStats(t, s)
			if !asJSON {
				return stats.WriteText(os.Stdout)
			}
			return writeJSON(stats)
		},
	}
	c.flags(cmd.Flags())
	out.flags(cmd.Flags())
	return cmd
}
