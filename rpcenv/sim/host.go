package sim

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"syscall"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Host is a process in a World; it implements rpcenv.Host.
type Host struct {
	world    *World
	name, ip string
	number   int // in the order of their making: names may come again
	dead     bool
	paused   bool
	stuck    []task   // what was ready when it was paused, and what became ready since
	late     []*event // what happened to it since
	work     int      // what is under way
	pools    map[string]*pool
	code     int
	entropy  map[string]int
	discards []func()
	bodies   []*coroutine
	ends     []*link // what comes in on this Host's connections
	onExit   func(rpcenv.Exit)
	tied     []*Host // those that end with it

	listeners []*listener
}

var (
	_ rpcenv.Host   = (*Host)(nil)
	_ rpcenv.Hooked = (*Host)(nil)
)

// Name is the Host's name in faults.
func (h *Host) Name() string { return h.name }

// IP is the address of its machine.
func (h *Host) IP() string { return h.ip }

// Exited reports whether the Host has ended, and its exit code: -1 after a crash.
func (h *Host) Exited() (code int, ended bool) { return h.code, h.dead }

// Now is the virtual time.
func (h *Host) Now() time.Time { return h.world.now }

// Recorder is the World's trace.
func (h *Host) Recorder() *record.Recorder { return h.world.recorder }

// Hooks are what the World does with the Envs on this Host, and hears of them.
func (h *Host) Hooks() rpcenv.Hooks {
	return rpcenv.Hooks{
		Adopt: func(discard func()) { h.discards = append(h.discards, discard) },
		Busy:  h.load, Handling: h.handling, Turn: h.turn, Choose: h.world.rnd.IntN, Notes: true, ByReference: h.world.byReference,
	}
}

// handling is called before each callback on this Host.
func (h *Host) handling(endpoint, item string, m rpcenv.Message) {
	h.world.spin.note(h.name, endpoint, item, m)
	if h.world.Handling != nil {
		h.world.Handling(h.name, endpoint, item, m)
	}
}

// Entropy depends on the seed, the Host and the purpose, and on how often it was asked for.
func (h *Host) Entropy(purpose string) uint64 {
	if h.entropy == nil {
		h.entropy = map[string]int{}
	}
	// Counted by purpose: whoever asks for another one leaves these numbers, and so what a seed does, as they are.
	h.entropy[purpose]++
	return h.world.entropy(h.number, fmt.Sprintf("%s#%d", purpose, h.entropy[purpose]))
}

// After calls f at a virtual time.
func (h *Host) After(d time.Duration, f func()) (stop func()) {
	e := h.world.later(h, d, f)
	return func() { e.dead = true }
}

// Dispatcher runs each turn of an inbox when the World picks it: one item a turn.
func (h *Host) Dispatcher() actor.Dispatcher { return dispatcher{h} }

// Block runs body as a coroutine.
func (h *Host) Block(_ string, body func(rpcenv.Parker)) {
	co := &coroutine{host: h}
	co.next, co.stop = iter.Pull(func(yield func(struct{}) bool) {
		co.yield = yield
		body(co)
	})
	h.bodies = append(h.bodies, co)
	h.world.soon(h, co.resume)
}

// coroutine is a blocking body: it runs until it parks, and goes on when it was woken.
type coroutine struct {
	host  *Host
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool

	running, ended bool
}

// crashed unwinds the bodies of a Host that ended.
type crashed struct{}

// Unwinds marks it for code that recovers from panics of users: such code must let it pass.
func (crashed) Unwinds() {}

func (co *coroutine) resume() {
	if co.ended {
		return
	}
	co.running = true
	_, more := co.next()
	co.running = false
	if !more {
		co.ended = true
		co.host.bodies = without(co.host.bodies, co)
	}
}

// Park gives the turn back until wake is called.
func (co *coroutine) Park(register func(wake func())) {
	if co.host.dead {
		panic(crashed{})
	}
	woken := false
	register(func() {
		// Once: a second wake would end the body's next Park, which may wait for something else.
		if !woken {
			woken = true
			co.host.world.soon(co.host, co.resume)
		}
	})
	if !co.yield(struct{}{}) { // crash has called stop: the body unwinds, with its deferred calls, up to its recover
		panic(crashed{})
	}
}

