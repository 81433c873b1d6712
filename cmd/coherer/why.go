package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// whyWait is how long one Master may take to answer.
const whyWait = 5 * time.Second

func whyCommand(s streams) *cobra.Command {
	return newGroup(&cobra.Command{
		Use: "why", GroupID: "look", Short: "Explain why an application, a stage or a task waits, or where a container stands",
	}, whyAppCommand(s), whyStageCommand(s), whyTaskCommand(s), whyContainerCommand(s))
}

type whyAppOptions struct {
	output
	ofCluster
}

func whyAppCommand(s streams) *cobra.Command {
	return newCommand(s, &whyAppOptions{}, &cobra.Command{
		Use: "app ID", Short: "Explain why an application has no more executors than it has",
		Long: "Explain why an application has no more executors than it has: what holds it back, with the numbers, then worker by worker the\n" +
			"first condition that it fails, and what would help. The Master answers by the very filters that it schedules with. Then, in\n" +
			"the text for people, its driver says what its tasks wait for, stage by stage, as coherer why stage does.\n\n" +
			"The Master is that of the run that goes on, or the one that --master names; of several the one that leads. Of an application\n" +
			"on YARN the ResourceManager answers, by the filters that offers of nodes meet: that of the run, or the one of --master.",
		Example: "  coherer why app app-20261128120000-0000\n  coherer why app app-20261128120000-0000 --master spark://127.0.0.1:7077 -o json\n" +
			"  coherer why app application_1767225600000_0001 --master yarn://127.0.0.1:8032",
		Args: arguments(1, 1),
	})
}

func (o *whyAppOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	o.ofCluster.flags(f)
}

func (o *whyAppOptions) run(ctx context.Context, s streams, args []string) error {
	// The form of the id decides which daemon to ask: only YARN's ids parse.
	id, err := ids.ParseApplication(args[0])
	if err == nil {
		return o.onYARN(ctx, s, id)
	}
	if err := o.find(ctx, mastersFirst); err != nil {
		return err
	}
	if strings.HasPrefix(o.master, "yarn") {
		return usage(fmt.Errorf("%q is no application of YARN: want an id such as application_1767225600000_0001", args[0]))
	}
	masters, err := o.masters()
	if err != nil {
		return err
	}
	r, err := askWhy(ctx, masters, args[0])
	switch {
	case err != nil:
		return err
	case !r.GetFound():
		return unknownApplication(r)
	case o.asJSON:
		return s.json(newWhyJSON(r))
	}
	if _, err := fmt.Fprint(s.out, whyText(r)); err != nil {
		return err
	}
	return whyItsTasks(ctx, s, masters, args[0])
}

// whyItsTasks adds what the driver of an application says of its tasks. A driver that is gone or silent adds nothing: the Master
// has answered.
func whyItsTasks(ctx context.Context, s streams, roots []rpcenv.Address, id string) error {
	w, err := askDrivers(ctx, roots, &app.RequestWaits{}, id)
	if err != nil || len(w.GetSets()) == 0 {
		return nil //nolint:nilerror // the application may have ended
	}
	_, err = fmt.Fprint(s.out, "\nIts driver, of "+waitsText(w))
	return err
}

func (o *whyAppOptions) onYARN(ctx context.Context, s streams, id ids.Application) error {
	r, err := askYARN(ctx, ofYARN{o.ofCluster}, id.String(), &yarn.RequestApplicationRefusals{ApplicationId: id.Proto()})
	switch {
	case err != nil:
		return err
	case o.asJSON:
		return s.json(newWhyYARNJSON(id, r))
	}
	if _, err := fmt.Fprint(s.out, whyYARNText(id, r)); err != nil {
		return err
	}
	at, found, err := o.resourceManager()
	if err != nil || !found {
		return err
	}
	return whyItsTasks(ctx, s, []rpcenv.Address{at}, id.String())
}

// askWhy asks the Masters in turn until one knows the application or leads.
func askWhy(ctx context.Context, masters []rpcenv.Address, id string) (*deploy.Refusals, error) {
	own, err := client("Why")
	if err != nil {
		return nil, err
	}
	defer own.Close()
	var last *deploy.Refusals
	var errs []error
	for _, at := range masters {
		b := own.Env.Blocking(ctx)
		r, err := rpcenv.AskWait(b, own.Env.Ref(at, master.Name), &deploy.RequestRefusals{AppId: id}, rpcenv.Timeout("the wait of why", whyWait))
		b.Close()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("ask the Master at %s: %w: is it running?", at, err))
		// Not found counts only from the leader: a Master that does not lead need not know any application.
		case r.GetFound() || r.GetMasterState() == master.RecoveryAlive.String():
			return r, nil
		default:
			last = r
		}
	}
	// An answer of a Master without the lead says more than the errors of those that do not answer.
	if last != nil {
		return last, nil
	}
	return nil, errors.Join(errs...)
}

func unknownApplication(r *deploy.Refusals) error {
	const again = "if it was submitted before this Master was started, the Master had no records then (spark.deploy.recoveryMode): submit it again"
	if len(r.GetNearIds()) == 0 {
		return fmt.Errorf("the Master, which is %s, knows no application %s, and no other one: %s", r.GetMasterState(), r.GetAppId(), again)
	}
	return fmt.Errorf("the Master knows no application %s: did you mean %s? Else, %s", r.GetAppId(), strings.Join(r.GetNearIds(), " or "), again)
}

