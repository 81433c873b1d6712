package master_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
)

// A state has every field that its message documents, of Workers, applications, executors, drivers and demands.
func TestAStateIsWhole(t *testing.T) {
	k := kitWith(t, master.Config{WebUIURL: "http://m:8080", RestPort: 6066, Term: 4})
	w := k.newWorker("W1", 3, 2048)
	w.reg.WorkerWebUiUrl, w.reg.Resources = "http://w:8081", gpus("0", "1", "2")
	w.Send(k.ref, w.reg)
	d := k.newDriver("D")
	d.desc.MaxCores, d.desc.User, d.desc.AppUiUrl = proto.Int32(2), "ada", "http://d:4040"
	d.desc.ResourcesPerExecutor = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d.register()
	d.request(d.id, total(standard, 1), total(&deploy.ResourceProfile{Id: 5, ExecutorMemoryMb: 256, ExecutorCores: proto.Int32(1)}, 1))
	k.Settle()
	w.report(d.id, 0, deploy.ExecutorState_EXITED, 9)
	desc := wanted(true)
	desc.ResourceReqs = []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	runs := k.submit(desc)
	k.submit(wanted(false))
	k.submit(&deploy.DriverDescription{Cores: 1, Mem: 1, Command: &deploy.Command{MainClass: "Main", Arguments: []string{"a", "b"}}})
	unlimited := k.newDriver("U")
	unlimited.desc.CoresPerExecutor, unlimited.desc.MemoryPerExecutorMb = nil, 4096
	unlimited.register()
	killed := k.driver("K", 1)
	k.Advance(time.Second)
	ask(k, &deploy.KillApplication{AppId: killed.id})
	w.beat()
	w.ends(&deploy.DriverStateChanged{DriverId: runs, State: deploy.DriverState_ERROR, Exception: proto.String("no disk")})
	k.Settle()
	s := k.state()
	// Times are virtual: the same in each run.
	want := &deploy.MasterStateResponse{}
	if err := prototext.Unmarshal([]byte(wholeState), want); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(s, want) {
		t.Errorf("got\n%s\nwant\n%s", prototext.Format(s), prototext.Format(want))
	}
}

const wholeState = `
host: "10.0.0.1"
port: 7077
rest_port: 6066
workers {
	id: "worker-W1"
	host: "10.0.0.2"
	port: 7077
	web_ui_url: "http://w:8081"
	cores: 3
	cores_used: 3
	memory: 2048
	memory_used: 1280
	resources { name: "gpu" addresses: "0" addresses: "1" addresses: "2" }
	resources_used { name: "gpu" addresses: "1" }
	state: "ALIVE"
	last_heartbeat_ms: 1767225601012
}
active_apps {
	id: "app-20260101000000-0000"
	name: "D"
	user: "ada"
	state: "RUNNING"
	start_ms: 1767225600003
	max_cores: 2
	cores_granted: 2
	cores_per_executor: 1
	memory_per_executor_mb: 512
	resources_per_executor { name: "gpu" amount: 1 }
	app_ui_url: "http://d:4040"
	driver_host: "10.0.0.3"
	executors {
		id: 1
		worker_id: "worker-W1"
		cores: 1
		memory: 512
		resources { name: "gpu" addresses: "1" }
	}
	executors {
		id: 2
		rp_id: 5
		worker_id: "worker-W1"
		cores: 1
		memory: 256
	}
	removed_executors {
		worker_id: "worker-W1"
		cores: 1
		memory: 512
		state: EXITED
		resources { name: "gpu" addresses: "0" }
		reason: "Command exited with code 9"
	}
	failures: 1
	not_before_ms: 1767225600005
}
active_apps {
	id: "app-20260101000000-0001"
	name: "U"
	state: "WAITING"
	start_ms: 1767225600007
	max_cores: 2147483647
	memory_per_executor_mb: 4096
	driver_host: "10.0.0.4"
}
completed_apps {
	id: "app-20260101000000-0002"
	name: "K"
	state: "KILLED"
	start_ms: 1767225600011
	end_ms: 1767225601012
	max_cores: 1
	cores_per_executor: 1
	memory_per_executor_mb: 512
	driver_host: "10.0.0.5"
	reason: "killed by a user"
}
active_drivers {
	id: "driver-20260101000000-0002"
	start_ms: 1767225600006
	cores: 1
	memory: 1
	main_class: "Main"
}
active_drivers {
	id: "driver-20260101000000-0001"
	start_ms: 1767225600006
	state: RUNNING
	cores: 1
	memory: 512
	worker_id: "worker-W1"
	main_class: "pi"
}
completed_drivers {
	id: "driver-20260101000000-0000"
	start_ms: 1767225600006
	state: ERROR
	cores: 1
	memory: 512
	resources { name: "gpu" addresses: "0" }
	worker_id: "worker-W1"
	main_class: "pi"
	supervise: true
	exception: "no disk"
	reason: "reported by its worker"
}
status: "ALIVE"
web_ui_url: "http://m:8080"
time_ms: 1767225601013
failures {
	time_ms: 1767225600005
	kind: "executor"
	id: "app-20260101000000-0000/0"
	worker_id: "worker-W1"
	state: "EXITED"
	reason: "Command exited with code 9"
}
failures {
	time_ms: 1767225601012
	kind: "driver"
	id: "driver-20260101000000-0000"
	worker_id: "worker-W1"
	state: "ERROR"
	reason: "no disk"
}
demands {
	driver_id: "driver-20260101000000-0002"
	cores: 1
	memory: 1
	blockers {
		filter: "cores"
		workers: 1
		reason: "a driver wants 1 core, 0 of the worker's 3 are free"
		worker_id: "worker-W1"
		help: "wait until 1 more are free"
	}
}
demands {
	app_id: "app-20260101000000-0001"
	name: "U"
	cores: 1
	memory: 4096
	blockers {
		filter: "memory"
		workers: 1
		reason: "an executor wants 4096 MiB of memory, the worker has 2048"
		worker_id: "worker-W1"
		help: "lower spark.executor.memory to 2048 at most, or start a worker with --memory 4096 or more"
	}
}
master_term: 4
`
