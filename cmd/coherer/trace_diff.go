package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/compare"
)

func diffCommand() *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two runs",
		Long: "Compare two runs. Two simulations of one seed must be the same entry by entry: the first difference is shown. Other runs\n" +
			"are compared by what each two roles say to each other: which messages, their order of first occurrence, the type of\n" +
			"answers; not how often, when, or what stays within one process. It ends with 0 when they are the same, else with 1.\n" +
			"A and B are names or paths of run directories, or trace files.",
		Example: "  coherer trace diff latest latest\n  coherer trace diff a.jsonl b.jsonl -o json",
		Args:    arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			a, err := load(args[0])
			if err != nil {
				return err
			}
			b, err := load(args[1])
			if err != nil {
				return err
			}
			verdict := compare.Traces(a, b)
			if asJSON {
				err = writeJSON(verdict)
			} else {
				sayDifference(args, a, b, verdict)
			}
			// As diff does: a difference is an answer, and an exit code of 1.
			if err == nil && !verdict.Same {
				err = errDiffers
			}
			return err
		},
	}
	out.flags(cmd.Flags())
	return cmd
}

func sayDifference(names []string, a, b *trace.Trace, v compare.Verdict) {
	for i, t := range []*trace.Trace{a, b} {
		fmt.Printf("%c: %s: %s\n", 'A'+i, names[i], describe(t))
	}
	for _, note := range v.Notes {
		fmt.Println(note)
	}
	for _, line := range v.Differences {
		fmt.Println(line)
	}
	if v.Same {
		fmt.Println("the same,", v.By)
	}
}

// describe sums a trace up: its length, its program, and when or by which seed it came about.
func describe(t *trace.Trace) string {
	text := fmt.Sprintf("%d messages", t.Messages())
	if t.Program != "" {
		text += " of " + t.Program
	}
	if t.Source == "sim" {
		return text + fmt.Sprintf(", simulated with seed %d", t.Seed)
	}
	return text + ", recorded " + t.Start.Local().Format(time.DateTime)
}
