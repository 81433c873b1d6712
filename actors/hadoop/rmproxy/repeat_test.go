package rmproxy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// rig is a client of a ResourceManager that refuses every call with err.
type rig struct {
	w     *rpctest.World
	p     rmproxy.Proxy
	own   *rpctest.Probe
	rm    *rpctest.Probe
	err   error
	began time.Time
	asked []int // at which second after began
	ends  []string
}

func newRig(t *testing.T, settings map[string]string) *rig {
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{w: rpctest.New(t, 1), err: exceptions.Retriable}
	r.rm = r.w.Probe("RM")
	r.own = r.w.ProbeIn(r.w.Env("Client", c), "Client")
	r.began = r.w.Now()
	r.own.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		_, tick := m.(rmproxy.Retry)
		if tick {
			r.p.Retry(c)
		}
		return tick
	})
	r.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		r.asked = append(r.asked, r.seconds())
		rpcenv.Fail(c, m, r.err)
		return true
	})
	return r
}

func (r *rig) seconds() int { return int(r.w.Now().Sub(r.began).Round(time.Second) / time.Second) }

func (r *rig) ask() {
	r.own.Do(func(c *rpcenv.Context) {
		rmproxy.Ask(&r.p, c, r.rm.Ref, &yarn.GetNewApplicationRequest{}, func(_ *yarn.GetNewApplicationResponse, err error) {
			r.ends = append(r.ends, fmt.Sprintf("%d s: %t", r.seconds(), rmproxy.Passing(err)))
		})
	})
}

func (r *rig) check(t *testing.T, asked, ends string) {
	t.Helper()
	if got := fmt.Sprint(r.asked); got != asked {
		t.Errorf("the ResourceManager was asked at %s, want %s", got, asked)
	}
	if got := fmt.Sprint(r.ends); got != ends {
		t.Errorf("the call ended %s, want %s", got, ends)
	}
}

var quick = map[string]string{
	"yarn.resourcemanager.connect.retry-interval.ms": "2000", "yarn.resourcemanager.connect.max-wait.ms": "5000",
}

// A call is made again at the interval until its time is over; then its caller has the last error, once.
func TestACallIsMadeAgainUntilItsTimeIsOver(t *testing.T) {
	r := newRig(t, quick)
	r.ask()
	r.w.Advance(time.Minute)
	r.check(t, "[0 2 4 6]", "[6 s: true]")
}

// What another try does not help ends at once.
func TestARefusalIsNotAskedAgain(t *testing.T) {
	r := newRig(t, quick)
	r.ask()
	r.w.Advance(time.Second)
	r.err = exceptions.ApplicationNotFound
	r.w.Advance(time.Minute)
	r.check(t, "[0 2]", "[2 s: false]")
}

// What was cancelled is not done again, and its caller hears nothing; another call may follow.
func TestACancelledCallIsNotMadeAgain(t *testing.T) {
	r := newRig(t, quick)
	r.ask()
	r.w.Advance(3 * time.Second)
	r.own.Do(r.p.Cancel)
	r.w.Advance(time.Minute)
	r.check(t, "[0 2]", "[]")
	r.ask()
	r.w.Advance(time.Minute)
	r.check(t, "[0 2 63 65 67 69]", "[69 s: true]")
}

// After the end of all repetitions what waits is forgotten, and a call that is out ends as it is answered.
func TestAStoppedProxyRepeatsNothing(t *testing.T) {
	r := newRig(t, quick)
	r.ask()
	r.w.Advance(3 * time.Second)
	r.own.Do(r.p.Stop)
	r.w.Advance(time.Minute)
	r.check(t, "[0 2]", "[]")
	r.ask()
	r.w.Advance(time.Minute)
	r.check(t, "[0 2 63]", "[63 s: true]")
}

// What is to be done later takes the place of what was.
func TestWhatIsDoneAgainIsOneThing(t *testing.T) {
	r := newRig(t, nil)
	r.own.Do(func(c *rpcenv.Context) {
		note := func(name string) func(*rpcenv.Context) {
			return func(*rpcenv.Context) { r.ends = append(r.ends, fmt.Sprintf("%d s: %s", r.seconds(), name)) }
		}
		r.p.After(c, time.Second, note("first"))
		r.p.After(c, 3*time.Second, note("second"))
	})
	r.w.Advance(time.Minute)
	r.check(t, "[]", "[3 s: second]")
}

// The time is over when just as much has passed; below 0 it never is, and 0 is no time.
func TestHowLongACallMayBeMadeAgain(t *testing.T) {
	for _, tt := range []struct {
		most   string
		passed time.Duration
		again  bool
	}{
		{"5000", 5*time.Second - 1, true}, {"5000", 5 * time.Second, false}, {"0", 0, false}, {"-1", 1000 * time.Hour, true},
	} {
		r := newRig(t, map[string]string{"yarn.resourcemanager.connect.max-wait.ms": tt.most})
		r.own.Do(func(c *rpcenv.Context) {
			if got := rmproxy.MayRetry(c, c.Now().Add(-tt.passed), exceptions.Retriable); got != tt.again {
				t.Errorf("%s ms, after %s: %t", tt.most, tt.passed, got)
			}
			if rmproxy.MayRetry(c, c.Now(), exceptions.ApplicationNotFound) {
				t.Error("a refusal")
			}
		})
	}
}
