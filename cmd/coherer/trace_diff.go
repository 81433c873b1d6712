package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/cluster/compare"
	"github.com/coherer/coherer/rpcenv/trace"
)

type traceDiffOptions struct{ output }

func traceDiffCommand(s streams) *cobra.Command {
	return newCommand(s, &traceDiffOptions{}, &cobra.Command{
		Use: "diff A B", Short: "Compare two runs",
		Long: "Compare two runs. Two simulations of one seed must be the same entry by entry: the first difference is shown. Other runs\n" +
			"are compared by what each two roles say to each other: which messages, their order of first occurrence, the type of\n" +
			"answers; not how often, when, or what stays within one process. It ends with 0 when they are the same, else with 1.\n" +
			"A and B are names or paths of run directories, or trace files.",
		Example: "  coherer trace diff latest latest\n  coherer trace diff a.jsonl b.jsonl -o json",
		Args:    arguments(2, 2),
	})
}

func (o *traceDiffOptions) run(_ context.Context, s streams, args []string) error {
	a, err := load(s, args[0])
	if err != nil {
		return err
	}
	b, err := load(s, args[1])
	if err != nil {
		return err
	}
	verdict := compare.Traces(a, b)
	if o.asJSON {
		err = s.json(verdict)
	} else {
		_, err = io.WriteString(s.out, difference(args, a, b, verdict))
	}
	// As diff does: a difference is an answer, and an exit code of 1.
	if err == nil && !verdict.Same {
		err = errDiffers
	}
	return err
}

func difference(names []string, a, b *trace.Trace, v compare.Verdict) string {
	w := new(strings.Builder)
	for i, t := range []*trace.Trace{a, b} {
		fmt.Fprintf(w, "%c: %s: %s\n", 'A'+i, names[i], describe(t))
	}
	for _, note := range v.Notes {
		fmt.Fprintln(w, note)
	}
	for _, line := range v.Differences {
		fmt.Fprintln(w, line)
	}
	if v.Same {
		fmt.Fprintln(w, "the same,", v.By)
	}
	return w.String()
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

// errDiffers is the end of a comparison that has printed the differences.
var errDiffers = errors.New("the traces differ")
