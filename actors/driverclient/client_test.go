package driverclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// kit is a World with Masters that a test plays, and a client.
type kit struct {
	t       *testing.T
	w       *rpctest.World
	masters []*rpctest.Probe
	answers []func(c *rpcenv.Context, m rpcenv.Message) // of each Master; nil answers nothing
	got     []string                                    // what the Masters were asked: time, Master, message
	ids     []string                                    // of the drivers that were asked for
	began   time.Time
	host    *sim.Host
	env     *rpcenv.Env
	said    *test.Hook
}

// standby answers as a Master that does not lead.
func standby(c *rpcenv.Context, m rpcenv.Message) {
	const why = "Current state is not alive: STANDBY. Can only accept driver submissions in ALIVE state."
	switch m := m.(type) {
	case *deploy.RequestSubmitDriver:
		rpcenv.Reply(c, m, &deploy.SubmitDriverResponse{Message: why})
	case *deploy.RequestKillDriver:
		rpcenv.Reply(c, m, &deploy.KillDriverResponse{Message: why})
	case *deploy.RequestDriverStatus:
		rpcenv.Reply(c, m, &deploy.DriverStatusResponse{Exception: proto.String(why)})
	}
}

// leader takes a submission as driver-1 and then returns the states one by one, the last one for ever.
func leader(states ...*deploy.DriverStatusResponse) func(c *rpcenv.Context, m rpcenv.Message) {
	return func(c *rpcenv.Context, m rpcenv.Message) {
		switch m := m.(type) {
		case *deploy.RequestSubmitDriver:
			rpcenv.Reply(c, m, &deploy.SubmitDriverResponse{Success: true, DriverId: proto.String("driver-1"), Message: "Driver successfully submitted as driver-1"})
		case *deploy.RequestKillDriver:
			rpcenv.Reply(c, m, &deploy.KillDriverResponse{Success: true, DriverId: m.GetDriverId(), Message: "Kill request for driver-1 submitted"})
		case *deploy.RequestDriverStatus:
			rpcenv.Reply(c, m, states[0])
			if len(states) > 1 {
				states = states[1:]
			}
		}
	}
}

func state(s deploy.DriverState_State) *deploy.DriverStatusResponse {
	return &deploy.DriverStatusResponse{
		Found: true, State: s.Enum(), WorkerId: proto.String("worker-1"), WorkerHostPort: proto.String("w:1"),
	}
}

