package sim

import (
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Start is when every World begins.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ErrNotReached is what Run returns when its condition did not become true in time.
var ErrNotReached = errors.New("sim: condition not reached")

// World is a simulation. It belongs to one goroutine.
type World struct {
	// Roles starts the processes that Host.Start orders, by the command's class: it makes the Envs of that process on h.
	Roles map[string]func(h *Host, cmd rpcenv.Command) error
	// Handling, if set, is told before each callback: on which Host, of which endpoint, for which item (empty for a message
	// and an answer) and message (nil where there is none).
	Handling func(host, endpoint, item string, m rpcenv.Message)

	seed     uint64
	rnd      *rand.Rand
	now      time.Time
	recorder *trace.Recorder

	ready  []task
	events eventHeap
	seq    uint64

	hosts     []*Host
	ports     map[string]int
	listeners map[rpcenv.Address]*listener
	cuts      map[[2]string]bool
	delays    map[[2]string]time.Duration
	links     []*link // directions that hold envelopes back because of a cut
	inFlight  int
}

// task is something a Host does; a crashed Host does nothing. Without a Host it is the World's.
type task struct {
	host *Host
	run  func()
}

// New makes a World that records its trace in memory, bodies up to bodyLimit bytes (0: the default).
func New(seed uint64, bodyLimit int) *World {
	w := &World{
		Roles: map[string]func(*Host, rpcenv.Command) error{},
		seed:  seed, now: Start, recorder: trace.NewRecorder(bodyLimit),
		ports: map[string]int{}, listeners: map[rpcenv.Address]*listener{},
		cuts: map[[2]string]bool{}, delays: map[[2]string]time.Duration{},
	}
	w.rnd = rand.New(rand.NewPCG(seed, 0x636f6865726572))
	return w
}

// Seed is the World's seed.
func (w *World) Seed() uint64 { return w.seed }

// Now is the virtual time.
func (w *World) Now() time.Time { return w.now }

// Recorder is the World's trace.
func (w *World) Recorder() *trace.Recorder { return w.recorder }

// Host makes a machine's process: name is what cuts and crashes call it, ip its machine's address.
func (w *World) Host(name, ip string) *Host {
	h := &Host{world: w, name: name, ip: ip, number: len(w.hosts)}
	w.hosts = append(w.hosts, h)
	return h
}

// Find is the live Host of that name, the youngest if several had it; nil when there is none.
func (w *World) Find(name string) *Host {
	for _, h := range slices.Backward(w.hosts) {
		if h.name == name && !h.dead {
			return h
		}
	}
	return nil
}

// Exited tells of the youngest process of that name, if it has ended.
func (w *World) Exited(name string) (code int, ended bool) {
	for _, h := range slices.Backward(w.hosts) {
		if h.name == name {
			return h.code, h.dead
		}
	}
	return 0, false
}

// Step does the next thing: something that is ready, in seeded order, else the next event in time. False: there is
// nothing left to do.
func (w *World) Step() bool { return w.step(time.Time{}) }

// step is Step, but not beyond a time, unless it is zero.
func (w *World) step(limit time.Time) bool {
	for len(w.ready) > 0 {
		i := w.rnd.IntN(len(w.ready))
		t := w.ready[i]
		last := len(w.ready) - 1
		w.ready[i] = w.ready[last]
		w.ready[last] = task{}
		w.ready = w.ready[:last]
		if t.host == nil || !t.host.dead {
			t.run()
			return true
		}
	}
	for len(w.events) > 0 {
		if !limit.IsZero() && w.events[0].at.After(limit) {
			return false
		}
		e := heap.Pop(&w.events).(*event)
		if e.dead || e.host != nil && e.host.dead {
			continue
		}
		w.now = e.at
		e.fired = true
		e.run()
		return true
	}
	return false
}

// Advance runs everything that happens within d.
func (w *World) Advance(d time.Duration) {
	limit := w.now.Add(d)
	for w.step(limit) {
	}
	w.now = limit
}

// Run runs until cond holds, which is looked at after every step; ErrNotReached after within, or when nothing is left
// to do.
func (w *World) Run(cond func() bool, within time.Duration) error {
	limit := w.now.Add(within)
	for !cond() {
		if !w.step(limit) {
			return fmt.Errorf("%w within %s of virtual time", ErrNotReached, within)
		}
	}
	return nil
}

// Settle runs until nothing is under way any more: no item in an inbox, no message between Envs, no body that runs.
// Timers and sleeping bodies are not waited for.
func (w *World) Settle() {
	for !w.Quiet() && w.Step() {
	}
}

// Quiet reports whether nothing is under way.
func (w *World) Quiet() bool {
	return len(w.ready) == 0 && w.inFlight == 0 && w.recorder.Idle()
}

// Close ends the World: all Envs in it crash.
func (w *World) Close() {
	for _, h := range w.hosts {
		h.crash()
	}
}

func (w *World) later(h *Host, d time.Duration, run func()) *event {
	w.seq++
	e := &event{at: w.now.Add(max(d, 0)), seq: w.seq, host: h, run: run}
	if h == nil || !h.dead {
		heap.Push(&w.events, e)
	}
	return e
}

func (w *World) soon(h *Host, run func()) {
	if h == nil || !h.dead {
		w.ready = append(w.ready, task{h, run})
	}
}

// latency is how long a packet takes: 100 µs to 1 ms, and what Delay adds.
func (w *World) latency(from, to *Host) time.Duration {
	d := 100*time.Microsecond + time.Duration(w.rnd.Int64N(int64(900*time.Microsecond)))
	return d + w.delays[[2]string{from.name, to.name}]
}

func (w *World) entropy(host int, purpose string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s", w.seed, host, purpose))
	return binary.BigEndian.Uint64(sum[:])
}

// event is something that happens at a time.
type event struct {
	at    time.Time
	seq   uint64
	host  *Host
	run   func()
	dead  bool
	fired bool
}

type eventHeap []*event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *eventHeap) Push(x any) { *h = append(*h, x.(*event)) }

func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
