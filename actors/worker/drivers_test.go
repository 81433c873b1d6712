package worker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

const driverID = "driver-20260101000000-0000"

// driverKit is a kit whose Worker is registered and can start drivers.
type driverKit struct {
	*kit
	words  []string // what the Worker reported of the driver
	others []string // the other drivers that it reported
}

func newDriverKit(t *testing.T, cfg Config, settings map[string]string) *driverKit {
	k := &driverKit{kit: newKit(t)}
	k.w.Roles[DriverClass] = k.w.Roles["Exec"]
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		d, ok := m.(*deploy.DriverStateChanged)
		if !ok {
			return k.playMaster(c, m)
		}
		text := d.GetState().String()
		if d.Exception != nil {
			text += " " + d.GetException()
		}
		if d.GetDriverId() != driverID {
			k.others = append(k.others, d.GetDriverId())
		}
		if d.ExitStatus != nil {
			text += fmt.Sprint(" ", d.GetExitStatus())
		}
		if d.GetLastWords() != "" {
			text += ": " + d.GetLastWords()
		}
		k.words = append(k.words, text)
		if k.acknowledge {
			rpcenv.Reply(c, d, &rpc.Bool{Value: true})
		} else {
			rpcenv.Defer(c, d)
		}
		return true
	})
	k.join(cfg, settings)
	return k
}

func order(supervise bool) *deploy.LaunchDriver {
	return &deploy.LaunchDriver{DriverId: driverID, DriverDesc: &deploy.DriverDescription{
		JarUrl: "/shared/app", Cores: 1, Mem: 512, Supervise: supervise, Command: &deploy.Command{
			MainClass: DriverClass, Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi", "8", "a{{USER_JAR}}"},
			Environment: []*deploy.EnvironmentVariable{{Name: "A", Value: "b"}},
		},
	}}
}

// run launches the driver.
func (k *driverKit) run(supervise bool) *sim.Host {
	k.t.Helper()
	k.master.Send(k.worker, order(supervise))
	k.w.Settle()
	if len(k.children) == 0 {
		k.t.Fatal("no process was started")
	}
	return k.child()
}

// child is the last process.
func (k *driverKit) child() *sim.Host { return k.children[len(k.children)-1] }

func (k *driverKit) want(words ...string) {
	k.t.Helper()
	k.w.Settle()
	if fmt.Sprint(k.words) != fmt.Sprint(words) {
		k.t.Errorf("the Worker reported %q, want %q", k.words, words)
	}
}

func TestADriverRunsWithWhatOnlyTheWorkerKnows(t *testing.T) {
	k := newDriverKit(t, Config{WorkDir: "/work", WebUIURL: "http://w:8081"}, nil)
	k.run(false)
	cmd := k.started[0]
	if got, want := strings.Join(cmd.Args, " "), "spark://Worker@"+k.env.Address().String()+" /shared/app pi 8 a{{USER_JAR}}"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	page := "http://w:8081/logPage/?driverId=" + driverID + "&logType="
	env := []string{"A=b", "SPARK_DRIVER_CORES=1", "SPARK_DRIVER_MEMORY=512m", "SPARK_DRIVER_LOG_URL_STDERR=" + page + "stderr", "SPARK_DRIVER_LOG_URL_STDOUT=" + page + "stdout"}
	if !slices.Equal(cmd.Env, env) {
		t.Errorf("environment %q, want %q", cmd.Env, env)
	}
	if cmd.Dir != "/work/"+driverID || cmd.Class != DriverClass {
		t.Errorf("%+v", cmd)
	}
	s := k.state()
	if s.CoresUsed != 1 || s.MemoryUsed != 512 || len(s.Drivers) != 1 || s.Drivers[0].GetState() != deploy.DriverState_RUNNING {
		t.Errorf("%v", s)
	}
	k.want() // no report says that a driver runs
}

func TestHowADriverEnds(t *testing.T) {
	for code, want := range map[int]string{0: "FINISHED 0", 3: "FAILED 3", 137: "FAILED 137"} {
		k := newDriverKit(t, Config{}, nil)
		k.run(false).Exit(code)
		k.want(want)
		s := k.state()
		if s.CoresUsed != 0 || s.MemoryUsed != 0 || len(s.Drivers) != 0 || len(s.FinishedDrivers) != 1 || len(k.others) != 0 {
			t.Errorf("%v, %v", s, k.others)
		}
		state, _, _ := strings.Cut(want, " ")
		if got := k.states("driver"); !slices.Equal(got, []string{driverID + ":  to RUNNING, LaunchDriver", driverID + ": RUNNING to " + state + ", "}) {
			t.Errorf("states %q", got)
		}
	}
}

