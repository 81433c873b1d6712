package driver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

const appID = "app-20260101000000-0000"

// takeApplication makes the Master accept the application.
func (r *rig) takeApplication() {
	r.t.Helper()
	m, ok := r.master.Next().(*deploy.RegisterApplication)
	if !ok {
		r.t.Fatalf("the Master got %T", m)
	}
	r.description = m.GetAppDescription()
	r.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if q, ok := m.(*deploy.KillExecutors); ok {
			r.killed = append(r.killed, q.GetExecutorIds()...)
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			return true
		}
		return false
	})
	r.tell(&deploy.RegisteredApplication{AppId: appID, Master: r.master.Ref.Proto()})
	r.Until("the application's start", func() bool { return r.heardPart(appID) })
}

// tell sends something to the application as the Master.
func (r *rig) tell(m rpcenv.Message) { r.master.Send(r.at(appclient.Name), m) }

// tellExited reports as the Master that an executor's process ended.
func (r *rig) tellExited(id, code int32) {
	r.tell(&deploy.ExecutorUpdated{
		Id: &id, State: deploy.ExecutorState_EXITED, Message: new("Command exited with code"), ExitStatus: &code,
	})
}

func TestTheApplicationIsDescribedAsInSpark(t *testing.T) {
	r := newRig(t, map[string]string{
		"spark.cores.max": "2", "spark.executor.cores": "1", "spark.executor.memory": "512m", "spark.executorEnv.A": "b",
	})
	d := r.description
	if d.GetName() != "test" || d.GetMaxCores() != 2 || d.GetCoresPerExecutor() != 1 || d.GetMemoryPerExecutorMb() != 512 ||
		d.InitialExecutorLimit != nil {
		t.Errorf("description %v", d)
	}
	want := "--driver-url spark://CoarseGrainedScheduler@" + r.env.Address().String() +
		" --executor-id {{EXECUTOR_ID}} --hostname {{HOSTNAME}} --cores {{CORES}} --app-id {{APP_ID}}" +
		" --worker-url {{WORKER_URL}} --resourceProfileId {{RESOURCE_PROFILE_ID}}"
	if got := strings.Join(d.GetCommand().GetArguments(), " "); got != want {
		t.Errorf("arguments\n%s\nwant\n%s", got, want)
	}
	if e := d.GetCommand().GetEnvironment(); len(e) != 1 || e[0].GetName() != "A" || e[0].GetValue() != "b" {
		t.Errorf("environment %v", e)
	}
}

func TestTheMasterSaysFirstWhyAnExecutorWent(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	a, b := r.launched("0", 1), r.launched("1", 1)
	a.task()
	m := b.task()
	b.work()
	b.finish(m)
	a.crash()
	r.Advance(time.Second)
	start := r.Now()
	r.tellExited(0, 137)
	j.counts()
	if wait := r.Now().Sub(start); wait > time.Second {
		t.Errorf("the task ran again after %s", wait)
	}
	if !r.heardPart("ExecutorLostFailure (executor 0 exited caused by one of the running tasks) Reason: Command exited with code") {
		t.Error("the listener did not get the Master's reason")
	}
	r.Advance(10 * time.Second) // the timer of the disconnection finds nothing
}

func TestExecutorsLostByTheClustersFaultDoNotCount(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	for id := range int32(6) {
		e := r.launched(string('0'+id), 1)
		e.task()
		if id%2 == 0 {
			r.tellExited(id, 56)
		} else {
			r.tell(&deploy.ExecutorUpdated{Id: &id, State: deploy.ExecutorState_LOST, WorkerHost: new("host")})
		}
		r.Advance(time.Second)
	}
	r.launched("9", 1).work()
	j.counts()
}

func TestASilentExecutorIsKilledByTheMaster(t *testing.T) {
	r := newRig(t, map[string]string{"spark.network.timeout": "20s", "spark.network.timeoutInterval": "10s"})
	r.launched("0", 1)
	r.Advance(40 * time.Second)
	if !slices.Equal(r.killed, []string{"0"}) {
		t.Errorf("killed %v", r.killed)
	}
}

func TestAllJobsFailWhenTheMasterRemovesTheApplication(t *testing.T) {
	r := newRig(t, nil)
	first, second := run(r, numbers.With(9)), run(r, numbers.With(9))
	r.launched("0", 1).task()
	r.tell(&deploy.ApplicationRemoved{Message: "too many failures"})
	for _, j := range []*job{first, second, run(r, numbers.With(9))} {
		if err := j.failure(); !strings.Contains(err.Error(), "Master removed our application: too many failures") {
			t.Error(err)
		}
	}
}

// The Master says FAILED and no more: the job's error says what its executors ended with, also when none ever registered.
func TestTheLastEndOfAnExecutorIsToldWhenTheApplicationFailed(t *testing.T) {
	r := newRig(t, nil)
	j := run(r, numbers.With(9))
	r.Settle()
	code := int32(61)
	for id := range int32(2) {
		r.tell(&deploy.ExecutorUpdated{Id: new(id), State: deploy.ExecutorState_EXITED, Message: new(fmt.Sprintf("Command exited with code %d", code+id)), ExitStatus: new(code + id)})
	}
	r.tell(&deploy.ApplicationRemoved{Message: "FAILED"})
	if err := j.failure(); !strings.Contains(err.Error(), "Master removed our application: FAILED: the last executor to end was 1: Command exited with code 62") {
		t.Error(err)
	}
}

func TestTheMasterHearsOfTheEndAfterTheExecutors(t *testing.T) {
	r := newRig(t, nil)
	e := r.launched("0", 1)
	r.stop()
	if m, ok := e.Next().(*app.StopExecutor); !ok {
		t.Errorf("the executor got %T", m)
	}
	if m, ok := r.master.Next().(*deploy.UnregisterApplication); !ok || m.GetAppId() != appID {
		t.Errorf("the Master got %T", m)
	}
}
