package driver_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// elastic is a rig with dynamic allocation whose Master notes the totals that it is asked for.
type elastic struct {
	*rig
	totals []int
	refuse bool
	silent bool
	held   []rpcenv.Call[*rpc.Bool]
}

func newElastic(t *testing.T, settings map[string]string) *elastic {
	t.Helper()
	all := map[string]string{"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.executorIdleTimeout": "10s"}
	maps.Copy(all, settings)
	e := &elastic{rig: newRig(t, all)}
	e.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.RequestExecutors)
		switch {
		case !ok:
			return false
		case e.silent:
			e.held = append(e.held, rpcenv.Defer(c, q))
		default:
			rpcenv.Reply(c, q, &rpc.Bool{Value: !e.refuse})
		}
		e.totals = append(e.totals, int(q.GetTotals()[0].GetTotal()))
		return true
	})
	return e
}

func (e *elastic) asked(t *testing.T, want ...int) {
	t.Helper()
	if !slices.Equal(e.totals, want) {
		t.Errorf("the Master was asked for %v, want %v", e.totals, want)
	}
}

// TestTheTargetFollowsTheWork: nothing at first, one after a second with waiting tasks, all that are needed a second later,
// none when all is done, and the idle are given back.
func TestTheTargetFollowsTheWork(t *testing.T) {
	e := newElastic(t, nil)
	if e.description.InitialExecutorLimit == nil || e.description.GetInitialExecutorLimit() != 0 {
		t.Error("the Master may start executors before the first request")
	}
	e.Advance(time.Minute)
	e.asked(t, 0)
	j := run(e.rig, numbers.With(9)) // three tasks
	e.Advance(1200 * time.Millisecond)
	e.asked(t, 0, 1)
	e.Advance(time.Second)
	e.asked(t, 0, 1, 3)
	for _, id := range []string{"0", "1", "2"} {
		e.launched(id, 1).work()
	}
	j.counts()
	e.Advance(time.Second)
	if last := e.totals[len(e.totals)-1]; last != 0 {
		t.Errorf("the Master was last asked for %d, want 0: nothing is to be done", last)
	}
	if len(e.killed) > 0 {
		t.Errorf("executors %v were killed at once", e.killed)
	}
	e.Advance(10 * time.Second)
	slices.Sort(e.killed)
	if !slices.Equal(e.killed, []string{"0", "1", "2"}) {
		t.Errorf("executors %v were given back, want all three", e.killed)
	}
}

// TestTheLeastNumberStays however idle.
func TestTheLeastNumberStays(t *testing.T) {
	e := newElastic(t, map[string]string{"spark.dynamicAllocation.minExecutors": "2"})
	for _, id := range []string{"0", "1", "2"} {
		e.launched(id, 1)
	}
	e.Advance(time.Minute)
	if !slices.Equal(e.killed, []string{"0"}) {
		t.Errorf("executors %v were given back, want 0 alone, which was idle the longest", e.killed)
	}
}

// TestAShuffleKeepsItsExecutorUntilTheJobEnds: it has map outputs that the reducers need.
func TestAShuffleKeepsItsExecutorUntilTheJobEnds(t *testing.T) {
	e := newElastic(t, nil)
	j := run(e.rig, words.With([]string{"a b", "c"}))
	a, b := e.launched("0", 1), e.launched("1", 1)
	first, second := a.task(), b.task()
	a.finish(first)
	b.finish(second)
	short, long := a.task(), b.task() // the reducers
	a.finish(short)
	e.Advance(time.Minute)
	if slices.Contains(e.killed, "0") {
		t.Error("executor 0 was given back while its map outputs are needed")
	}
	b.finish(long)
	j.counts()
	e.Advance(11 * time.Second)
	if !slices.Contains(e.killed, "0") {
		t.Errorf("executor 0 was not given back after its job; %v were", e.killed)
	}
}

// TestOneRequestIsOutAtATime: while the Master thinks, executors register and tasks end, and the driver sends no other target.
func TestOneRequestIsOutAtATime(t *testing.T) {
	e := newElastic(t, nil)
	e.Advance(time.Second)
	e.silent = true
	j := run(e.rig, numbers.With(9))
	e.Advance(5 * time.Second)
	e.asked(t, 0, 1)
	e.launched("0", 3).work()
	j.counts()
	e.asked(t, 0, 1)
}

// TestARefusedTargetIsToldAgain until the Master takes it.
func TestARefusedTargetIsToldAgain(t *testing.T) {
	e := newElastic(t, nil)
	e.Advance(time.Second)
	e.refuse = true
	run(e.rig, numbers.With(9))
	e.Advance(1500 * time.Millisecond)
	if len(e.totals) < 3 || e.totals[1] != 1 || e.totals[2] != 1 {
		t.Errorf("the Master was asked for %v, want 1 again and again", e.totals)
	}
}

// TestABusyExecutorIsNotKilledAsIdle.
func TestABusyExecutorIsNotKilledAsIdle(t *testing.T) {
	e := newElastic(t, nil)
	run(e.rig, numbers.With(9))
	a := e.launched("0", 1)
	a.task()
	var killed allocation.Removed
	e.env.Go("somebody", func(b *rpcenv.Blocking) (err error) {
		killed, err = rpcenv.AskWait(b, e.at(driver.Name), allocation.KillExecutors{IDs: []string{"0", "none"}})
		return err
	})
	e.Advance(time.Second)
	if len(killed.IDs) > 0 || len(e.killed) > 0 {
		t.Errorf("%v were killed; one is busy, the other unknown", e.killed)
	}
}

// TestAnExecutorThatMayNotEndIsUsedAgain when the Master does not take its kill.
func TestAnExecutorThatMayNotEndIsUsedAgain(t *testing.T) {
	e := newElastic(t, nil)
	var refused []string
	e.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.KillExecutors)
		if ok {
			refused = append(refused, q.GetExecutorIds()...)
			rpcenv.Reply(c, q, &rpc.Bool{})
		}
		return ok
	})
	a := e.launched("0", 1)
	e.Advance(10500 * time.Millisecond)
	run(e.rig, numbers.With(9))
	a.task()
	if len(refused) == 0 {
		t.Error("no kill was refused")
	}
}

// Another ApplicationMaster hears the present target: the tasks that wait need it.
func TestAnotherApplicationMasterIsToldTheTarget(t *testing.T) {
	for compat, want := range map[string]int{"fixed": 3, "SPARK-20079": 0} {
		e := newElastic(t, map[string]string{"coherer.compat": compat})
		run(e.rig, numbers.With(9))
		e.Advance(2500 * time.Millisecond)
		e.env.Go("another one", func(b *rpcenv.Blocking) error { return b.Send(e.at(allocation.Name), allocation.Reset{}) })
		before := len(e.totals)
		e.Advance(50 * time.Millisecond)
		if after := e.totals[before:]; len(after) != 1 || after[0] != want {
			t.Errorf("%s: it got %v, want %d", compat, after, want)
		}
	}
}
