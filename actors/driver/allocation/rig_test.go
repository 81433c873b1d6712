package allocation_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// rig is a Manager whose CoarseGrainedScheduler the test plays.
type rig struct {
	*rpctest.World
	t         *testing.T
	scheduler *rpctest.Probe
	manager   *allocation.Manager
	ref       rpcenv.Ref

	asked []string // with the tenth of a second
	hold  bool     // answers are kept back
	held  []func()
	no    bool // the answer to requests
	busy  bool // no executor can be given back
	said  *logtest.Hook
}

// newRig is of an application that is ready.
func newRig(t *testing.T, values map[string]string) *rig {
	t.Helper()
	r := newWaitingRig(t, values)
	r.tell(allocation.Ready{})
	return r
}

func newWaitingRig(t *testing.T, values map[string]string) *rig {
	t.Helper()
	all := map[string]string{"spark.dynamicAllocation.enabled": "true"}
	maps.Copy(all, values)
	c, err := conf.New(all)
	if err != nil {
		t.Fatal(err)
	}
	s, err := allocation.NewConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	w.NoPanic()
	env := w.Env("Driver", c)
	r := &rig{World: w, t: t, scheduler: w.ProbeIn(env, "CoarseGrainedScheduler"), said: logtest.NewLocal(env.Log().Logger)}
	r.manager = allocation.New(s, r.scheduler.Ref)
	r.scheduler.On(r.play)
	r.ref = w.Register(r.scheduler.Env, allocation.Name, r.manager)
	r.Settle()
	return r
}

func (r *rig) play(c *rpcenv.Context, m rpcenv.Message) bool {
	note := func(format string, args ...any) {
		at := r.Now().Sub(r.Trace().Start).Truncate(100 * time.Millisecond)
		r.asked = append(r.asked, fmt.Sprintf("%.1f ", at.Seconds())+fmt.Sprintf(format, args...))
	}
	answer := func(f func()) {
		if r.hold {
			r.held = append(r.held, f)
			return
		}
		f()
	}
	removed := func(ids []string) allocation.Removed {
		if r.busy {
			ids = nil
		}
		return allocation.Removed{IDs: ids}
	}
	switch q := m.(type) {
	case allocation.RequestTotalExecutors:
		note("request %d", q.Total)
		call, ok := rpcenv.Defer(c, q), !r.no
		answer(func() { call.Reply(&rpc.Bool{Value: ok}) })
	case allocation.KillExecutors:
		note("kill %v", q.IDs)
		call := rpcenv.Defer(c, q)
		answer(func() { call.Reply(removed(q.IDs)) })
	case allocation.DecommissionExecutors:
		note("decommission %v", q.IDs)
		call := rpcenv.Defer(c, q)
		answer(func() { call.Reply(removed(q.IDs)) })
	default:
		return false
	}
	return true
}

// tell sends events to the Manager.
func (r *rig) tell(all ...rpcenv.Message) {
	r.t.Helper()
	r.scheduler.Do(func(c *rpcenv.Context) {
		for _, m := range all {
			c.Send(r.ref, m)
		}
	})
	r.Settle()
}

// answers lets go of the answers that were kept back, and of all later ones.
func (r *rig) answers() {
	held := r.held
	r.hold, r.held = false, nil
	r.scheduler.Do(func(*rpcenv.Context) {
		for _, f := range held {
			f()
		}
	})
	r.Settle()
}

// want is what the scheduler was asked since the last want.
func (r *rig) want(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.asked, want) {
		r.t.Errorf("asked %q, want %q", r.asked, want)
	}
	r.asked = nil
}

func added(ids ...string) []rpcenv.Message {
	var out []rpcenv.Message
	for _, id := range ids {
		out = append(out, event.ExecutorChange{Kind: event.ExecutorAdded, ExecutorID: id, Cores: 1})
	}
	return out
}

func stage(id int32, tasks int) event.StageSubmitted {
	return event.StageSubmitted{StageID: id, Tasks: tasks}
}

func begun(stage, index int32, executor string) event.TaskStart {
	return event.TaskStart{StageID: stage, Index: index, ExecutorID: executor}
}

func ended(stage, index int32, executor string) event.TaskEnd {
	return event.TaskEnd{StageID: stage, Index: index, ExecutorID: executor}
}
