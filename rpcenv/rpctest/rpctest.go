package rpctest

import (
	"fmt"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/sim"
)

// patience is how much virtual time what waits may take.
const patience = time.Minute

// World is a simulated world that belongs to a test.
type World struct {
	*sim.World
	t    testing.TB
	envs int
}

// New makes a World that ends with the test. A failing test names the seed.
func New(t testing.TB, seed uint64) *World {
	w := &World{World: sim.New(seed, 64<<10), t: t}
	t.Cleanup(func() {
		w.Close()
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return w
}

// Env makes an Env on a machine of its own, 10.0.0.N, listening at port 7077. Its log goes to the test's.
func (w *World) Env(name string, c *conf.Conf) *rpcenv.Env {
	w.t.Helper()
	ip := w.nextIP()
	return w.env(name, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}, Conf: c}, ip)
}

// ClientEnv makes an Env in client mode on a machine of its own.
func (w *World) ClientEnv(name string, c *conf.Conf) *rpcenv.Env {
	w.t.Helper()
	return w.env(name, rpcenv.Config{Name: name, Conf: c}, w.nextIP())
}

func (w *World) nextIP() string {
	w.envs++
	return fmt.Sprintf("10.0.0.%d", w.envs)
}

func (w *World) env(name string, cfg rpcenv.Config, ip string) *rpcenv.Env {
	w.t.Helper()
	log := logrus.New()
	log.SetOutput(w.t.Output())
	log.SetLevel(logrus.InfoLevel)
	cfg.Log = logrus.NewEntry(log).WithField("env", name)
	e, err := rpcenv.New(w.Host(name, ip), cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// Register registers an endpoint, or fails the test.
func (w *World) Register(e *rpcenv.Env, name string, ep rpcenv.Endpoint) rpcenv.Ref {
	w.t.Helper()
	ref, err := e.Register(name, ep)
	if err != nil {
		w.t.Fatal(err)
	}
	return ref
}

// Until runs the world until cond holds.
func (w *World) Until(what string, cond func() bool) {
	w.t.Helper()
	if err := w.Run(cond, patience); err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}
