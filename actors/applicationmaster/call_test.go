package applicationmaster_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestResponseIdsFollowTheAnswers(t *testing.T) {
	r := client(t, nil)
	r.untilCalls(4)
	var got []int32
	for _, c := range r.calls {
		got = append(got, c.GetResponseId())
	}
	if !slices.Equal(got, []int32{0, 1, 2, 3}) {
		t.Error(got)
	}
}

// When an RM does not know the attempt as registered, the ApplicationMaster registers again and sends everything anew.
func TestNotRegisteredMeansRegisterAgainAndTellEverything(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "3", "spark.yarn.exclude.nodes": "bad"})
	r.run(1)
	if _, err := rpctest.Ask[*rpc.Bool](r.driver, r.managers[0], &app.KillExecutors{ExecutorIds: []string{"1"}}); err != nil {
		t.Fatal(err)
	}
	n := len(r.calls)
	r.untilCalls(n + 1)
	if got := r.last(); got != "*:3" {
		t.Error(got)
	}
	r.fail = fmt.Errorf("%w: it was restarted", exceptions.ApplicationMasterNotRegistered)
	r.untilCalls(n + 2)
	r.fail = nil
	r.untilCalls(n + 3)
	last := r.calls[n+2]
	if held := r.registrations[1].GetContainers(); len(r.registrations[0].GetContainers()) != 0 || len(held) != 1 {
		t.Error("it registers with", held)
	}
	if len(r.registrations) != 2 || last.GetResponseId() != 0 || r.last() != "*:3" || len(last.GetRelease()) != 1 {
		t.Error(len(r.registrations), last)
	}
	r.untilCalls(n + 4)
	if got := r.calls[n+3].GetResponseId(); got != 1 {
		t.Error("response id", got)
	}
}

func TestAnAttemptThatIsNotFoundEnds(t *testing.T) {
	r := client(t, nil)
	r.fail = exceptions.ApplicationAttemptNotFound
	if code := r.untilExit(); code != applicationmaster.ExitReporterFailure {
		t.Error(code)
	}
	if len(r.finished) != 0 {
		t.Error("another attempt is due:", r.finished)
	}
}

func TestFiveFailuresInARowEndTheAttempt(t *testing.T) {
	r := client(t, nil)
	r.run(2)
	n := len(r.calls)
	r.fail = errors.New("out of order")
	r.untilCalls(n + 4)
	r.fail = nil
	r.untilCalls(n + 5) // it counts from the beginning again
	r.fail = errors.New("out of order")
	if code := r.untilExit(); code != applicationmaster.ExitReporterFailure || len(r.calls) != n+10 {
		t.Error(code, len(r.calls)-n)
	}
}

// After a call that failed the next one repeats what it reported.
func TestAFailedCallIsToldAgain(t *testing.T) {
	r := client(t, nil)
	r.run(2)
	n := len(r.calls)
	r.fail = errors.New("out of order")
	r.request(5)
	r.untilCalls(n + 1)
	first := r.last()
	r.fail = nil
	r.untilCalls(n + 2)
	if first != "*:3" || r.last() != first {
		t.Error(first, r.last())
	}
}

// A call whose answer is lost is repeated with the same response id, so that nothing is asked for twice.
func TestALostAnswerIsAskedForAgainWithTheSameResponseId(t *testing.T) {
	r := client(t, map[string]string{"spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms": "1000"})
	r.hold = true
	r.untilCalls(2)
	r.rm.Crash()
	r.Advance(500 * time.Millisecond)
	r.rm.Restart()
	r.hold = false
	r.untilCalls(3)
	a, b := r.calls[1], r.calls[2]
	if a.GetResponseId() != b.GetResponseId() || len(a.GetAsk()) != len(b.GetAsk()) {
		t.Error(a, b)
	}
}

// A ResourceManager that reads its records is one that is not there yet: no failure of the calls, however often it says so.
func TestAResourceManagerThatReadsItsRecordsIsAskedAgain(t *testing.T) {
	r := client(t, map[string]string{"spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms": "1000"})
	r.run(2)
	n := len(r.calls)
	r.fail = exceptions.Retriable
	r.untilCalls(n + 10)
	r.fail = nil
	r.untilCalls(n + 12)
	for _, c := range r.calls[n : n+11] {
		if c.GetResponseId() != r.calls[n].GetResponseId() {
			t.Error(c)
		}
	}
	if r.calls[n+11].GetResponseId() != r.calls[n].GetResponseId()+1 {
		t.Error(r.calls[n+11])
	}
}

