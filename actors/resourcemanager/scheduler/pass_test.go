package scheduler

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The book's time counts from the Scheduler's start.
func TestTheTimeOfTheBook(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.Run(func(c *rpcenv.Context) {
		r.s.start = c.Now().Add(-time.Second)
		if got := r.s.now(c); got != time.Second {
			t.Errorf("a second after the start it is %s", got)
		}
	})
}

// A pass of continuous scheduling leaves the shares to the next update, unless something was asked.
func TestAPassComputesNoShares(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.scheduler.fair.continuous-scheduling-enabled", "true", "yarn.scheduler.fair.update-interval-ms", "60000")
	r.add("h")
	share := func() (memory int64) {
		for _, q := range must[Books](r, RequestBooks{}).Queues {
			if q.Name == "root.a" {
				memory = q.FairShare.Memory
			}
		}
		return memory
	}
	for id, queue := range []string{"a", "b"} {
		at := r.begins(ids.Application{Timestamp: 5, ID: int32(id + 1)}, queue)
		must[Allocation](r, Allocate{Attempt: at, Asks: []*yarn.ResourceRequest{anyAsk(20)}})
		r.Pass(100)
	}
	if got := share(); got != 4096 {
		t.Errorf("of two queues one has the share %d", got)
	}
	r.Send(AppRemoved{App: ids.Application{Timestamp: 5, ID: 2}})
	r.Pass(1000)
	if got := share(); got != 4096 {
		t.Errorf("before the next update the share is %d", got)
	}
	r.Pass(60_000)
	if got := share(); got != 8192 {
		t.Errorf("after it the share is %d", got)
	}
}

// With continuous scheduling what is asked is looked at by the next pass, once.
func TestAnAskIsLookedAtOnce(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.attempt(false)
	r.Run(func(c *rpcenv.Context) {
		for what, tick := range map[string]func(){"update": func() { r.s.updateTick(c) }, "pass": func() { r.s.continuousTick(c) }} {
			r.s.asked = true
			if tick(); r.s.asked {
				t.Errorf("asked is left by a tick: %s", what)
			}
		}
	})
	asked := func(asks ...*yarn.ResourceRequest) bool {
		must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: asks})
		return r.s.asked
	}
	if asked() || !asked(anyAsk(1)) || !asked() {
		t.Error("asked is so when something was asked since the last update")
	}
}
