package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/joined"
	"github.com/coherer/coherer/rpcenv/trace"
)

func followCommand() *cobra.Command {
	var c choice
	var out output
	cmd := &cobra.Command{
		Use: "follow [RUN|spark://HOST:PORT|yarn://HOST:PORT] [FILTER...]", Short: "List the messages of a run while it goes on",
		Long: "List the messages of a run while it goes on, in the form of show, a quarter of a second after the fact. It ends with the run\n" +
			"or with Ctrl-C; of a run that has ended it shows all messages. spark://HOST:PORT, or several with commas, asks the processes\n" +
			"themselves, of any cluster: what each has sent and handled, without fields; ? is a sender that was not asked, so name Workers and drivers\n" +
			"as well to see what they send. It warns of a name that the protocol does not have, and waits for it.\n" + aboutFilters,
		Example: "  coherer trace follow\n  coherer trace follow 'Exec->Driver:StatusUpdate' 'Driver->Exec:LaunchTask'\n  coherer trace follow --not '*->*:Heartbeat' -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			run, s, err := c.parse(cmd, args)
			if err != nil {
				return err
			}
			follow, err := follower(run)
			if err != nil {
				return err
			}
			// A note, not an error as in show: a message of a name that is unknown so far may still come.
			for _, err := range joined.Errors(trace.VocabularyOf(&trace.Trace{}).Check(s)) {
				note(err)
			}
			ticks := time.NewTicker(runner.FollowTick)
			defer ticks.Stop()
			return follow(cmd.Context(), ticks.C, writer(s, asJSON), note)
		},
	}
	c.flags(cmd.Flags())
	out.flags(cmd.Flags())
	return cmd
}

// follower follows what run names: a run, or the processes at addresses.
func follower(run string) (func(context.Context, <-chan time.Time, func(*trace.Trace) error, func(error)) error, error) {
	if rpcenv.IsProcessURL(run) {
		addresses, err := rpcenv.ParseProcessURL(run)
		return func(ctx context.Context, ticks <-chan time.Time, emit func(*trace.Trace) error, note func(error)) error {
			return runner.FollowProcesses(ctx, addresses, ticks, emit, note)
		}, err
	}
	dir, err := runner.Find(run)
	if err != nil {
		err = orProcess(err, run)
	}
	return func(ctx context.Context, ticks <-chan time.Time, emit func(*trace.Trace) error, note func(error)) error {
		return runner.Follow(ctx, dir, ticks, emit, note)
	}, err
}

// note prints a problem that does not stop a command.
func note(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "note:", err)
	}
}

// writer writes what s takes of one piece of a trace after the other.
func writer(s trace.Selection, asJSON bool) func(*trace.Trace) error {
	begun := false
	return func(t *trace.Trace) error {
		t = s.Of(t)
		switch {
		case !asJSON:
			return t.WriteText(os.Stdout)
		// WriteJSONL begins with the line about the trace, which stands once.
		case len(t.Entries) > 0 && !begun:
			begun = true
			return t.WriteJSONL(os.Stdout)
		}
		return t.WriteEntries(os.Stdout)
	}
}
