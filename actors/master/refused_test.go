package master

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
)

// Each refusal says in these words what is wrong; the smallest that can be is taken.
func TestWhatIsWrongWithARegistration(t *testing.T) {
	offer := func(name string, addresses ...string) *deploy.ResourceInformation {
		return &deploy.ResourceInformation{Name: name, Addresses: addresses}
	}
	for _, test := range []struct {
		spoil func(r *deploy.RegisterWorker)
		want  string
	}{
		{func(*deploy.RegisterWorker) {}, ""},
		{func(r *deploy.RegisterWorker) { r.Id = "" }, "A worker needs an id, a host and a reference"},
		{func(r *deploy.RegisterWorker) { r.Host = "" }, "A worker needs an id, a host and a reference"},
		{func(r *deploy.RegisterWorker) { r.Worker = nil }, "A worker needs an id, a host and a reference"},
		{func(r *deploy.RegisterWorker) { r.Cores = 0 }, "A worker needs at least 1 core and 1 MiB of memory, not 0 and 1: set --cores and --memory"},
		{func(r *deploy.RegisterWorker) { r.Memory = 0 }, "A worker needs at least 1 core and 1 MiB of memory, not 1 and 0: set --cores and --memory"},
		{func(r *deploy.RegisterWorker) { r.Resources[0].Name = "" }, "a resource without a name is offered"},
		{func(r *deploy.RegisterWorker) { r.Resources[1].Name = "gpu" }, "the resource gpu is offered twice"},
		{func(r *deploy.RegisterWorker) { r.Resources[0] = offer("gpu", "0", "0") }, `the resource gpu has the address "0" twice or an empty one`},
		{func(r *deploy.RegisterWorker) { r.Resources[1] = offer("npu", "0", "") }, `the resource npu has the address "" twice or an empty one`},
	} {
		r := &deploy.RegisterWorker{
			Id: "w", Host: "h", Worker: &rpc.EndpointRef{Name: "Worker"}, Cores: 1, Memory: 1,
			Resources: []*deploy.ResourceInformation{offer("gpu", "0", "1"), offer("npu", "0")},
		}
		test.spoil(r)
		if got := badWorker(r); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestWhatIsWrongWithAnApplication(t *testing.T) {
	for _, test := range []struct {
		spoil func(d *deploy.ApplicationDescription)
		want  string
	}{
		{func(*deploy.ApplicationDescription) {}, ""},
		{func(d *deploy.ApplicationDescription) {
			d.MaxCores, d.InitialExecutorLimit, d.CoresPerExecutor = nil, nil, nil
		}, ""},
		{func(d *deploy.ApplicationDescription) { d.MaxCores = proto.Int32(0) }, "an application with 0 cores cannot run: set spark.cores.max"},
		{func(d *deploy.ApplicationDescription) { d.InitialExecutorLimit = proto.Int32(-1) }, "the first limit of executors is -1: it cannot be below 0"},
		{func(d *deploy.ApplicationDescription) { d.MemoryPerExecutorMb = 0 }, "an executor with 0 MiB of memory cannot run: set spark.executor.memory"},
		{func(d *deploy.ApplicationDescription) { d.CoresPerExecutor = proto.Int32(0) }, "an executor with 0 cores cannot run: set spark.executor.cores"},
		{func(d *deploy.ApplicationDescription) { d.ResourcesPerExecutor[0].Name = "" }, "a resource without a name is wanted"},
		{func(d *deploy.ApplicationDescription) { d.ResourcesPerExecutor[1].Name = "gpu" }, "the resource gpu is wanted twice"},
		{func(d *deploy.ApplicationDescription) { d.ResourcesPerExecutor[1].Amount = 0 }, "0 of the resource npu cannot be had: want 1 at least"},
	} {
		d := &deploy.ApplicationDescription{
			MaxCores: proto.Int32(1), InitialExecutorLimit: proto.Int32(0), MemoryPerExecutorMb: 1, CoresPerExecutor: proto.Int32(1),
			ResourcesPerExecutor: []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}, {Name: "npu", Amount: 1}},
		}
		test.spoil(d)
		if got := badApplication(d); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if got := badApplication(nil); got != "the description is missing" {
		t.Error(got)
	}
}

func TestWhatIsWrongWithADriver(t *testing.T) {
	for _, test := range []struct {
		spoil func(d *deploy.DriverDescription)
		want  string
	}{
		{func(*deploy.DriverDescription) {}, ""},
		{func(d *deploy.DriverDescription) { d.Command.MainClass = "" }, "its description names no main class to start"},
		{func(d *deploy.DriverDescription) { d.Cores = 0 }, "a driver with 0 cores cannot run: set spark.driver.cores"},
		{func(d *deploy.DriverDescription) { d.Mem = 0 }, "a driver with 0 MiB of memory cannot run: set spark.driver.memory"},
		{func(d *deploy.DriverDescription) { d.ResourceReqs[0].Amount = 0 }, "0 of the resource gpu cannot be had: want 1 at least"},
	} {
		d := &deploy.DriverDescription{
			Cores: 1, Mem: 1, Command: &deploy.Command{MainClass: "Main"}, ResourceReqs: []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}},
		}
		test.spoil(d)
		if got := badDriver(d); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if got := badDriver(nil); got != "the description is missing" {
		t.Error(got)
	}
}
