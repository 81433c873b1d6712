package applicationmaster_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheFirstCallAsksForTheInitialTarget(t *testing.T) {
	r := client(t, nil)
	if got := r.last(); got != "*:2" {
		t.Error(got)
	}
	q := r.calls[0].GetAsk()[0]
	if q.GetCapability().GetMemory() != 1408 || q.GetCapability().GetVirtualCores() != 1 || !q.GetRelaxLocality() || q.GetPriority().GetPriority() != 0 {
		t.Error(q)
	}
	if got := r.calls[0].GetProgress(); got != 0.1 {
		t.Error("progress", got)
	}
}

func TestCallsBackOffWhileContainersAreWanted(t *testing.T) {
	r := client(t, nil)
	r.untilCalls(9)
	if got := r.gaps(0); got != "[200 400 800 1600 3000 3000 3000 3000]" {
		t.Error(got)
	}
}

func TestCallsGoByTheHeartbeatWhenNothingIsWanted(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "0"})
	r.untilCalls(4)
	if got := r.gaps(0); got != "[3000 3000 3000]" {
		t.Error(got)
	}
}

func TestTheHeartbeatIsAtMostHalfOfTheExpiry(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "0", "spark.hadoop.yarn.am.liveness-monitor.expiry-interval-ms": "2000"})
	r.untilCalls(3)
	if got := r.gaps(0); got != "[1000 1000]" {
		t.Error(got)
	}
}

func TestAChangedTargetWakesTheCallsUpButNotSooner(t *testing.T) {
	for _, compat := range []string{"fixed", "SPARK-15725"} {
		r := client(t, map[string]string{"spark.executor.instances": "0", "coherer.compat": compat})
		r.Advance(50 * time.Millisecond)
		r.request(3)
		r.untilCalls(2)
		want := "[200]"
		if compat != "fixed" {
			want = "[50]"
		}
		if got := r.gaps(0); got != want {
			t.Error(compat, got)
		}
		if got := r.last(); got != "*:3" {
			t.Error(got)
		}
		r.untilCalls(4)
		if got := r.gaps(1); got != "[200 400]" {
			t.Error("behind a wake-up:", got)
		}
	}
}

func TestALateWakeUpHasItsCallAtOnce(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "0"})
	r.Advance(1500 * time.Millisecond)
	r.request(1)
	r.untilCalls(2)
	if got := r.gaps(0); got != "[1500]" {
		t.Error(got)
	}
}

func TestATargetThatStaysWakesNobody(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "0"})
	r.Advance(500 * time.Millisecond)
	if !r.request(0) {
		t.Error("it was not taken")
	}
	r.untilCalls(2)
	if got := r.gaps(0); got != "[3000]" {
		t.Error(got)
	}
}

// The release of a killed executor leaves with the next regular call.
func TestAKillWakesNobody(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	r.run(1)
	n := len(r.calls)
	r.Advance(500 * time.Millisecond)
	ok, err := rpctest.Ask[*rpc.Bool](r.driver, r.managers[0], &app.KillExecutors{ExecutorIds: []string{"1", "77"}})
	if err != nil || !ok.GetValue() {
		t.Fatal(ok, err)
	}
	r.untilCalls(n + 1)
	last := r.calls[n]
	if len(last.GetRelease()) != 1 || last.GetRelease()[0].GetId() != 1 || r.gaps(n-1) != "[3000]" {
		t.Error(last.GetRelease(), r.gaps(n-1))
	}
	if got := r.last(); got != "*:1" {
		t.Error("the target stays, so another is asked for:", got)
	}
}

// The time-out of the allocator's lock: an RM that answers allocate after 5 s, and 1,000 RequestExecutors meanwhile.
func slowResourceManager(t *testing.T, compat string) (longest time.Duration, r *rig) {
	t.Helper()
	r = client(t, map[string]string{"coherer.compat": compat})
	r.hold = true
	r.untilCalls(2)
	out := 0
	r.driver.Do(func(c *rpcenv.Context) {
		for i := range 1000 {
			sent := c.Now()
			rpcenv.Ask(c, r.managers[0], &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{
				{Profile: &deploy.ResourceProfile{}, Total: int32(i)},
			}}, func(ok *rpc.Bool, err error) {
				out++
				longest = max(longest, c.Now().Sub(sent))
				if err != nil || !ok.GetValue() {
					t.Error(ok, err)
				}
			})
		}
	})
	r.Advance(5 * time.Second)
	r.hold = false
	r.rm.Do(func(*rpcenv.Context) { r.slow[0].Reply(r.answer()) })
	r.Until("1000 answers", func() bool { return out == 1000 })
	r.untilCalls(3)
	return longest, r
}

func TestTheDriverIsAnsweredWhileACallIsOut(t *testing.T) {
	longest, r := slowResourceManager(t, "fixed")
	if longest.Truncate(10*time.Millisecond) != 0 {
		t.Errorf("the longest answer took %v", longest)
	}
	if got := r.last(); got != "*:999" {
		t.Error("the next call has the newest target:", got)
	}
}

