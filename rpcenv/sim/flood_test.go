package sim_test

import (
	"flag"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
)

// The chatters of a flood say more than they can hear: a window has 240 of their messages, and an endpoint hears 100 a second.
const (
	mostFlooded = 60 // messages a tick
	floodOfBody = 300
	floodTwice  = 2 // seeds are run again
)

var floodsFlag = flag.Uint64("floods", 6, "run the flood of so many seeds; `.ci/run seeds` and `make soak` ask for more")

// A flood goes on while a random plan of faults does, in small windows. No stream stands still while its peer lives: all that was said
// is in the trace at the end, and every body that waited for room has gone on. Two runs of a seed do the same.
func TestSeedsOfAFlood(t *testing.T) {
	out := make([]outcome, *floodsFlag)
	var next atomic.Uint64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for seed := next.Add(1); seed <= *floodsFlag; seed = next.Add(1) {
				out[seed-1] = runFlood(t, seed, planOf(seed))
				if seed <= floodTwice && runFlood(t, seed, planOf(seed)).digest != out[seed-1].digest {
					t.Error("seed", seed, "differs from run to run")
				}
			}
		})
	}
	wg.Wait()
	failed := 0
	for i, o := range out {
		if len(o.problems) > 0 {
			if failed++; failed <= 3 {
				t.Errorf("seed %d: %q", i+1, o.problems)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d seeds failed", failed, len(out))
	}
}

func runFlood(t *testing.T, seed uint64, plan fault.Plan) outcome {
	l := newLoad(seed)
	c, err := conf.New(map[string]string{"coherer.rpc.window": "64k", "coherer.rpc.outbox.limit": "1m"}, rpcenv.Settings)
	if err != nil {
		t.Error(err)
	}
	l.conf, l.flood = c, true
	l.w.Cost("*", "StringValue", 10*time.Millisecond)
	return l.run(plan)
}

// flood sends from a body, if none is at it, which waits for room.
func (c *chatter) flood(ctx *rpcenv.Context, to rpcenv.Ref) {
	if c.floods {
		return
	}
	c.floods = true
	c.runs++
	rpcenv.Run(ctx, "", func(b *rpcenv.Blocking) (int, error) {
		for range floodOfBody {
			c.flooded++
			if err := b.Send(to, wrapperspb.String(c.name+"/body "+strconv.Itoa(c.flooded))); err != nil {
				return 0, err
			}
			c.said++
		}
		return 0, nil
	}, func(int, error) {
		defer c.enter("the end of a flood")()
		c.floods = false
		c.runs--
	})
}
