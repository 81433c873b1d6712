package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/coherer/coherer/cluster/status"
	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// statusFlags are those of status.
type statusFlags struct {
	settings
	out          output
	master, join string
	watch        bool
	interval     time.Duration
}

func statusCommand() *cobra.Command {
	var f statusFlags
	cmd := &cobra.Command{
		Use: "status", GroupID: "look", Short: "Show on one screen how a cluster fares",
		Long: "Show the Masters, what is used of the Workers, what runs, what waits and what blocks it, and what failed last and why.\n\n" +
			"The Masters are those that --master names, or those that a member of the cluster knows (--join), or those of the run that\n" +
			"goes on. A Master that does not answer is named; when none does the exit code is 1.",
		Example: "  coherer status --master spark://127.0.0.1:7077\n  coherer status --join 127.0.0.1:7946 --watch\n" +
			"  coherer status -o json | jq '.masters[0].state.failures'",
		Args: usages(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := f.out.json()
			if err != nil {
				return usage(cmd, err)
			}
			if f.interval < 100*time.Millisecond {
				return usage(cmd, fmt.Errorf("--interval %v: want 100ms at least", f.interval))
			}
			masters, err := f.masters(cmd)
			if err != nil {
				return err
			}
			return showStatus(cmd.Context(), masters, f, asJSON)
		},
	}
	f.flags(cmd.Flags())
	cmd.Flags().StringVar(&f.master, "master", "", "`spark://HOST:PORT[,HOST:PORT...]` of the Masters")
	cmd.Flags().StringVar(&f.join, "join", "", "`HOST:PORT[,HOST:PORT...]` of the gossip of members of the cluster")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "show it again and again, until Ctrl-C")
	cmd.Flags().DurationVar(&f.interval, "interval", time.Second, "time between two looks of --watch")
	f.out.flags(cmd.Flags())
	return cmd
}

// masters are those to ask.
func (f *statusFlags) masters(cmd *cobra.Command) ([]rpcenv.Address, error) {
	switch {
	case f.master != "" && f.join != "":
		return nil, usage(cmd, errors.New("want --master or --join, not both"))
	case f.join != "":
		all, err := f.read()
		if err != nil {
			return nil, usage(cmd, err)
		}
		c, err := all.Conf()
		if err != nil {
			return nil, usage(cmd, err)
		}
		return mastersOfMembers(cmd.Context(), strings.Split(f.join, ","), c)
	}
	return findMasters(cmd, f.master)
}

func showStatus(ctx context.Context, masters []rpcenv.Address, f statusFlags, asJSON bool) error {
	host := transport.New(transport.Options{ConnectTimeout: 2 * time.Second})
	defer host.Close()
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Status"})
	if err != nil {
		return err
	}
	defer env.Close()
	for {
		all, err := status.Take(ctx, env, masters)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !f.watch: // who watches waits for it to come back
			return fmt.Errorf("%w: is it running? Start a Master with coherer master", err)
		}
		if err := printStatus(all, asJSON, f.watch); err != nil || !f.watch {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(f.interval):
		}
	}
}

// statusJSON is the screen for programs.
type statusJSON struct {
	Time    time.Time          `json:"time"`
	Masters []masterStatusJSON `json:"masters"`
}

// masterStatusJSON is a Master: what it told, as the JSON form of deploy.MasterStateResponse, or why it did not answer.
type masterStatusJSON struct {
	URL   string          `json:"url"`
	State json.RawMessage `json:"state,omitempty"`
	Error string          `json:"error,omitempty"`
}

func printStatus(all []status.Master, asJSON, watch bool) error {
	if asJSON {
		p := statusJSON{Time: time.Now()}
		for _, m := range all {
			j := masterStatusJSON{URL: m.Address.SparkURL()}
			if m.State == nil {
				j.Error = m.Err.Error()
			} else {
				text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(m.State)
				if err != nil {
					return err
				}
				j.State = text
			}
			p.Masters = append(p.Masters, j)
		}
		if watch { // one line each
			return json.NewEncoder(os.Stdout).Encode(p)
		}
		return writeJSON(p)
	}
	text := status.Text(all)
	if watch {
		text += "\n"
		if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil { // a terminal
			text = top.Redraw(text, int(size.Col))
		}
	}
	_, err := fmt.Fprint(os.Stdout, text)
	return err
}
