package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Start is when every World begins.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ErrNotReached is the error of Run when its condition did not become true in time. Every kind of world has the same text.
var ErrNotReached = errors.New("condition not reached")

// World is a simulation. It belongs to one goroutine.
type World struct {
	// Roles starts the processes that Host.Start orders, by the command's class: it makes the Envs of that process on h.
	Roles map[string]func(h *Host, cmd rpcenv.Command) error
	// Tied are the classes whose processes end with the process that started them, as children do that hold a rope to it.
	Tied map[string]bool
	// Handling, if set, is called before each callback: on which Host, of which endpoint, for which item (empty for a message
	// and an answer) and message (nil for any other item).
	Handling func(host, endpoint, item string, m rpcenv.Message)
	// TurnLimit is how many steps one call of Run, Advance or Settle may do at one virtual instant. Beyond it the World is at
	// its end, see Err: it would spin for ever. 0 is a million, less is no limit.
	TurnLimit int

	seed        uint64
	rnd         *rand.Rand
	now         time.Time
	recorder    *record.Recorder
	byReference bool

	ready  []task
	events events
	work   int // what is under way: items, messages, bodies; not on Hosts that are paused

	hosts    []*Host
	programs map[string]program
	net      network
	packets  packets
	busy     busy
	pace     pace
	faults   faults
	spin     spin
}

// task is something a Host does; a crashed Host does nothing. Without a Host it is the World's.
type task struct {
	host *Host
	run  func()
}

// New makes a World that records its trace in memory, bodies up to bodyLimit bytes (0: the default).
func New(seed uint64, bodyLimit int) *World { return NewWith(seed, record.NewRecorder(bodyLimit)) }

// NewWith makes a World that records its trace in a Recorder of its own; nil records nothing.
func NewWith(seed uint64, r *record.Recorder) *World {
	w := &World{
		Roles: map[string]func(*Host, rpcenv.Command) error{}, Tied: map[string]bool{},
		seed: seed, now: Start, recorder: r, programs: map[string]program{}, net: newNetwork(), packets: newPackets(seed), pace: newPace(),
	}
	// Two streams: a rule that acts with a probability draws from its own, and changes no other choice of the World.
	w.rnd = rand.New(rand.NewPCG(seed, 0x636f6865726572))
	w.faults.rnd = rand.New(rand.NewPCG(seed, 0x6661756c7473))
	return w
}

// ByReference makes messages between Envs go as they are: nothing is encoded, and a message that is changed after it was
// sent is changed at its receiver. It is for Worlds of thousands of Envs, and holds for Envs made after it.
func (w *World) ByReference() { w.byReference = true }

// Seed is the World's seed.
func (w *World) Seed() uint64 { return w.seed }

// Now is the virtual time.
func (w *World) Now() time.Time { return w.now }

// Recorder is the World's trace.
func (w *World) Recorder() *record.Recorder { return w.recorder }

// Host makes a machine's process: name is its name in faults, ip its machine's address. A machine that had vanished is back
// with it.
func (w *World) Host(name, ip string) *Host {
	h := &Host{world: w, name: name, ip: ip, number: len(w.hosts)}
	w.hosts = append(w.hosts, h)
	w.appear(ip)
	return h
}

// Find is the live Host of that name, the youngest if several had it; nil when no live Host has it.
func (w *World) Find(name string) *Host {
	for _, h := range slices.Backward(w.hosts) {
		if h.name == name && !h.dead {
			return h
		}
	}
	return nil
}

// Exited reports whether the youngest process of that name has ended, and its exit code.
func (w *World) Exited(name string) (code int, ended bool) {
	for _, h := range slices.Backward(w.hosts) {
		if h.name == name {
			return h.code, h.dead
		}
	}
	return 0, false
}

// Step does the next thing: something that is ready, in seeded order, else the next event in time. False: there is
// nothing left to do, or Err says why it ended.
func (w *World) Step() bool { return w.step(math.MaxInt64) }

