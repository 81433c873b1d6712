// Package rmtest tests one endpoint of a ResourceManager by itself.
package rmtest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Rig is one endpoint of a ResourceManager, with Probes in place of its siblings, which record its messages.
type Rig struct {
	*rpctest.World
	T                               *testing.T
	Of                              rpcenv.Ref
	Client, AMS, Tracker, Scheduler *rpctest.Probe // nil: the endpoint itself
	Peer                            *rpctest.Probe // of another Env
	Errors                          []string       // that the endpoint logged
}

// Levels makes the rig, with Fire, a hook of the endpoint's log.
func (r *Rig) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

// Fire keeps an error.
func (r *Rig) Fire(e *logrus.Entry) error {
	r.Errors = append(r.Errors, e.Message)
	return nil
}

// Logged fails the test unless the endpoint logged these errors since the last call, and no other: a panic is one too.
func (r *Rig) Logged(want ...string) {
	r.T.Helper()
	if !slices.Equal(r.Errors, want) {
		r.T.Errorf("logged as errors:\n%q\nwant\n%q", r.Errors, want)
	}
	r.Errors = nil
}

// New makes one of the endpoint called name, with settings, given as key, value, key, value.
func New(t *testing.T, name string, e rpcenv.Endpoint, settings ...string) *Rig {
	t.Helper()
	cf := Conf(t, settings...)
	r := &Rig{World: rpctest.New(t, 1), T: t}
	r.Peer = r.Probe("Peer")
	env := r.Env("RM", cf)
	env.Log().Logger.AddHook(r)
	t.Cleanup(func() { r.Logged() })
	for of, p := range map[string]**rpctest.Probe{
		ids.ClientRMService: &r.Client, ids.ApplicationMasterService: &r.AMS, ids.ResourceTracker: &r.Tracker, ids.Scheduler: &r.Scheduler,
	} {
		if of != name {
			*p = r.ProbeIn(env, of)
		}
	}
	r.Of = r.Register(env, name, e)
	return r
}

// Conf are settings, given as key, value, key, value.
func Conf(t testing.TB, settings ...string) *conf.Conf {
	t.Helper()
	pairs := map[string]string{}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	cf, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return cf
}

// Run runs f as a callback of the endpoint's process.
func (r *Rig) Run(f func(c *rpcenv.Context)) {
	r.T.Helper()
	p := r.Scheduler
	if p == nil {
		p = r.Tracker
	}
	p.Do(f)
	r.Settle()
}

// Got returns the messages of type M that a sibling got since the last call; it drops the others.
func Got[M rpcenv.Message](r *Rig, p *rpctest.Probe) (all []M) {
	r.T.Helper()
	r.Settle()
	for range len(p.Waiting()) {
		if m, ok := p.Next().(M); ok {
			all = append(all, m)
		}
	}
	return all
}

// Send sends the endpoint a message of a sibling.
func (r *Rig) Send(m rpcenv.Message) {
	r.T.Helper()
	r.Run(func(c *rpcenv.Context) { c.Send(r.Of, m) })
}

// Life is a life with keys.
func Life(timestamp int64) life.Life {
	key := func(b byte) *yarn.MasterKey { return &yarn.MasterKey{KeyId: 1, Bytes: []byte{b, 31: b}} }
	return life.Life{Timestamp: timestamp, Container: key(1), NM: key(2), AMRM: key(3)}
}

// An application and its attempts.
var (
	App           = ids.Application{Timestamp: 5, ID: 1}
	Attempt       = ids.Attempt{App: App, Attempt: 1}
	SecondAttempt = ids.Attempt{App: App, Attempt: 2}
)

// OtherAttempt is of another application.
var OtherAttempt = ids.Attempt{App: ids.Application{Timestamp: 5, ID: 2}, Attempt: 1}

// Container is one of Attempt.
func Container(seq int64) ids.Container { return ids.Container{Attempt: Attempt, Seq: seq} }

// Status is how a container is, in a heartbeat.
func Status(seq int64, state yarn.ContainerState, exit int32) *yarn.ContainerStatus {
	return &yarn.ContainerStatus{ContainerId: Container(seq).Proto(), State: state, ExitStatus: exit}
}

// The states of containers that heartbeats report.
const (
	Runs  = yarn.ContainerState_C_RUNNING
	Ended = yarn.ContainerState_C_COMPLETE
)

// Pass lets milliseconds pass.
func (r *Rig) Pass(n int) { r.Advance(time.Duration(n) * time.Millisecond) }

// TryAsk asks the endpoint and returns how it fails.
func TryAsk(r *Rig, q rpcenv.Message) error {
	r.T.Helper()
	_, err := rpctest.Ask[rpcenv.Message](r.Peer, r.Of, q)
	return err
}

// SendAll sends the endpoint messages of a sibling: all are there before the first is handled.
func (r *Rig) SendAll(all ...rpcenv.Message) {
	r.T.Helper()
	r.Run(func(c *rpcenv.Context) {
		for _, m := range all {
			c.Send(r.Of, m)
		}
	})
}

// Refused fails the test unless err is want and ends with these words.
func (r *Rig) Refused(err, want error, text string) {
	r.T.Helper()
	if !errors.Is(err, want) || !strings.HasSuffix(err.Error(), text) {
		r.T.Errorf("%v\nwant\n%v: ... %s", err, want, text)
	}
}
