package nodemanager

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// The ResourceManager says when the next heartbeat comes; what cannot be keeps the last period, at first the node's own.
func TestThePeriodOfHeartbeats(t *testing.T) {
	const day = 24 * time.Hour
	for said, want := range map[time.Duration]time.Duration{
		0: 7 * time.Second, -time.Second: 7 * time.Second, time.Millisecond: time.Millisecond, day: day, day + time.Millisecond: 7 * time.Second,
	} {
		k := newKit(t)
		k.w.Latency(0, 0)
		k.period = said
		k.join(Config{}, map[string]string{"yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "7000"})
		if err := k.w.Run(func() bool { return len(k.beats) > 1 }, 2*day); err != nil {
			t.Fatal(err)
		}
		if got := k.began[1].Sub(k.began[0]); got != want {
			t.Errorf("%s: %s", said, got)
		}
	}
}

// When a container ends while a heartbeat is under way, the next one reports it, right behind the answer; then the period holds.
func TestAnEndDuringAHeartbeatIsToldBehindIt(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.reported(id, yarn.ContainerState_C_RUNNING)
	k.w.Delay("RM", "NM1", 300*time.Millisecond)
	n := len(k.beats)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > n })
	k.children[0].Exit(0)
	k.w.Advance(250 * time.Millisecond)
	if len(k.beats) != n+1 {
		t.Errorf("%d heartbeats at once", len(k.beats)-n)
	}
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	if d := k.began[n+1].Sub(k.began[n]).Truncate(10 * time.Millisecond); len(k.beats) != n+2 || d != 300*time.Millisecond {
		t.Errorf("%d heartbeats, after %s", len(k.beats)-n, d)
	}
	k.w.Until("another", func() bool { return len(k.beats) > n+2 })
	if d := k.began[n+2].Sub(k.began[n+1]).Truncate(10 * time.Millisecond); d != 1300*time.Millisecond {
		t.Errorf("the next one comes after %s", d)
	}
}

// A container whose end was reported goes when its application is on its way out: nobody will ask to forget it. The others of
// that application stay until they are reported.
func TestWhatAFinishingApplicationToldIsForgotten(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Containers: dirs{f}}, nil)
	quick, slow := k.running(1, nil), k.running(2, nil)
	f.stuck = slow
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(2 * time.Second)
	if got := k.status(quick); got != "Container "+quick.String()+" was recently stopped on node manager." {
		t.Errorf("%s", got)
	}
	if got := k.status(slow); !strings.HasPrefix(got, "C_RUNNING -107 ") {
		t.Errorf("%s", got)
	}
}

// Signals are for processes: a container that has none is left alone.
func TestAContainerWithoutAProcessIsNotSignalled(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: 5 * time.Second}
	k.join(Config{Containers: dirs{f}}, nil)
	id := k.run(1, nil)
	kill := func(r *yarn.NodeHeartbeatResponse) {
		r.ContainersToSignal = []*yarn.SignalContainer{{ContainerId: id.Proto(), Command: yarn.SignalContainerCommand_FORCEFUL_SHUTDOWN}, {}}
	}
	k.next(kill)
	k.w.Until("a process", func() bool { return len(k.started) == 1 })
	k.w.Settle()
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
	want := []string{"info Container " + id.String() + " to signal does not run here", "info Container container_0_0000_00_000000 to signal does not run here"}
	if got := k.lines("to signal does not run here"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// An answer that comes when the node has said good-bye, or is on its way out, starts nothing anew.
func TestAfterTheGoodByeNothingIsAsked(t *testing.T) {
	shutdown := func(k *kit) {
		main := k.w.ProbeIn(k.env, fmt.Sprint("Main", len(k.w.Probes())))
		if r, err := rpctest.Ask[*rpc.Bool](main, k.nm, Shutdown{}); err != nil || !r.GetValue() {
			t.Errorf("%v %v", r, err)
		}
	}
	t.Run("a heartbeat", func(t *testing.T) {
		k := newKit(t)
		k.join(Config{}, nil)
		k.w.Delay("RM", "NM1", 300*time.Millisecond)
		n := len(k.beats)
		k.w.Until("a heartbeat", func() bool { return len(k.beats) > n })
		shutdown(k)
		k.w.Advance(time.Minute)
		if len(k.beats) != n+1 || k.farewells != 1 {
			t.Errorf("%d heartbeats, %d farewells", len(k.beats)-n, k.farewells)
		}
	})
	t.Run("between heartbeats", func(t *testing.T) {
		k := newKit(t)
		k.join(Config{}, nil)
		k.w.Advance(500 * time.Millisecond)
		n := len(k.beats)
		shutdown(k)
		shutdown(k)
		k.w.Advance(time.Minute)
		if len(k.beats) != n || k.farewells != 1 {
			t.Errorf("%d heartbeats, %d farewells", len(k.beats)-n, k.farewells)
		}
	})
	t.Run("the registration", func(t *testing.T) {
		k := newKit(t)
		answer := k.holding()
		k.start(Config{}, nil)
		k.w.Settle()
		shutdown(k)
		answer(welcome, nil)
		k.w.Advance(time.Minute)
		if len(k.beats) != 0 || k.farewells != 0 || len(k.registrations) != 1 {
			t.Errorf("%d heartbeats, %d farewells, %d registrations", len(k.beats), k.farewells, len(k.registrations))
		}
	})
	t.Run("the way to the ResourceManager", func(t *testing.T) {
		k := newKit(t)
		k.start(Config{}, nil)
		shutdown(k)
		k.w.Advance(time.Minute)
		if len(k.registrations) != 0 {
			t.Errorf("%d registrations", len(k.registrations))
		}
	})
	t.Run("a retry", func(t *testing.T) {
		k := newKit(t)
		k.bad = exceptions.Retriable
		k.start(Config{}, nil)
		k.w.Advance(time.Second)
		shutdown(k)
		k.w.Advance(time.Hour)
		if _, ended := k.host.Exited(); len(k.registrations) != 1 || ended {
			t.Errorf("%d registrations, ended: %t", len(k.registrations), ended)
		}
	})
}

// A node that has to end reports no container's end any more: it does not count for the ResourceManager.
func TestANodeThatIsToldToEndTellsNothing(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Containers: dirs{f}}, nil)
	k.running(1, nil)
	f.stuck = k.running(2, nil)
	k.next(func(r *yarn.NodeHeartbeatResponse) {
		r.NodeAction, r.DiagnosticsMessage = yarn.NodeAction_NODE_SHUTDOWN, "no more of you"
	})
	n := len(k.beats)
	if got := k.why(); got != "exit 0: the ResourceManager says so: no more of you" {
		t.Errorf("%s", got)
	}
	if len(k.beats) != n || k.farewells != 0 {
		t.Errorf("%d heartbeats, %d farewells", len(k.beats)-n, k.farewells)
	}
}