func TestASupervisedDriverRunsUntilItSucceeds(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(true).Exit(1)
	for n, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		k.w.Advance(wait - time.Millisecond)
		if len(k.children) != n+1 {
			t.Fatalf("after the failure %d it runs again too soon", n+1)
		}
		k.w.Advance(2 * time.Millisecond)
		if len(k.children) != n+2 {
			t.Fatalf("after the failure %d it does not run again within %s", n+1, wait)
		}
		k.child().Exit(1)
	}
	// A run of more than 5 s sets the wait back.
	k.w.Advance(8 * time.Second)
	k.w.Advance(6 * time.Second)
	k.child().Exit(1)
	n := len(k.children)
	k.w.Advance(1100 * time.Millisecond)
	if len(k.children) != n+1 {
		t.Fatal("after a long run it does not run again within 1 s")
	}
	k.want()
	k.child().Exit(0)
	k.want("FINISHED 0")
	k.w.Advance(time.Minute)
	if len(k.children) != n+1 {
		t.Error("it runs again though it succeeded")
	}
}

func TestAKilledDriverIsNotSupervised(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(true)
	for range 2 {
		k.master.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
	}
	k.master.Send(k.worker, &deploy.KillDriver{DriverId: "driver-of-nobody"})
	k.want("KILLED 143")
	k.w.Advance(time.Minute)
	k.want("KILLED 143")
}

// The Worker has not changed its books yet when the order comes.
func TestAKillThatComesTooLateChangesNothing(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	child := k.run(true)
	k.host.Pause()
	child.Exit(0)
	k.master.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
	k.w.Advance(time.Second)
	k.host.Resume()
	k.want("FINISHED 0")
}

func TestAKillCutsTheWait(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(true).Exit(1)
	k.w.Settle()
	k.master.Do(func(c *rpcenv.Context) {
		for range 2 { // the second is there before the Worker has changed its books
			c.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
		}
	})
	k.want("KILLED 1")
	k.w.Advance(time.Minute)
	if len(k.children) != 1 {
		t.Error("it ran again")
	}
}

func TestALaunchOfADriverThatIsHereIsADuplicate(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.run(false)
	k.master.Send(k.worker, order(false))
	k.w.Settle()
	k.child().Exit(0)
	k.want("FINISHED 0")
	k.master.Send(k.worker, order(false))
	k.want("FINISHED 0")
	if len(k.children) != 1 {
		t.Errorf("%d processes, want 1", len(k.children))
	}
}

func TestDriversThatCannotRunAreErrors(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	for want, spoil := range map[string]func(m *deploy.LaunchDriver){
		"is no plain name": func(m *deploy.LaunchDriver) { m.DriverId = "../../etc" },
		"no main class":    func(m *deploy.LaunchDriver) { m.DriverDesc.Command = nil },
		"a driver with -1 cores and 512 MiB cannot run": func(m *deploy.LaunchDriver) { m.DriverDesc.Cores = -1 },
		"a driver with 0 cores and 512 MiB cannot run":  func(m *deploy.LaunchDriver) { m.DriverDesc.Cores = 0 },
		"a driver with 1 cores and 0 MiB cannot run":    func(m *deploy.LaunchDriver) { m.DriverDesc.Mem = 0 },
		"this worker has no resource":                   func(m *deploy.LaunchDriver) { m.Resources = gpus("0") },
	} {
		k.words = nil
		m := order(false)
		spoil(m)
		k.master.Send(k.worker, m)
		k.w.Settle()
		if len(k.words) != 1 || !strings.HasPrefix(k.words[0], "ERROR ") || !strings.Contains(k.words[0], want) {
			t.Errorf("%q, want %s", k.words, want)
		}
	}
	k.words = nil
	k.w.Roles[DriverClass] = func(*sim.Host, rpcenv.Command) error { return errors.New("no such program") }
	k.master.Send(k.worker, order(true))
	k.w.Settle()
	if len(k.words) != 1 || !strings.HasPrefix(k.words[0], "ERROR ") || !strings.Contains(k.words[0], "no such program") {
		t.Errorf("%q", k.words)
	}
}

// slowPrograms fetches as long as the test wants.
type slowPrograms struct {
	takes time.Duration
	err   error
}

func (p slowPrograms) Fetch(b *rpcenv.Blocking, name, dir string) (string, error) {
	return dir + name, errors.Join(b.Sleep(p.takes), p.err)
}

func TestTheProgramIsFetchedFirst(t *testing.T) {
	k := newDriverKit(t, Config{WorkDir: "/work", Programs: slowPrograms{takes: time.Minute}}, nil)
	k.master.Send(k.worker, order(false))
	k.w.Settle()
	if len(k.children) != 0 {
		t.Fatal("it runs before its program is there")
	}
	k.w.Advance(2 * time.Minute)
	if len(k.children) != 1 || k.started[0].Args[1] != "/work/"+driverID+"/shared/app" {
		t.Errorf("%+v", k.started)
	}
	k.master.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
	k.want("KILLED 143")
}

