package master_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// member is a Worker as the others know it.
func (w *worker) member() membership.Member {
	return membership.Member{Name: w.Ref.Address.String() + "/1", Role: "worker", RPC: w.Ref.Address}
}

// believedGone tells the Master that all have given a Worker up.
func (k *kit) believedGone(w *worker) {
	k.tool.Send(k.ref, membership.MemberSuspected{Member: w.member(), By: "x"})
	k.tool.Send(k.ref, membership.MemberFailed{Member: w.member()})
	k.Settle()
}

func (k *kit) states() (got []string) {
	k.t.Helper()
	for _, w := range k.state().Workers {
		got = append(got, w.GetId()+" "+w.State)
	}
	return got
}

// A Worker that is frozen is lost, with what it runs, as after its time-out: its driver hears that, and another Worker gets the executor.
func TestAWorkerThatGossipHasGivenUpIsLostOnceItDoesNotAnswer(t *testing.T) {
	k := newKit(t)
	w1 := k.worker("W1", 1, 1024)
	d := k.driver("D", 1)
	w1.launched()
	d.added()
	w1.report(d.id, 0, deploy.ExecutorState_RUNNING)
	d.updated()
	w2 := k.worker("W2", 1, 1024)
	k.Find("W1").Pause()
	k.believedGone(w1)
	k.Advance(1999 * time.Millisecond)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 ALIVE", "worker-W2 ALIVE"}) {
		t.Fatalf("%q while it may still answer", got)
	}
	k.Advance(time.Millisecond)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 DEAD", "worker-W2 ALIVE"}) {
		t.Fatalf("%q", got)
	}
	const why = "Gave no answer, nor to x, and the gossip of the cluster has given it up"
	host := w1.Ref.Address.Host
	same(t, d.Probe, &deploy.ExecutorUpdated{Id: proto.Int32(0), State: deploy.ExecutorState_LOST, Message: proto.String("worker lost: " + why), WorkerHost: proto.String(host)})
	same(t, d.Probe, &deploy.WorkerRemoved{Id: "worker-W1", Host: host, Message: why})
	w2.launched()
}

// A gossip that is wrong, or lies, removes no Worker that answers, however often; what it says of others than Workers is of no interest.
func TestAWorkerThatAnswersStaysWhateverGossipSays(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	stranger := membership.Member{Name: "y", Role: "worker", RPC: rpcenv.Address{Host: "nobody", Port: 1}}
	for n := range 20 {
		w.beat()
		k.believedGone(w)
		k.tool.Send(k.ref, membership.MemberSuspected{Member: w.member(), By: fmt.Sprint("z", n)})
		k.tool.Send(k.ref, membership.MemberFailed{Member: stranger})
		k.Advance(10 * time.Second)
		if got := k.states(); !slices.Equal(got, []string{"worker-W1 ALIVE"}) {
			t.Fatalf("%q after %d times", got, n+1)
		}
	}
	none(t, w.Probe, time.Second)
}

// A suspicion alone is not enough: the Worker has the whole time that Spark gives it.
func TestAFrozenWorkerThatIsOnlySuspectedHasItsTimeOut(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	k.Find("W1").Pause()
	k.tool.Send(k.ref, membership.MemberSuspected{Member: w.member(), By: "x"})
	k.Advance(50 * time.Second)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 ALIVE"}) {
		t.Fatalf("%q", got)
	}
	k.Advance(70 * time.Second)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 DEAD"}) {
		t.Errorf("%q", got)
	}
}

// A Worker that comes back is asked to register at once, not at its next heartbeat, which may be 15 s away.
func TestAWorkerThatIsBackIsAskedToRegisterAtOnce(t *testing.T) {
	k := newKit(t)
	w := k.worker("W1", 1, 1024)
	k.tool.Send(k.ref, membership.MemberJoined{Member: w.member()}) // it is registered: nothing is to do
	k.Find("W1").Pause()
	k.believedGone(w)
	k.Advance(2 * time.Second)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 DEAD"}) {
		t.Fatalf("%q", got)
	}
	k.Find("W1").Resume()
	k.tool.Send(k.ref, membership.MemberJoined{Member: w.member()})
	same(t, w.Probe, &deploy.ReconnectWorker{MasterUrl: k.ref.Address.SparkURL()})
	w.Send(k.ref, w.reg)
	next[*deploy.RegisteredWorker](t, w.Probe)
	if got := k.states(); !slices.Contains(got, "worker-W1 ALIVE") {
		t.Errorf("%q", got)
	}
	// What was said of it before it registered is of no weight any more.
	k.Find("W1").Pause()
	k.tool.Send(k.ref, membership.MemberSuspected{Member: w.member(), By: "x"})
	k.Advance(10 * time.Second)
	if got := k.states(); !slices.Contains(got, "worker-W1 ALIVE") {
		t.Errorf("%q", got)
	}
}

// A recovery does not wait for a Worker that is given up meanwhile.
func TestARecoveryEndsWithTheWorkerThatIsGivenUp(t *testing.T) {
	s := &shelf{records: map[string][]byte{}}
	k := kitWith(t, master.Config{Store: s})
	w := k.worker("W1", 1, 1024)
	k.Find("W1").Pause()
	k.restart(master.Config{Store: s})
	k.Settle()
	if got := k.state(); got.GetStatus() != "RECOVERING" {
		t.Fatalf("the Master is %s", got.GetStatus())
	}
	k.believedGone(w)
	k.Advance(2 * time.Second)
	if got := k.state(); got.GetStatus() != "ALIVE" {
		t.Errorf("the Master is %s, its Workers %q", got.GetStatus(), k.states())
	}
}

// What was said before a Worker registered again, or was lost by the end of its connection, is of no weight any more.
func TestADoubtEndsWithARegistrationAndWithTheWorker(t *testing.T) {
	k, said := logged(t)
	w := k.worker("W1", 1, 1024)
	k.Find("W1").Pause()
	k.tool.Send(k.ref, membership.MemberSuspected{Member: w.member(), By: "x"})
	k.Advance(3 * time.Second)
	k.tool.Send(k.ref, w.reg) // as if it came from there, which is frozen
	k.tool.Send(k.ref, membership.MemberFailed{Member: w.member()})
	k.Advance(500 * time.Millisecond)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 ALIVE"}) {
		t.Fatalf("%q", got)
	}
	said.Reset()
	k.tool.Send(k.ref, connectionEvent{peer: w.Ref.Address})
	k.Advance(3 * time.Second)
	if got := k.states(); !slices.Equal(got, []string{"worker-W1 DEAD"}) {
		t.Fatalf("%q", got)
	}
	for _, e := range said.AllEntries() {
		if strings.Contains(e.Message, "did not answer") {
			t.Errorf("it is doubted after its end: %s", e.Message)
		}
	}
}
