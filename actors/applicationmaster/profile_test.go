package applicationmaster

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func settings(t *testing.T, pairs map[string]string) *conf.Conf {
	t.Helper()
	c, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The ApplicationMaster asks for memory with all that is beside it; the executor learns its heap.
func TestTheSizeOfAnExecutor(t *testing.T) {
	mb := func(mb int32, cores int32) *deploy.ResourceProfile {
		return &deploy.ResourceProfile{Id: 1, ExecutorMemoryMb: mb, ExecutorCores: &cores}
	}
	for _, v := range []struct {
		pairs   map[string]string
		profile *deploy.ResourceProfile
		want    string // container, heap, cores, tasks at once
	}{
		{nil, nil, "<memory:1408, vCores:1> 1024 1 1"},
		{map[string]string{"spark.executor.memory": "8g", "spark.executor.cores": "4", "spark.task.cpus": "2"}, nil, "<memory:9011, vCores:4> 8192 4 2"},
		{map[string]string{"spark.executor.memory": "4000m", "spark.executor.memoryOverhead": "100"}, nil, "<memory:4100, vCores:1> 4000 1 1"},
		{map[string]string{"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1g"}, nil, "<memory:2432, vCores:1> 1024 1 1"},
		{map[string]string{"spark.yarn.isPython": "true", "spark.executor.pyspark.memory": "512m"}, nil, "<memory:1920, vCores:1> 1024 1 1"},
		{map[string]string{"spark.executor.pyspark.memory": "512m"}, nil, "<memory:1408, vCores:1> 1024 1 1"},
		{map[string]string{"spark.executor.cores": "1", "spark.task.cpus": "3"}, nil, "<memory:1408, vCores:1> 1024 1 1"},
		{nil, mb(6000, 3), "<memory:6600, vCores:3> 6000 3 3"},
		{map[string]string{"spark.executor.memory": "2g", "spark.executor.cores": "2"}, mb(0, 0), "<memory:2432, vCores:2> 2048 2 2"},
	} {
		p := profileOf(settings(t, v.pairs), v.profile)
		if got := fmt.Sprint(p.Container, " ", p.MemoryMB, p.Cores, p.TasksPerExecutor); got != v.want || p.ID != v.profile.GetId() {
			t.Errorf("%v, %v: %s, want %s", v.pairs, v.profile, got, v.want)
		}
	}
}

func TestHowManyExecutorsMayFail(t *testing.T) {
	const dynamic, instances, most = "spark.dynamicAllocation.enabled", "spark.executor.instances", "spark.dynamicAllocation.maxExecutors"
	for _, v := range []struct {
		pairs map[string]string
		want  int
	}{
		{nil, 3},
		{map[string]string{instances: "1"}, 3},
		{map[string]string{instances: "7"}, 14},
		{map[string]string{instances: fmt.Sprint(math.MaxInt32)}, math.MaxInt32},
		{map[string]string{instances: fmt.Sprint(math.MaxInt32 / 2)}, math.MaxInt32 - 1},
		{map[string]string{instances: fmt.Sprint(math.MaxInt32/2 + 1)}, math.MaxInt32},
		{map[string]string{dynamic: "true", instances: "7"}, math.MaxInt32},
		{map[string]string{dynamic: "true", instances: "7", most: "10"}, 20},
		{map[string]string{instances: "7", "spark.executor.maxNumFailures": "1"}, 1},
		{map[string]string{instances: "7", "spark.yarn.max.executor.failures": "2"}, 2},
		{map[string]string{"spark.executor.maxNumFailures": "1", "spark.yarn.max.executor.failures": "2"}, 1},
	} {
		if got := maxExecutorFailures(settings(t, v.pairs)); got != v.want {
			t.Errorf("%v: %d, want %d", v.pairs, got, v.want)
		}
	}
}

func TestAnExpiryThatIsNotSetIs120Seconds(t *testing.T) {
	if got := expiry(settings(t, nil)); got != 2*time.Minute {
		t.Error(got)
	}
	if got := expiry(settings(t, map[string]string{"spark.hadoop.yarn.am.liveness-monitor.expiry-interval-ms": "7000"})); got != 7*time.Second {
		t.Error(got)
	}
}

// A driver's request has a row for each profile; rows that mean nothing are left out.
func TestWhatADriverWants(t *testing.T) {
	got := totalsOf(settings(t, nil), &app.RequestExecutors{
		ResourceProfileToTotalExecs: []*deploy.ProfileTarget{
			{Profile: &deploy.ResourceProfile{}, Total: 4}, {Profile: &deploy.ResourceProfile{Id: 2}, Total: -1},
		},
		NumLocalityAwareTasks: []*app.ProfileCount{{ResourceProfileId: 2, Count: 9}, {Count: -3}},
		HostToLocalTaskCount: []*app.HostTaskCount{
			{ResourceProfileId: 2, Host: "h1", Count: 5}, {ResourceProfileId: 2, Host: "", Count: 5}, {ResourceProfileId: 2, Host: "h2"}, {Host: "h3", Count: 1},
		},
	})
	if len(got) != 2 || got[0].Total != 4 || got[0].LocalityAware != 0 || fmt.Sprint(got[0].Hosts) != "[{h3 1}]" ||
		got[1].Profile.ID != 2 || got[1].Total != 0 || got[1].LocalityAware != 9 || fmt.Sprint(got[1].Hosts) != "[{h1 5}]" {
		t.Errorf("%+v", got)
	}
}

// What the allocator takes from the settings; the numbers of its health are Spark's.
func TestWhatTheAllocatorIsTold(t *testing.T) {
	m := &ApplicationMaster{}
	m.historic.resends = true
	plain := allocator.Config{
		Default: profileOf(settings(t, nil), nil), Target: 3, LastExecutorID: 7, Resends: true,
		Health: allocator.HealthConfig{MaxFailures: 2, Timeout: time.Hour},
	}
	if got := m.allocatorConfig(settings(t, nil), 3, 7); !reflect.DeepEqual(got, plain) {
		t.Errorf("%+v\nwant %+v", got, plain)
	}
	c := settings(t, map[string]string{
		"spark.yarn.executor.nodeLabelExpression": "gpu", "spark.executor.failuresValidityInterval": "5s", "spark.yarn.exclude.nodes": "a,b",
		"spark.yarn.executor.launch.excludeOnFailure.enabled": "true", "spark.excludeOnFailure.application.maxFailedExecutorsPerNode": "9",
		"spark.excludeOnFailure.timeout": "7s",
	})
	told := plain
	told.Label, told.FailureValidity = "gpu", 5*time.Second
	told.Health = allocator.HealthConfig{Exclude: []string{"a", "b"}, OnFailure: true, MaxFailures: 9, Timeout: 7 * time.Second}
	if got := m.allocatorConfig(c, 3, 7); !reflect.DeepEqual(got, told) {
		t.Errorf("%+v\nwant %+v", got, told)
	}
}

// A node's address goes into a command: what is no name of a host and no port is refused.
func TestAddressesOfNodes(t *testing.T) {
	for _, v := range []struct {
		host string
		port int32
		ok   bool
	}{
		{"h", 1, true},
		{"a.B-c_9", 65535, true},
		{"fe80::1%eth0", 8041, true},
		{"azAZ09", 80, true},
		{strings.Repeat("h", 255), 80, true},
		{"", 80, false},
		{"h", 0, false},
		{"h", -1, false},
		{"h", 65536, false},
		{strings.Repeat("h", 256), 80, false},
		{"h;rm", 80, false},
		{"h h", 80, false},
		{"h$", 80, false},
		{"h`", 80, false},
		{"h{", 80, false},
		{"h@", 80, false},
		{"h[", 80, false},
		{"h/", 80, false},
		{"hé", 80, false},
	} {
		at, ok := nodeAddress(&yarn.NodeId{Host: v.host, Port: v.port})
		if want := (rpcenv.Address{Host: v.host, Port: int(v.port)}); ok != v.ok || at != want {
			t.Errorf("%q %d: %v %t", v.host, v.port, at, ok)
		}
	}
}

// The executors of an attempt go on behind the last one that the driver knows; with SPARK-12864 they begin anew.
func TestExecutorsAreCountedOn(t *testing.T) {
	for last, want := range map[int32]int{-1: 0, 0: 0, 5: 5} {
		if got := (faults{}).after(last); got != want {
			t.Errorf("behind %d: %d", last, got)
		}
		if got := (faults{countsAnew: true}).after(last); got != 0 {
			t.Errorf("anew behind %d: %d", last, got)
		}
	}
	got := faultsOf(settings(t, map[string]string{"coherer.compat": "SPARK-12864"}))
	if want := (faults{countsAnew: true}); got != want {
		t.Errorf("%+v", got)
	}
}
