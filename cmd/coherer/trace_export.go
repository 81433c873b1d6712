package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/rpcenv/trace"
)

// formats are the forms that export writes.
var formats = map[string]func(io.Writer, *trace.Trace) error{
	"text":  func(w io.Writer, t *trace.Trace) error { return t.WriteText(w) },
	"jsonl": func(w io.Writer, t *trace.Trace) error { return t.WriteJSONL(w) },
	"mermaid": func(w io.Writer, t *trace.Trace) error {
		_, err := io.WriteString(w, trace.Mermaid(t))
		return err
	},
	"svg": func(w io.Writer, t *trace.Trace) error {
		_, err := io.WriteString(w, trace.SVG(t))
		return err
	},
}

func exportCommand() *cobra.Command {
	var c choice
	var format, file string
	cmd := &cobra.Command{
		Use: "export --format text|jsonl|mermaid|svg [RUN] [FILTER...]", Short: "Write the trace of a run in a form for others",
		Long: "Write the trace of a run, or what filters choose of it, as a list, as JSON lines (coherer-trace/1), or as a sequence\n" +
			"diagram.\n" + aboutFilters,
		Example: "  coherer trace export --format svg -o run.svg\n" +
			"  coherer trace export --format mermaid 'Worker->Master:*' 'Master->Worker:*'\n" +
			"  coherer trace export --format jsonl --not '*->*:Heartbeat' -o run.jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := formats[format]
			if !ok {
				return usage(cmd, fmt.Errorf("--format %q: want text, jsonl, mermaid or svg", format))
			}
			t, s, err := c.load(cmd, args)
			if err != nil {
				return err
			}
			t = of(t, s)
			if file == "" {
				return write(os.Stdout, t)
			}
			// Only now: a command that fails before leaves an older file as it is.
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			return errors.Join(write(f, t), f.Close())
		},
	}
	c.flags(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", "jsonl", "text, jsonl, mermaid or svg")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the `FILE` to write; stdout when it is left out")
	return cmd
}
