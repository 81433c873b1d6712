package worker

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
)

// The page of a Worker shows all of this; a Master that leads anew believes the second half.
func TestTheStateAndTheReportsSayAllThatTheWorkerKnows(t *testing.T) {
	two := gpus("0", "1")
	k := newDriverKit(t, Config{ID: "w-1", Cores: 4, MemoryMB: 4096, WebUIURL: "http://w:8081", Resources: two}, nil)
	m := k.registered(true, 0)
	m.MasterWebUiUrl = "http://m:8080"
	k.master.Send(k.worker, m)
	next[*deploy.WorkerLatestState](k.kit)
	ended, live, driver, failed := k.launch(0), k.launch(1), order(false), order(false)
	live.RpId, live.Resources = 3, gpus("0")
	ended.RpId, ended.Resources = 2, gpus("1")
	driver.Resources = gpus("1")
	failed.DriverId, failed.DriverDesc.Command.MainClass = "driver-2", "Nothing"
	for _, m := range []*deploy.LaunchExecutor{ended, live} {
		k.master.Send(k.worker, m)
		k.w.Settle()
	}
	k.children[0].Exit(3)
	k.master.Send(k.worker, driver)
	k.master.Send(k.worker, failed)
	k.w.Advance(time.Second)

	why := "start the driver: sim: no role for class \"Nothing\""
	k.want("ERROR " + why)
	want := &deploy.WorkerStateResponse{
		WorkerId: "w-1", Host: k.env.Address().Host, Port: int32(k.env.Address().Port), WebUiUrl: "http://w:8081",
		MasterUrl: k.url(), MasterWebUiUrl: "http://m:8080", Registered: true, Connected: true,
		Cores: 4, CoresUsed: 2, Memory: 4096, MemoryUsed: 1024, Resources: two, ResourcesUsed: two,
		Executors: []*deploy.ExecutorRunner{{
			AppId: appID, ExecId: 1, RpId: 3, Cores: 1, Memory: 512, State: deploy.ExecutorState_RUNNING, AppDesc: live.AppDesc, Resources: gpus("0"),
		}},
		FinishedExecutors: []*deploy.ExecutorRunner{{
			AppId: appID, RpId: 2, Cores: 1, Memory: 512, State: deploy.ExecutorState_EXITED, AppDesc: ended.AppDesc, Resources: gpus("1"),
			Message: "Command exited with code 3", ExitStatus: proto.Int32(3),
		}},
		Drivers: []*deploy.DriverRunner{{
			DriverId: driverID, DriverDesc: driver.DriverDesc, State: deploy.DriverState_RUNNING, Resources: gpus("1"),
		}},
		FinishedDrivers: []*deploy.DriverRunner{{
			DriverId: "driver-2", DriverDesc: failed.DriverDesc, State: deploy.DriverState_ERROR, Exception: why,
		}},
	}
	now := k.w.Now()
	got := k.state()
	if at := time.UnixMilli(got.GetTimeMs()); at.Sub(now).Abs() > 10*time.Millisecond {
		t.Errorf("it is of %s, not of %s", at, now)
	}
	if got.TimeMs = 0; !proto.Equal(got, want) {
		t.Errorf("the state\n%v\nwant\n%v", got, want)
	}

	desc := &deploy.ExecutorDescription{AppId: appID, ExecId: 1, RpId: 3, Cores: 1, MemoryMb: 512, State: deploy.ExecutorState_RUNNING}
	k.master.Send(k.worker, m)
	if got, want := next[*deploy.WorkerLatestState](k.kit), (&deploy.WorkerLatestState{
		Id: "w-1", Executors: []*deploy.ExecutorDescription{desc}, DriverIds: []string{driverID},
	}); !proto.Equal(got, want) {
		t.Errorf("after a registration\n%v\nwant\n%v", got, want)
	}
	k.master.Send(k.worker, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
	if got, want := next[*deploy.WorkerSchedulerStateResponse](k.kit), (&deploy.WorkerSchedulerStateResponse{
		Id:        "w-1",
		Executors: []*deploy.WorkerExecutorStateResponse{{Desc: desc, Resources: gpus("0")}},
		Drivers:   []*deploy.WorkerDriverStateResponse{{DriverId: driverID, Resources: gpus("1")}},
	}); !proto.Equal(got, want) {
		t.Errorf("to a new Master\n%v\nwant\n%v", got, want)
	}
}

// What is not started yet has no process, and is shown all the same.
func TestTheStateShowsWhatIsBeingPrepared(t *testing.T) {
	k := newDriverKit(t, Config{Directories: &folders{}, Programs: slowPrograms{takes: time.Minute}}, nil)
	k.master.Send(k.worker, k.launch(0))
	k.master.Send(k.worker, order(false))
	k.w.Settle()
	s := k.state()
	if len(s.GetExecutors()) != 1 || s.GetExecutors()[0].GetState() != deploy.ExecutorState_LAUNCHING || len(s.GetDrivers()) != 1 {
		t.Errorf("state %v", s)
	}
	k.env.Stop(Name) // no process is to be ended
	k.w.Settle()
}

// RegisterWorker is all that a Master knows of a Worker.
func TestARegistrationSaysWhatTheWorkerOffers(t *testing.T) {
	k := newKit(t)
	k.start(Config{ID: "w-1", Cores: 4, MemoryMB: 4096, WebUIURL: "http://w:8081", Resources: gpus("0")}, nil)
	self := &rpc.EndpointRef{Address: k.env.Address().Proto(), Name: Name}
	if got, want := next[*deploy.RegisterWorker](k), (&deploy.RegisterWorker{
		Id: "w-1", Host: k.env.Address().Host, Port: int32(k.env.Address().Port), Worker: self, Cores: 4, Memory: 4096,
		WorkerWebUiUrl: "http://w:8081", MasterAddress: k.master.Env.Address().Proto(), Resources: gpus("0"),
	}); !proto.Equal(got, want) {
		t.Errorf("registered\n%v\nwant\n%v", got, want)
	}
	k.master.Send(k.worker, k.registered(false, 0))
	next[*deploy.WorkerLatestState](k)
	if k.said.LastEntry().Data["worker"] != "w-1" {
		t.Errorf("a line of the log has the fields %v", k.said.LastEntry().Data)
	}
	var beat *deploy.Heartbeat
	k.heard = func(m *deploy.Heartbeat) { beat = m }
	k.w.Advance(16 * time.Second)
	if want := (&deploy.Heartbeat{WorkerId: "w-1", Worker: self}); !proto.Equal(beat, want) {
		t.Errorf("heartbeat %v, want %v", beat, want)
	}
}
