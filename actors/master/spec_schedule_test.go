package master_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/spec"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// Each sentence of Spark's Master names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 110) }

// logged makes a Master whose log is kept.
func logged(t *testing.T) (*kit, *logtest.Hook) {
	t.Helper()
	return loggedWith(t, master.Config{})
}

// loggedWith is logged with a Config.
func loggedWith(t *testing.T, cfg master.Config) (*kit, *logtest.Hook) {
	t.Helper()
	log := logrus.New()
	log.SetOutput(t.Output())
	said := logtest.NewLocal(log)
	w := rpctest.New(t, 1)
	env, err := rpcenv.New(w.Host("M", "10.1.0.1"), rpcenv.Config{
		Name: "M", Listen: rpcenv.Address{Host: "10.1.0.1", Port: 7077}, Log: logrus.NewEntry(log),
	})
	if err != nil {
		t.Fatal(err)
	}
	k := &kit{World: w, t: t}
	k.NoPanic()
	k.lead(env, cfg)
	return k, said
}

// warned are the log's lines that say that no Worker can ever serve a wish.
func warned(said *logtest.Hook) (out []string) {
	for _, e := range said.AllEntries() {
		if e.Level == logrus.WarnLevel && strings.Contains(e.Message, "requires more resource than any of Workers could have") {
			out = append(out, e.Message)
		}
	}
	return out
}

// A Master without records and an election leads since its start, and its log says nothing of an election.
func TestAMasterAloneSaysNothingOfAnElection(t *testing.T) {
	k, said := logged(t)
	k.Settle()
	if all := said.AllEntries(); len(all) != 1 || all[0].Message != "Starting Spark master at spark://10.1.0.1:7077" {
		t.Errorf("%v", all)
	}
}

// The log warns, in Spark's words, of a driver that no Worker could take even if it were idle, and not of one that only waits.
func TestADriverBeyondEveryWorkerIsWarnedOf(t *testing.T) {
	k, said := logged(t)
	k.submit(wanted(false)) // no Worker is registered
	k.worker("W1", 1, 1024)
	k.submit(wanted(false)) // waits for the first
	if got := warned(said); got != nil {
		t.Errorf("warned %q", got)
	}
	huge := wanted(false)
	huge.Cores = 2
	id := k.submit(huge)
	k.submit(wanted(false)) // schedules again
	if got, want := warned(said), []string{"Driver " + id + " requires more resource than any of Workers could have."}; !slices.Equal(got, want) {
		t.Errorf("warned %q, want %q", got, want)
	}
}

// The log warns, in Spark's words, of an application that is alone, has no executor and finds no Worker.
func TestAnApplicationThatFindsNoWorkerIsWarnedOf(t *testing.T) {
	k, said := logged(t)
	k.worker("W1", 1, 256)
	d := k.driver("D", 1)
	k.Settle()
	if got, want := warned(said), []string{"App " + d.id + " requires more resource than any of Workers could have."}; !slices.Equal(got, want) {
		t.Errorf("warned %q, want %q", got, want)
	}
	said.Reset()
	k.driver("D2", 1) // one of two may wait for the other
	k.Settle()
	if got := warned(said); got != nil {
		t.Errorf("warned %q", got)
	}
}

// A driver's resources come from its Worker and go back to it.
func TestADriverGetsResources(t *testing.T) {
	k := newKit(t)
	k.worker("W0", 4, 4096) // has none
	w := k.newWorker("W1", 4, 4096)
	w.reg.Resources = []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"a", "b", "c"}}}
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	desc := wanted(false)
	desc.ResourceReqs = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 2}}
	first, second := k.submit(desc), k.submit(desc)
	for _, id := range []string{first, second} { // the second when the first gives back what it had
		m := w.launchedDriver()
		if m.GetDriverId() != id || len(m.GetResources()) != 1 || !slices.Equal(m.GetResources()[0].GetAddresses(), []string{"a", "b"}) {
			t.Errorf("%v, want %s with a and b", m, id)
		}
		none(t, w.Probe, time.Second)
		w.driverReport(id, deploy.DriverState_FINISHED)
	}
}

// LaunchExecutor goes to the Worker before ExecutorAdded to the driver, executor by executor, and the application RUNS from then on.
func TestAnExecutorIsOrderedBeforeItsDriverIsTold(t *testing.T) {
	k := newKit(t)
	k.worker("W1", 2, 2048)
	k.driver("D", 2)
	if s := k.state().GetActiveApps()[0]; s.GetState() != "RUNNING" || s.GetExecutors()[0].GetState() != deploy.ExecutorState_LAUNCHING {
		t.Errorf("%v", s)
	}
	text := show.Forest(trace.Merge(k.Recorder().Records()).Entries, show.TextOptions{OmitPlace: true})
	got := regexp.MustCompile(`LaunchExecutor|ExecutorAdded|RegisteredApplication`).FindAllString(text, -1)
	want := []string{"RegisteredApplication", "LaunchExecutor", "ExecutorAdded", "LaunchExecutor", "ExecutorAdded"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q in\n%s", got, want, text)
	}
}

// Per Worker: without a size one executor of all that was assigned, else as many whole ones as fit.
func TestExecutorsOfAWorker(t *testing.T) {
	for size, want := range map[int32]string{0: "[7]", 2: "[2 2 2]", 3: "[3 3]", 7: "[7]", 8: "[]"} {
		k := newKit(t)
		k.worker("W1", 7, 8192)
		d := k.newDriver("D")
		d.desc.CoresPerExecutor = nil
		if size > 0 {
			d.desc.CoresPerExecutor = proto.Int32(size)
		}
		d.register()
		got := []int32{}
		for _, e := range k.state().GetActiveApps()[0].GetExecutors() {
			got = append(got, e.GetCores())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("of %d cores each: %v, want %s", size, got, want)
		}
	}
}

// The counter of applications goes round at spark.deploy.appNumberModulo, past the number of one that is there still.
func TestTheNumberOfAnApplicationGoesRound(t *testing.T) {
	k := newKit(t, "spark.deploy.appNumberModulo", "1000", "spark.deploy.appIdPattern", "app-%04[2]d")
	k.driver("first", 1)
	d := k.newDriver("D")
	var last []string
	for i := range 1001 {
		d.register()
		d.Send(k.ref, &deploy.UnregisterApplication{AppId: d.id})
		if i >= 998 {
			last = append(last, d.id[len(d.id)-5:])
		}
	}
	if want := []string{"-0999", "-0001", "-0002"}; !slices.Equal(last, want) {
		t.Errorf("%q, want %q", last, want)
	}
}
