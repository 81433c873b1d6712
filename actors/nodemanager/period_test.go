package nodemanager

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
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
