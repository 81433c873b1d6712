package fair

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// sequenceStep is one step of a sequence.
type sequenceStep struct {
	Op, Node, Rack, Queue, User, AM string
	MB, VCores, MS                  int64
	App                             int32
	Asks                            []sequenceAsk
	Release                         []string
	BlacklistAdd, BlacklistRemove   []string
	Container, AllocationFile       string
}

type sequenceAsk struct {
	Priority   int32
	Name       string
	MB, VCores int64
	Count      int64
	Relax      bool
}

// goldenContainer is a container as the results write it.
type goldenContainer struct {
	ID       string `json:"id"`
	Node     string `json:"node"`
	MB       int64  `json:"mb"`
	VCores   int64  `json:"vcores"`
	Priority int32  `json:"priority"`
}

// sequenceResult is what a step came to, as far as it is compared.
type sequenceResult struct {
	Op            string            `json:"op"`
	Accepted      *bool             `json:"accepted,omitempty"`
	Queue         string            `json:"queue,omitempty"`
	Runnable      *bool             `json:"runnable,omitempty"`
	Rejected      []string          `json:"rejected,omitempty"`
	Allocated     []goldenContainer `json:"allocated,omitempty"`
	ReservedNow   []goldenContainer `json:"reservedNow,omitempty"`
	Gone          []string          `json:"gone,omitempty"`
	Marked        []string          `json:"markedForPreemption,omitempty"`
	Pulled        []string          `json:"pulled,omitempty"`
	Headroom      *goldenResource   `json:"headroom,omitempty"`
	StrictPreempt []string          `json:"strictPreempt,omitempty"`
	Normalised    []goldenResource  `json:"normalised,omitempty"`
	Requests      []goldenRequest   `json:"requests,omitempty"`
	State         *goldenState      `json:"state,omitempty"`
	Error         *sequenceError    `json:"error,omitempty"`
}

type goldenRequest struct {
	Priority int32  `json:"priority"`
	Name     string `json:"name"`
	Count    int64  `json:"count"`
	MB       int64  `json:"mb"`
	VCores   int64  `json:"vcores"`
}

type sequenceError struct {
	Class string `json:"class"`
}

type goldenState struct {
	Cluster goldenResource            `json:"cluster"`
	Queues  map[string]map[string]any `json:"queues"`
	Apps    map[string]map[string]any `json:"apps"`
	Nodes   map[string]map[string]any `json:"nodes"`
}

// goldenPort is the port of the nodes that were recorded.
const goldenPort = ":1234"

// sequence plays one case.
type sequence struct {
	*Scheduler
	now    time.Duration
	conf   goldenConf
	faults Faults
	known  map[string]goldenContainer // by id: all that ever were
	result *sequenceResult
}

// replaySequence drives a whole scheduler. Whether a ResourceManager is old enough for nodes to count for the largest
// container, no case says: of the cases here they count, of others they do in all steps or in none.
func replaySequence(c goldenCase, faults Faults) []string {
	differences := replaySequenceFrom(c, faults, 0)
	if len(differences) > 0 && os.Getenv("COHERER_GOLDEN_DIR") != "" && len(replaySequenceFrom(c, faults, never)) == 0 {
		return nil
	}
	return differences
}

// replaySequenceFrom has nodes count from some time on.
func replaySequenceFrom(c goldenCase, faults Faults, nodesCount time.Duration) (differences []string) {
	in := must[struct {
		Conf           goldenConf
		AllocationFile string
		Steps          []sequenceStep
	}](c.Input)
	want := must[struct{ Results []sequenceResult }](c.Expected).Results
	if len(want) != len(in.Steps) {
		return []string{fmt.Sprintf("%d steps, %d results", len(in.Steps), len(want))}
	}
	q := &sequence{now: time.Second, conf: in.Conf, faults: faults, known: map[string]goldenContainer{}}
	conf, err := configOf(q.conf.get)
	if err != nil {
		return []string{err.Error()}
	}
	conf.Faults, conf.NodesCountFrom = faults, nodesCount
	allocations, err := parseAllocations([]byte(in.AllocationFile), q.conf.options(q.faults))
	if err != nil {
		return []string{err.Error()}
	}
	if q.Scheduler, err = New(q.now, conf, allocations); err != nil {
		return []string{err.Error()}
	}
	for i, step := range in.Steps {
		q.result = &sequenceResult{Op: step.Op}
		q.play(step)
		q.rest()
		if d := q.differ(want[i]); d != "" {
			differences = append(differences, fmt.Sprintf("step %d, %s %s%v: %s", i+1, step.Op, step.Node, step.App, d))
		}
	}
	return differences
}

