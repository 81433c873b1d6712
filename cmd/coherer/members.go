package main

import (
	"context"
	"errors"
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
		Long: "Show which daemons are members of a cluster: role, addresses of RPC, pages and gossip, process, whether it leads, and since when\n" +
			"it runs. The answer is what one member believes, which for a second or so may differ from what is: a daemon that was killed\n" +
			"is missing only after it did not answer for a while. The ready line and the log of each daemon name its gossip address.",
		Example: "  coherer members --join 127.0.0.1:7946\n  coherer members --join 127.0.0.1:7946 -o json | jq -r '.[].rpc'",
		Args:    arguments(0, 0),
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
	all, err := o.look(ctx, c)
	if err != nil {
		return err
	}
	if o.asJSON {
		shown := make([]memberJSON, len(all))
		for i, m := range all {
			shown[i] = memberJSON{m.Role, m.RPC.String(), m.UI, m.Gossip.String(), m.PID, m.Leads, began(m)}
		}
		return s.json(shown)
	}
	return printMembers(s.out, all)
}

// memberJSON is a member for programs.
type memberJSON struct {
	Role   string    `json:"role"`
	RPC    string    `json:"rpc"`
	UI     string    `json:"ui,omitempty"`
	Gossip string    `json:"gossip"`
	PID    int       `json:"pid"`
	Leads  bool      `json:"leads,omitempty"`
	Since  time.Time `json:"since,omitzero"`
}

// began is when a member began; zero: it does not say.
func began(m gossip.Info) time.Time {
	if m.Since == 0 {
		return time.Time{}
	}
	return time.Unix(m.Since, 0).UTC()
}

// printMembers prints for people.
func printMembers(w io.Writer, all []gossip.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	oneline.Fprintf(t, "ROLE\tRPC\tLEADS\tPAGES\tGOSSIP\tPID\tSINCE\n") // Flush returns the error of a failed write
	for _, m := range all {
		leads, ui, since := "", m.UI, ""
		if m.Leads {
			leads = "yes"
		}
		if ui == "" {
			ui = "-"
		}
		if at := began(m); !at.IsZero() {
			since = at.Local().Format(time.DateTime)
		}
		oneline.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", m.Role, m.RPC, leads, ui, m.Gossip, m.PID, since)
	}
	return t.Flush()
}
