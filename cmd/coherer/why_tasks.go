package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// whyTasksOptions are those of why stage and why task.
type whyTasksOptions struct {
	output
	ofCluster
	app  string
	what func(arg string) (*app.RequestWaits, error)
}

func whyStageCommand(s streams) *cobra.Command {
	return newCommand(s, &whyTasksOptions{what: stageAsked}, &cobra.Command{
		Use: "stage STAGE", Short: "Explain why tasks of a stage wait",
		Long: "Explain why tasks of a stage wait: which stages get cores before it, at which locality level it waits and for how long, and which\n" +
			"executors and nodes it does without since tasks failed there. The driver answers by the very rules that it starts tasks with.\n\n" +
			"The drivers are found from the Master or ResourceManager, as coherer top finds them; --app takes one of several.",
		Example: "  coherer why stage 1\n  coherer why stage 1 --master spark://127.0.0.1:7077 --app app-20261128120000-0000 -o json",
		Args:    arguments(1, 1),
	})
}

func whyTaskCommand(s streams) *cobra.Command {
	return newCommand(s, &whyTasksOptions{what: taskAsked}, &cobra.Command{
		Use: "task TID|STAGE/INDEX", Short: "Explain why a task waits, or where it runs",
		Long: "Explain why a task waits, or where it runs: where it prefers to run, its attempts and how they ended, which executors it does\n" +
			"without since it failed there, and what its stage waits for. A task that runs is named by its TID, as in the log, any other by\n" +
			"its stage and its index there.",
		Example: "  coherer why task 1/17\n  coherer why task 42 --master spark://127.0.0.1:7077",
		Args:    arguments(1, 1),
	})
}

func (o *whyTasksOptions) flags(f *pflag.FlagSet) {
	o.output.flags(f)
	o.ofCluster.flags(f)
	f.StringVar(&o.app, "app", "", "the `ID` of the application, when several run")
}

// stageAsked reads the number of a stage.
func stageAsked(arg string) (*app.RequestWaits, error) {
	stage, err := number(arg)
	if err != nil {
		return nil, fmt.Errorf("%q is no stage: want its number, such as 1", arg)
	}
	return &app.RequestWaits{Stage: &stage}, nil
}

// taskAsked reads a TID, or a stage and an index.
func taskAsked(arg string) (*app.RequestWaits, error) {
	stageText, indexText, both := strings.Cut(arg, "/")
	stage, err := number(stageText)
	index, err2 := number(indexText)
	switch {
	case both && errors.Join(err, err2) == nil:
		return &app.RequestWaits{Stage: &stage, Index: &index}, nil
	case !both:
		if id, err := strconv.ParseInt(arg, 10, 64); err == nil && id >= 0 {
			return &app.RequestWaits{TaskId: &id}, nil
		}
	}
	return nil, fmt.Errorf("%q is no task: want its TID, such as 42, or its stage and index, such as 1/17", arg)
}

func number(text string) (int32, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int32(n), err
}

func (o *whyTasksOptions) run(ctx context.Context, s streams, args []string) error {
	q, err := o.what(args[0])
	if err != nil {
		return usage(err)
	}
	roots, err := o.roots(ctx)
	if err != nil {
		return err
	}
	w, err := askDrivers(ctx, roots, q, o.app)
	switch {
	case err != nil:
		return err
	case q.Index != nil && len(w.GetSets()) > 0 && len(w.GetSets()[0].GetAsked()) == 0:
		return fmt.Errorf("stage %d has no task %d: its newest attempt has %d, from 0", q.GetStage(), q.GetIndex(), w.GetSets()[0].GetTasks())
	case len(w.GetSets()) == 0:
		return fmt.Errorf("no task set of %s is in the driver of %s: it has ended, waits for the stages before it, or was never there", args[0], w.GetAppId())
	case o.asJSON:
		text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(w)
		if err != nil {
			return err
		}
		return s.json(json.RawMessage(text))
	}
	_, err = fmt.Fprint(s.out, waitsText(w))
	return err
}

// roots are the daemons from which drivers are found.
func (o *whyTasksOptions) roots(ctx context.Context) ([]rpcenv.Address, error) {
	if err := o.find(ctx, mastersFirst); err != nil {
		return nil, err
	}
	rm, onYARN, err := o.resourceManager()
	if err != nil || onYARN {
		return []rpcenv.Address{rm}, err
	}
	return o.masters()
}