func (q *sequence) play(step sequenceStep) {
	attempt := ids.Attempt{App: ids.Application{ID: step.App}, Attempt: 1}
	switch step.Op {
	case "addNode":
		q.fail(q.AddNode(q.now, NodeSpec{step.Node + goldenPort, step.Node, step.Rack, Resource{step.MB, step.VCores}}))
	case "removeNode":
		events, err := q.RemoveNode(q.now, step.Node+goldenPort)
		q.fail(err)
		q.note(events)
	case "addApp":
		q.addApp(step, attempt)
	case "removeApp":
		q.note(q.RemoveApp(q.now, attempt.App))
	case "ask":
		q.ask(step, attempt)
	case "update":
		q.Update(q.now)
		q.note(q.Preempt(q.now))
	case "heartbeat":
		events, err := q.NodeUpdate(q.now, step.Node+goldenPort, nil, nil)
		q.fail(err)
		q.note(events)
	case "continuousPass":
		q.note(q.ContinuousPass(q.now))
	case "advance":
		q.now += time.Duration(step.MS) * time.Millisecond
	case "waitKill":
		q.note(q.KillMarked(never))
	case "complete":
		q.note(q.Complete(q.now, containerOf(step.Container), End{}))
	case "reload":
		if a, err := parseAllocations([]byte(step.AllocationFile), q.conf.options(q.faults)); err == nil {
			q.Reload(q.now, a)
		}
	case "pending":
		if a, ok := q.App(attempt); ok {
			for _, r := range a.Pending {
				q.result.Requests = append(q.result.Requests, goldenRequest{r.Priority, r.Name, r.Count, r.Capability.Memory, r.Capability.VCores})
			}
		}
	case "state":
		q.result.State = q.state()
	default:
		q.result.Error = &sequenceError{Class: "no such step here: " + step.Op}
	}
}

func (q *sequence) addApp(step sequenceStep, attempt ids.Attempt) {
	user := step.User
	if user == "" {
		user = "u1"
	}
	name, err := q.AddApp(q.now, attempt.App, Submission{User: user, Queue: step.Queue, Groups: []string{user}})
	accepted := err == nil
	var rejected *rejectedError
	switch {
	case errors.As(err, &rejected):
		q.result.Rejected = []string{fmt.Sprintf("%d: %s", step.App, rejected.Reason)}
	case err != nil:
		q.fail(err)
		return
	}
	q.result.Accepted = &accepted
	if accepted {
		runnable, err := q.AddAttempt(q.now, AttemptSpec{ID: attempt, Unmanaged: step.AM != "managed"})
		q.fail(err)
		q.result.Queue, q.result.Runnable = name, &runnable
	}
}

func (q *sequence) ask(step sequenceStep, attempt ids.Attempt) {
	d := Demand{BlacklistAdd: step.BlacklistAdd, BlacklistRemove: step.BlacklistRemove}
	var normalised []goldenResource
	for _, a := range step.Asks {
		d.Asks = append(d.Asks, Ask{Key{a.Priority, 0}, a.Name, Resource{a.MB, a.VCores}, a.Count, a.Relax})
		if s, ok := q.App(attempt); ok {
			normalised = append(normalised, golden(q.Scheduler.conf.normalise(Resource{a.MB, a.VCores}, q.MaximumAllocation(0, s.Queue))))
		}
	}
	for _, id := range step.Release {
		d.Release = append(d.Release, containerOf(id))
	}
	grant, err := q.Allocate(q.now, attempt, d)
	if errors.Is(err, ErrUnknown) { // Hadoop's scheduler answers an unknown attempt with nothing
		q.result.Headroom = &goldenResource{}
		for _, a := range step.Asks {
			q.result.Normalised = append(q.result.Normalised, goldenResource{a.MB, a.VCores})
		}
		return
	}
	if err != nil {
		q.fail(err)
		return
	}
	q.note(grant.Events)
	for _, c := range grant.Containers {
		q.result.Pulled = append(q.result.Pulled, idOf(c.ID))
	}
	for _, id := range grant.Preempt {
		q.result.StrictPreempt = append(q.result.StrictPreempt, idOf(id))
	}
	headroom := golden(grant.Headroom)
	q.result.Headroom, q.result.Normalised = &headroom, normalised
}

