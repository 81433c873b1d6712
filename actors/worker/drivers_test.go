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

// slowPrograms fetches as long as the test wants.
type slowPrograms struct {
	takes time.Duration
	err   error
}

func (p slowPrograms) Fetch(b *rpcenv.Blocking, name, dir string) (string, error) {
	return dir + name, errors.Join(b.Sleep(p.takes), p.err)
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
