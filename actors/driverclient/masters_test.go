package driverclient

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

var waiting = map[string]string{"spark.standalone.submit.waitAppCompletion": "true"}

// submitted answers a submission after a while, and nothing else; a nil response is a failure.
func submitted(d time.Duration, r *deploy.SubmitDriverResponse) func(c *rpcenv.Context, m rpcenv.Message) {
	return func(c *rpcenv.Context, m rpcenv.Message) {
		q, ok := m.(*deploy.RequestSubmitDriver)
		if !ok {
			return
		}
		call := rpcenv.Defer(c, q)
		after(c, d, func() {
			if r == nil {
				call.Fail(errors.New("no"))
				return
			}
			call.Reply(r)
		})
	}
}

// A Master that fails does not speak for another that has not answered, nor against one that has taken the driver.
func TestTheAnswerOfOneMasterIsEnough(t *testing.T) {
	for _, test := range []struct{ failure, success time.Duration }{{0, 2 * time.Second}, {2 * time.Second, 0}} {
		leads := leader(state(deploy.DriverState_RUNNING))
		takes := submitted(test.success, &deploy.SubmitDriverResponse{Success: true, DriverId: proto.String("driver-1")})
		k := start(t, submission(), nil, submitted(test.failure, nil), func(c *rpcenv.Context, m rpcenv.Message) {
			if _, ok := m.(*deploy.RequestSubmitDriver); ok {
				takes(c, m)
				return
			}
			leads(c, m)
		})
		k.exits(0, 5*time.Second, "State of driver-1 is RUNNING")
	}
}

// after runs then in the inbox of c, after a while.
func after(c *rpcenv.Context, d time.Duration, then func()) {
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (struct{}, error) { return struct{}{}, b.Sleep(d) }, func(struct{}, error) { then() })
}

// While a Master has not answered another one may not be asked again: it could take the driver twice.
func TestNoMasterIsAskedAgainWhileOneIsSilent(t *testing.T) {
	k := start(t, submission(), nil, standby, func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.Defer(c, m.(*deploy.RequestSubmitDriver)) })
	k.w.Advance(9 * time.Second)
	if got := slices.Sorted(slices.Values(k.got)); !slices.Equal(got, []string{"0s M1 SubmitDriver", "0s M2 SubmitDriver"}) {
		t.Errorf("asked %q", got)
	}
}

func TestAMasterIsLookedUpOnce(t *testing.T) {
	k := start(t, submission(), waiting, leader(state(deploy.DriverState_RUNNING)))
	lookUps := func() (n int) {
		for _, e := range k.w.Trace().Entries {
			if strings.HasSuffix(e.Type, "CheckExistence") {
				n++
			}
		}
		return n
	}
	k.w.Advance(time.Second)
	first := lookUps()
	k.w.Advance(time.Minute)
	if n := lookUps(); n != first || n == 0 {
		t.Errorf("the trace has %d entries of look-ups, %d a second after the start", n, first)
	}
}

// As in Spark: it may have come back without the driver.
func TestAMasterThatWasLostIsNotAskedAgain(t *testing.T) {
	k := start(t, submission(), waiting, standby, leader(state(deploy.DriverState_RUNNING)))
	k.w.Advance(6 * time.Second)
	at := k.masters[0].Env.Address()
	k.w.Find("M1").Kill()
	k.w.Settle()
	env, err := rpcenv.New(k.w.Host("M1", at.Host), rpcenv.Config{Name: "M1", Listen: at})
	if err != nil {
		t.Fatal(err)
	}
	back := k.w.ProbeIn(env, "Master")
	k.w.Advance(time.Minute)
	if got := back.Waiting(); len(got) != 0 {
		t.Errorf("asked %T", got[0])
	}
}

func TestAProcessWithoutAMasterIsLost(t *testing.T) {
	k := start(t, submission(), nil)
	cfg := submission()
	cfg.Masters = []rpcenv.Address{k.w.Env("Empty", nil).Address()}
	env := k.w.Env("Client2", nil)
	host := k.w.Find("Client2")
	k.w.Register(env, Name, New(cfg))
	k.w.Advance(time.Second)
	if code, ended := host.Exited(); !ended || code != 255 {
		t.Errorf("ended %t with %d", ended, code)
	}
}

