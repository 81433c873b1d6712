package spark

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/deploy"
)

// The states that Spark's Master and Worker had when testdata/real was recorded.

func gpu(addresses ...string) []*deploy.ResourceInformation {
	return []*deploy.ResourceInformation{{Name: "gpu", Addresses: addresses}}
}

const (
	firstWorker = "worker-20261128084543-127.0.0.1-17078"
	gpuWorker   = "worker-20261128085116-127.0.0.1-17078"
)

func idle() *deploy.MasterStateResponse {
	return &deploy.MasterStateResponse{
		Host: "127.0.0.1", Port: 17077, RestPort: proto.Int32(16066), Status: "ALIVE", TimeMs: 1795855581000,
		Workers: []*deploy.WorkerInfo{{
			Id: firstWorker, Host: "127.0.0.1", Port: 17078, WebUiUrl: "http://127.0.0.1:18081", Cores: 4, Memory: 4096,
			State: "ALIVE", LastHeartbeatMs: 1795855580854,
		}},
	}
}

func running() *deploy.MasterStateResponse {
	s := idle()
	s.Workers[0].CoresUsed, s.Workers[0].MemoryUsed, s.Workers[0].LastHeartbeatMs = 3, 1536, 1795855715982
	s.TimeMs = 1795855723422 + 5791
	s.ActiveApps = []*deploy.ApplicationInfo{{
		Id: "app-20261128084843-0000", StartMs: 1795855723422, Name: "Pi <b>", CoresGranted: 2, MaxCores: 2, User: "root",
		CoresPerExecutor: proto.Int32(1), MemoryPerExecutorMb: 512, State: "RUNNING", AppUiUrl: "http://localhost:4040",
		Executors: []*deploy.ExecutorDesc{
			{Id: 0, WorkerId: firstWorker, Cores: 1, Memory: 512, State: deploy.ExecutorState_RUNNING},
			{Id: 1, WorkerId: firstWorker, Cores: 1, Memory: 512, State: deploy.ExecutorState_RUNNING},
		},
	}}
	s.ActiveDrivers = []*deploy.DriverInfo{
		{Id: "driver-20261128084731-0007", StartMs: 1795855651926, Cores: 99, Memory: 1024, MainClass: "A"},
		{Id: "driver-20261128084732-0009", StartMs: 1795855652402, State: deploy.DriverState_RUNNING, Cores: 1, Memory: 512, WorkerId: firstWorker, MainClass: "Pi"},
		{Id: "driver-20261128084629-0003", StartMs: 1795855589218, Cores: 64, Memory: 1024, MainClass: "org.apache.spark.examples.SparkPi"},
	}
	s.CompletedDrivers = []*deploy.DriverInfo{
		{Id: "driver-20261128084629-0004", StartMs: 1795855589771, State: deploy.DriverState_FAILED, Cores: 1, Memory: 512, WorkerId: firstWorker, MainClass: "org.apache.spark.examples.SparkPi"},
		{Id: "driver-20261128084731-0006", StartMs: 1795855651678, State: deploy.DriverState_ERROR, Cores: 2, Memory: 1024, WorkerId: firstWorker, MainClass: "A"},
		{Id: "driver-20261128084732-0008", StartMs: 1795855652031, State: deploy.DriverState_ERROR, Cores: -3, Memory: 1024, WorkerId: firstWorker, MainClass: "A"},
		{Id: "driver-20261128084731-0005", StartMs: 1795855651014, State: deploy.DriverState_FAILED, Cores: 1, Memory: 1024, WorkerId: firstWorker, MainClass: "A"},
	}
	return s
}

func withGPU() *deploy.MasterStateResponse {
	const start = 1795855989931
	return &deploy.MasterStateResponse{
		Host: "127.0.0.1", Port: 17077, Status: "ALIVE", TimeMs: start + 7723,
		Workers: []*deploy.WorkerInfo{{
			Id: gpuWorker, Host: "127.0.0.1", Port: 17078, WebUiUrl: "http://127.0.0.1:18081", Cores: 4, CoresUsed: 2,
			Memory: 4096, MemoryUsed: 1024, Resources: gpu("0", "1"), ResourcesUsed: gpu("0", "1"), State: "ALIVE", LastHeartbeatMs: 1795855992766,
		}},
		ActiveApps: []*deploy.ApplicationInfo{{
			Id: "app-20261128085309-0000", StartMs: start, Name: "Gpu", CoresGranted: 1, User: "root", MemoryPerExecutorMb: 512,
			ResourcesPerExecutor: []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}, State: "RUNNING",
		}},
		ActiveDrivers: []*deploy.DriverInfo{{
			Id: "driver-20261128085228-0000", StartMs: 1795855948149, State: deploy.DriverState_RUNNING, Cores: 1, Memory: 512,
			Resources: gpu("0"), WorkerId: gpuWorker, MainClass: "Pi",
		}},
	}
}

func description(name string, cores int32, port string, each ...*deploy.ResourceRequirement) *deploy.ApplicationDescription {
	return &deploy.ApplicationDescription{
		Name: name, MaxCores: &cores, MemoryPerExecutorMb: 512, User: "root", ResourcesPerExecutor: each,
		Command: &deploy.Command{
			MainClass: "org.apache.spark.executor.CoarseGrainedExecutorBackend",
			Arguments: []string{
				"--driver-url", "spark://CoarseGrainedScheduler@localhost:" + port, "--executor-id", "{{EXECUTOR_ID}}", "--hostname", "{{HOSTNAME}}",
				"--cores", "{{CORES}}", "--app-id", "{{APP_ID}}", "--worker-url", "{{WORKER_URL}}", "--resourceProfileId", "{{RESOURCE_PROFILE_ID}}",
			},
			Environment: []*deploy.EnvironmentVariable{{Name: "SPARK_USER", Value: "root"}, {Name: "OMP_NUM_THREADS", Value: "1"}},
			JavaOpts:    []string{"-Dspark.driver.port=" + port},
		},
	}
}

