package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/coherer/coherer/cluster/status"
	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/rpcenv"
)

type statusOptions struct {
	output
	ofCluster
	members
	interval
	watch bool
}

func statusCommand(s streams) *cobra.Command {
	return newCommand(s, &statusOptions{}, &cobra.Command{
		Use: "status", GroupID: "look", Short: "Show on one screen how a cluster fares",
		Long: "Show the Masters, what is used of the Workers, what runs, what waits and what blocks it, and what failed last and why.\n\n" +
			"Of a cluster of YARN it shows the nodes, queues and applications: that of --master yarn://HOST:PORT, its ResourceManager, or\n" +
			"of the run that goes on.\n\n" +
			"The Masters are those that --master names, or those that a member of the cluster knows (--join), or those of the run that\n" +
			"goes on. A Master that does not answer is named; when none does the exit code is 1.",
		Example: "  coherer status --master spark://127.0.0.1:7077\n  coherer status --join 127.0.0.1:7946 --watch\n" +
			"  coherer status -o json | jq '.masters[0].state.failures'",
		Args: arguments(0, 0),
	})
}

func (o *statusOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	o.ofCluster.flags(f)
	o.members.flags(f)
	o.interval.flags(f)
	f.BoolVar(&o.watch, "watch", false, "show it again and again, until Ctrl-C")
}

func (o *statusOptions) run(ctx context.Context, s streams, _ []string) error {
	if err := o.check(); err != nil {
		return usage(err)
	}
	if err := o.find(ctx, mastersFirst); err != nil {
		return err
	}
	if o.join == "" {
		rm, found, err := o.resourceManager()
		if err != nil {
			return err
		}
		if found {
			return o.show(ctx, s, yarnScreen(rm))
		}
	}
	masters, err := o.masters(ctx)
	if err != nil {
		return err
	}
	return o.show(ctx, s, masterScreen(masters))
}

// masters are those to ask.
func (o *statusOptions) masters(ctx context.Context) ([]rpcenv.Address, error) {
	_, c, err := o.settings.check()
	switch {
	case err != nil:
		return nil, usage(err)
	case o.master != "" && o.join != "":
		return nil, usage(errors.New("want --master or --join, not both"))
	case o.join == "":
		return o.ofCluster.masters()
	}
	return o.members.masters(ctx, c)
}

// screen is what status shows: a text, and the same for programs.
type screen struct {
	text string
	json any
}

// show asks and prints, once or again and again.
func (o *statusOptions) show(ctx context.Context, s streams, take func(context.Context, *rpcenv.Env) (screen, error)) error {
	own, err := client("Status")
	if err != nil {
		return err
	}
	defer own.Close()
	for {
		now, err := take(ctx, own.Env)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !o.watch: // --watch shows the error and asks again
			return err
		}
		if err := o.print(s, now); err != nil || !o.watch {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Duration(o.interval)):
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

func (o *statusOptions) print(s streams, now screen) error {
	if o.asJSON {
		if o.watch { // one line each
			return json.NewEncoder(s.out).Encode(now.json)
		}
		return s.json(now.json)
	}
	text := now.text
	if o.watch {
		text += "\n"
		if _, columns, terminal := s.window(); terminal {
			text = top.Redraw(text, columns)
		}
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}