// The log has the cause if it is known.
func TestWhyAMasterIsLostIsLogged(t *testing.T) {
	cfg := submission()
	cfg.Masters = []rpcenv.Address{{Host: "10.9.9.9", Port: 1}}
	k := start(t, cfg, waiting, leader(state(deploy.DriverState_RUNNING)))
	other := k.w.ProbeIn(k.w.Env("Other", nil), "Other")
	k.w.ProbeIn(k.env, "P").Send(other.Ref, &rpc.Bool{})
	k.w.Advance(6 * time.Second)
	k.w.Find("Other").Kill() // no Master: nothing is lost
	k.w.Settle()
	if _, ended := k.host.Exited(); ended {
		t.Fatal("it ended")
	}
	k.w.Find("M1").Kill()
	k.w.Settle()
	var causes []bool
	for _, e := range k.said.AllEntries() {
		if strings.HasPrefix(e.Message, "Error connecting to master") {
			_, has := e.Data[logrus.ErrorKey]
			causes = append(causes, has)
		}
	}
	if !slices.Equal(causes, []bool{true, false}) {
		t.Errorf("causes of the losses: %v", causes)
	}
}

// An answer without the driver's id must not make the client submit again: the driver may run.
func TestATakenDriverWithoutAnIdIsTheEnd(t *testing.T) {
	k := start(t, submission(), nil, func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.Reply(c, m.(*deploy.RequestSubmitDriver), &deploy.SubmitDriverResponse{Success: true, Message: "taken"})
	})
	k.exits(255, 0, "taken\n")
	k.asked("0s M1 SubmitDriver")
}

// The loss of the last silent Master ends a submission that another may have taken: no Master is asked twice.
func TestALossMayBeTheLastWordOfASubmission(t *testing.T) {
	k := start(t, submission(), nil, submitted(0, nil), nil)
	k.w.Find("M2").Pause()
	k.w.Advance(2 * time.Second)
	k.w.Find("M2").Kill()
	k.exits(255, 2*time.Second, "Error connecting to master 10.0.0.2:7077.\nThe Masters did not answer; the request may have been taken nevertheless: 10.0.0.1:7077: ")
	k.asked("0s M1 SubmitDriver")
}

// A client ends for one reason, though another one holds as well.
func TestTheReasonOfTheEndIsSaidAlone(t *testing.T) {
	k := start(t, submission(), nil, submitted(0, nil), submitted(2*time.Second, &deploy.SubmitDriverResponse{Message: "Driver refused"}))
	k.exits(255, 2*time.Second, "")
	if !strings.HasSuffix(k.text(), "\nDriver refused\nexit 255: Driver refused\n") {
		t.Errorf("it said\n%s", k.text())
	}
}

func TestALateAnswerOfARelaunchedDriverSaysNothingOfTheNextOne(t *testing.T) {
	settings := maps.Clone(waiting)
	settings["spark.rpc.askTimeout"] = "20s"
	asked := false
	moved := state(deploy.DriverState_RELAUNCHING)
	moved.RelaunchedAs = proto.String("driver-2")
	leads := leader(moved, state(deploy.DriverState_RUNNING), state(deploy.DriverState_FINISHED))
	k := start(t, submission(), settings, func(c *rpcenv.Context, m rpcenv.Message) {
		q, ok := m.(*deploy.RequestDriverStatus)
		if !ok || asked {
			leads(c, m)
			return
		}
		asked = true
		call := rpcenv.Defer(c, q)
		after(c, 12*time.Second, func() { call.Reply(state(deploy.DriverState_FAILED)) }) // at 17 s, when driver-2 is known
	})
	k.exits(0, 35*time.Second, "State of driver-1 is RELAUNCHING\nIt was relaunched as driver-2\nState of driver-2 is RUNNING\n"+
		"Driver running on w:1 (worker-1)\nState of driver-2 is FINISHED\n")
}
