package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/trace"
)

func traceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "trace", GroupID: "look", Short: "Look at what was said in a run",
		Example: "  coherer trace show\n  coherer trace export --format mermaid -o run.mmd",
		Args: usages(func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("there is no trace %q: want show or export", args[0])
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(showCommand(), exportCommand())
	return cmd
}

// load reads the trace of a run: its directory's path or name, latest when none is named.
func load(args []string) (*trace.Trace, error) {
	name := "latest"
	if len(args) > 0 {
		name = args[0]
	}
	dir := name
	if !strings.ContainsRune(name, os.PathSeparator) {
		root, err := runner.Root()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(root, name)
	}
	t, err := trace.ReadJSONLFile(filepath.Join(dir, "trace.jsonl"))
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("there is no run %s: make one with coherer run: %w", name, err)
	}
	return runner.Merge(dir) // the run goes on, or was killed
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show [RUN]", Short: "List the messages of a run in order of time",
		Long:    "List the messages of a run in order of time. RUN is the name or the path of a run directory; latest when it is left out.",
		Example: "  coherer trace show",
		Args:    usages(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := load(args)
			if err != nil {
				return err
			}
			return show(os.Stdout, t)
		},
	}
}

// arrows are how scripts draw the forms of a message.
var arrows = map[string]string{trace.FormSend: "->", trace.FormAsk: "=>", trace.FormReply: "<=", trace.FormFail: "<="}

func show(out io.Writer, t *trace.Trace) error {
	for _, e := range t.Entries {
		var line string
		at := time.Duration(e.Sent).Seconds()
		switch e.K {
		case trace.KindMsg:
			from, to := e.From, e.To
			if e.IsAnswer() {
				from, to = to, from
			}
			body := trace.ObjectText(e.Message, e.Body, e.Cut, trace.TextOptions{MaxList: 4, MaxString: 80})
			line = fmt.Sprintf("%-34s %s %-34s %s %s", from, arrows[e.Form], to, e.Type, body)
		case trace.KindDrop:
			line = fmt.Sprintf("%-34s -x %-34s %s: %s", e.From, e.To, e.Type, e.Why)
		case trace.KindState:
			line = fmt.Sprintf("%-34s    %s %s: %s to %s: %s", e.At, e.Name, e.Subject, e.Was, e.Is, e.Why)
		default:
			continue
		}
		if _, err := fmt.Fprintf(out, "%10.4f  %s\n", at, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

func exportCommand() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use: "export --format jsonl|mermaid|svg [RUN]", Short: "Write the trace of a run in a form for others",
		Example: "  coherer trace export --format svg -o run.svg",
		Args:    usages(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := map[string]func(io.Writer, *trace.Trace) error{
				"jsonl": func(w io.Writer, t *trace.Trace) error { return t.WriteJSONL(w) },
				"mermaid": func(w io.Writer, t *trace.Trace) error {
					_, err := io.WriteString(w, trace.Mermaid(t))
					return err
				},
				"svg": func(w io.Writer, t *trace.Trace) error {
					_, err := io.WriteString(w, trace.SVG(t))
					return err
				},
			}[format]
			if !ok {
				return usage(cmd, fmt.Errorf("--format %q: want jsonl, mermaid or svg", format))
			}
			t, err := load(args)
			if err != nil {
				return err
			}
			if file == "" {
				return write(os.Stdout, t)
			}
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			return errors.Join(write(f, t), f.Close())
		},
	}
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl, mermaid or svg")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the `FILE` to write; stdout when it is left out")
	return cmd
}