// note keeps what a step decided.
func (q *sequence) note(events []Event) {
	for _, e := range events {
		switch e.Kind {
		case Allocated:
			c := goldenContainer{idOf(e.Container), strings.TrimSuffix(e.Node, goldenPort), e.Resource.Memory, e.Resource.VCores, e.Key.Priority}
			q.known[c.ID] = c
			q.result.Allocated = append(q.result.Allocated, c)
		case Gone:
			q.result.Gone = append(q.result.Gone, idOf(e.Container))
		}
	}
}

// rest keeps what holds after a step.
func (q *sequence) rest() {
	for _, a := range q.Apps() {
		for _, c := range a.Reservations {
			q.result.ReservedNow = append(q.result.ReservedNow, goldenContainer{
				idOf(c.ID), strings.TrimSuffix(c.Node, goldenPort), c.Resource.Memory, c.Resource.VCores, c.Key.Priority,
			})
		}
		for _, id := range a.Marked {
			q.result.Marked = append(q.result.Marked, idOf(id))
		}
	}
}

func (q *sequence) fail(err error) {
	if err == nil {
		return
	}
	class := "org.apache.hadoop.yarn.exceptions."
	var zero *ZeroShareError
	var placement *placementError
	switch {
	case errors.As(err, &zero):
		class += "SchedulerInvalidResoureRequestException"
	case errors.As(err, &placement):
		class += "YarnException"
	default:
		class = err.Error()
	}
	q.result.Error = &sequenceError{class}
}

// differ says where the result is another than wanted: containers that went or are to go count by node, application and
// size, since any of several will do.
func (q *sequence) differ(want sequenceResult) string {
	got := *q.result
	var differences []string
	for _, ids := range []struct {
		name      string
		got, want *[]string
	}{
		{"gone", &got.Gone, &want.Gone}, {"marked", &got.Marked, &want.Marked}, {"strictPreempt", &got.StrictPreempt, &want.StrictPreempt},
	} {
		g, w := q.kinds(*ids.got), q.kinds(*ids.want)
		if q.faults == Upstream() && os.Getenv("COHERER_GOLDEN_DIR") == "" { // the cases here come out to the id
			g, w = slices.Sorted(slices.Values(*ids.got)), slices.Sorted(slices.Values(*ids.want))
		}
		if !slices.Equal(g, w) {
			differences = append(differences, fmt.Sprintf("%s %v (%v), want %v (%v)", ids.name, *ids.got, g, *ids.want, w))
		}
		*ids.got, *ids.want = nil, nil
	}
	byName := func(a, b goldenRequest) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.Name, b.Name))
	}
	byID := func(a, b goldenContainer) int { return cmp.Compare(a.ID, b.ID) }
	for _, r := range []*sequenceResult{&got, &want} {
		slices.SortFunc(r.Requests, byName)
		slices.SortFunc(r.ReservedNow, byID)
	}
	if got.State != nil && want.State != nil {
		differences = append(differences, compareStates(*got.State, *want.State)...)
		got.State, want.State = nil, nil
	}
	if g, w := text(got), text(want); g != w {
		differences = append(differences, fmt.Sprintf("%s, want %s", g, w))
	}
	return strings.Join(differences, "; ")
}

// kinds are the containers by node, application and size.
func (q *sequence) kinds(all []string) []string {
	var kinds []string
	for _, id := range all {
		c := q.known[id]
		app, _, _ := strings.Cut(id, ":")
		kinds = append(kinds, fmt.Sprintf("app %s on %s %d/%d", app, c.Node, c.MB, c.VCores))
	}
	slices.Sort(kinds)
	return kinds
}

// text is a value as JSON, in one way.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		panic(err)
	}
	if reflect.DeepEqual(plain, map[string]any{}) {
		return "nothing"
	}
	data, _ = json.Marshal(plain)
	return string(data)
}

func idOf(c ids.Container) string { return fmt.Sprintf("%d:%d", c.Attempt.App.ID, c.Seq) }

func containerOf(id string) ids.Container {
	app, seq, _ := strings.Cut(id, ":")
	a, _ := strconv.ParseInt(app, 10, 32)
	n, _ := strconv.ParseInt(seq, 10, 64)
	return ids.Container{Attempt: ids.Attempt{App: ids.Application{ID: int32(a)}, Attempt: 1}, Seq: n}
}
