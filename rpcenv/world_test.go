package rpcenv_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is where a test runs: simulated, in the memory of this process, or over TCP. The rules are the same in all.
type world struct {
	t    *testing.T
	kind string
	sim  *sim.World // nil in the real ones
	// hosts are the real ones: in memory one for all, over TCP one for each Env.
	hosts     map[string]*transport.Host
	rec       *record.Recorder
	envs      int
	strangers int
	crashed   map[*rpcenv.Env]bool

	mu      sync.Mutex
	changed *sync.Cond
	log     []string // what endpoints noted
}

// inWorlds runs a test in all three worlds.
func inWorlds(t *testing.T, test func(w *world)) {
	t.Helper()
	for _, kind := range []string{"sim", "memory", "tcp"} {
		t.Run(kind, func(t *testing.T) { test(newWorld(t, kind)) })
	}
}

// inCrashingWorlds runs a test in the worlds where a process can crash alone.
func inCrashingWorlds(t *testing.T, test func(w *world)) {
	t.Helper()
	for _, kind := range []string{"sim", "tcp"} {
		t.Run(kind, func(t *testing.T) { test(newWorld(t, kind)) })
	}
}

// inSim runs a test that needs virtual time or faults.
func inSim(t *testing.T) *world { return newWorld(t, "sim") }

func newWorld(t *testing.T, kind string) *world {
	w := &world{t: t, kind: kind, hosts: map[string]*transport.Host{}, crashed: map[*rpcenv.Env]bool{}}
	w.changed = sync.NewCond(&w.mu)
	if kind == "sim" {
		w.sim = sim.New(1, 0)
		w.rec = w.sim.Recorder()
		t.Cleanup(w.sim.Close)
		return w
	}
	w.rec = record.NewRecorder(0)
	return w
}

// hostOf is the Host of an Env, made if missing.
func (w *world) hostOf(name, ip string) rpcenv.Host {
	if w.sim != nil {
		return w.sim.Host(name, ip)
	}
	if w.kind == "memory" {
		name = ""
	}
	h := w.hosts[name]
	if h == nil {
		h = transport.New(transport.Options{
			Recorder: w.rec, Memory: w.kind == "memory", ExitFunc: func(code int) { w.note("exit %d", code) },
		})
		w.hosts[name] = h
		w.t.Cleanup(func() {
			if err := h.Close(); err != nil {
				w.t.Error(err)
			}
		})
	}
	return h
}

// crash ends the process of an Env: its connections end, its endpoints hear nothing.
func (w *world) crash(e *rpcenv.Env) {
	w.t.Helper()
	w.crashed[e] = true
	if w.sim != nil {
		w.sim.Find(e.Name()).Kill()
		return
	}
	if err := w.hosts[e.Name()].Close(); err != nil {
		w.t.Error(err)
	}
}

// env makes an Env that listens.
func (w *world) env(name string) *rpcenv.Env { return w.make(name, true, nil) }

// client makes an Env in client mode.
func (w *world) client(name string) *rpcenv.Env { return w.make(name, false, nil) }

func (w *world) make(name string, listens bool, c *conf.Conf) *rpcenv.Env {
	w.t.Helper()
	w.envs++
	cfg := rpcenv.Config{Name: name, Conf: c, Log: rpcenv.NoLog()}
	ip := "127.0.0.1"
	if w.sim != nil {
		ip = fmt.Sprintf("10.0.0.%d", w.envs)
	}
	if listens {
		cfg.Listen = rpcenv.Address{Host: ip}
	}
	return w.makeAt(cfg, ip)
}

// makeAt makes an Env of that Config on the machine ip.
func (w *world) makeAt(cfg rpcenv.Config, ip string) *rpcenv.Env {
	w.t.Helper()
	e, err := rpcenv.New(w.hostOf(cfg.Name, ip), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { w.close(e) })
	return e
}

// close shuts an Env down and waits for its end.
func (w *world) close(e *rpcenv.Env) {
	w.t.Helper()
	if w.crashed[e] {
		return
	}
	e.Shutdown()
	if w.sim == nil { // Done may be closed before what was asked for with OnDone has run
		done := make(chan struct{})
		e.OnDone(func() { close(done) })
		<-done
		return
	}
	done := false
	e.OnDone(func() { done = true })
	if err := w.sim.Run(func() bool { return done }, time.Minute); err != nil {
		w.t.Errorf("shut down %s: %v", e.Name(), err)
	}
}

// register registers an endpoint, or fails the test.
func (w *world) register(e *rpcenv.Env, name string, ep rpcenv.Endpoint) rpcenv.Ref {
	w.t.Helper()
	ref, err := e.Register(name, ep)
	if err != nil {
		w.t.Fatal(err)
	}
	return ref
}

// do runs body as a program of e and waits for its end.
func (w *world) do(e *rpcenv.Env, body func(b *rpcenv.Blocking)) {
	w.t.Helper()
	job := e.Go("test", func(b *rpcenv.Blocking) error {
		body(b)
		return nil
	})
	if w.sim != nil {
		done := false
		job.OnDone(func(error) { done = true })
		if err := w.sim.Run(func() bool { return done }, time.Hour); err != nil {
			w.t.Fatal(err)
		}
	}
	<-job.Done()
	if err := job.Err(); err != nil {
		w.t.Fatal(err)
	}
}

