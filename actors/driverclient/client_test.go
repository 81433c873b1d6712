package driverclient

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
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
	began   time.Time
	host    *sim.Host
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

// leader takes a submission as driver-1 and then tells the states one by one, the last one for ever.
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
	for i := range masters {
		p := k.w.ProbeIn(k.w.Env("M"+string(rune('1'+i)), nil), "Master")
		p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
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
	k.said = test.NewLocal(log)
	env, err := rpcenv.New(k.host, rpcenv.Config{Name: "Client", Conf: c, Log: logrus.NewEntry(log)})
	if err != nil {
		t.Fatal(err)
	}
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
		k.exits(0, 25*time.Second, "State of driver-1 is "+end.String())
	}
}

func TestAnExceptionIsAFailure(t *testing.T) {
	bad := state(deploy.DriverState_ERROR)
	bad.Exception = proto.String("no such file")
	start(t, submission(), nil, leader(bad)).exits(255, 5*time.Second, "Exception from cluster was: no such file")
}

func TestARefusalIsTheEnd(t *testing.T) {
	start(t, submission(), nil, func(c *rpcenv.Context, m rpcenv.Message) {
		rpcenv.Reply(c, m.(*deploy.RequestSubmitDriver), &deploy.SubmitDriverResponse{Message: "Driver refused: there is no description"})
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
		rpcenv.Reply(c, m.(*deploy.RequestKillDriver), &deploy.KillDriverResponse{Message: why})
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
	d := Driver{Program: "/p", MainClass: "pi", Args: []string{"driver", "pi"}, Env: map[string]string{"B": "2", "A": "1"}, Cores: 2, MemoryMB: 64, Supervise: true}.Describe()
	want := "{{WORKER_URL}} {{USER_JAR}} pi driver pi"
	if got := strings.Join(d.GetCommand().GetArguments(), " "); got != want || d.GetCommand().GetMainClass() != "org.apache.spark.deploy.worker.DriverWrapper" ||
		d.GetCommand().GetEnvironment()[0].GetName() != "A" || d.GetMem() != 64 || !d.GetSupervise() {
		t.Errorf("%v", d)
	}
}