// step is Step, but not beyond a time, counted from Start.
func (w *World) step(limit time.Duration) bool {
	if w.spin.err != nil {
		return false
	}
	// Time stands while anything is ready. The seed chooses, so the order of w.ready does not matter: the last one may take
	// the place of the one that is chosen.
	for len(w.ready) > 0 {
		i := w.rnd.IntN(len(w.ready))
		t := w.ready[i]
		last := len(w.ready) - 1
		w.ready[i] = w.ready[last]
		w.ready[last] = task{}
		w.ready = w.ready[:last]
		if t.host == nil || !t.host.dead {
			if !w.turn(w.now) {
				return false
			}
			t.run()
			return true
		}
	}
	for len(w.events.heap) > 0 {
		e := w.events.heap[0]
		switch {
		case e.dead || e.host != nil && e.host.dead:
			w.events.pop()
			continue
		case e.at > limit, !w.pace.await(w, e.at):
			return false
		}
		w.events.pop() // only now: an event for which Stop ended the wait is still to come
		at := Start.Add(e.at)
		if !w.turn(at) {
			return false
		}
		w.now = at
		if e.host != nil && e.host.paused { // Resume pushes it again
			e.host.late = append(e.host.late, e)
			continue
		}
		e.run()
		return true
	}
	return false
}

// Advance runs everything that happens within d, or until Stop, or until Err says why not.
func (w *World) Advance(d time.Duration) {
	w.spin.restart()
	limit := w.now.Add(d).Sub(Start)
	for more := true; more; {
		more = w.step(limit)
		if w.pace.stopped() {
			return
		}
	}
	if w.spin.err != nil {
		return
	}
	if w.pace.await(w, limit) {
		w.now = Start.Add(limit)
		return
	}
	w.pace.stopped() // takes the request: it has ended this call and must not end the next one too
}

// Run runs until cond holds, which it checks before every step; ErrNotReached after within, or when nothing is left to do;
// ErrStopped after Stop; ErrSpins when time stands still.
func (w *World) Run(cond func() bool, within time.Duration) error {
	w.spin.restart()
	limit := w.now.Add(within).Sub(Start)
	for !cond() {
		more := w.step(limit)
		switch {
		case w.pace.stopped():
			return ErrStopped
		case w.spin.err != nil:
			return w.spin.err
		case !more:
			return fmt.Errorf("%w within %s of virtual time", ErrNotReached, within)
		}
	}
	return nil
}

// Settle runs until nothing is under way any more: no item in an inbox, no message between Envs, no body that runs.
// Timers and sleeping bodies are not waited for, nor what is held up by a cut or on a Host that is paused. Err says whether
// it ended because time stands still.
func (w *World) Settle() {
	w.spin.restart()
	for more := true; more && !w.Quiet(); {
		more = w.Step()
		if w.pace.stopped() {
			return
		}
	}
}

// Quiet reports whether nothing is under way.
func (w *World) Quiet() bool { return len(w.ready) == 0 && w.work == 0 }

// Close ends the World: all Envs in it crash.
func (w *World) Close() {
	for _, h := range w.hosts {
		h.crash()
	}
}

// After calls f after d, as an event of no Host.
func (w *World) After(d time.Duration, f func()) { w.later(nil, d, f) }

// later runs something after a time. What is to happen at one time happens in the order of these calls.
func (w *World) later(h *Host, d time.Duration, run func()) *event {
	e := &event{at: w.now.Sub(Start) + max(d, 0), host: h, run: run}
	if h == nil || !h.dead {
		w.events.push(e)
	}
	return e
}

// soon makes something ready.
func (w *World) soon(h *Host, run func()) {
	switch {
	case h == nil || !h.dead && !h.paused:
		w.ready = append(w.ready, task{h, run})
	case !h.dead:
		h.stuck = append(h.stuck, task{h, run})
	}
}

func (w *World) entropy(host int, purpose string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s", w.seed, host, purpose))
	return binary.BigEndian.Uint64(sum[:])
}
