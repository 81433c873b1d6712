package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// askYARN asks a ResourceManager about the application or container id.
func askYARN[Q rpcenv.Asks[R], R rpcenv.Message](ctx context.Context, o ofYARN, id string, q Q) (none R, err error) {
	at, err := o.resourceManager(ctx)
	if err != nil {
		return none, fmt.Errorf("%s is of YARN: %w", id, err)
	}
	return askResourceManager(ctx, "Why", at, ids.ClientRMService, q)
}

// resourceManager is where the ResourceManager of --master listens, which is HOST:PORT, yarn://HOST:PORT or gossip://HOST:PORT; without
// --master, that of the run that goes on.
func (o ofYARN) resourceManager(ctx context.Context) (at rpcenv.Address, err error) {
	if o.master != "" {
		if err := o.find(ctx, onYARN); err != nil {
			return at, err
		}
		if at, err = rpcenv.ParseYARNURL(o.master); err != nil {
			err = fmt.Errorf("--master: %w", err)
		}
		return at, err
	}
	w, err := findWatched(nil)
	if err == nil && w.rm.IsZero() {
		err = errors.New("the run that goes on is not on YARN")
	}
	if err != nil {
		err = fmt.Errorf("name its ResourceManager with --master yarn://HOST:PORT: %w", err)
	}
	return w.rm, err
}

// askResourceManager asks an endpoint of a ResourceManager, as a client of that name.
func askResourceManager[Q rpcenv.Asks[R], R rpcenv.Message](ctx context.Context, name string, at rpcenv.Address, endpoint string, q Q) (none R, err error) {
	own, err := client(name)
	if err != nil {
		return none, err
	}
	defer own.Close()
	b := own.Env.Blocking(ctx)
	defer b.Close()
	r, err := rpcenv.AskWait(b, own.Env.Ref(at, endpoint), q, rpcenv.Timeout("the patience of a command", whyWait))
	if err != nil {
		return none, fmt.Errorf("ask the ResourceManager at %s: %w", at, err)
	}
	return r, nil
}

// whyYARNText is the answer for people.
func whyYARNText(id ids.Application, r *yarn.ApplicationRefusals) string {
	var b strings.Builder
	oneline.Fprintf(&b, "%s (%s) is %s", id, r.GetName(), r.GetState())
	if r.GetAttemptState() != "" {
		oneline.Fprintf(&b, ", its attempt %s", r.GetAttemptState())
	}
	oneline.Fprintf(&b, "; queue %s; it has %d MiB, %d virtual cores\n", r.GetQueue(), r.GetUsed().GetMemory(), r.GetUsed().GetVirtualCores())
	switch {
	case len(r.GetRefusals()) > 0:
	case slices.Contains([]string{"FINISHED", "FAILED", "KILLED"}, r.GetState()):
		oneline.Fprintf(&b, "\nIt has ended: coherer submit --master yarn://HOST:PORT --status %s says how.\n", id)
	default:
		b.WriteString("\nNothing holds it back.\n")
	}
	for _, x := range r.GetRefusals() {
		oneline.Fprintf(&b, "\n%s", x.GetFilter())
		if x.GetNodes() > 0 {
			oneline.Fprintf(&b, ", %d nodes", x.GetNodes())
		}
		oneline.Fprintf(&b, ": %s\n", x.GetReason())
		if x.GetHelp() != "" {
			oneline.Fprintf(&b, "  would help: %s\n", x.GetHelp())
		}
	}
	return b.String()
}

// whyYARNJSON is the answer as JSON.
type whyYARNJSON struct {
	App          string         `json:"app"`
	Name         string         `json:"name"`
	State        string         `json:"state"`
	AttemptState string         `json:"attemptState,omitempty"`
	Queue        string         `json:"queue"`
	MemoryMB     int64          `json:"memoryMb"`
	VCores       int32          `json:"vcores"`
	Reasons      []reasonOfYARN `json:"reasons"`
}

type reasonOfYARN struct {
	Priority int32  `json:"priority"`
	Nodes    int32  `json:"nodes,omitempty"`
	Filter   string `json:"filter"`
	Reason   string `json:"reason"`
	Help     string `json:"help,omitempty"`
}

func newWhyYARNJSON(id ids.Application, r *yarn.ApplicationRefusals) whyYARNJSON {
	out := whyYARNJSON{
		App: id.String(), Name: r.GetName(), State: r.GetState(), AttemptState: r.GetAttemptState(), Queue: r.GetQueue(),
		MemoryMB: r.GetUsed().GetMemory(), VCores: r.GetUsed().GetVirtualCores(), Reasons: []reasonOfYARN{},
	}
	for _, x := range r.GetRefusals() {
		out.Reasons = append(out.Reasons, reasonOfYARN{x.GetPriority(), x.GetNodes(), x.GetFilter(), x.GetReason(), x.GetHelp()})
	}
	return out
}
