package gossip_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/coherer/coherer/cluster/gossip"
)

// A member is asked for its vitals from time to time, and the others hear of them only when they have changed.
func TestVitalsAreHeardWhenTheyChange(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	var asked atomic.Int64
	answers := []string{"1/2 cores", "1/2 cores", "", "2/2 cores"}
	c := config("worker", 2, a)
	c.Upkeep = quick
	c.Vitals = func(context.Context) (gossip.Vitals, error) {
		load := answers[min(int(asked.Add(1)), len(answers))-1]
		if load == "" {
			return gossip.Vitals{}, errors.New("it has no time")
		}
		return gossip.Vitals{ID: "worker-1", Load: load}, nil
	}
	b := play(t, c)
	var heard []string
	ctx := within(t)
	for {
		var e gossip.Event
		select {
		case e = <-a.events:
		case <-ctx.Done():
			t.Fatalf("heard %q", heard)
		}
		if e.Info.Name != b.Name() || e.Kind != gossip.MemberJoined && e.Kind != gossip.MemberUpdated {
			continue
		}
		if e.Info.Load != "" { // it may have joined before its first answer
			heard = append(heard, e.Info.ID+" "+e.Info.Load)
		}
		if e.Info.Load == answers[3] {
			break
		}
	}
	// Of two changes that follow each other at once the first may be no event.
	if len(heard) > 2 || heard[len(heard)-1] != "worker-1 2/2 cores" {
		t.Errorf("heard %q", heard)
	}
	b.Close()
}
