package executor_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestTheDriverIsToldAllOfAnExecutor(t *testing.T) {
	r := bootRig(t, nil, func(_ *rig, x *executor.Boot) {
		x.Args.ProfileID = 7
		x.Resources = []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"0"}}}
		x.LogURLs = []*app.Property{{Key: "stdout", Value: "http://w/stdout"}}
		x.Attributes = []*app.Property{{Key: "HTTP_SCHEME", Value: "http://"}}
	})
	r.expect(&app.LaunchedExecutor{})
	r.Advance(time.Second)
	r.wantHeard(
		`CoarseGrainedScheduler RetrieveSparkAppConfig{resource_profile_id:7}`,
		`CoarseGrainedScheduler RegisterExecutor{executor_id:"0" executor_ref:{name:"Executor"} hostname:"10.0.0.2" cores:2 log_urls:{key:"stdout" value:"http://w/stdout"} attributes:{key:"HTTP_SCHEME" value:"http://"} resource_profile_id:7 resources:{name:"gpu" addresses:"0"}}`,
		`BlockManagerMaster RegisterBlockManager{block_manager_id:{executor_id:"0" host:"10.0.0.2" port:1} max_on_heap_mem_size:455501414 is_re_register:false storage_endpoint:{name:"Executor"}}`,
		`CoarseGrainedScheduler LaunchedExecutor{executor_id:"0"}`,
	)
	d := task(t, squares.With(none{}), 7)
	d.PartitionId = 1 // the squares of 5 to 9
	r.launch(d)
	r.end()
	r.wantHeard(
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:7 state:RUNNING task_cpus:1}`,
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:7 state:FINISHED task_cpus:1 result:{records:"2Hb\x80\x01\xa2\x01" count:5}}`,
	)
	r.launch(mapTask(t, 1, 0))
	r.outputs = append(r.outputs, r.end().GetResult().GetMapStatus())
	r.launch(reduceTask(t, 5))
	r.end()
	r.wantHeard(
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:1 state:RUNNING task_cpus:1}`,
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:1 state:FINISHED task_cpus:1 result:{map_status:{location:{executor_id:"0" host:"10.0.0.2" port:1} sizes:8 map_id:1} peak_execution_memory:676 shuffle_write:{bytes:4 records:2}}}`,
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:5 state:RUNNING task_cpus:1}`,
		`MapOutputTracker GetMapOutputStatuses{shuffle_id:4}`,
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:5 state:FINISHED task_cpus:1 result:{records:"\x00\x06\x02\x04" count:2 records_read:2 peak_execution_memory:640 shuffle_read:{bytes:4 records:2 local_blocks:1 local_bytes:8}}}`,
	)
	r.launch(task(t, sleeps.With(none{}), 9))
	r.launch(task(t, sleeps.With(none{}), 8))
	r.reregist = true
	r.Advance(21 * time.Second)
	r.wantHeard(
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:9 state:RUNNING task_cpus:1}`,
		`CoarseGrainedScheduler StatusUpdate{executor_id:"0" task_id:8 state:RUNNING task_cpus:1}`,
		`HeartbeatReceiver Heartbeat{executor_id:"0" block_manager_id:{executor_id:"0" host:"10.0.0.2" port:1} running_tasks:8 running_tasks:9}`,
		`BlockManagerMaster RegisterBlockManager{block_manager_id:{executor_id:"0" host:"10.0.0.2" port:1} max_on_heap_mem_size:455501414 is_re_register:true storage_endpoint:{name:"Executor"}}`,
	)
}

func TestWhatIsNoMessageToAnExecutorIsRefused(t *testing.T) {
	r := newRig(t)
	_, err := rpctest.Ask[*rpc.Bool](r.driver, r.ref, &app.RegisterExecutor{ExecutorId: "1"})
	if !errors.Is(err, rpcenv.ErrRefusedUnsupported) {
		t.Errorf("got %v", err)
	}
	r.driver.Quiet(time.Second)
}

func TestParseArgsTakesAllAndReportsAllThatIsWrong(t *testing.T) {
	a, err := executor.ParseArgs(strings.Fields("--driver-url d --executor-id 3 --hostname h --cores 1 --app-id a --worker-url w --resourceProfileId 4 --resourcesFile f"))
	want := executor.Args{DriverURL: "d", ExecutorID: "3", Hostname: "h", Cores: 1, AppID: "a", WorkerURL: "w", ProfileID: 4, ResourcesFile: "f"}
	if a != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", a, err, want)
	}
	const needs = "an executor needs --driver-url, --executor-id, --app-id and --cores of at least 1"
	for args, want := range map[string]string{
		"--executor-id 3 --app-id a --cores 1":                                       needs,
		"--driver-url d --app-id a --cores 1":                                        needs,
		"--driver-url d --executor-id 3 --cores 1":                                   needs,
		"--driver-url d --executor-id 3 --app-id a":                                  needs,
		"--driver-url d --executor-id 3 --app-id a --cores 0":                        needs,
		"--driver-url d --executor-id 3 --app-id a --cores 1 --resourceProfileId 0":  "",
		"--driver-url d --executor-id 3 --app-id a --cores 1 --resourceProfileId -1": `--resourceProfileId "-1": want a number`,
		"--driver-url d --executor-id 3 --app-id a --cores 1 --resourceProfileId x":  `--resourceProfileId "x": want a number`,
		"--driver-url d --executor-id 3 --app-id a --cores 1 --hostname":             "--hostname: its value is missing",
		"--driver-url d --executor-id 3 --app-id a --cores 1 --colour red":           "--colour: no such option of an executor",
		"--cores x --colour red --hostname":                                          "--cores \"x\": want a number\n--colour: no such option of an executor\n--hostname: its value is missing\n" + needs,
	} {
		got := ""
		if _, err := executor.ParseArgs(strings.Fields(args)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
