package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/protocol"
)

type explainOptions struct {
	output
	all, write, deviations bool
}

func explainCommand(s streams) *cobra.Command {
	return newCommand(s, &explainOptions{}, &cobra.Command{
		Use: "explain [MESSAGE|ENDPOINT|CONVERSATION]", GroupID: "look", Short: "Say what a message, an endpoint or a conversation is",
		Long: "Say what a message, an endpoint or a conversation is: its senders and when they send it, its receivers, its fields and answer, what a\n" +
			"duplicate does, Spark's class, the handler in the source, and an example from a recorded run. Without a name\n" +
			"it lists all. Names are Spark's, with or without their package, in letters of any case.",
		Example: strings.Join([]string{
			"  coherer explain",
			"  coherer explain RegisterWorker",
			"  coherer explain app.Heartbeat -o json",
			"  coherer explain CoarseGrainedScheduler",
			"  coherer explain executor-launch",
			"  coherer explain --deviations",
			"  coherer explain --all",
		}, "\n"),
		Args: arguments(0, 1),
	})
}

func (o *explainOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	f.BoolVar(&o.all, "all", false, "the whole protocol, as Markdown")
	f.BoolVarP(&o.write, "write", "w", false, "with --all: write "+protocol.File+" of the source tree that this is run in")
	f.BoolVar(&o.deviations, "deviations", false, "the table of differences from Spark")
}

func (o *explainOptions) run(_ context.Context, s streams, args []string) error {
	switch {
	case o.all && o.deviations || len(args) > 0 && (o.all || o.deviations):
		return usage(errors.New("a name, --all and --deviations exclude each other"))
	case o.write && (!o.all || o.asJSON):
		return usage(errors.New("-w goes with --all, as text"))
	}
	p, err := protocol.Load()
	if err != nil {
		return err
	}
	show := p.List
	switch {
	case o.write:
		return writeReference(p)
	case o.all:
		show = p.Markdown
	case o.deviations:
		p = &protocol.Protocol{Deviations: p.Deviations}
		show = p.Text
	case len(args) > 0:
		found, err := p.Find(args[0])
		if err != nil {
			return err
		}
		p, show = found, found.Text
	// Without a name, JSON is an index as the text is; --all has the rest.
	case o.asJSON:
		p = &protocol.Protocol{Endpoints: p.Endpoints, Conversations: p.Conversations}
	}
	if o.asJSON {
		return s.json(p)
	}
	return show(s.out)
}

// writeReference writes the reference into the source tree around the working directory.
func writeReference(p *protocol.Protocol) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	// Upwards, as git does: the command works in any folder of the tree.
	for {
		file := filepath.Join(dir, filepath.FromSlash(protocol.File))
		_, err := os.Stat(file)
		if err == nil {
			return writeFile(file, p.Markdown)
		}
		if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
			dir = parent
			continue
		}
		return fmt.Errorf("-w: there is no %s here or above: run it in Coherer's source tree, or redirect the output of --all", protocol.File)
	}
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
