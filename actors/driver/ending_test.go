package driver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// A Master that was killed and started again without its records is why tasks wait: the warning says so.
func TestStarvationAtAMasterThatForgotTheApplication(t *testing.T) {
	r := newRig(t, nil)
	run(r, numbers.With(3))
	r.master.Crash()
	r.master.Restart()
	r.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.RequestRefusals)
		if ok {
			rpcenv.Reply(c, q, &deploy.Refusals{MasterState: "ALIVE"})
		}
		return ok
	})
	r.Advance(46 * time.Second)
	if !r.toldPart("Why:the Master at "+r.master.Ref.Address.String()+" does not know application") || !r.toldPart("submit the application again") {
		t.Errorf("told %v", r.events.Waiting())
	}
}

// How an application ends is said once: by its program when a job runs, else by the log.
func TestTheEndOfAnApplicationIsSaidOnce(t *testing.T) {
	for _, busy := range []bool{true, false} {
		r := newRig(t, nil)
		var logged strings.Builder
		r.env.Log().Logger.SetOutput(&logged)
		r.env.Log().Logger.SetLevel(logrus.WarnLevel)
		var j *job
		if busy {
			j = run(r, numbers.With(3))
			r.Settle()
		}
		r.tell(&deploy.ApplicationRemoved{Message: "FAILED"})
		r.Advance(time.Second)
		want := 1
		if busy {
			want = 0
			if err := j.failure(); !strings.Contains(err.Error(), "Master removed our application: FAILED") {
				t.Error(err)
			}
		}
		if got := strings.Count(logged.String(), "Master removed our application"); got != want {
			t.Errorf("busy %t: %d lines, want %d: %s", busy, got, want, logged.String())
		}
	}
}
