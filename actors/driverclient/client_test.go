package driverclient

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestConfigsThatCannotBe(t *testing.T) {
	for want, cfg := range map[string]Config{
		"needs a Master": submission(),
		"want one of":    {Masters: []rpcenv.Address{{Host: "m", Port: 1}}, Kill: "a", Status: "b"},
	} {
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestADescriptionIsSparks(t *testing.T) {
	gpu := []*deploy.ResourceRequirement{{Name: "gpu", Amount: 1}}
	d := Driver{Program: "/p", MainClass: "pi", Args: []string{"driver", "pi"}, Env: map[string]string{"B": "2", "A": "1"}, Cores: 2, MemoryMB: 64, Supervise: true, Resources: gpu}.Describe()
	want := &deploy.DriverDescription{JarUrl: "/p", Mem: 64, Cores: 2, Supervise: true, ResourceReqs: gpu, Command: &deploy.Command{
		MainClass: "org.apache.spark.deploy.worker.DriverWrapper", Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "pi", "driver", "pi"},
		Environment: []*deploy.EnvironmentVariable{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
	}}
	if !proto.Equal(d, want) {
		t.Errorf("%v, want %v", d, want)
	}
}
