package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/trace"
)

// aboutFilters is the part on RUN and FILTER in the help of the verbs.
const aboutFilters = `RUN is the name or the path of a run directory, or a file: a trace.jsonl or one process's record file; the last run
when it is left out. A FILTER is FROM->TO:MESSAGE, in quotes, since > means something to a shell. FROM and TO are a
peer (Worker1), a role (Worker) or PEER/ENDPOINT; * stands for anything. Of several filters one must match; --not takes
messages out. An answer goes with its question.`

func traceCommand(s streams) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "trace", GroupID: "look", Short: "Look at the messages of a run",
		Example: "  coherer trace show 'Worker->Master:*' --not '*->*:Heartbeat'\n" +
			"  coherer trace stats\n  coherer trace export --format svg -o run.svg",
	}, traceShowCommand(s), traceFollowCommand(s), traceStatsCommand(s), traceDiffCommand(s), traceExportCommand(s))
}

// choice is what the arguments [RUN] [FILTER...] and the flags choose of a trace.
type choice struct {
	not []string
}

func (c *choice) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&c.not, "not", nil, "a `FILTER` of messages to leave out; may be given several times")
}

// parse divides the arguments into a run, empty for the last one, and filters.
func (c *choice) parse(args []string) (run string, s trace.Selection, err error) {
	var filters []string
	for i, arg := range args {
		switch {
		// Only the first can be a run. What follows without an arrow is a filter too, for ParseSelection to refuse.
		case strings.Contains(arg, "->") || i > 0:
			filters = append(filters, arg)
		default:
			run = arg
		}
	}
	s, err = trace.ParseSelection(filters, c.not)
	return run, s, usage(err)
}

// load reads the trace that the arguments name. The names in the filters must be known.
func (c *choice) load(to streams, args []string) (*trace.Trace, trace.Selection, error) {
	run, s, err := c.parse(args)
	if err != nil {
		return nil, s, err
	}
	t, err := load(to, run)
	if err != nil {
		return nil, s, err
	}
	return t, s, usage(trace.VocabularyOf(t).Check(s))
}

// load reads a trace, and notes on stderr what of it is torn or damaged.
func load(s streams, run string) (*trace.Trace, error) {
	t, notes, err := runner.Load(run)
	for _, n := range notes {
		s.note(n)
	}
	return t, err
}

// of is what s takes of t. It notes on stderr when that is nothing.
func of(s streams, t *trace.Trace, chosenBy trace.Selection) *trace.Trace {
	chosen := chosenBy.Of(t)
	if n := t.Messages(); n > 0 && chosen.Messages() == 0 {
		s.note(fmt.Errorf("none of the %d messages fits", n))
	}
	return chosen
}