// start starts a client of Masters that answer so; a nil one answers nothing.
func start(t *testing.T, cfg Config, settings map[string]string, masters ...func(c *rpcenv.Context, m rpcenv.Message)) *kit {
	t.Helper()
	k := &kit{t: t, w: rpctest.New(t, 1), answers: masters}
	k.w.NoPanic()
	for i := range masters {
		p := k.w.ProbeIn(k.w.Env("M"+string(rune('1'+i)), nil), "Master")
		p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			if q, ok := m.(*deploy.RequestSubmitDriver); ok && !proto.Equal(q.GetDriverDescription(), cfg.Launch) {
				t.Errorf("submitted %v", q)
			}
			if q, ok := m.(*deploy.RequestDriverStatus); ok {
				k.ids = append(k.ids, q.GetDriverId())
			}
			k.got = append(k.got, k.w.Now().Sub(k.began).Truncate(time.Second).String()+" M"+string(rune('1'+i))+" "+
				strings.TrimPrefix(string(m.(proto.Message).ProtoReflect().Descriptor().Name()), "Request"))
			if k.answers[i] != nil {
				k.answers[i](c, m)
			}
			return true
		})
		k.masters = append(k.masters, p)
		cfg.Masters = append(cfg.Masters, p.Env.Address())
	}
	c, err := conf.New(map[string]string{"spark.rpc.askTimeout": "10s"})
	if err == nil {
		c, err = c.With(settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	k.began = k.w.Now()
	k.host = k.w.Host("Client", "10.1.0.1")
	log := logrus.New()
	log.SetOutput(t.Output())
	log.SetLevel(logrus.DebugLevel)
	k.said = test.NewLocal(log)
	env, err := rpcenv.New(k.host, rpcenv.Config{Name: "Client", Conf: c, Log: logrus.NewEntry(log)})
	if err != nil {
		t.Fatal(err)
	}
	k.env = env
	k.w.Register(env, Name, New(cfg))
	return k
}

// submission is a driver to submit.
func submission() Config {
	return Config{Launch: Driver{Program: "/bin/app", MainClass: "app", Cores: 1, MemoryMB: 512}.Describe()}
}

// exits waits for the client's end and checks its code, when it came, and what it said.
func (k *kit) exits(code int, after time.Duration, said string) {
	k.t.Helper()
	ended := func() bool { _, yes := k.host.Exited(); return yes }
	if err := k.w.Run(ended, 10*time.Minute); err != nil {
		k.t.Fatalf("the client has not ended: %v", err)
	}
	if got, _ := k.host.Exited(); got != code {
		k.t.Errorf("exit code %d, want %d", got, code)
	}
	if took := k.w.Now().Sub(k.began).Truncate(time.Second); took != after {
		k.t.Errorf("it ended after %s, want %s", took, after)
	}
	if all := k.text(); !strings.Contains(all, said) {
		k.t.Errorf("it said\n%swant\n%s", all, said)
	}
}

func (k *kit) text() string {
	var b strings.Builder
	for _, e := range k.said.AllEntries() {
		b.WriteString(e.Message + "\n")
	}
	return b.String()
}

// asked checks what the Masters were asked, in any order: the client ends before the slower ones are asked.
func (k *kit) asked(want ...string) {
	k.t.Helper()
	for _, one := range want {
		if !slices.Contains(k.got, one) {
			k.t.Errorf("the Masters were asked\n%s\nwant\n%s", strings.Join(k.got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestASubmissionEndsWithTheFirstState(t *testing.T) {
	k := start(t, submission(), nil, leader(state(deploy.DriverState_RUNNING)))
	k.exits(0, 5*time.Second, "Driver successfully submitted as driver-1\n... waiting before polling master for driver state\n"+
		"State of driver-1 is RUNNING\nDriver running on w:1 (worker-1)\n")
	k.asked("0s M1 SubmitDriver", "5s M1 DriverStatus")
	if fmt.Sprint(k.ids) != "[driver-1]" {
		t.Errorf("asked for %v", k.ids)
	}
}

func TestAllMastersAreAskedAndTheStandbysIgnored(t *testing.T) {
	k := start(t, submission(), nil, standby, leader(state(deploy.DriverState_FINISHED)))
	k.exits(0, 5*time.Second, "State of driver-1 is FINISHED\n")
	k.asked("0s M1 SubmitDriver", "0s M2 SubmitDriver", "5s M2 DriverStatus")
}

func TestItWaitsForTheDriversEnd(t *testing.T) {
	for _, end := range []deploy.DriverState_State{
		deploy.DriverState_FINISHED, deploy.DriverState_FAILED, deploy.DriverState_ERROR, deploy.DriverState_KILLED,
	} {
		k := start(t, submission(), map[string]string{"spark.standalone.submit.waitAppCompletion": "true"},
			leader(state(deploy.DriverState_SUBMITTED), state(deploy.DriverState_RUNNING), state(end)))
		k.exits(0, 25*time.Second, "State of driver-1 is SUBMITTED\nState of driver-1 is "+end.String())
	}
}

func TestAnExceptionIsAFailure(t *testing.T) {
	bad := state(deploy.DriverState_ERROR)
	bad.Exception = proto.String("no such file")
	start(t, submission(), nil, leader(bad)).exits(255, 5*time.Second, "Exception from cluster was: no such file")
}

func TestARefusalIsTheEnd(t *testing.T) {
	start(t, submission(), nil, func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.Reply(c, m.(*deploy.RequestSubmitDriver), &deploy.SubmitDriverResponse{Message: "Driver refused: the description is missing"})
	}).exits(255, 0, "Driver refused")
}

func TestADriverThatIsGoneIsAFailure(t *testing.T) {
	start(t, submission(), nil, leader(&deploy.DriverStatusResponse{})).exits(255, 5*time.Second, "does not exist")
}

func TestKill(t *testing.T) {
	k := start(t, Config{Kill: "driver-1"}, nil, standby, leader(state(deploy.DriverState_KILLED)))
	k.exits(0, 5*time.Second, "Kill request for driver-1 submitted")
	k.asked("0s M1 KillDriver", "0s M2 KillDriver", "5s M2 DriverStatus")
}

func TestAKillThatIsRefusedIsTheEnd(t *testing.T) {
	const why = "Driver driver-9 has already finished or does not exist"
	start(t, Config{Kill: "driver-9"}, nil, standby, func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.Reply(c, m.(*deploy.RequestKillDriver), &deploy.KillDriverResponse{DriverId: "driver-9", Message: why})
	}).exits(255, 0, why)
}

func TestStatus(t *testing.T) {
	k := start(t, Config{Status: "driver-1"}, nil, leader(state(deploy.DriverState_RUNNING)))
	k.exits(0, 0, "State of driver-1 is RUNNING")
	k.asked("0s M1 DriverStatus")
	waits := state(deploy.DriverState_SUBMITTED)
	waits.Refused = []string{"there is no worker"}
	start(t, Config{Status: "driver-1"}, nil, leader(waits)).exits(0, 0, "It waits: there is no worker")
}

func TestASubmissionWaitsForALeader(t *testing.T) {
	k := start(t, submission(), nil, standby, standby)
	k.w.Advance(12 * time.Second)
	k.answers[1] = leader(state(deploy.DriverState_RUNNING))
	k.exits(0, 25*time.Second, "State of driver-1 is RUNNING")
}

func TestNoLeaderIsTheEnd(t *testing.T) {
	start(t, submission(), nil, standby, standby).exits(255, 45*time.Second, noLeader)
	start(t, Config{Status: "driver-1"}, nil, standby).exits(255, time.Minute, noLeader)
}

func TestAnUnansweredSubmissionIsTheEnd(t *testing.T) {
	k := start(t, submission(), nil, func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.Defer(c, m.(*deploy.RequestSubmitDriver)) })
	k.exits(255, 10*time.Second, "may have been taken nevertheless")
}

func TestAMasterThatIsNotThereIsLost(t *testing.T) {
	cfg := submission()
	cfg.Masters = []rpcenv.Address{{Host: "10.9.9.9", Port: 1}}
	k := start(t, cfg, nil, leader(state(deploy.DriverState_RUNNING)))
	k.exits(0, 5*time.Second, "Error connecting to master 10.9.9.9:1.")
	k = start(t, cfg, nil)
	k.exits(255, 0, "No master is available, exiting.")
}

func TestAllMastersLostIsTheEnd(t *testing.T) {
	k := start(t, submission(), map[string]string{"spark.standalone.submit.waitAppCompletion": "true"},
		standby, leader(state(deploy.DriverState_RUNNING)))
	k.w.Advance(6 * time.Second)
	k.w.Find("M2").Kill()
	k.w.Advance(time.Second)
	if _, ended := k.host.Exited(); ended {
		t.Fatal("it ended though a Master is left")
	}
	k.w.Find("M1").Kill()
	k.exits(255, 7*time.Second, "No master is available, exiting.")
}

func TestARelaunchedDriverIsFollowed(t *testing.T) {
	moved := state(deploy.DriverState_RELAUNCHING)
	moved.RelaunchedAs = proto.String("driver-2")
	k := start(t, submission(), map[string]string{"spark.standalone.submit.waitAppCompletion": "true"},
		leader(moved, state(deploy.DriverState_RUNNING), state(deploy.DriverState_FINISHED)))
	k.exits(0, 25*time.Second, "It was relaunched as driver-2\nState of driver-2 is RUNNING\n")
	if fmt.Sprint(k.ids) != "[driver-1 driver-2 driver-2]" {
		t.Errorf("asked for %v", k.ids)
	}
}

// A client that does not wait for the end does not follow either: the state is known.
func TestAStatusOfARelaunchedDriverIsOfThatDriver(t *testing.T) {
	moved := state(deploy.DriverState_RELAUNCHING)
	moved.RelaunchedAs = proto.String("driver-2")
	k := start(t, Config{Status: "driver-1"}, map[string]string{"spark.standalone.submit.waitAppCompletion": "true"}, leader(moved))
	k.exits(0, 0, "State of driver-1 is RELAUNCHING\nIt was relaunched as driver-2\n")
}

// The log has the driver's state once while it runs, and once more when it has ended, with the code if a process ran.
func TestAStateIsSaidOnceUntilItIsTheLast(t *testing.T) {
	failed := state(deploy.DriverState_FAILED)
	failed.ExitStatus, failed.LastWords = proto.Int32(3), "error: no file"
	for _, end := range []*deploy.DriverStatusResponse{failed, state(deploy.DriverState_KILLED)} {
		k := start(t, submission(), map[string]string{"spark.standalone.submit.waitAppCompletion": "true"},
			leader(state(deploy.DriverState_RUNNING), state(deploy.DriverState_RUNNING), state(deploy.DriverState_RUNNING), end))
		want := "State of driver-1 is RUNNING\nDriver running on w:1 (worker-1)\nState of driver-1 is " + end.GetState().String() + "\n"
		if end.ExitStatus != nil {
			want += "Its process exited with code 3: error: no file\n"
		}
		k.exits(0, 35*time.Second, want+"exit 0")
		if n := strings.Count(k.text(), "is RUNNING"); n != 1 {
			t.Errorf("RUNNING was said %d times", n)
		}
	}
}

// A Master that is silent for a while, and then leads, has the whole time again.
func TestOnlyTicksInARowWithoutAStateCount(t *testing.T) {
	k := start(t, Config{Status: "driver-1"}, nil, standby)
	k.w.Advance(45 * time.Second)
	k.answers[0] = leader(state(deploy.DriverState_RUNNING))
	k.exits(0, 50*time.Second, "State of driver-1 is RUNNING")
	k = start(t, submission(), map[string]string{"spark.standalone.submit.waitAppCompletion": "true"}, leader(state(deploy.DriverState_RUNNING)))
	k.w.Advance(6 * time.Second)
	k.answers[0] = standby
	k.w.Advance(10 * time.Minute) // it waits for the driver's end, however long no Master says anything
	if _, ended := k.host.Exited(); ended {
		t.Error("it gave up")
	}
}

func TestTheRefusalOfAStateIsTheEnd(t *testing.T) {
	k := start(t, Config{Status: "driver-1"}, nil, func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.Reply(c, m.(*deploy.RequestDriverStatus), &deploy.DriverStatusResponse{Exception: proto.String("no permission")})
	})
	k.exits(255, 0, "no permission\n")
}

func TestAConfigThatIsNotValidIsTheEnd(t *testing.T) {
	start(t, Config{}, nil).exits(255, 0, "a submission needs a Master: name one as spark://HOST:PORT\nwant one of: a driver to submit, one to kill, one to ask for\n")
}

// The loss of a peer that is no Master, or of a Master that was lost before, ends nothing and is not said.
func TestALossIsSaidOnce(t *testing.T) {
	cfg := submission()
	cfg.Masters = []rpcenv.Address{{Host: "10.9.9.9", Port: 1}}
	k := start(t, cfg, map[string]string{"spark.standalone.submit.waitAppCompletion": "true"}, leader(state(deploy.DriverState_RUNNING)))
	k.w.Advance(time.Minute)
	if n := strings.Count(k.text(), "Error connecting to master"); n != 1 {
		t.Errorf("said %d times:\n%s", n, k.text())
	}
	k.w.Find("M1").Kill()
	k.w.Settle()
	if n := strings.Count(k.text(), "No master is available, exiting."); n != 2 { // and as the reason of the exit
		t.Errorf("said %d times:\n%s", n, k.text())
	}
}

func TestMessagesNobodyKnowsAreRefused(t *testing.T) {
	k := start(t, submission(), nil, nil)
	p := k.w.ProbeIn(k.env, "P")
	if _, err := rpctest.Ask[*rpc.Bool](p, rpcenv.Ref{Address: k.env.Address(), Name: Name}, &rpc.CheckExistence{}); !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Error(err)
	}
}

func TestConfigsThatCannotBe(t *testing.T) {
	for want, cfg := range map[string]Config{
		"needs a Master": submission(),
		"want one of":    {Masters: []rpcenv.Address{{Host: "m", Port: 1}}, Kill: "a", Status: "b"},
	} {
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestADescriptionIsSparks(t *testing.T) {
	gpu := []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d := Driver{Program: "/p", MainClass: "pi", Args: []string{"driver", "pi"}, Env: map[string]string{"B": "2", "A": "1"}, Cores: 2, MemoryMB: 64, Supervise: true, Resources: gpu}.Describe()
	want := &deploy.DriverDescription{JarUrl: "/p", Mem: 64, Cores: 2, Supervise: true, ResourceReqs: gpu, Command: &deploy.Command{
		MainClass: "org.apache.spark.deploy.worker.DriverWrapper", Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi", "driver", "pi"},
		Environment: []*deploy.EnvironmentVariable{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
	}}
	if !proto.Equal(d, want) {
		t.Errorf("%v, want %v", d, want)
	}
}
