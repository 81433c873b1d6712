package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv/oneline"
)

type membersOptions struct {
	settings
	output
	members
}

func membersCommand(s streams) *cobra.Command {
	return newCommand(s, &membersOptions{}, &cobra.Command{
		Use: "members --join HOST:PORT", GroupID: "look", Short: "Show the members of a cluster, as gossip has them",
		Long: "Show which daemons and applications are members of a cluster: role, identity, addresses of RPC, pages and gossip, process,\n" +
			"whether it leads, since when it runs, what it has to do, and whether the others believe that it is alive; then the latest\n" +
			"that are gone. The states are alive; suspect: another member, which is named, has no answer from it; failed: it did not refute\n" +
			"that in time; left: it said goodbye. The answer is what one member believes, which for a second or so may differ from what is.\n" +
			"The ready line and the log of each daemon name its gossip address.",
		Example: "  coherer members --join 127.0.0.1:7946\n" +
			"  coherer members --join 127.0.0.1:7946 -o json | jq -r '.[] | select(.state == \"alive\") | .rpc'",
		Args: arguments(0, 0),
	})
}

func (o *membersOptions) flags(f *pflag.FlagSet) {
	o.settings.flags(f)
	o.output.flags(f)
	o.members.flags(f)
}

func (o *membersOptions) run(ctx context.Context, s streams, _ []string) error {
	_, c, err := o.check()
	if err != nil {
		return usage(err)
	}
	if o.join == "" {
		return usage(errors.New("--join is missing: want HOST:PORT of the gossip of a member"))
	}
	all, err := o.standings(ctx, c)
	if err != nil {
		return fmt.Errorf("--join: %w", err)
	}
	if o.asJSON {
		shown := make([]memberJSON, len(all))
		for i, m := range all {
			shown[i] = memberJSON{
				m.Name, m.Role, m.ID, m.RPC.String(), m.UI, m.Gossip.String(), m.PID, leads(m), began(m.Info), m.Load, m.State.String(), m.At.UTC(), m.By,
			}
		}
		return s.json(shown)
	}
	return printMembers(s.out, all)
}

// memberJSON is a member for programs. StateSince is missing while it is alive; SuspectedBy has the names of members.
type memberJSON struct {
	Name        string    `json:"name"`
	Role        string    `json:"role"`
	ID          string    `json:"id,omitempty"`
	RPC         string    `json:"rpc"`
	UI          string    `json:"ui,omitempty"`
	Gossip      string    `json:"gossip"`
	PID         int       `json:"pid"`
	Leads       bool      `json:"leads,omitempty"`
	Since       time.Time `json:"since,omitzero"`
	Load        string    `json:"load,omitempty"`
	State       string    `json:"state"`
	StateSince  time.Time `json:"stateSince,omitzero"`
	SuspectedBy []string  `json:"suspectedBy,omitempty"`
}

// leads reports whether a member leads: of one that is gone, that it led is no matter.
func leads(m gossip.Standing) bool {
	return m.Leads && (m.State == gossip.Alive || m.State == gossip.Suspect)
}

// began is when a member began; zero: it does not say.
func began(m gossip.Info) time.Time {
	if m.Since == 0 {
		return time.Time{}
	}
	return time.Unix(m.Since, 0).UTC()
}

// printMembers prints for people.
func printMembers(w io.Writer, all []gossip.Standing) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	oneline.Fprintf(t, "ROLE\tID\tRPC\tLEADS\tPAGES\tGOSSIP\tPID\tSINCE\tLOAD\tSTATE\n") // Flush returns the error of a failed write
	for _, m := range all {
		first, since := "", ""
		if leads(m) {
			first = "yes"
		}
		if at := began(m.Info); !at.IsZero() {
			since = at.Local().Format(time.DateTime)
		}
		oneline.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", m.Role, cmp.Or(m.ID, "-"), m.RPC, first, cmp.Or(m.UI, "-"), m.Gossip, m.PID, since,
			cmp.Or(m.Load, "-"), m.Story(all))
	}
	return t.Flush()
}