func workerRunning() *deploy.WorkerStateResponse {
	d := description("Pi <b>", 2, "38133")
	return &deploy.WorkerStateResponse{
		Host: "127.0.0.1", Port: 17078, WorkerId: firstWorker, MasterUrl: "spark://127.0.0.1:17077", MasterWebUiUrl: "http://localhost:18080",
		Connected: true, Cores: 4, CoresUsed: 3, Memory: 4096, MemoryUsed: 1536,
		Executors: []*deploy.ExecutorRunner{
			{AppId: "app-20261128084843-0000", ExecId: 1, Cores: 1, Memory: 512, State: deploy.ExecutorState_RUNNING, AppDesc: d},
			{AppId: "app-20261128084843-0000", ExecId: 0, Cores: 1, Memory: 512, State: deploy.ExecutorState_RUNNING, AppDesc: d},
		},
	}
}

func workerWithGPU() *deploy.WorkerStateResponse {
	return &deploy.WorkerStateResponse{
		Host: "127.0.0.1", Port: 17078, WorkerId: gpuWorker, MasterUrl: "spark://127.0.0.1:17077", MasterWebUiUrl: "http://localhost:18080",
		Cores: 4, CoresUsed: 2, Memory: 4096, MemoryUsed: 1024, Resources: gpu("0", "1"), ResourcesUsed: gpu("0", "1"),
		Executors: []*deploy.ExecutorRunner{{
			AppId: "app-20261128085309-0000", Cores: 1, Memory: 512, Resources: gpu("1"),
			AppDesc: description("Gpu", 1, "41633", &deploy.ResourceRequirement{Name: "gpu", Amount: 1}),
		}},
	}
}

// TestJSONIsSparks compares with what Spark 4.1.4 answered in the same state, byte for byte.
func TestJSONIsSparks(t *testing.T) {
	webtest.UTC(t)
	nobody := &deploy.MasterStateResponse{Host: "127.0.0.1", Port: 17077, Status: "ALIVE"}
	for _, c := range []struct {
		file, path string
		state      *deploy.MasterStateResponse
	}{
		{"master-idle", "/json/", idle()},
		{"master-running", "/json/", running()},
		{"master-gpu", "/json/", withGPU()},
		{"master-workers", "/json/workers", idle()},
		{"master-nonsense", "/json/nonsense", idle()},
		{"clusterutilization-idle", "/json/clusterutilization", idle()},
		{"clusterutilization", "/json/clusterutilization", running()},
		{"clusterutilization-nobody", "/json/clusterutilization", nobody},
		{"metrics-master", "/metrics/master/json/", &deploy.MasterStateResponse{Workers: idle().Workers}},
		{"metrics-applications", "/metrics/applications/json/", finished()},
	} {
		h, _ := master(t, c.state)
		compare(t, c.file, c.path, func() (int, string) { return webtest.Get(t, h, c.path) })
	}
	for _, c := range []struct {
		file, path string
		state      *deploy.WorkerStateResponse
	}{
		{"worker-running", "/json/", workerRunning()},
		{"worker-running", "/json/cores", workerRunning()},
		{"worker-gpu", "/json/", workerWithGPU()},
		{"metrics-worker", "/metrics/json/", &deploy.WorkerStateResponse{Cores: 4, Memory: 4096}},
	} {
		h := worker(t, c.state, t.TempDir())
		compare(t, c.file, c.path, func() (int, string) { return webtest.Get(t, h, c.path) })
	}
}

// finished is the state with the application of running after its end.
func finished() *deploy.MasterStateResponse {
	a := running().GetActiveApps()[0]
	a.StartMs, a.EndMs, a.State = 1795855723424, 1795855723424+42581, "FINISHED"
	return &deploy.MasterStateResponse{CompletedApps: []*deploy.ApplicationInfo{a}}
}

func compare(t *testing.T, file, path string, answer func() (int, string)) {
	t.Helper()
	want := webtest.Read(t, "testdata/real/"+file+".json")
	if code, got := answer(); code != 200 || got != want {
		t.Errorf("%s: %d\n%s\nwant\n%s", path, code, got, want)
	}
}

// TestSumsAreOfWorkersThatAreAlive: what a dead Worker had is no part of the cluster.
func TestSumsAreOfWorkersThatAreAlive(t *testing.T) {
	s := withGPU()
	dead := proto.Clone(s.Workers[0]).(*deploy.WorkerInfo)
	dead.State = "DEAD"
	s.Workers = append(s.Workers, dead)
	h, _ := master(t, s)
	for field, want := range map[string]string{
		"aliveworkers": "{\n  \"aliveworkers\" : 1\n}", "cores": "{\n  \"cores\" : 4\n}", "memoryused": "{\n  \"memoryused\" : 1024\n}",
	} {
		if _, got := webtest.Get(t, h, "/json/"+field); got != want {
			t.Errorf("%s", got)
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	s := workerRunning()
	c := s.Executors[0].AppDesc.Command
	c.Environment = append(c.Environment, &deploy.EnvironmentVariable{Name: "_SPARK_AUTH_SECRET", Value: "hush"})
	c.JavaOpts = append(c.JavaOpts, "-Dspark.hadoop.fs.s3a.access.key=hush", "-Dmy.password=hush")
	h := worker(t, s, t.TempDir())
	for _, path := range []string{"/", "/json/"} {
		if _, text := webtest.Get(t, h, path); strings.Contains(text, "hush") {
			t.Errorf("%s shows a secret", path)
		}
	}
}
