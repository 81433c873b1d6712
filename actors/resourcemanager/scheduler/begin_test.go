package scheduler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// queueOf submits an application and returns where the scheduler puts it.
func (r scheduling) queueOf(id int32, user, queue string) string {
	r.T.Helper()
	a, err := request[AppAccepted](r, AppAdded{App: ids.Application{Timestamp: 5, ID: id}, User: user, Queue: queue, Groups: []string{user}})
	if err != nil {
		return err.Error()
	}
	return a.Queue
}

// names are the existing queues.
func (r scheduling) names() string {
	r.T.Helper()
	var all []string
	for _, q := range must[Books](r, RequestBooks{}).Queues {
		all = append(all, q.Name)
	}
	return strings.Join(all, " ")
}

// The settings that place applications count with a file and without.
func TestWhereTheSettingsPlaceApplications(t *testing.T) {
	for _, file := range []string{"", "<allocations><queue name=\"a\"/></allocations>"} {
		for _, is := range []struct {
			user, undeclared string
			want             string
		}{
			{"true", "true", "root.ada root.new"}, {"false", "true", "root.default root.new"}, {"true", "false", "root.default root.default"},
		} {
			m := BeginScheduler{}
			if file != "" {
				m.Allocations = []byte(file)
			}
			r := newScheduling(t, m, "yarn.scheduler.fair.user-as-default-queue", is.user, "yarn.scheduler.fair.allow-undeclared-pools", is.undeclared)
			if got := r.queueOf(2, "ada", "default") + " " + r.queueOf(3, "ada", "new"); got != is.want {
				t.Errorf("%q, user as queue %s, undeclared %s: %s", file, is.user, is.undeclared, got)
			}
		}
	}
}

// A queue that was made for a submission goes when nobody uses it, at the next look, also without a file.
func TestAQueueThatNobodyUsesGoes(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.queueOf(2, "ada", "new")
	r.is(r.names(), "root root.new")
	r.Send(AppRemoved{App: ids.Application{Timestamp: 5, ID: 2}})
	r.Pass(9000)
	r.is(r.names(), "root root.new")
	r.Pass(1100)
	r.is(r.names(), "root")
}

// allocationFile is a test's.
type allocationFile struct {
	content  string
	modified time.Time
}

func (f *allocationFile) Read(*rpcenv.Blocking) ([]byte, time.Time, error) {
	return []byte(f.content), f.modified, nil
}

// Parts of a file without effect get warnings at the start and after a reload; its queues exist then.
func TestWhatAFileSaysInVain(t *testing.T) {
	const vain = "<allocations><reservation-planner>x</reservation-planner></allocations>"
	log := logtest.NewLocal(logrus.New())
	warned := func() (all []string) {
		for _, e := range log.AllEntries() {
			if e.Level == logrus.WarnLevel || strings.Contains(e.Message, "read again") {
				all = append(all, e.Message)
			}
		}
		log.Reset()
		return all
	}
	f := &allocationFile{content: vain}
	r := newSchedulingWith(t, f, nil, func(env *rpcenv.Env) { env.Log().Logger.AddHook(log) }, BeginScheduler{Allocations: []byte(vain)})
	const warning = "allocation file: line 1: <reservation-planner> is ignored: reservations of resources ahead of time are not supported"
	if got := fmt.Sprintf("%q", warned()); got != fmt.Sprintf("%q", []string{warning}) {
		t.Errorf("at the beginning: %s", got)
	}
	f.content, f.modified = strings.Replace(vain, "</allocations>", `<queue name="q"/></allocations>`, 1), r.Now()
	r.Pass(11_000)
	if got := fmt.Sprintf("%q", warned()); got != fmt.Sprintf("%q", []string{warning, "The allocation file was read again"}) {
		t.Errorf("later: %s", got)
	}
	r.is(r.names(), "root root.q")
	f.content, f.modified = "<nonsense", r.Now()
	r.Pass(21_000)
	r.Logged("Failed to reload fair scheduler config file - will use existing allocations: the old allocations stay: allocation file, line 1: unexpected EOF")
	r.is(r.names(), "root root.q")
}