// whyText is the answer for people.
func whyText(r *deploy.Refusals) string {
	var b strings.Builder
	if x := r.GetApplication(); len(x) > 0 && x[0].GetFilter() == "ended" { // its demand no longer matters
		oneline.Fprintf(&b, "%s (%s) has ended.\n", r.GetAppId(), r.GetName())
		reasons(&b, x)
		return b.String()
	}
	of := fmt.Sprintf("%d of at most %d", r.GetCoresGranted(), r.GetCoresMax())
	if r.GetCoresMax() == noMaximum {
		of = fmt.Sprintf("%d, without a maximum", r.GetCoresGranted())
	}
	oneline.Fprintf(&b, "%s (%s) is %s; cores: %s\n", r.GetAppId(), r.GetName(), r.GetState(), of)
	for _, p := range r.GetProfiles() {
		wanted := fmt.Sprint(p.GetTotal())
		if p.GetTotal() == noMaximum {
			wanted = "as many as there is room for"
		}
		oneline.Fprintf(&b, "  profile %d: executors of %s: %d running, %d launching, wanted: %s\n",
			p.GetProfile().GetId(), profileText(p.GetProfile()), p.GetRunning(), p.GetLaunching(), wanted)
	}
	if len(r.GetApplication())+len(r.GetWorkers()) == 0 {
		b.WriteString("\nNothing holds it back.\n")
	}
	reasons(&b, r.GetApplication())
	if len(r.GetWorkers()) > 0 {
		b.WriteString("\nWorkers that take no executor of it:\n")
	}
	for _, x := range r.GetWorkers() {
		oneline.Fprintf(&b, "  %s  %s: %s\n    would help: %s\n", x.GetWorkerId(), x.GetFilter(), x.GetReason(), x.GetHelp())
	}
	return b.String()
}

func reasons(b *strings.Builder, all []*deploy.Refusal) {
	for _, x := range all {
		oneline.Fprintf(b, "\n%s: %s\n  would help: %s\n", x.GetFilter(), x.GetReason(), x.GetHelp())
	}
}

// noMaximum is Int.MaxValue, by which Spark's messages mean: no limit.
const noMaximum = 1<<31 - 1

func profileText(p *deploy.ResourceProfile) string {
	cores := "all cores of a worker"
	if p.ExecutorCores != nil {
		cores = master.Cores(int(p.GetExecutorCores()))
	}
	parts := []string{cores, fmt.Sprintf("%d MiB", p.GetExecutorMemoryMb())}
	for _, q := range p.GetExecutorResources() {
		parts = append(parts, fmt.Sprintf("%d %s", q.GetAmount(), q.GetName()))
	}
	return strings.Join(parts, ", ")
}

// whyJSON is the answer as JSON.
type whyJSON struct {
	App          string        `json:"app"`
	Name         string        `json:"name"`
	State        string        `json:"state"`
	MasterState  string        `json:"masterState"`
	CoresGranted int32         `json:"coresGranted"`
	CoresMax     *int32        `json:"coresMax,omitempty"` // absent: no maximum
	Profiles     []profileJSON `json:"profiles"`
	Reasons      []reasonJSON  `json:"reasons"`
	Workers      []reasonJSON  `json:"workers"`
}

type profileJSON struct {
	ID        int32            `json:"id"`
	Cores     *int32           `json:"cores,omitempty"` // absent: all of a worker
	MemoryMB  int32            `json:"memoryMb"`
	Resources map[string]int32 `json:"resources,omitempty"`
	Wanted    *int32           `json:"wanted,omitempty"` // absent: as many as there is room for
	Running   int32            `json:"running"`
	Launching int32            `json:"launching"`
}

type reasonJSON struct {
	Worker  string `json:"worker,omitempty"`
	Profile int32  `json:"profile"`
	Filter  string `json:"filter"`
	Reason  string `json:"reason"`
	Help    string `json:"help"`
}

func newWhyJSON(r *deploy.Refusals) whyJSON {
	limit := func(n int32) *int32 {
		if n == noMaximum {
			return nil
		}
		return &n
	}
	reasons := func(in []*deploy.Refusal) []reasonJSON {
		out := []reasonJSON{}
		for _, x := range in {
			out = append(out, reasonJSON{x.GetWorkerId(), x.GetRpId(), x.GetFilter(), x.GetReason(), x.GetHelp()})
		}
		return out
	}
	out := whyJSON{
		App: r.GetAppId(), Name: r.GetName(), State: r.GetState(), MasterState: r.GetMasterState(),
		CoresGranted: r.GetCoresGranted(), CoresMax: limit(r.GetCoresMax()), Profiles: []profileJSON{},
		Reasons: reasons(r.GetApplication()), Workers: reasons(r.GetWorkers()),
	}
	for _, p := range r.GetProfiles() {
		j := profileJSON{
			ID: p.GetProfile().GetId(), Cores: p.GetProfile().ExecutorCores, MemoryMB: p.GetProfile().GetExecutorMemoryMb(),
			Wanted: limit(p.GetTotal()), Running: p.GetRunning(), Launching: p.GetLaunching(),
		}
		for _, q := range p.GetProfile().GetExecutorResources() {
			if j.Resources == nil {
				j.Resources = map[string]int32{}
			}
			j.Resources[q.GetName()] = q.GetAmount()
		}
		out.Profiles = append(out.Profiles, j)
	}
	return out
}
