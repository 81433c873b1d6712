package bus_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// written is an event log in memory.
type written struct {
	mu      sync.Mutex
	calls   []string // Start, Write of so many lines, End
	lines   []string
	failAt  string        // the call that fails
	writing chan struct{} // gets one for each Write that begins; nil: nobody waits
	gate    chan struct{} // Write waits for it; nil: it does not
}

var errDisk = errors.New("the disk is full")

func (w *written) call(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, name)
	if w.failAt == name {
		return errDisk
	}
	return nil
}

func (w *written) Start(appID string) error { return w.call("Start " + appID) }

func (w *written) Write(lines [][]byte) error {
	if w.gate != nil {
		w.writing <- struct{}{}
		<-w.gate
	}
	w.mu.Lock()
	for _, l := range lines {
		w.lines = append(w.lines, strings.TrimSuffix(string(l), "\n"))
	}
	w.mu.Unlock()
	return w.call("Write")
}

func (w *written) End() error { return w.call("End") }

// events are the lines, read again.
func (w *written) events(t *testing.T) (out []listener.Event) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		e, err := listener.Decode([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// kinds are those of events, without SparkListener.
func kinds(all []listener.Event) (out []string) {
	for _, e := range all {
		out = append(out, strings.TrimPrefix(e.Kind(), "SparkListener"))
	}
	return out
}

// rig is a bus in a driver.
type rig struct {
	*rpctest.World
	t    *testing.T
	log  written
	said *logtest.Hook
	at   *rpctest.Probe
	ref  rpcenv.Ref
}

func settings(t *testing.T, pairs []string) *conf.Conf {
	t.Helper()
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	c, err := conf.New(values, bus.Settings, status.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newRig(t *testing.T, change func(*rig, *bus.Config), pairs ...string) *rig {
	t.Helper()
	r := &rig{World: rpctest.New(t, 1), t: t}
	r.NoPanic()
	logger, hook := logtest.NewNullLogger()
	r.said = hook
	c := settings(t, pairs)
	env, err := rpcenv.New(r.Host("Driver", "10.0.0.1"), rpcenv.Config{
		Name: "Driver", Listen: rpcenv.Address{Host: "10.0.0.1", Port: 7077}, Conf: c, Log: logrus.NewEntry(logger),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.at = r.ProbeIn(env, "CoarseGrainedScheduler")
	cfg := bus.Config{User: "ada", Log: &r.log, Status: status.New(c)}
	if change != nil {
		change(r, &cfg)
	}
	r.ref = r.Register(env, bus.Name, bus.New(cfg))
	return r
}

// send posts events in one go.
func (r *rig) send(all ...rpcenv.Message) {
	r.t.Helper()
	r.at.Do(func(c *rpcenv.Context) {
		for _, m := range all {
			c.Send(r.ref, m)
		}
	})
	r.Settle()
}

func (r *rig) start() { r.send(event.ApplicationStart{AppID: "app-1", Name: "words"}) }

func (r *rig) stop(code int) {
	r.t.Helper()
	if ok, err := rpctest.Ask[*rpc.Bool](r.at, r.ref, bus.Stop{Code: code}); err != nil || !ok.GetValue() {
		r.t.Fatal(ok, err)
	}
}

// words are the lines of the driver's log, from warnings on.
func (r *rig) words() (out []string) {
	for _, e := range r.said.AllEntries() {
		if e.Level <= logrus.WarnLevel {
			out = append(out, e.Level.String()+": "+e.Message)
		}
	}
	return out
}

func wantTexts(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// numbered are so many events, from a number on.
func numbered(from, n int) (out []rpcenv.Message) {
	for i := range n {
		out = append(out, event.UnpersistRDD{ID: int32(from + i)})
	}
	return out
}