// Start starts a process on the same machine: the World's Roles know how.
func (h *Host) Start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	role := h.world.Roles[cmd.Class]
	if role == nil {
		return nil, fmt.Errorf("sim: no role for class %q", cmd.Class)
	}
	child := h.world.Host(h.name+"/child", h.ip)
	child.onExit = func(e rpcenv.Exit) {
		h.world.soon(h, func() { onExit(e) }) // in a turn of the parent; not at all if the parent has ended
	}
	if h.world.Tied[cmd.Class] {
		// The dead are taken out at each start: a Worker that lives long starts many executors.
		h.tied = append(slices.DeleteFunc(h.tied, func(c *Host) bool { return c.dead }), child)
	}
	// In a turn of its own, as after a fork: the parent has the Process by then, and a role that fails is an end of it.
	h.world.soon(child, func() {
		if err := role(child, cmd); err != nil {
			child.onExit(rpcenv.Exit{Code: 1, Err: err})
			child.onExit = nil // a Kill that comes later reports no second end
			child.crash()
		}
	})
	return process{child}, nil
}

// Rename gives a started process its name.
func (h *Host) Rename(name string) { h.name = name }

type process struct{ h *Host }

func (p process) PID() int { return 0 }

// Kill ends the process with 143, as SIGTERM does, or without grace with 137, as SIGKILL.
func (p process) Kill(grace time.Duration) {
	code := 128 + 15
	if grace <= 0 {
		code = 128 + 9
	}
	// Soon, as a signal comes: the step that kills goes on to its end. Of the World, since a paused process is killed too.
	p.h.world.soon(nil, func() { p.h.Exit(code) })
}

// Exit ends the Host with an exit code. Nothing of it runs any more; its peers see their connections end.
func (h *Host) Exit(code int) {
	if h.dead {
		return
	}
	h.code = code
	onExit := h.onExit
	h.onExit = nil
	h.crash()
	if onExit != nil {
		onExit(rpcenv.Exit{Code: code})
	}
}

// Kill ends the Host as kill -9 does.
func (h *Host) Kill() { h.Exit(128 + 9) }

func (h *Host) crash() {
	if h.dead {
		return
	}
	if h.paused {
		// Since Pause the Host's work has not counted for the World. What follows subtracts it, so it must count again.
		h.paused = false
		h.world.work += h.work
	}
	h.dead = true // first: what the rest tries to make ready or to schedule comes to nothing
	for _, discard := range h.discards {
		discard()
	}
	for _, co := range h.bodies {
		if !co.running { // else it ends at its next wait
			co.ended = true
			co.stop()
		}
	}
	// step would pass over them, but Quiet counts what is ready.
	h.world.ready = slices.DeleteFunc(h.world.ready, func(t task) bool { return t.host == h })
	for _, l := range h.listeners {
		_ = l.Close() // it cannot fail
	}
	for _, in := range h.ends {
		in.dropAll()
		in.peer.finish(errReset) // behind what this Host has sent: the peer gets that first
	}
	tied := h.tied // children end last, as they see the end of their parent's pipe
	h.bodies, h.ends, h.discards, h.stuck, h.late, h.tied = nil, nil, nil, nil, nil, nil
	for _, child := range tied {
		child.Kill()
	}
}

// listener is an address where a Host listens.
type listener struct {
	host   *Host
	addr   rpcenv.Address
	accept func(rpcenv.Link) rpcenv.Receiver
}

// Close frees the address.
func (l *listener) Close() error {
	if l.host.world.net.listeners[l.addr] == l {
		delete(l.host.world.net.listeners, l.addr)
	}
	return nil
}

// Listen takes an address of this machine. Port 0 is the next free one.
func (h *Host) Listen(at rpcenv.Address, accept func(rpcenv.Link) rpcenv.Receiver) (rpcenv.Address, io.Closer, error) {
	if at.Port == 0 {
		at.Port = h.port()
	}
	if h.world.net.listeners[at] != nil {
		return rpcenv.Address{}, nil, fmt.Errorf("listen on %s: %w", at, syscall.EADDRINUSE)
	}
	l := &listener{h, at, accept}
	h.world.net.listeners[at] = l
	h.listeners = append(h.listeners, l)
	return at, l, nil
}

func (h *Host) port() int {
	// Never one twice: what is sent to a process that has ended must not reach the next one.
	h.world.net.ports[h.ip]++
	return 40000 + h.world.net.ports[h.ip]
}