// The ResourceManager may have heard a call that the ApplicationMaster gave up. It does not read another one with the same
// response id, so the ApplicationMaster repeats the call unchanged, and sends what is new in the next one.
func TestACallThatIsGivenUpIsMadeOnceMoreAsItWas(t *testing.T) {
	r := client(t, map[string]string{"spark.hadoop.yarn.resourcemanager.connect.max-wait.ms": "0"})
	r.request(3)
	r.hold = true
	r.untilCalls(2)
	r.rm.Crash()
	r.Advance(10 * time.Millisecond)
	r.request(5)
	r.rm.Restart()
	r.hold = false
	r.untilCalls(4)
	given, again, behind := r.calls[1], r.calls[2], r.calls[3]
	if !proto.Equal(given.AllocateRequest, again.AllocateRequest) || given.GetAsk()[0].GetNumContainers() != 3 {
		t.Error(given, again)
	}
	if got := r.last(); got != "*:5" || behind.GetResponseId() != again.GetResponseId()+1 || r.gaps(2) != "[200]" {
		t.Error(got, behind, r.gaps(2))
	}
}

func TestATokenThatIsGivenAnewIsShown(t *testing.T) {
	r := client(t, nil)
	r.next.AmRmToken = &yarn.Token{Kind: "new"}
	r.untilCalls(3)
	if got := r.calls[2].GetAmRmToken().GetKind(); got != "new" {
		t.Errorf("%q", got)
	}
}

// Spark sends the nodes of spark.yarn.exclude.nodes when a target changes first, which may be never.
func TestExcludedNodesAreToldFromTheBeginning(t *testing.T) {
	r := client(t, map[string]string{"spark.yarn.exclude.nodes": "h2,h1"})
	if got := r.calls[0].GetBlacklistRequest().GetBlacklistAdditions(); !slices.Equal(got, []string{"h1", "h2"}) {
		t.Error(got)
	}
}

func TestAResourceManagerThatStaysAwayEndsTheAttempt(t *testing.T) {
	r := client(t, map[string]string{
		"spark.hadoop.yarn.resourcemanager.connect.retry-interval.ms": "1000",
		"spark.hadoop.yarn.resourcemanager.connect.max-wait.ms":       "3000",
	})
	// Five calls of 3 s each; before them 200 and 400 ms, then 200 ms: what may have been heard is sent again soon.
	at := r.Now()
	r.rm.Crash()
	if code, took := r.untilExit(), r.Now().Sub(at).Truncate(100*time.Millisecond); code != applicationmaster.ExitReporterFailure || took != 16200*time.Millisecond {
		t.Error(code, took)
	}
}

// The words for a failure of the calls, and for the end.
func TestWhatIsSaidOfFailures(t *testing.T) {
	r := client(t, map[string]string{"spark.yarn.scheduler.reporterThread.maxFailures": "2"})
	r.fail = errors.New("out of order")
	r.untilExit()
	if got := r.lines("Reporter"); got != "warning Reporter thread fails 1 time(s) in a row: out of order\n"+
		"info Final app status: APP_FAILED, exitCode: 12, (reason: Exception was thrown 2 time(s) from Reporter thread: out of order)\n"+
		"error exit 12: Exception was thrown 2 time(s) from Reporter thread: out of order\n" {
		t.Error(got)
	}

	r = client(t, nil)
	r.fail = exceptions.ApplicationAttemptNotFound
	r.untilExit()
	if got := r.lines("Reporter", "exit"); !strings.HasPrefix(got, "error Exception from Reporter thread: "+exceptions.ApplicationAttemptNotFound.Error()+"\n") ||
		!strings.HasSuffix(got, "error exit 12: "+exceptions.ApplicationAttemptNotFound.Error()+"\n") {
		t.Error(got)
	}

	r = client(t, nil)
	r.fail = exceptions.Retriable
	r.untilCalls(2)
	r.fail = exceptions.ApplicationMasterNotRegistered
	r.Until("another registration", func() bool { return len(r.registrations) == 2 })
	r.fail = nil
	if got := r.lines("does not answer", "resync"); got != "warning The ResourceManager does not answer: "+exceptions.Retriable.Error()+"\n"+
		"info ApplicationMaster is out of sync with ResourceManager, hence resyncing.\n" {
		t.Error(got)
	}
}

// One call has both lists of nodes, those to use again and those to avoid; each list also goes out alone.
func TestTheListsOfNodes(t *testing.T) {
	r := client(t, nil)
	wanted := int32(2)
	exclude := func(nodes ...string) *yarn.ResourceBlacklistRequest {
		wanted++
		r.drive(t, &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{}, Total: wanted}}, ExcludedNodes: nodes})
		r.untilCalls(len(r.calls) + 1)
		return r.calls[len(r.calls)-1].GetBlacklistRequest()
	}
	same(t, "one that may not", exclude("a"), &yarn.ResourceBlacklistRequest{BlacklistAdditions: []string{"a"}})
	same(t, "another instead", exclude("b"), &yarn.ResourceBlacklistRequest{BlacklistAdditions: []string{"b"}, BlacklistRemovals: []string{"a"}})
	same(t, "none", exclude(), &yarn.ResourceBlacklistRequest{BlacklistRemovals: []string{"b"}})
	if got := exclude(); got != nil {
		t.Error(got)
	}
}