func TestAKillEndsTheFetch(t *testing.T) {
	k := newDriverKit(t, Config{Programs: slowPrograms{takes: time.Hour}}, nil)
	k.master.Send(k.worker, order(true))
	k.w.Settle()
	k.master.Send(k.worker, &deploy.KillDriver{DriverId: driverID})
	k.want("KILLED")
}

func TestAProgramThatCannotBeFetchedIsAnError(t *testing.T) {
	k := newDriverKit(t, Config{Programs: slowPrograms{err: errors.New("404")}}, nil)
	k.master.Send(k.worker, order(true))
	k.w.Advance(time.Second)
	k.want("ERROR fetch the driver's program: 404")
}

func TestTheEndOfADriverSurvivesTheConnection(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	child := k.run(false)
	k.w.Find("M").Kill()
	k.w.Settle()
	child.Exit(0)
	k.w.Settle()
	k.restartMaster()
	reported := false
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if d, ok := m.(*deploy.DriverStateChanged); ok {
			reported = d.GetState() == deploy.DriverState_FINISHED
			rpcenv.Reply(c, d, &rpc.Bool{Value: true})
			return true
		}
		return k.playMaster(c, m)
	})
	// The Master must not take it for one whose order was lost.
	if s := k.accept(false); len(s.GetDriverIds()) != 1 || s.GetDriverIds()[0] != driverID {
		t.Errorf("%v", s)
	}
	k.w.Settle()
	if !reported {
		t.Error("the new Master got no report that the driver has ended")
	}
	k.w.Advance(time.Minute)
}

func TestALostReportOfADriverIsRepeated(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	k.acknowledge = false
	k.run(false).Exit(2)
	k.want("FAILED 2")
	k.acknowledge = true
	k.w.Advance(16 * time.Second)
	k.want("FAILED 2", "FAILED 2")
	k.w.Advance(time.Minute)
	k.want("FAILED 2", "FAILED 2")
}

func TestTheEndOfTheWorkerEndsItsDrivers(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	child := k.run(true)
	p := k.w.ProbeIn(k.env, "Probe")
	call := p.Env.Ref(k.env.Address(), Name)
	k.w.Settle()
	done := false
	k.env.Go("shutdown", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, call, Shutdown{})
		done = err == nil
		return err
	})
	k.w.Settle()
	if code, ended := child.Exited(); !ended || code != 143 || !done {
		t.Errorf("the driver: %d, %v; the shutdown: %v", code, ended, done)
	}
	k.want() // the Master sees the Worker go, and runs a supervised driver elsewhere
	k.master.Send(k.worker, order(false))
	k.want()
}

// An Env that stops ends what runs in it, without a word to the Master.
func TestTheEndOfTheEndpointEndsItsDrivers(t *testing.T) {
	k := newDriverKit(t, Config{}, nil)
	child := k.run(true)
	k.env.Stop(Name)
	k.w.Settle()
	if code, ended := child.Exited(); !ended || code != 143 {
		t.Errorf("the driver: %d, %v", code, ended)
	}
	k.want()
}

func TestTheSmallestDriverRuns(t *testing.T) {
	m := order(false)
	m.DriverDesc.Cores, m.DriverDesc.Mem = 1, 1
	if err := checkDriver(m); err != nil {
		t.Error(err)
	}
}

// Spark's successfulRunDuration: a run of 5 s is no good one yet.
func TestTheWaitsOfADriverThatFails(t *testing.T) {
	d := &driver{}
	for i, test := range []struct{ ran, want time.Duration }{
		{0, time.Second}, {time.Second, 2 * time.Second}, {5 * time.Second, 4 * time.Second}, {5*time.Second + 1, time.Second}, {0, 2 * time.Second},
	} {
		if got := d.failed(test.ran); got != test.want {
			t.Errorf("failure %d after %s: it waits %s, want %s", i, test.ran, got, test.want)
		}
	}
}

func TestDriversThatEndedAreForgotten(t *testing.T) {
	b := newBooks(5, 20)
	for i := range 25 {
		d := &driver{id: fmt.Sprint(i), desc: &deploy.DriverDescription{Cores: 1, Mem: 1}}
		b.addDriver(d)
		b.endDriver(d)
		b.endDriver(d)
	}
	// At 21 a tenth, two, goes; so again at 23 and 25 there would be 21.
	if n := len(b.endedDrivers); n > 20 || n < 19 || b.coresUsed != 0 || b.endedDrivers[n-1].id != "24" {
		t.Errorf("%d kept, %d cores used", n, b.coresUsed)
	}
}
