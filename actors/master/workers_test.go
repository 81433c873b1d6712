package master_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestAWorkerRestartedAtItsPortIsAccepted(t *testing.T) {
	k := newKit(t)
	w, d := k.worker("W1", 2, 2048), k.driver("D", 1)
	w.launched()
	d.added()
	k.Cut("W1", "M") // the end of the old process is not seen
	host := k.Find("W1")
	host.Kill()
	k.Settle()
	env, err := rpcenv.New(k.Host("W1b", host.IP()), rpcenv.Config{Name: "W1b", Listen: w.Ref.Address})
	if err != nil {
		t.Fatal(err)
	}
	again := &worker{k.ProbeIn(env, "Worker"), k, proto.Clone(w.reg).(*deploy.RegisterWorker)}
	again.reg.Id = "worker-W1b"
	again.Send(k.ref, again.reg)
	if r := next[*deploy.RegisteredWorker](t, again.Probe); r.GetDuplicate() {
		t.Error("a duplicate")
	}
	same(t, d.Probe, &deploy.ExecutorUpdated{
		Id: proto.Int32(0), State: deploy.ExecutorState_LOST, WorkerHost: proto.String(w.Ref.Address.Host),
		Message: proto.String("worker lost: " + w.Ref.Address.String() + " got disassociated"),
	})
	if l := again.launched(); l.GetExecId() != 1 {
		t.Errorf("executor %d, want 1", l.GetExecId())
	}
	if s := k.state(); len(s.Workers) != 1 || s.Workers[0].Id != "worker-W1b" {
		t.Errorf("%+v", s.Workers)
	}
}

func TestAHeartbeatOfAWorkerThatNobodyHeardOfIsAnswered(t *testing.T) {
	k := newKit(t)
	w := k.newWorker("W1", 2, 2048)
	w.beat()
	same(t, w.Probe, &deploy.ReconnectWorker{MasterUrl: k.ref.Address.SparkURL()})
	none(t, w.Probe, time.Second)
}
