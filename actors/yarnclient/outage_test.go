package yarnclient

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A ResourceManager that ended before it had written the application down has to hear of it again.
func TestASubmissionThatIsForgottenIsHandedInAgain(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, forgets: 2, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_ACCEPTED), succeeded}})
	k.exits(0, 1400*time.Millisecond, "Re-submit application "+appText+" with the same ApplicationSubmissionContext\n")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "0s SubmitApplication", "200ms GetApplicationReport",
		"200ms SubmitApplication", "400ms GetApplicationReport", "1.4s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q, want %q", k.got, want)
	}
}

func TestNoResourceManager(t *testing.T) {
	nobody := rpcenv.Address{Host: "10.9.9.9", Port: 8032}
	says := "no ResourceManager answers at 10.9.9.9:8032: "
	k := &kit{t: t, w: rpctest.New(t, 1)}
	k.run(Config{ResourceManager: nobody, Status: appText})
	k.exits(1, 0, says)

	// In client mode its driver hears so, of an application without an id.
	k = &kit{t: t, w: rpctest.New(t, 1)}
	s := client()
	s.Files = &files{}
	k.run(Config{ResourceManager: nobody, Submit: s})
	k.w.Advance(time.Minute)
	if want := "yarnclient.Ended{Local:{} AppID: State:FAILED Final:APP_FAILED Diagnostics:" + says; len(k.heard) != 1 || !strings.HasPrefix(k.heard[0], want) {
		t.Errorf("%q", k.heard)
	}
	if _, exited := k.host.Exited(); exited {
		t.Error("the driver's process has ended")
	}
}

func TestAResourceManagerThatIsGoneForAWhileIsAskedAgain(t *testing.T) {
	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}},
		"yarn.resourcemanager.connect.max-wait.ms", "10s")
	if err := k.w.Run(func() bool { return len(k.got) == 5 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	k.service.Env.Shutdown()
	k.exits(1, 13*time.Second, "Failed to contact YARN for application "+appText)
	k.staged("copy /bin/prog "+dir+"/__app__.jar", "archive "+dir+"/__spark_conf__.zip")
}

func TestAResourceManagerThatReadsItsRecordsIsAskedAgain(t *testing.T) {
	pairs := []string{"yarn.resourcemanager.connect.retry-interval.ms", "1000"}
	reports := []*yarn.ApplicationReport{succeeded}
	running := []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}
	start(t, Config{Submit: cluster()}, &manager{most: 8192, reading: 2, reports: reports}, pairs...).exits(0, 3*time.Second, "it reads its records")
	start(t, Config{Status: appText}, &manager{reading: 2, reports: reports}, pairs...).exits(0, 2*time.Second, "state: FINISHED")
	start(t, Config{Kill: appText}, &manager{reading: 2, reports: running}, pairs...).exits(0, 2*time.Second, "Killed application")

	k := start(t, Config{Submit: cluster()}, &manager{most: 8192, reports: []*yarn.ApplicationReport{state(yarn.YarnApplicationState_RUNNING)}})
	m := &manager{reading: 2, reports: reports}
	if err := k.w.Run(func() bool { return len(k.got) == 4 }, time.Minute); err != nil {
		t.Fatal(err)
	}
	k.service.On(k.answer(m))
	k.exits(0, 4*time.Second, "The ResourceManager at")

	k = start(t, Config{Status: appText}, &manager{reading: 1 << 30}, "yarn.resourcemanager.connect.max-wait.ms", "10s")
	k.exits(1, 30*time.Second, "RetriableException: it reads its records")
}

// A ResourceManager that cannot answer while it is asked whether it accepted the application has not forgotten it.
func TestASubmissionIsNotHandedInAgainToOneThatReadsItsRecords(t *testing.T) {
	m := &manager{most: 8192, reports: []*yarn.ApplicationReport{succeeded}}
	m.asks = func() { m.asks, m.reading = nil, 1 }
	m.reports = []*yarn.ApplicationReport{state(yarn.YarnApplicationState_NEW), succeeded}
	k := start(t, Config{Submit: cluster()}, m)
	k.exits(0, 1400*time.Millisecond, "The ResourceManager at 10.0.0.1:7077 does not answer; it is asked again: ")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "200ms GetApplicationReport", "400ms GetApplicationReport",
		"1.4s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q", k.got)
	}
}

// A submission that is handed in again may be refused, and is not asked for while it is on its way.
func TestASubmissionThatIsHandedInAgain(t *testing.T) {
	m := &manager{most: 8192, forgets: 1, reports: []*yarn.ApplicationReport{succeeded}}
	k := start(t, Config{Submit: cluster()}, m)
	m.asks = func() { m.asks = nil; k.w.Delay("RM", "Client", 510*time.Millisecond) }
	k.exits(0, 3220*time.Millisecond, "Re-submit application")
	if want := []string{
		"0s GetNewApplication", "0s SubmitApplication", "0s GetApplicationReport", "510ms SubmitApplication", "1.2s GetApplicationReport",
		"2.71s GetApplicationReport",
	}; !slices.Equal(k.got, want) {
		t.Errorf("%q", k.got)
	}
	start(t, Config{Submit: cluster()}, &manager{most: 8192, forgets: 1, again: rpcenv.NewRefusal("x.full", "the queue is full")}).
		exitsBecause(1, 0, "the queue is full")
}

// Each silence has the whole of yarn.resourcemanager.connect.max-wait.ms.
func TestASilenceThatEndedDoesNotCount(t *testing.T) {
	running := state(yarn.YarnApplicationState_RUNNING)
	m := &manager{most: 8192, reports: []*yarn.ApplicationReport{running, running, running, running, succeeded}}
	k := start(t, Config{Submit: cluster()}, m, "yarn.resourcemanager.connect.max-wait.ms", "10s")
	for range 2 {
		k.w.Advance(1500 * time.Millisecond)
		m.reading = 8
		k.w.Advance(8 * time.Second)
	}
	k.exits(0, 20*time.Second, "")
}