// After a restart with applications nothing is given for as long as the settings say, though what nodes say counts.
func TestNothingIsGivenSoonAfterARestart(t *testing.T) {
	for _, continuous := range []string{"false", "true"} {
		log := logtest.NewLocal(logrus.New())
		r := newSchedulingWith(t, nil, []string{
			"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "3000", "yarn.scheduler.fair.continuous-scheduling-enabled", continuous,
		}, func(env *rpcenv.Env) { env.Log().Logger.AddHook(log) }, BeginScheduler{Life: life.Life{Recovered: true}})
		begun := r.s.start
		r.attempt(false)
		n := r.add("h", live(1, 1024), live(2, 1024))
		r.heard()
		must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
		beat := func(ended ...*yarn.ContainerStatus) int {
			must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1), rmtest.Container(70)}, Ended: ended})
			return len(must[Allocation](r, Allocate{Attempt: rmtest.Attempt}).Containers)
		}
		for r.Now().Sub(begun) < 2900*time.Millisecond {
			if got := beat(); got != 0 {
				t.Errorf("continuous %s: %d given %s after the restart", continuous, got, r.Now().Sub(begun))
			}
			r.Pass(100)
		}
		if got := r.heard(); strings.ReplaceAll(got, "h ends 70, ", "") != "h ends 70" {
			t.Errorf("heard %q", got)
		}
		over := rmtest.Status(2, rmtest.Ended, 7)
		over.Diagnostics = "it crashed"
		if got := beat(over); got != 0 {
			t.Errorf("%d given", got)
		}
		r.is(r.completed(), `2 with 7 "it crashed"`)
		for _, e := range log.AllEntries() {
			if strings.Contains(e.Message, "Containers are given") {
				t.Errorf("said %s after the restart", r.Now().Sub(begun))
			}
		}
		r.Pass(100 + int((3000*time.Millisecond - r.Now().Sub(begun)).Milliseconds()))
		if got := beat(); got != 1 {
			t.Errorf("continuous %s: %d given after the wait", continuous, got)
		}
		said := 0
		for _, e := range log.AllEntries() {
			if e.Message == "Containers are given from now on" {
				said++
			}
		}
		if said != 1 {
			t.Errorf("said %d times", said)
		}
	}
	// The wait is over exactly then.
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}})
	r.Run(func(c *rpcenv.Context) {
		for at, want := range map[time.Duration]bool{-1: true, 0: true, 1: false} {
			if r.s.readyAt = c.Now().Add(at); r.s.ready(c) != want {
				t.Errorf("%d ns before the end of the wait: ready is %t", at, !want)
			}
		}
	})
}

// Of many waiting applications the books list the first fifty, and the number of the others.
func TestFiftyApplicationsThatWaitAreTold(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	for id := range int32(53) {
		app := ids.Application{Timestamp: 5, ID: id + 1}
		must[AppAccepted](r, AppAdded{App: app, User: "ada", Queue: "default", Groups: []string{"ada"}})
		at := ids.Attempt{App: app, Attempt: 1}
		must[AttemptAdded](r, AppAttemptAdded{Attempt: at})
		if id != 1 {
			must[Allocation](r, Allocate{Attempt: at, Asks: []*yarn.ResourceRequest{anyAsk(2)}})
		}
	}
	b := must[Books](r, RequestBooks{})
	first, last := b.Demands[0], b.Demands[len(b.Demands)-1]
	if len(b.Demands) != 50 || b.DemandsMore != 2 || first.GetApplicationId().GetId() != 1 || last.GetApplicationId().GetId() != 51 {
		t.Errorf("%d told, %d more, from %v to %v", len(b.Demands), b.DemandsMore, first, last)
	}
	if b.Use.GetContainersPending() != 104 || b.Use.GetPending().GetMemory() != 104*1024 || b.Use.GetPending().GetVirtualCores() != 104 {
		t.Errorf("pending: %v", b.Use)
	}
	// Only what is asked for anywhere counts: what is asked for of a host is a part of it.
	count, sum := waits(fair.AppState{Pending: []fair.Ask{
		{Name: fair.Any, Count: 3, Capability: fair.Resource{Memory: 5, VCores: 7}},
		{Name: "h", Count: 2, Capability: fair.Resource{Memory: 5, VCores: 7}},
		{Name: fair.Any, Count: 1, Capability: fair.Resource{Memory: 11, VCores: 13}},
	}})
	if count != 4 || sum != (fair.Resource{Memory: 26, VCores: 34}) {
		t.Errorf("%d of %v", count, sum)
	}
}
