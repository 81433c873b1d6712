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
	if !r.heardPart("Why:the Master at "+r.master.Ref.Address.String()+" does not know application") || !r.heardPart("submit the application again") {
		t.Errorf("heard %v", r.events.Waiting())
	}
}

// The program whose job fails reports how its application ended, also when it submits the job just after; else the log does.
func TestTheEndOfAnApplicationIsSaidOnce(t *testing.T) {
	const reason = "Master removed our application: FAILED"
	for when, want := range map[string]int{"a job runs": 0, "a job comes just after": 0, "no job comes": 1, "the driver ends at once": 1} {
		r := newRig(t, nil)
		var logged strings.Builder
		r.env.Log().Logger.SetOutput(&logged)
		r.env.Log().Logger.SetLevel(logrus.ErrorLevel)
		var j *job
		if when == "a job runs" {
			j = run(r, numbers.With(3))
			r.Settle()
		}
		r.tell(&deploy.ApplicationRemoved{Message: "FAILED"})
		r.Advance(999 * time.Millisecond)
		if logged.Len() > 0 {
			t.Errorf("%s: the log has not waited: %s", when, &logged)
		}
		switch when {
		case "a job comes just after":
			j = run(r, numbers.With(3))
			r.Settle()
		case "the driver ends at once":
			r.env.Shutdown()
			r.Settle()
			if got := strings.Count(logged.String(), reason); got != want {
				t.Errorf("%s: %d lines at the end, want %d: %s", when, got, want, &logged)
			}
		}
		r.Advance(time.Second)
		if j != nil {
			if err := j.failure(); !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v", when, err)
			}
		}
		if got := strings.Count(logged.String(), reason); got != want {
			t.Errorf("%s: %d lines, want %d: %s", when, got, want, &logged)
		}
	}
}
