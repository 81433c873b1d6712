package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

func showCommand() *cobra.Command {
	var c choice
	var out output
	var from, to, cause string
	cmd := &cobra.Command{
		Use: "show [RUN] [FILTER...]", Short: "List the messages of a run in order of time",
		Long: "List the messages of a run in order of time: seconds since the start, the ID, sender, receiver, message. -> is one-way, => an\n" +
			"ask, <= its answer, -x what was not delivered. --cause shows what led to a message, from the first cause to it.\n" + aboutFilters,
		Example: "  coherer trace show\n" +
			"  coherer trace show 'Worker->Master:*' --not '*->*:Heartbeat'\n" +
			"  coherer trace show '*->Exec/Executor:LaunchTask' --from 100ms --to 2s\n" +
			"  coherer trace show --cause Worker1.2\n" +
			"  coherer trace show '*->Driver/CoarseGrainedScheduler:*' -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := out.json()
			if err != nil {
				return usage(cmd, err)
			}
			// Before load, which checks that the names of filters are known: a chain of causes has no filters.
			if cmd.Flags().Changed("cause") {
				run, s, err := c.parse(cmd, args)
				if err == nil && (!s.IsZero() || from != "" || to != "") {
					err = usage(cmd, errors.New("--cause shows a chain of causes whole: leave out filters, --from and --to"))
				}
				if err != nil {
					return err
				}
				return showCause(run, cause, asJSON)
			}
			after, before, err := window(from, to)
			if err != nil {
				return usage(cmd, err)
			}
			t, s, err := c.load(cmd, args)
			if err != nil {
				return err
			}
			s.After, s.Before = after, before
			if asJSON {
				return of(t, s).WriteJSONL(os.Stdout)
			}
			return of(t, s).WriteText(os.Stdout)
		},
	}
	f := cmd.Flags()
	c.flags(f)
	out.flags(f)
	f.StringVar(&from, "from", "", "leave out what was before this `TIME` since the start: 1.5s, 200ms, or seconds as show prints them")
	f.StringVar(&to, "to", "", "leave out what was after this `TIME`")
	f.StringVar(&cause, "cause", "", "show the chain of causes that led to the message with this `ID`, in quotes")
	return cmd
}

// showCause writes the chain that led to a message.
func showCause(run, id string, asJSON bool) error {
	t, err := load(run)
	if err != nil {
		return err
	}
	chain, err := t.CausesOf(id)
	if err != nil {
		return err
	}
	if asJSON {
		t.Entries = chain.Entries
		return t.WriteJSONL(os.Stdout)
	}
	return chain.WriteText(os.Stdout)
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
