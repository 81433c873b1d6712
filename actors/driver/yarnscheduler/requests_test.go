package yarnscheduler

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// Each request of its own goes to the ApplicationMaster, and after a new one has come to that alone.
func TestOneRequestFollowsTheOther(t *testing.T) {
	r := newRig(t)
	r.register()
	ask := func(total int32) {
		t.Helper()
		if got, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, wish(total)); err != nil || !got.GetValue() {
			t.Error(got, err)
		}
	}
	ask(1)
	ask(2)
	r.register() // again, while nothing is out
	ask(3)
	r.want("asked", r.asked, "request 1", "request 2", "request 3")
	r.hold = true
	r.driver.Do(func(c *rpcenv.Context) { rpcenv.Ask(c, r.ref, wish(4), func(*rpc.Bool, error) {}) })
	r.Settle()
	r.register()
	r.hold = false
	ask(5)
	r.want("asked", r.asked, "request 1", "request 2", "request 3", "request 4", "request 5")
}

// An answer of the ApplicationMaster before makes no way for a request that waits for the new one's.
func TestALateAnswerLetsNothingPass(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	ask := func(total int32) {
		r.driver.Do(func(c *rpcenv.Context) { rpcenv.Ask(c, r.ref, wish(total), func(*rpc.Bool, error) {}) })
		r.Settle()
	}
	ask(1)
	first := r.am
	r.am = r.ProbeIn(r.ClientEnv("AM2", nil), "YarnAM")
	r.am.On(r.playAM)
	r.register()
	ask(2)
	first.Do(func(*rpcenv.Context) { r.held[0]() })
	r.Settle()
	ask(3)
	r.want("asked", r.asked, "request 1", "request 2")
}

// Spec 4.12: what waits for an ApplicationMaster that is gone is answered false; another peer's end is not its.
func TestWhatWaitsForAnApplicationMasterThatIsGone(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	var answers []string
	r.driver.Do(func(c *rpcenv.Context) {
		for n := range int32(2) {
			rpcenv.Ask(c, r.ref, wish(n+1), func(b *rpc.Bool, err error) {
				answers = append(answers, fmt.Sprint(b.GetValue(), " ", err == nil))
			})
		}
	})
	r.Settle()
	other := r.ProbeIn(r.ClientEnv("Other", nil), "Other")
	other.Send(r.ref, &app.AddWebUIFilter{})
	r.Settle()
	other.Env.Shutdown()
	r.Settle()
	r.want("the answers are", answers)
	r.Find("AM").Kill()
	r.Settle()
	r.want("the answers are", answers, "false false", "false true")
	r.want("the ApplicationMaster was asked", r.asked, "request 1")
}

// Requests that come while one is out are one: the newest.
func TestRequestsOfOneTimeBecomeOne(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	answers := 0
	r.driver.Do(func(c *rpcenv.Context) {
		for n := range int32(4) {
			rpcenv.Ask(c, r.ref, wish(n+1), func(b *rpc.Bool, err error) {
				if err != nil || !b.GetValue() {
					t.Errorf("request %d: %v, %v", n+1, b, err)
				}
				answers++
			})
		}
	})
	r.Settle()
	r.want("asked", r.asked, "request 1")
	r.am.Do(func(*rpcenv.Context) {
		r.hold = false
		r.held[0]()
	})
	r.Settle()
	r.want("asked", r.asked, "request 1", "request 4")
	if answers != 4 {
		t.Errorf("%d answers", answers)
	}
}

// A request that waits when the driver ends is dropped: the ApplicationMaster would ask for executors again.
func TestNothingIsWantedAfterTheEnd(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	var answers []bool
	r.driver.Do(func(c *rpcenv.Context) {
		then := func(b *rpc.Bool, err error) {
			if err != nil {
				t.Error(err)
			}
			answers = append(answers, b.GetValue())
		}
		rpcenv.Ask(c, r.ref, wish(3), then)
		rpcenv.Ask(c, r.ref, wish(5), then)
		rpcenv.Ask(c, r.ref, StopBackend{}, func(*rpc.Bool, error) {})
		rpcenv.Ask(c, r.ref, wish(7), then)
	})
	r.Settle()
	r.am.Do(func(*rpcenv.Context) {
		r.hold = false
		for _, f := range r.held {
			f()
		}
	})
	r.Settle()
	r.want("the ApplicationMaster got", r.asked, "request 3", "shutdown 0", "request 0")
	if !slices.Equal(answers, []bool{false, false, true}) {
		t.Errorf("answers %v, want no for what came later", answers)
	}
}

// Spec 4.12: what the ApplicationMaster before still has to answer is not waited for, nor does the new one lack what waited.
func TestTheNextApplicationMasterIsToldAtOnce(t *testing.T) {
	r := newRig(t)
	r.register()
	r.hold = true
	var failures []error
	r.driver.Do(func(c *rpcenv.Context) {
		for n := range int32(2) {
			rpcenv.Ask(c, r.ref, wish(n+1), func(b *rpc.Bool, err error) {
				failures = append(failures, err)
				r.heard = append(r.heard, fmt.Sprint(b.GetValue()))
			})
		}
	})
	r.Settle()
	r.hold = false
	r.am = r.ProbeIn(r.ClientEnv("AM2", nil), "YarnAM") // the connection of the one before is half open
	r.am.On(r.playAM)
	r.register()
	r.want("the driver heard", r.heard, "registered", "registered", "false", "true")
	r.want("the ApplicationMasters were asked", r.asked, "request 1", "request 2")
	if len(failures) != 2 || !strings.Contains(fmt.Sprint(failures[0]), "another ApplicationMaster has registered") || failures[1] != nil {
		t.Errorf("%v", failures)
	}
	r.held[0]() // it comes too late
	r.Settle()
	r.want("the driver heard", r.heard, "registered", "registered", "false", "true")
}

func TestWhatCannotBeAskedYetIsSaidOnce(t *testing.T) {
	r := newRig(t)
	log := logtest.NewLocal(r.driver.Env.Log().Logger)
	said := func(want int) {
		t.Helper()
		n := 0
		for _, e := range log.AllEntries() {
			if e.Message == "Attempted to request executors before the AM has registered!" {
				n++
			}
		}
		if n != want {
			t.Errorf("said %d times, want %d", n, want)
		}
	}
	asks := func() {
		for range 9 {
			if ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.RequestExecutors{}); err != nil || ok.GetValue() {
				t.Fatal(ok, err)
			}
		}
	}
	asks()
	said(1)
	r.register()
	r.am.Env.Shutdown()
	r.Settle()
	asks()
	said(2)
}
