package transport

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

var (
	// ErrHostClosed says that the Host was closed.
	ErrHostClosed = errors.New("host is closed")
	// ErrCannotStart is the answer of a Host that was made without Options.Start.
	ErrCannotStart = errors.New("this host cannot start processes")
	// ErrStillRun is the error of a Close that waited in vain.
	ErrStillRun = errors.New("these still run")
)

// Locks. Nobody holds a lock of this package while it calls a Receiver, accept, done, a Block's body, a timer's function, a turn
// or Options.Start: all of these may call the Host or a Link. Each mu is taken alone, with three exceptions:
//
//	memory.mu      then Host.mu     a listener is kept and gets its place in the table as one step
//	memoryLink.mu  then pool.mu     schedule
//	watch.mu       then tcpLink.mu  takeOver
//
// The mu of the two ends of a memoryLink are never held together, since either end may send to the other at any time. What
// each lock guards stands below it in its struct, with these two additions: Host.mu orders the cancelling of ctx against
// keep, so that Close misses nothing, and tcpLink.mu orders closing against Send, so that the writer's last batch is the last.

// Host is rpcenv.Host for real: a pool of goroutines, the wall clock, and TCP or the memory of this process.
type Host struct {
	opts  Options
	net   network
	pool  *pool
	tasks *tasks
	large *wire.Budget // of the frames of all links
	clock clock
	watch watch // of the links over TCP
	// ctx ends with the Host; dials end with it.
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	open   map[any]func() error // listeners and links, with what closes them
	exited bool
	code   int
}

var _ rpcenv.Host = (*Host)(nil)

// network makes links: over TCP or within the memory of the process.
type network interface {
	listen(at rpcenv.Address, accept func(rpcenv.Link) rpcenv.Receiver) (rpcenv.Address, io.Closer, error)
	dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver)
	fileServer(at rpcenv.Address) (*bulk.FileServer, error)
}

// New returns a Host. Its owner closes it after its Envs.
func New(opts Options) *Host {
	opts.setDefaults()
	h := &Host{opts: opts, pool: newPool(), tasks: newTasks(), large: wire.NewBudget(opts.MaxUnfinished), open: map[any]func() error{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	if opts.Memory {
		h.net = newMemory(h)
	} else {
		h.net = newTCP(h)
	}
	return h
}

// Now is the time of the wall clock.
func (h *Host) Now() time.Time { return h.clock.now() }

// After calls f once, d from now, unless stop was called before, or the Host was closed.
func (h *Host) After(d time.Duration, f func()) (stop func()) {
	const name = "timer"
	t := time.AfterFunc(d, func() {
		// Close stops no timer. One that fires later finds the tasks closed; one that has begun is waited for.
		if h.tasks.begin(name) {
			defer h.tasks.end(name)
			f()
		}
	})
	return func() { t.Stop() }
}

// Dispatcher runs inboxes on goroutines that are kept and used again.
func (h *Host) Dispatcher() actor.Dispatcher { return h.pool }

// Block runs body on a goroutine of its own. Close waits for it, but does not end it: that is for the caller of Block.
// After Close it does nothing.
func (h *Host) Block(name string, body func(rpcenv.Parker)) {
	name = "block " + name
	if !h.tasks.begin(name) {
		return
	}
	go func() {
		defer h.tasks.end(name)
		body(parker{})
	}()
}

type parker struct{}

// Park waits until the wake of this very call was called.
func (parker) Park(register func(wake func())) {
	// A channel of this call alone: a late wake of an earlier Park must not end this one. Its room for one and the select
	// let wake come early, from within register, and more than once, without waiting.
	woken := make(chan struct{}, 1)
	register(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	<-woken
}

// Listen accepts connections at an address. It returns that address with the port bound; for an empty host, the IP
// address bound. Closing the Closer ends no link. Over TCP the dialler speaks first: accept is called when a
// connection's first bytes are there. A nil Receiver refuses the link.
func (h *Host) Listen(at rpcenv.Address, accept func(rpcenv.Link) rpcenv.Receiver) (rpcenv.Address, io.Closer, error) {
	return h.net.listen(at, accept)
}

// Dial opens a connection. A nil Receiver closes it. After Close, done gets ErrHostClosed.
func (h *Host) Dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver) {
	name := "connection to " + to.String()
	if !h.tasks.begin(name) {
		// On a goroutine all the same: no caller of Dial expects done to run within it.
		go done(nil, fmt.Errorf("connect to %s: %w", to, ErrHostClosed))
		return
	}
	go func() {
		defer h.tasks.end(name)
		h.net.dial(to, done)
	}()
}

// FileServer is the file server of an Env on this Host, by the Env's address; it begins with the first call. It answers
// Spark's StreamRequest on the Env's own RPC port and ends with the listener there.
func (h *Host) FileServer(at rpcenv.Address) (*bulk.FileServer, error) {
	return h.net.fileServer(at)
}

// Start starts a process by Options.Start.
func (h *Host) Start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	if h.opts.Start == nil {
		return nil, fmt.Errorf("start %s: %w: give it Options.Start", cmd.Class, ErrCannotStart)
	}
	return h.opts.Start(cmd, onExit)
}

// Exit calls Options.ExitFunc. Without it the first code is remembered and nothing else happens.
func (h *Host) Exit(code int) {
	h.mu.Lock()
	if !h.exited {
		h.exited, h.code = true, code
	}
	h.mu.Unlock()
	if h.opts.ExitFunc != nil {
		h.opts.ExitFunc(code)
	}
}

// Exited returns the code of the first call of Exit, and whether there was one.
func (h *Host) Exited() (code int, exited bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.code, h.exited
}

// Entropy comes from the operating system's generator, whatever the purpose.
func (h *Host) Entropy(string) uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return binary.LittleEndian.Uint64(b[:])
}

// Recorder is Options.Recorder.
func (h *Host) Recorder() *record.Recorder { return h.opts.Recorder }

// Close ends listeners, dials and links, writing for at most a second what is queued, and waits for everything that the
// Host started, at most Options.CloseTimeout. The error, ErrStillRun, names what still runs then. No callback begins after it. It may
// be called twice; the second call returns at once.
func (h *Host) Close() error {
	if !h.tasks.close() {
		return nil
	}
	// The tasks are closed: nothing new begins. A dial or a connection that has begun may still call keep.
	h.mu.Lock()
	h.cancel() // under the lock: after it, keep keeps nothing
	open := slices.Collect(maps.Values(h.open))
	h.mu.Unlock()
	var errs []error
	for _, c := range open { // not under the lock: each of them calls forget
		errs = append(errs, c())
	}
	end := time.Now().Add(h.opts.CloseTimeout)
	left := h.tasks.wait(h.opts.CloseTimeout)
	// The pool is last: the ends of links in memory and the inboxes that hear of them run on it.
	if !h.pool.close(max(time.Until(end), lingerTime)) {
		left = append(left, "inboxes")
	}
	if len(left) > 0 {
		errs = append(errs, fmt.Errorf("close host: after %s %w: %s: cancel them before the host is closed",
			h.opts.CloseTimeout, ErrStillRun, strings.Join(left, ", ")))
	}
	return errors.Join(errs...)
}

// keep makes Close close what; false when the Host is closed already.
func (h *Host) keep(what any, closeIt func() error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return false
	}
	h.open[what] = closeIt
	return true
}

// keepLink is keep for a link.
func (h *Host) keepLink(l rpcenv.Link) bool {
	return h.keep(l, func() error {
		l.Close()
		return nil
	})
}

func (h *Host) forget(what any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, what)
}
