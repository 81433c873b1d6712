package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/rpcenv/trace/show"
)

type traceShowOptions struct {
	choice
	output
	from, to, cause string
	given           *pflag.FlagSet
}

func traceShowCommand(s streams) *cobra.Command {
	return newCommand(s, &traceShowOptions{}, &cobra.Command{
		Use: "show [RUN] [FILTER...]", Short: "List the messages of a run in order of time",
		Long: "List the messages of a run in order of time: seconds since the start, the ID, sender, receiver, message. -> is one-way, => an\n" +
			"ask, <= its answer, -x what was not delivered. --cause shows what led to a message, from the first cause to it.\n" + aboutFilters,
		Example: "  coherer trace show\n" +
			"  coherer trace show 'Worker->Master:*' --not '*->*:Heartbeat'\n" +
			"  coherer trace show '*->Exec/Executor:LaunchTask' --from 100ms --to 2s\n" +
			"  coherer trace show --cause Worker1.2\n" +
			"  coherer trace show '*->Driver/CoarseGrainedScheduler:*' -o json",
	})
}

func (o *traceShowOptions) flags(f *pflag.FlagSet) {
	o.given = f
	o.choice.flags(f)
	o.output.flags(f)
	f.StringVar(&o.from, "from", "", "leave out what was before this `TIME` since the start: 1.5s, 200ms, or seconds as show prints them")
	f.StringVar(&o.to, "to", "", "leave out what was after this `TIME`")
	f.StringVar(&o.cause, "cause", "", "show the chain of causes that led to the message with this `ID`, in quotes")
}

func (o *traceShowOptions) run(_ context.Context, s streams, args []string) error {
	// Before load, which checks that the names of filters are known: a chain of causes has no filters.
	if o.given.Changed("cause") {
		run, chosen, err := o.parse(args)
		if err == nil && (!chosen.IsZero() || o.from != "" || o.to != "") {
			err = usage(errors.New("--cause shows a chain of causes whole: leave out filters, --from and --to"))
		}
		if err != nil {
			return err
		}
		return o.showCause(s, run)
	}
	after, before, err := window(o.from, o.to)
	if err != nil {
		return usage(err)
	}
	t, chosen, err := o.load(s, args)
	if err != nil {
		return err
	}
	chosen.After, chosen.Before = after, before
	if t = of(s, t, chosen); o.asJSON {
		return t.WriteJSONL(s.out)
	}
	return show.WriteText(s.out, t)
}

// showCause writes the chain that led to a message.
func (o *traceShowOptions) showCause(s streams, run string) error {
	t, err := load(s, run)
	if err != nil {
		return err
	}
	chain, err := t.CausesOf(o.cause)
	if err != nil {
		return err
	}
	if o.asJSON {
		t.Entries = chain.Entries
		return t.WriteJSONL(s.out)
	}
	return show.WriteChain(s.out, chain)
}

// window reads --from and --to.
func window(from, to string) (after, before time.Duration, err error) {
	if after, err = moment("--from", from); err != nil {
		return 0, 0, err
	}
	if before, err = moment("--to", to); err != nil {
		return 0, 0, err
	}
	if to != "" && before <= after {
		return 0, 0, fmt.Errorf("--to %s: want a time behind %s", to, after)
	}
	return after, before, nil
}

// moment is a duration, or seconds.
func moment(flag, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	text := s
	// show prints bare seconds, which users paste here.
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s %q: want a time since the start, such as 1.5s or 200ms", flag, s)
	}
	return d, nil
}
