package resourcemanager

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// added records what the scheduler is asked to take.
func (v *service) added() *[]scheduler.AppAdded {
	var all []scheduler.AppAdded
	v.Scheduler.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(scheduler.AppAdded); ok {
			all = append(all, q)
		}
		return false
	})
	return &all
}

// The scheduler hears of an application with its user's groups, or why they are not known; without Groups the user is the one.
func TestTheSchedulerHearsOfGroups(t *testing.T) {
	none := errors.New("no LDAP")
	var asked []string
	groups := func(b *rpcenv.Blocking, user string) ([]string, error) {
		asked = append(asked, user)
		if err := b.Sleep(time.Second); err != nil {
			return nil, err
		}
		if user == "bob" {
			return nil, none
		}
		return []string{"dev", "ops"}, nil
	}
	for _, is := range []struct {
		user   string
		groups func(*rpcenv.Blocking, string) ([]string, error)
		want   scheduler.AppAdded
		asked  []string
	}{
		{"ada", nil, scheduler.AppAdded{User: "ada", Queue: "root.a", Groups: []string{"ada"}}, nil},
		{"ada", groups, scheduler.AppAdded{User: "ada", Queue: "root.a", Groups: []string{"dev", "ops"}}, []string{"ada"}},
		{"bob", groups, scheduler.AppAdded{User: "bob", Queue: "root.a", GroupsErr: none}, []string{"bob"}},
	} {
		asked = nil
		v := newServiceWith(t, Config{Groups: is.groups})
		added := v.added()
		is.want.App = v.submit(func(s *yarn.ApplicationSubmissionContext) { s.User = is.user })
		if is.groups != nil && len(*added) != 0 {
			t.Errorf("the scheduler heard of it before its groups were known: %+v", *added)
		}
		v.Pass(1000)
		if len(*added) != 1 || !reflect.DeepEqual((*added)[0], is.want) || !slices.Equal(asked, is.asked) {
			t.Errorf("groups of %q were asked for, the scheduler heard %+v, want %+v", asked, *added, is.want)
		}
	}
	// An application that was ended meanwhile goes nowhere.
	v := newServiceWith(t, Config{Groups: groups})
	added := v.added()
	app := v.submit()
	v.kill(app, "")
	v.Pass(1000)
	if a := v.s.byID[app]; len(*added) != 0 || a.machine.State != machine.AppKilled {
		t.Errorf("it is %s, and the scheduler heard %+v", a.machine.State, *added)
	}
}

// The record of an application is written again when the scheduler puts it into another queue than it asked for.
func TestWhenTheQueueIsWritten(t *testing.T) {
	for queue, want := range map[string]int{"root.a": 1, "a": 2} {
		w := &written{}
		v := newService(t, w)
		app := v.submit(func(s *yarn.ApplicationSubmissionContext) { s.Queue = queue })
		n := 0
		for _, c := range w.changes {
			if c.Key == app.String() {
				n++
			}
		}
		if n != want || v.s.byID[app].queue != "root.a" || v.s.byID[app].context.GetQueue() != "root.a" {
			t.Errorf("%s: %d times written, it is in %s", queue, n, v.s.byID[app].queue)
		}
	}
}

// An application runs on a node once, however often that is said. At its end its nodes and the scheduler hear of it, and of what
// comes later the node alone.
func TestWhoHearsOfTheEndOfAnApplication(t *testing.T) {
	v := newService(t, nil)
	id := v.running()
	a, b, c := ids.Node{Host: "a", Port: 1}, ids.Node{Host: "b", Port: 1}, ids.Node{Host: "c", Port: 1}
	v.SendAll(scheduler.RunningOnNode{App: id.App, Node: a}, scheduler.RunningOnNode{App: id.App, Node: b}, scheduler.RunningOnNode{App: id.App, Node: a})
	if got := rmtest.Got[tracker.CleanUpApp](v.Rig, v.Tracker); len(got) != 0 {
		t.Errorf("while it runs the ResourceTracker hears %v", got)
	}
	v.kill(id.App, "")
	v.SendAll(scheduler.RunningOnNode{App: id.App, Node: c}, scheduler.RunningOnNode{App: ids.Application{Timestamp: 1, ID: 77}, Node: c})
	var heard []string
	for _, m := range rmtest.Got[tracker.CleanUpApp](v.Rig, v.Tracker) {
		heard = append(heard, fmt.Sprint(m.App, m.Nodes))
	}
	if want := []string{fmt.Sprint(id.App, []ids.Node{a, b}), fmt.Sprint(id.App, []ids.Node{c}), fmt.Sprint(ids.Application{Timestamp: 1, ID: 77}, []ids.Node{c})}; !slices.Equal(heard, want) {
		t.Errorf("the ResourceTracker heard %q, want %q", heard, want)
	}
	if got := rmtest.Got[scheduler.AppRemoved](v.Rig, v.Scheduler); !slices.Equal(got, []scheduler.AppRemoved{{App: id.App}}) {
		t.Errorf("the scheduler heard %v", got)
	}
	if got := rmtest.Got[session.FinalStored](v.Rig, v.AMS); !slices.Equal(got, []session.FinalStored{{App: id.App}}) {
		t.Errorf("the ApplicationMasterService heard %v", got)
	}
}

// An application has as many attempts as it wants, within the limit of the cluster.
func TestHowManyAttemptsAnApplicationHas(t *testing.T) {
	cf := rmtest.Conf(t, "yarn.resourcemanager.am.max-attempts", "3")
	for wish, want := range map[int32]int{-1: 3, 0: 3, 1: 1, 2: 2, 3: 3, 4: 3} {
		if got := maxAttemptsOf(cf, wish); got != want {
			t.Errorf("one that wants %d has %d", wish, got)
		}
	}
}

// A failure counts as long as its time is not over.
func TestHowLongAFailureCounts(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, is := range []struct {
		validity int64
		age      time.Duration
		want     int
	}{
		{0, 24 * time.Hour, 1}, {-1, 24 * time.Hour, 1}, {5000, 4999 * time.Millisecond, 1}, {5000, 5 * time.Second, 1}, {5000, 5001 * time.Millisecond, 0},
	} {
		at := &attempt{exit: 1}
		at.decide(now.Add(-is.age), machine.AttemptFailed, machine.AttemptFinishing, machine.AttemptFinished)
		a := &application{context: &yarn.ApplicationSubmissionContext{AttemptFailuresValidityInterval: is.validity}, attempts: []*attempt{at}}
		if got := a.failures(now); got != is.want {
			t.Errorf("of %d ms, %s ago: %d", is.validity, is.age, got)
		}
	}
}