// askDrivers asks all drivers that the roots lead to, and takes the answer of an application, or the only one that there is. The
// errors of drivers that are silent are returned when none that was wanted answered.
func askDrivers(ctx context.Context, roots []rpcenv.Address, q *app.RequestWaits, id string) (*app.Waits, error) {
	own, err := client("Why")
	if err != nil {
		return nil, err
	}
	defer own.Close()
	sample, err := top.Take(ctx, own.Env, roots)
	if err != nil {
		return nil, err
	}
	var answers []*app.Waits
	var errs []error
	for i := range sample.Processes {
		p := &sample.Processes[i]
		if p.Address == "" || !slices.ContainsFunc(p.Endpoints, func(e metrics.EndpointRow) bool { return e.Name == driver.Name && e.Running }) {
			continue
		}
		w, err := askDriver(ctx, own, p.Address, q)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("ask the driver at %s: %w", p.Address, err))
		case id != "" && w.GetAppId() == id:
			return w, nil
		default:
			answers = append(answers, w)
		}
	}
	return chooseDriver(answers, id, errs)
}

func askDriver(ctx context.Context, own *boot.Process, address string, q *app.RequestWaits) (*app.Waits, error) {
	at, err := rpcenv.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	b := own.Env.Blocking(ctx)
	defer b.Close()
	return rpcenv.AskWait(b, own.Env.Ref(at, driver.Name), q, rpcenv.Timeout("the wait of why", whyWait))
}

// chooseDriver takes the only answer, when no application is named and no driver is silent.
func chooseDriver(answers []*app.Waits, id string, errs []error) (*app.Waits, error) {
	if id == "" && len(answers) == 1 && len(errs) == 0 {
		return answers[0], nil
	}
	var ids []string
	for _, w := range answers {
		ids = append(ids, w.GetAppId())
	}
	switch {
	case len(answers) == 0:
		errs = append(errs, errors.New("no driver was found that answers"))
	case id == "":
		return nil, usage(errors.Join(append(errs, fmt.Errorf("several applications run: name one by --app: %s", strings.Join(ids, ", ")))...))
	default:
		errs = append(errs, fmt.Errorf("no driver of %s was found: there are those of %s", id, strings.Join(ids, ", ")))
	}
	return nil, errors.Join(errs...)
}

// waitsText is the answer for people.
func waitsText(w *app.Waits) string {
	var b strings.Builder
	oneline.Fprintf(&b, "%s: %d executors take tasks; %d of their %d cores are free\n", w.GetAppId(), w.GetExecutors(), w.GetFreeCores(), w.GetCores())
	for _, p := range w.GetPools() {
		oneline.Fprintf(&b, "  %s\n", p)
	}
	for _, s := range w.GetSets() {
		setText(&b, s)
	}
	return b.String()
}

func setText(b *strings.Builder, s *app.TaskSetWait) {
	oneline.Fprintf(b, "\nstage %d.%d of job %d: %d tasks, %d done, %d running, %d wait", s.GetStage(), s.GetAttempt(), s.GetJob(), s.GetTasks(),
		s.GetDone(), s.GetRunning(), s.GetWaiting())
	if s.GetCopies() > 0 {
		oneline.Fprintf(b, ", %d slow ones are to be started a second time", s.GetCopies())
	}
	b.WriteString("\n")
	if s.GetWaiting() > 0 && s.GetWaitMs() > 0 {
		oneline.Fprintf(b, "  locality: at %s for %d of %d ms; levels %s\n", s.GetLevel(), s.GetWaitedMs(), s.GetWaitMs(), strings.Join(s.GetLevels(), ", "))
	}
	waitReasons(b, s.GetReasons())
	for _, t := range s.GetAsked() {
		oneline.Fprintf(b, "  task %d (partition %d): %s, %d failures that count\n", t.GetIndex(), t.GetPartition(), t.GetState(), t.GetFailures())
		if len(t.GetLocations()) > 0 {
			oneline.Fprintf(b, "    prefers %s\n", strings.Join(t.GetLocations(), ", "))
		}
		for _, a := range t.GetAttempts() {
			oneline.Fprintf(b, "    %s\n", a)
		}
		waitReasons(b, t.GetReasons())
	}
}

func waitReasons(b *strings.Builder, all []*app.WaitReason) {
	for _, r := range all {
		oneline.Fprintf(b, "  %s: %s\n", r.GetFilter(), r.GetReason())
		if r.GetHelp() != "" {
			oneline.Fprintf(b, "    would help: %s\n", r.GetHelp())
		}
	}
}
