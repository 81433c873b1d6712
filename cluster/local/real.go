package local

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

const loopback = "127.0.0.1"

// realWorld has all processes in this one, on one Host of the real kind.
type realWorld struct {
	executors
	kind     Kind
	host     *transport.Host
	recorder *record.Recorder
	flight   *flight
	changed  chan struct{}
	unwatch  func()
	work     atomic.Int64 // what is under way, messages between Envs aside

	mu        sync.Mutex
	processes []*inProcess
	roles     map[string]realRole
}

type realRole struct {
	name  func(rpcenv.Command) string
	start Role
	tied  bool
}

func newRealWorld(kind Kind) *realWorld {
	w := &realWorld{kind: kind, recorder: record.NewRecorder(bodyLimit), changed: make(chan struct{}, 1), roles: map[string]realRole{}}
	w.world, w.table = w, newBlockTable(kind)
	w.flight = newFlight(w.Wake)
	w.unwatch = w.recorder.Watch(w.flight.see)
	w.host = transport.New(transport.Options{Recorder: w.recorder, Memory: kind == InProcess})
	return w
}

func (w *realWorld) Kind() Kind                 { return w.kind }
func (w *realWorld) Recorder() *record.Recorder { return w.recorder }
func (w *realWorld) Simulated() *sim.World      { return nil }

func (w *realWorld) SetRole(class string, name func(rpcenv.Command) string, start Role) {
	w.roles[class] = realRole{name: name, start: start}
}

func (w *realWorld) Tie(class string) {
	r := w.roles[class]
	r.tied = true
	w.roles[class] = r
}

func (w *realWorld) Process(name string) (rpcenv.Host, string) {
	return w.add(&inProcess{Host: w.host, world: w, name: name}), loopback
}

func (w *realWorld) add(p *inProcess) *inProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes = append(w.processes, p)
	return p
}

// Wake makes Run look at its condition again.
func (w *realWorld) Wake() {
	select {
	case w.changed <- struct{}{}:
	default: // Run has not taken the last wake yet, and will see this change too
	}
}

func (w *realWorld) Run(cond func() bool, within time.Duration) error {
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	for !cond() {
		select {
		case <-w.changed:
		case <-timeout.C:
			return fmt.Errorf("%w within %s", sim.ErrNotReached, within)
		}
	}
	return nil
}

func (w *realWorld) Settle(within time.Duration) error {
	return w.Run(func() bool { return w.flight.empty() && w.work.Load() == 0 }, within)
}

func (w *realWorld) find(name string) *inProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	// From the last: a name is used again when its process has ended.
	for _, p := range slices.Backward(w.processes) {
		if p.name == name {
			return p
		}
	}
	return nil
}

func (w *realWorld) Kill(name string) error {
	p := w.find(name)
	if p == nil || !p.end(128+9) {
		return fmt.Errorf("%w: %s", ErrNoSuchProcess, name)
	}
	return nil
}

func (w *realWorld) Exited(name string) (int, bool) {
	p := w.find(name)
	if p == nil {
		return 0, false
	}
	return p.Exited()
}

func (w *realWorld) Close() error {
	w.unwatch()
	w.mu.Lock()
	all := w.processes
	w.mu.Unlock()
	for _, p := range all {
		p.end(128 + 9)
	}
	return w.host.Close()
}

// inProcess is one process of a realWorld: the Host of all, with an end and children of its own.
type inProcess struct {
	*transport.Host
	world *realWorld
	name  string

	mu       sync.Mutex
	discards []func()
	ended    bool
	code     int
	onExit   func(rpcenv.Exit)
	tied     []*inProcess // those that end with it
}

// Hooks are what the world wants of the process's Envs: to end them, and to know when nothing is under way.
func (p *inProcess) Hooks() rpcenv.Hooks { return rpcenv.Hooks{Adopt: p.adopt, Busy: p.world.busy} }

func (w *realWorld) busy(n int) {
	if w.work.Add(int64(n)) == 0 {
		w.Wake()
	}
}

// adopt takes how to discard an Env of the process.
func (p *inProcess) adopt(discard func()) {
	p.mu.Lock()
	ended := p.ended
	p.discards = append(p.discards, discard)
	p.mu.Unlock()
	if ended { // the process ended after this Env began, and before it was known
		discard()
	}
}

// Exit ends the process: its Envs crash.
func (p *inProcess) Exit(code int) { p.end(code) }

// Exited reports whether the process has ended.
func (p *inProcess) Exited() (code int, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.code, p.ended
}

// PID is 0: it is no process of the operating system.
func (p *inProcess) PID() int { return 0 }

// Kill ends the process with 143, as SIGTERM does, or without grace with 137, as SIGKILL.
func (p *inProcess) Kill(grace time.Duration) {
	if grace <= 0 {
		p.end(128 + 9)
		return
	}
	p.end(128 + 15)
}

// end reports whether it was this call that ended the process.
func (p *inProcess) end(code int) bool {
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return false
	}
	p.ended, p.code = true, code
	discards, onExit, tied := p.discards, p.onExit, p.tied
	p.mu.Unlock()
	// Without the lock, since these call back. The tied go first: nothing of them may outlive the parent's Envs.
	for _, child := range tied {
		child.end(128 + 9)
	}
	for _, discard := range discards {
		discard()
	}
	if onExit != nil {
		onExit(rpcenv.Exit{Code: code})
	}
	p.world.Wake()
	return true
}

// Start starts another process of the same world.
func (p *inProcess) Start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	role, ok := p.world.roles[cmd.Class]
	if !ok {
		return nil, fmt.Errorf("local: no role for class %q", cmd.Class)
	}
	child := p.world.add(&inProcess{Host: p.world.host, world: p.world, name: role.name(cmd), onExit: onExit})
	if role.tied && !p.tie(child) {
		return nil, fmt.Errorf("local: %s starts nothing: it has ended", p.name)
	}
	if err := role.start(child, cmd); err != nil {
		return nil, err
	}
	return child, nil
}

// tie makes a process end with this one, unless that has ended.
func (p *inProcess) tie(child *inProcess) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tied = append(p.tied, child)
	return !p.ended
}
