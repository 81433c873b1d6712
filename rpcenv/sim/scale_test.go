package sim_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// beater sends a heartbeat each 15 s.
type beater struct{ to rpcenv.Ref }

func (e beater) OnStart(c *rpcenv.Context) { c.Every(0, 15*time.Second, tick{}) }

func (e beater) Receive(c *rpcenv.Context, _ rpcenv.Message) {
	c.Send(e.to, wrapperspb.String(c.Env().Name()))
}

// heart counts heartbeats.
type heart struct{ beats int }

func (e *heart) Receive(*rpcenv.Context, rpcenv.Message) { e.beats++ }

// BenchmarkHeartbeats runs 1,000 processes that send heartbeats to one for 60 virtual seconds, from their start on.
func BenchmarkHeartbeats(b *testing.B) {
	const workers = 1000
	for b.Loop() {
		w := sim.New(1, 0)
		h := &heart{}
		var to rpcenv.Ref
		for i := range workers + 1 {
			ip := fmt.Sprintf("10.0.%d.%d", i/250, i%250+1)
			name := fmt.Sprint("W", i)
			e, err := rpcenv.New(w.Host(name, ip), rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}})
			if err != nil {
				b.Fatal(err)
			}
			if i == 0 {
				to, err = e.Register("Heart", h)
			} else {
				_, err = e.Register("Beater", beater{to})
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		w.Advance(time.Minute)
		if h.beats < 4*workers {
			b.Fatalf("%d beats", h.beats)
		}
		w.Close()
	}
}
