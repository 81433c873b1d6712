package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/coherer/coherer/cluster/status"
	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/rpcenv"
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
			"Of a cluster of YARN it shows the nodes, queues and applications: that of --master yarn://HOST:PORT, its ResourceManager, or\n" +
			"of the run that goes on.\n\n" +
			"The Masters are those that --master names, or those that a member of the cluster knows (--join), or those of the run that\n" +
			"goes on. A Master that does not answer is named; when none does the exit code is 1.",
		Example: "  coherer status --master spark://127.0.0.1:7077\n  coherer status --join 127.0.0.1:7946 --watch\n" +
			"  coherer status -o json | jq '.masters[0].state.failures'",
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := f.out.json()
			if err != nil {
				return usage(cmd, err)
			}
			if f.interval < 100*time.Millisecond {
				return usage(cmd, fmt.Errorf("--interval %v: want 100ms at least", f.interval))
			}
			if f.join == "" {
				rm, found, err := findResourceManager(cmd, f.master)
				if err != nil {
					return err
				}
				if found {
					return showStatus(cmd.Context(), f, asJSON, yarnScreen(rm))
				}
			}
			masters, err := f.masters(cmd)
			if err != nil {
				return err
			}
			return showStatus(cmd.Context(), f, asJSON, masterScreen(masters))
		},
	}
	f.flags(cmd.Flags())
	cmd.Flags().StringVar(&f.master, "master", "", "`spark://HOST:PORT[,HOST:PORT...]` of the Masters, or yarn://HOST:PORT of a ResourceManager")
	cmd.Flags().StringVar(&f.join, "join", "", "`HOST:PORT[,HOST:PORT...]` of the gossip of members of the cluster")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "show it again and again, until Ctrl-C")
	cmd.Flags().DurationVar(&f.interval, "interval", time.Second, "time between two looks of --watch")
	f.out.flags(cmd.Flags())
	return cmd
}

// masters are those to ask.
func (f *statusFlags) masters(cmd *cobra.Command) ([]rpcenv.Address, error) {
	all, err := f.read()
	if err != nil {
		return nil, usage(cmd, err)
	}
	c, err := all.Conf()
	switch {
	case err != nil:
		return nil, usage(cmd, err)
	case f.master != "" && f.join != "":
		return nil, usage(cmd, errors.New("want --master or --join, not both"))
	case f.join == "":
		return findMasters(cmd, f.master)
	}
	names, err := addresses("--join", f.join)
	if err != nil {
		return nil, usage(cmd, err)
	}
	return mastersOfMembers(cmd.Context(), names, c)
}

// screen is what status shows: a text, and the same for programs.
type screen struct {
	text string
	json any
}

func showStatus(ctx context.Context, f statusFlags, asJSON bool, take func(context.Context, *rpcenv.Env) (screen, error)) error {
	env, end, err := client("Status")
	if err != nil {
		return err
	}
	defer end()
	for {
		s, err := take(ctx, env)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !f.watch: // --watch shows the error and asks again
			return err
		}
		if err := s.print(asJSON, f.watch); err != nil || !f.watch {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(f.interval):
		}
	}
}

// masterScreen is that of a standalone cluster.
func masterScreen(masters []rpcenv.Address) func(context.Context, *rpcenv.Env) (screen, error) {
	return func(ctx context.Context, env *rpcenv.Env) (screen, error) {
		all, err := status.Take(ctx, env, masters)
		other := slices.ContainsFunc(all, func(m status.Master) bool { return errors.Is(m.Err, status.ErrResourceManager) })
		// The hint would mislead a user whose address is that of a ResourceManager: that process runs.
		if err != nil && !other {
			err = fmt.Errorf("%w: is it running? Start a Master with coherer master", err)
		}
		asJSON, bad := newStatusJSON(all)
		return screen{status.Text(all), asJSON}, errors.Join(err, bad)
	}
}

// yarnScreen is that of a cluster of YARN.
func yarnScreen(at rpcenv.Address) func(context.Context, *rpcenv.Env) (screen, error) {
	return func(ctx context.Context, env *rpcenv.Env) (screen, error) {
		asJSON := yarnStatusJSON{Time: time.Now(), ResourceManager: at.String()}
		s, err := status.TakeYARN(ctx, env, at)
		if err != nil {
			// A screen as well: --watch shows it until the ResourceManager is back.
			asJSON.Error = err.Error()
			return screen{asJSON.Error + "\n", asJSON}, fmt.Errorf("%w: is it running? Start one with coherer resourcemanager", err)
		}
		asJSON.State, err = protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(s)
		return screen{status.YARNText(at, s), asJSON}, err
	}
}

// yarnStatusJSON is the screen of a cluster of YARN for programs: the state is the JSON form of yarn.ResourceManagerStateResponse.
type yarnStatusJSON struct {
	Time            time.Time       `json:"time"`
	ResourceManager string          `json:"resourceManager"`
	State           json.RawMessage `json:"state,omitempty"`
	Error           string          `json:"error,omitempty"`
}

// statusJSON is the screen for programs.
type statusJSON struct {
	Time    time.Time          `json:"time"`
	Masters []masterStatusJSON `json:"masters"`
}

// masterStatusJSON is a Master: its state, as the JSON form of deploy.MasterStateResponse, or why it did not answer.
type masterStatusJSON struct {
	URL   string          `json:"url"`
	State json.RawMessage `json:"state,omitempty"`
	Error string          `json:"error,omitempty"`
}

func newStatusJSON(all []status.Master) (statusJSON, error) {
	p := statusJSON{Time: time.Now()}
	for _, m := range all {
		j := masterStatusJSON{URL: m.Address.SparkURL()}
		if m.State == nil {
			j.Error = m.Err.Error()
		} else {
			text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(m.State)
			if err != nil {
				return p, err
			}
			j.State = text
		}
		p.Masters = append(p.Masters, j)
	}
	return p, nil
}

func (s screen) print(asJSON, watch bool) error {
	if asJSON {
		if watch { // one line each
			return json.NewEncoder(os.Stdout).Encode(s.json)
		}
		return writeJSON(s.json)
	}
	text := s.text
	if watch {
		text += "\n"
		if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil { // a terminal
			text = top.Redraw(text, int(size.Col))
		}
	}
	_, err := fmt.Fprint(os.Stdout, text)
	return err
}
