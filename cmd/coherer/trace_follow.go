package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/joined"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

type traceFollowOptions struct {
	settings
	choice
	output
}

func traceFollowCommand(s streams) *cobra.Command {
	return newCommand(s, &traceFollowOptions{}, &cobra.Command{
		Use: "follow [RUN|spark://HOST:PORT|yarn://HOST:PORT|gossip://HOST:PORT] [FILTER...]", Short: "List the messages of a run while it goes on",
		Long: "List the messages of a run while it goes on, in the form of show, a quarter of a second after the fact. It ends with the run\n" +
			"or with Ctrl-C; of a run that has ended it shows all messages. spark://HOST:PORT, or several with commas, asks the processes\n" +
			"themselves, of any cluster, as yarn://HOST:PORT asks a ResourceManager and gossip://HOST:PORT any member's Masters: what each has sent and handled, without fields; ? is a sender that was not asked, so name Workers and drivers\n" +
			"as well to see what they send. It warns of a name that the protocol does not have, and waits for it.\n" + aboutFilters,
		Example: "  coherer trace follow\n  coherer trace follow 'Exec->Driver:StatusUpdate' 'Driver->Exec:LaunchTask'\n  coherer trace follow --not '*->*:Heartbeat' -o json",
	})
}

func (o *traceFollowOptions) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	o.choice.flags(f)
	o.output.flags(f)
}

func (o *traceFollowOptions) run(ctx context.Context, s streams, args []string) error {
	run, chosen, err := o.parse(args)
	if err != nil {
		return err
	}
	var processes []rpcenv.Address
	dir := ""
	if isProcessURL(run) {
		processes, err = o.processesAt(ctx, run)
	} else if dir, err = runner.Find(run); err != nil {
		err = orProcess(err, run)
	}
	if err != nil {
		return err
	}
	// A note, not an error as in show: a message of a name that is unknown so far may still come.
	for _, err := range joined.Errors(trace.VocabularyOf(&trace.Trace{}).Check(chosen)) {
		s.note(err)
	}
	ticks := time.NewTicker(runner.FollowTick)
	defer ticks.Stop()
	if processes != nil {
		return runner.FollowProcesses(ctx, processes, ticks.C, o.writer(s.out, chosen), s.note)
	}
	return runner.Follow(ctx, dir, ticks.C, o.writer(s.out, chosen), s.note)
}

// writer writes what is chosen of one piece of a trace after the other.
func (o *traceFollowOptions) writer(w io.Writer, chosen trace.Selection) func(*trace.Trace) error {
	begun := false
	return func(t *trace.Trace) error {
		t = chosen.Of(t)
		switch {
		case !o.asJSON:
			return show.WriteText(w, t)
		// WriteJSONL begins with the line about the trace, which stands once.
		case len(t.Entries) > 0 && !begun:
			begun = true
			return t.WriteJSONL(w)
		}
		return t.WriteEntries(w)
	}
}
