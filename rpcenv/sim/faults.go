package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// ErrNoHost means that no live Host has the name of a fault.
var ErrNoHost = errors.New("sim: no such host")

// program is how a process begins again.
type program struct {
	ip  string
	run func(*Host) error
}

// Boot makes a Host that runs a program, which makes its Envs, and remembers both for Restart.
func (w *World) Boot(name, ip string, run func(*Host) error) (*Host, error) {
	w.programs[name] = program{ip, run}
	h := w.Host(name, ip)
	if err := run(h); err != nil {
		h.Kill()
		return nil, err
	}
	return h, nil
}

// Restart ends a process that Boot began, as Kill does, if it runs, and begins a new one in its place: another incarnation
// at the same address.
func (w *World) Restart(name string) error {
	p, ok := w.programs[name]
	if !ok {
		return fmt.Errorf("%w: %s was not booted", ErrNoHost, name)
	}
	if h := w.Find(name); h != nil {
		h.Kill()
	}
	_, err := w.Boot(name, p.ip, p.run)
	return err
}

// Apply makes a fault happen now. It is an event of the trace. Its error is ErrNoHost, or that of a program that does not
// begin again.
func (w *World) Apply(f fault.Fault) error {
	err := w.apply(f)
	ev := record.Event{Kind: tracepb.Kind_STATE, Env: record.WorldEnv, Name: "fault", Subject: f.String(), To: "applied"}
	if err != nil {
		ev.To, ev.Why = "without effect", err.Error()
	}
	w.record(&ev)
	return err
}

// Schedule lets the faults of a Plan happen, their times counted from now. Those without effect, say the pause of a process
// that has ended, say so in the trace.
func (w *World) Schedule(p fault.Plan) {
	for _, t := range p.Faults {
		w.later(nil, t.At, func() { _ = w.Apply(t.Fault) }) // what came of it is in the trace
	}
}

// Calm ends all faults that last: rules, cuts, delays, losses, pauses and costs. What has ended stays so.
func (w *World) Calm() {
	w.faults.rules, w.busy = nil, busy{}
	w.net.delays, w.packets.losses, w.net.cuts = nil, nil, nil
	w.Heal("", "") // of no cut in particular: with all of them gone it releases everything that is held
	for _, h := range w.hosts {
		h.Resume()
	}
}

// Reset ends the connections between two processes, as when one gives them up: A sees that at once, and what was on its way
// to it is lost; B sees it after d, and what was on its way there arrives.
func (w *World) Reset(a, b string, d time.Duration) error {
	h := w.Find(a)
	if h == nil {
		return fmt.Errorf("%w: %s", ErrNoHost, a)
	}
	for _, l := range slices.Clone(h.ends) { // ended takes l out of h.ends
		if l.from.name != b || l.closed {
			continue
		}
		l.closed = true
		// An event of the World's: the reset is on the network and reaches B also if A has ended by then.
		w.later(nil, d, func() { l.peer.finish(errReset) })
		l.ended(errReset)
	}
	return nil
}

// Faulty reports whether a fault is in force: a cut, a delay, a loss, a rule, a cost or a pause that has not ended. What was killed
// or has vanished is no fault any more.
func (w *World) Faulty() bool {
	w.faults.rules = slices.DeleteFunc(w.faults.rules, func(r *rule) bool { return r.over(w.now) })
	return len(w.faults.rules) > 0 || len(w.net.cuts) > 0 || len(w.net.delays) > 0 || len(w.packets.losses) > 0 || !w.busy.idle() ||
		slices.ContainsFunc(w.hosts, func(h *Host) bool { return h.paused && !h.dead })
}

func (w *World) apply(f fault.Fault) error {
	switch f.Verb {
	case fault.Cut, fault.Heal:
		do := w.Cut
		if f.Verb == fault.Heal {
			do = w.Heal
		}
		do(f.A, f.B)
		if !f.OneWay {
			do(f.B, f.A)
		}
		return nil
	case fault.Lose:
		w.Lose(f.A, f.B, f.P)
		if !f.OneWay {
			w.Lose(f.B, f.A, f.P)
		}
		return nil
	case fault.Latency:
		w.Latency(f.By, f.Max)
		return nil
	case fault.Cost:
		w.Cost(f.A, f.B, f.By)
		return nil
	case fault.Threads:
		w.Threads(f.A, f.N)
		return nil
	case fault.Restart:
		return w.Restart(f.A)
	}
	if f.IsRule() {
		w.faults.begin(f, w.now)
		return nil
	}
	if f.Verb == fault.Reset {
		return w.Reset(f.A, f.B, f.By)
	}
	if f.Verb == fault.Delay { // without a pattern: of all packets, not of some messages
		w.Delay(f.A, f.B, f.By)
		return nil
	}
	// The rest happens to one live process.
	h := w.Find(f.A)
	if h == nil {
		return fmt.Errorf("%w: %s", ErrNoHost, f.A)
	}
	switch f.Verb {
	case fault.Pause:
		h.Pause()
	case fault.Resume:
		h.Resume()
	case fault.Kill:
		h.Kill()
	case fault.Vanish:
		h.Vanish()
	default:
		return fmt.Errorf("sim: no fault is called %q", f.Verb)
	}
	return nil
}

// faults are the rules that hold, in the order in which they began.
type faults struct {
	rules []*rule
	rnd   *rand.Rand
	named bool   // the World is an Env of the trace
	n     uint64 // events of the World about lost messages
}

type rule struct {
	fault.Fault
	until time.Time // zero: for ever
	left  int       // messages; -1: all
}

func (f *faults) begin(x fault.Fault, now time.Time) {
	r := &rule{Fault: x, left: -1}
	if x.N > 0 {
		r.left = x.N
	}
	if x.For > 0 {
		r.until = now.Add(x.For)
	}
	f.rules = append(f.rules, r)
}

// over reports whether the rule acts no more.
func (r *rule) over(now time.Time) bool {
	return r.left == 0 || !r.until.IsZero() && !r.until.After(now)
}

// acting are the rules that act on a message, which counts for each.
func (f *faults) acting(m *message, now time.Time) []*rule {
	f.rules = slices.DeleteFunc(f.rules, func(r *rule) bool { return r.over(now) })
	var out []*rule
	for _, r := range f.rules {
		// A random number is drawn only for a message that fits: others have no part in when the rule acts.
		if !m.fits(r.Pattern) || r.P > 0 && f.rnd.Float64() >= r.P {
			continue
		}
		if r.left > 0 {
			r.left--
		}
		out = append(out, r)
		if r.Verb == fault.Drop {
			break // nothing is left of it
		}
	}
	return out
}

// record adds to the trace what a fault did.
func (w *World) record(ev *record.Event) {
	if w.recorder == nil {
		return
	}
	if !w.faults.named {
		w.faults.named = true // only now: the trace of a run without faults has no Env called World
		w.record(&record.Event{Kind: tracepb.Kind_ENV, Env: record.WorldEnv, Peer: "World"})
	}
	ev.Time = w.now.UnixNano()
	w.recorder.NoteEvent(ev, true)
	w.recorder.Add(ev)
}