func TestTheLockOfSparkKeepsTheDriverWaiting(t *testing.T) {
	longest, r := slowResourceManager(t, "upstream")
	if longest.Truncate(10*time.Millisecond) != 5*time.Second {
		t.Errorf("the longest answer took %v", longest)
	}
	if got := r.last(); got != "*:999" {
		t.Error(got)
	}
}

// One call is out at a time, whatever wakes the calls up meanwhile; the change goes out 200 ms after the answer, with Spark's
// nanoseconds at once.
func TestOneCallIsOutAtATime(t *testing.T) {
	for compat, want := range map[string]time.Duration{"fixed": 200 * time.Millisecond, "SPARK-15725": 0} {
		r := client(t, map[string]string{"coherer.compat": compat})
		r.hold = true
		r.untilCalls(2)
		for i := range 5 {
			r.request(int32(3 + i))
			r.Advance(300 * time.Millisecond)
		}
		if len(r.calls) != 2 {
			t.Fatal(len(r.calls), "calls")
		}
		r.hold = false
		at := r.Now()
		r.rm.Do(func(*rpcenv.Context) { r.slow[0].Reply(r.answer()) })
		r.untilCalls(3)
		if gap := r.Now().Sub(at); gap < want || gap > want+10*time.Millisecond {
			t.Error(compat, gap)
		}
		if got := r.last(); got != "*:7" {
			t.Error(compat, got)
		}
	}
}

// A driver that waits for the reason of a loss waits no longer than for containers.
func TestALossReasonWakesTheCallsUp(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1"})
	r.run(1)
	n := len(r.calls)
	r.Advance(500 * time.Millisecond)
	r.driver.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, r.managers[0], &app.GetExecutorLossReason{ExecutorId: "1"}, func(*app.ExecutorExited, error) {})
	})
	r.untilCalls(n + 4)
	if got := r.gaps(n - 1); got != "[600 200 400 800]" {
		t.Error(got)
	}
}

// grantOneByOne is a ResourceManager whose scheduler gives one container between two calls, and counts its book down itself.
func grantOneByOne(t *testing.T, compat string) (granted int64, r *rig) {
	t.Helper()
	r = newRig(t, map[string]string{"spark.executor.instances": "10", "coherer.compat": compat})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	r.driver.On(r.playDriver)
	book := int32(0)
	r.rm.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*yarn.AllocateRequest); ok {
			r.untold = q
			if book > 0 {
				book--
				r.give(1)
			}
			for _, a := range q.GetAsk() {
				book = a.GetNumContainers()
			}
		}
		return false
	})
	r.restart(attempt)
	r.untilCalls(16)
	return r.sequence, r
}

// YARN-1902, SPARK-9396: ten are wanted and come one at a time; ten are given, none is too much.
func TestTenThatComeOneByOneAreTen(t *testing.T) {
	granted, r := grantOneByOne(t, "fixed")
	if granted != 10 || len(r.starts) != 10 {
		t.Errorf("%d given, %d started", granted, len(r.starts))
	}
	for _, c := range r.calls {
		if len(c.GetRelease()) > 0 {
			t.Error("a surplus:", c.GetRelease())
		}
	}
	if b := r.am.Balances()[0]; b.Running != 10 || b.Pending != 0 || b.Missing() != 0 {
		t.Error(b)
	}
}

func TestTheElevenOfYARN1902(t *testing.T) {
	granted, r := grantOneByOne(t, "upstream")
	if granted != 11 || len(r.starts) != 10 {
		t.Errorf("%d given, %d started", granted, len(r.starts))
	}
}

func TestTheDriverHearsOfNodesThatAreDecommissioned(t *testing.T) {
	r := client(t, map[string]string{"spark.decommission.enabled": "true"})
	for range 2 {
		r.next.UpdatedNodes = []*yarn.NodeReport{
			{NodeId: &yarn.NodeId{Host: "h1", Port: 1}, NodeState: yarn.NodeState_NS_DECOMMISSIONING},
			{NodeId: &yarn.NodeId{Host: "h2", Port: 1}, NodeState: yarn.NodeState_NS_RUNNING},
		}
		r.untilCalls(len(r.calls) + 1)
		r.Advance(10 * time.Millisecond)
	}
	if got := strings.Join(r.others, " "); got != "AddWebUIFilter MiscellaneousProcessAdded DecommissionExecutorsOnHost" {
		t.Error(got)
	}
	r = client(t, nil) // spark.decommission.enabled is false
	r.next.UpdatedNodes = []*yarn.NodeReport{{NodeId: &yarn.NodeId{Host: "h1", Port: 1}, NodeState: yarn.NodeState_NS_DECOMMISSIONING}}
	r.untilCalls(len(r.calls) + 2)
	if got := strings.Join(r.others, " "); got != "AddWebUIFilter MiscellaneousProcessAdded" {
		t.Error(got)
	}
}