// note writes a line into the test's log.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf(format, args...))
	w.changed.Broadcast()
}

// noted is the log so far.
func (w *world) noted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// await waits until a line is in the log.
func (w *world) await(line string) {
	w.t.Helper()
	w.until(line, func(log []string) bool { return slices.Contains(log, line) })
}

// awaitLines waits until the log has n lines.
func (w *world) awaitLines(n int) {
	w.t.Helper()
	w.until(fmt.Sprint(n, " lines"), func(log []string) bool { return len(log) >= n })
}

func (w *world) until(what string, cond func(log []string) bool) {
	w.t.Helper()
	if w.sim != nil {
		if err := w.sim.Run(func() bool { return cond(w.noted()) }, time.Hour); err != nil {
			w.t.Fatalf("%s: %v; noted so far:\n%s", what, err, strings.Join(w.noted(), "\n"))
		}
		return
	}
	late := false
	timer := time.AfterFunc(20*time.Second, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		late = true
		w.changed.Broadcast()
	})
	defer timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !cond(w.log) {
		if late {
			w.t.Fatalf("%s: not within 20 s; noted so far:\n%s", what, strings.Join(w.log, "\n"))
		}
		w.changed.Wait()
	}
}

// wantLog fails the test unless the log is this.
func (w *world) wantLog(want ...string) {
	w.t.Helper()
	if got := w.noted(); !slices.Equal(got, want) {
		w.t.Errorf("noted:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// drops are the reasons of the messages that were not delivered, by the trace.
func (w *world) drops() []string {
	var out []string
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_DROP {
			out = append(out, r.GetType()+": "+r.GetWhy())
		}
	}
	return out
}

// apply makes a fault happen. In a simulation only.
func (w *world) apply(line string) {
	w.t.Helper()
	f, err := fault.Parse(line)
	if err == nil {
		err = w.sim.Apply(f)
	}
	if err != nil {
		w.t.Fatalf("%s: %v", line, err)
	}
}

// quiet waits until nothing is under way. In a simulation only.
func (w *world) quiet() { w.sim.Settle() }

// endpoint is an endpoint made of functions; what is nil does nothing.
type endpoint struct {
	start, stop func(c *rpcenv.Context)
	receive     func(c *rpcenv.Context, m rpcenv.Message)
}

func (e *endpoint) OnStart(c *rpcenv.Context) {
	if e.start != nil {
		e.start(c)
	}
}

func (e *endpoint) OnStop(c *rpcenv.Context) {
	if e.stop != nil {
		e.stop(c)
	}
}

func (e *endpoint) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if e.receive != nil {
		e.receive(c, m)
		return
	}
	c.Unsupported(m)
}

// watcher notes the connection events of its Env, and what an endpoint in it does.
type watcher struct {
	endpoint
	w *world
}

func (e *watcher) OnConnected(c *rpcenv.Context, peer rpcenv.Address) {
	e.w.note("%s: connected %s", c.Env().Name(), peer)
}

func (e *watcher) OnDisconnected(c *rpcenv.Context, peer rpcenv.Address) {
	e.w.note("%s: disconnected %s", c.Env().Name(), peer)
}

func (e *watcher) OnNetworkError(c *rpcenv.Context, err error, peer rpcenv.Address) {
	e.w.note("%s: network error %s", c.Env().Name(), peer)
}

// faulty is an endpoint that hears of its own failures.
type faulty struct {
	endpoint
	onError func(c *rpcenv.Context, err error)
}

func (e *faulty) OnError(c *rpcenv.Context, err error) { e.onError(c, err) }

// double answers a number with its double, and notes text.
func double(w *world) *endpoint {
	return &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		switch m := m.(type) {
		case *wrapperspb.Int32Value:
			rpcenv.ReplyAs(c, m, num(2*m.GetValue()))
		case *wrapperspb.StringValue:
			w.note("%s", m.GetValue())
		default:
			c.Unsupported(m)
		}
	}}
}

// say is a message within an Env.
type say struct {
	rpcenv.Local
	text string
}

// do is a message within an Env that makes an endpoint do something.
type do struct {
	rpcenv.Local
	f func(c *rpcenv.Context)
}

// doer does what a do says.
func doer() *endpoint {
	return &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		if d, ok := m.(do); ok {
			d.f(c)
			return
		}
		c.Unsupported(m)
	}}
}

// in runs f in the inbox of an endpoint of e and waits until it ran.
func (w *world) in(e *rpcenv.Env, ref rpcenv.Ref, f func(c *rpcenv.Context)) {
	w.t.Helper()
	w.do(e, func(b *rpcenv.Blocking) {
		err := b.Wait(func(wake func()) {
			err := b.Send(ref, do{f: func(c *rpcenv.Context) {
				defer wake()
				f(c)
			}})
			if err != nil {
				w.t.Error(err)
				wake()
			}
		})
		if err != nil {
			w.t.Error(err)
		}
	})
}

func text(s string) *wrapperspb.StringValue { return wrapperspb.String(s) }
func num(n int32) *wrapperspb.Int32Value    { return wrapperspb.Int32(n) }
