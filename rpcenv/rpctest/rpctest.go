package rpctest

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
)

// patience bounds a wait in virtual time.
const patience = time.Minute

// World is a simulated world that belongs to a test. What runs it (Run, Until, Advance, Settle, Step, a Probe) returns when
// it is done; nothing happens in between. A callback that blocks fails the test, see the package's comment.
type World struct {
	*sim.World
	// CallbackLimit is how long one callback of an endpoint, or one stretch of a body between two waits, may take by the
	// wall clock; 0 means 5 s. One that is seen to sleep fails at once, a callback that waits for a channel, a lock or I/O
	// after a fifth of the limit. Time that the whole process is halted, as by a debugger, does not count.
	CallbackLimit time.Duration
	// Conf is that of Envs and Probes that are made without one; nil is all defaults.
	Conf *conf.Conf

	t      testing.TB
	watch  watch
	ips    int
	envs   []*rpcenv.Env
	probes []*Probe
}

// New makes a World that ends with the test. Runs of one seed are the same. A failing test names the seed.
func New(t testing.TB, seed uint64) *World {
	w := &World{World: sim.New(seed, 64<<10), t: t}
	w.Handling = w.watch.begin
	t.Cleanup(func() {
		w.Close()
		if t.Failed() { // a run of that seed is the same again
			t.Logf("seed %d", seed)
		}
	})
	return w
}

// Env makes an Env on a machine of its own, 10.0.0.N, listening at port 7077. Its log goes to the test's. A nil Conf is
// the World's.
func (w *World) Env(name string, c *conf.Conf) *rpcenv.Env {
	w.t.Helper()
	ip := w.nextIP()
	return w.env(ip, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: port}, Conf: c})
}

// port is where the Envs of a World listen.
const port = 7077

// ClientEnv makes an Env in client mode on a machine of its own.
func (w *World) ClientEnv(name string, c *conf.Conf) *rpcenv.Env {
	w.t.Helper()
	return w.env(w.nextIP(), rpcenv.Config{Name: name, Conf: c})
}

// At is where the process of that name listens, unless its Env is one of ClientEnv. Without such a process nobody is there.
func (w *World) At(name string) rpcenv.Address {
	if h := w.Find(name); h != nil {
		return rpcenv.Address{Host: h.IP(), Port: port}
	}
	return rpcenv.Address{Host: "10.9.9.9", Port: 1}
}

// EnvAt is the Env that listens at an address, the youngest if several did; nil when no Env did.
func (w *World) EnvAt(a rpcenv.Address) *rpcenv.Env {
	var found *rpcenv.Env
	for _, e := range w.envs {
		if !a.IsZero() && e.Address() == a {
			found = e
		}
	}
	return found
}

func (w *World) nextIP() string {
	w.ips++
	return fmt.Sprintf("10.0.0.%d", w.ips)
}

func (w *World) env(ip string, cfg rpcenv.Config) *rpcenv.Env {
	w.t.Helper()
	cfg.Conf = cmp.Or(cfg.Conf, w.Conf)
	log := logrus.New()
	log.SetOutput(output{w})
	log.SetLevel(logrus.InfoLevel)
	cfg.Log = logrus.NewEntry(log).WithField("env", cfg.Name)
	e, err := rpcenv.New(w.Host(cfg.Name, ip), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.envs = append(w.envs, e)
	return e
}

// output is the test's log, for as long as the World is the test's.
type output struct{ w *World }

func (o output) Write(line []byte) (int, error) {
	if o.w.watch.isGivenUp() { // the test may have ended, and its log with it
		return len(line), nil
	}
	return o.w.t.Output().Write(line)
}

// Register registers an endpoint, or fails the test.
func (w *World) Register(e *rpcenv.Env, name string, ep rpcenv.Endpoint, opts ...rpcenv.Option) rpcenv.Ref {
	w.t.Helper()
	ref, err := e.Register(name, ep, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	return ref
}

// Until runs the world until cond holds, which it checks before every step. After a minute of virtual time, or when nothing
// is left to do, the test fails; what names the condition in the failure's text.
func (w *World) Until(what string, cond func() bool) {
	w.t.Helper()
	if err := w.Run(cond, patience); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}
