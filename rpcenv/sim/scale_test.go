package sim_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// beater sends a heartbeat each period.
type beater struct {
	to     rpcenv.Ref
	period time.Duration
}

func (e beater) OnStart(c *rpcenv.Context) { c.Every(0, e.period, tick{}) }

func (e beater) Receive(c *rpcenv.Context, _ rpcenv.Message) {
	c.Send(e.to, wrapperspb.String(c.Env().Name()))
}

// heart counts heartbeats.
type heart struct{ beats int }

func (e *heart) Receive(*rpcenv.Context, rpcenv.Message) { e.beats++ }

// beat runs a World of workers that send heartbeats to one Env.
func beat(w *sim.World, workers int, period, span time.Duration) (int, error) {
	h := &heart{}
	var to rpcenv.Ref
	for i := range workers + 1 {
		ip := fmt.Sprintf("10.%d.%d.%d", i/62500, i/250%250, i%250+1)
		name := fmt.Sprint("W", i)
		e, err := rpcenv.New(w.Host(name, ip), rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}, Log: rpcenv.NoLog()})
		if err != nil {
			return 0, err
		}
		if i == 0 {
			to, err = e.Register("Heart", h)
		} else {
			_, err = e.Register("Beater", beater{to, period})
		}
		if err != nil {
			return 0, err
		}
	}
	w.Advance(span)
	return h.beats, nil
}

// BenchmarkHeartbeats runs 60 virtual seconds, from the start on: a World of 1,000 processes and a heartbeat each 15 s, with
// its trace in memory; one of 10,000 and a heartbeat each second, by reference, with the
// ring of a process.
func BenchmarkHeartbeats(b *testing.B) {
	for _, c := range []struct {
		name    string
		workers int
		period  time.Duration
		record  func() (*record.Recorder, error)
		byRef   bool
	}{
		{"envs=1000/period=15s/trace", 1000, 15 * time.Second, func() (*record.Recorder, error) { return record.NewRecorder(0), nil }, false},
		{"envs=10000/period=1s/ring", 10_000, time.Second, record.NewRingRecorder, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			total := 0
			for b.Loop() {
				r, err := c.record()
				if err != nil {
					b.Fatal(err)
				}
				w := sim.NewWith(1, r)
				if c.byRef {
					w.ByReference()
				}
				beats, err := beat(w, c.workers, c.period, time.Minute)
				if err != nil {
					b.Fatal(err)
				}
				if least := c.workers * int(time.Minute/c.period); beats < least {
					b.Fatalf("%d beats, want %d", beats, least)
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys)/(1<<20), "sys-MB")
				total += beats
				w.Close()
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "beats/s")
		})
	}
}
