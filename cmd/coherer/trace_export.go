package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// formats are the forms that export writes.
var formats = map[string]func(io.Writer, *trace.Trace) error{
	"text":  show.WriteText,
	"jsonl": func(w io.Writer, t *trace.Trace) error { return t.WriteJSONL(w) },
	"mermaid": func(w io.Writer, t *trace.Trace) error {
		_, err := io.WriteString(w, show.Mermaid(t))
		return err
	},
	"svg": func(w io.Writer, t *trace.Trace) error {
		_, err := io.WriteString(w, show.SVG(t))
		return err
	},
}

type traceExportOptions struct {
	choice
	format, file string
}

func traceExportCommand(s streams) *cobra.Command {
	return newCommand(s, &traceExportOptions{}, &cobra.Command{
		Use: "export --format text|jsonl|mermaid|svg [RUN] [FILTER...]", Short: "Write the trace of a run in a form for others",
		Long: "Write the trace of a run, or what filters choose of it, as a list, as JSON lines (coherer-trace/1), or as a sequence\n" +
			"diagram.\n" + aboutFilters,
		Example: "  coherer trace export --format svg -o run.svg\n" +
			"  coherer trace export --format mermaid 'Worker->Master:*' 'Master->Worker:*'\n" +
			"  coherer trace export --format jsonl --not '*->*:Heartbeat' -o run.jsonl",
	})
}

func (o *traceExportOptions) flags(f *pflag.FlagSet) {
	o.choice.flags(f)
	f.StringVar(&o.format, "format", "jsonl", "text, jsonl, mermaid or svg")
	f.StringVarP(&o.file, "output", "o", "", "the `FILE` to write; stdout when it is left out")
}

func (o *traceExportOptions) run(_ context.Context, s streams, args []string) error {
	write, ok := formats[o.format]
	if !ok {
		return usage(fmt.Errorf("--format %q: want text, jsonl, mermaid or svg", o.format))
	}
	t, chosen, err := o.load(s, args)
	if err != nil {
		return err
	}
	t = of(s, t, chosen)
	if o.file == "" {
		return write(s.out, t)
	}
	// Only now: a command that fails before leaves an older file as it is.
	f, err := os.Create(o.file)
	if err != nil {
		return err
	}
	return errors.Join(write(f, t), f.Close())
}
