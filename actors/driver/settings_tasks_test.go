package driver

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What no setting says is as in Spark 4.
func TestHowTasksRunWithoutSettings(t *testing.T) {
	c := confOf(t, "")
	want := tasks.Config{
		Profiles: map[int32]*tasks.Profile{0: {CPUs: 1}}, MaxFailures: 4, MaxResultSize: 1 << 30,
		Waits: tasks.Waits{Process: 3 * time.Second, Node: 3 * time.Second, Rack: 3 * time.Second},
		Speculation: tasks.Speculation{
			Multiplier: 3, Quantile: 0.9, MinRuntime: 100 * time.Millisecond, Efficiency: true, RateMultiplier: 0.75, LongRunFactor: 2,
		},
		UnschedulableTimeout: 2 * time.Minute,
	}
	if got := newScheduler(Config{}).tasksConfig(c); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

func TestHowTasksRunByTheSettings(t *testing.T) {
	c := confOf(t, "spark.task.cpus=2 spark.executor.cores=5 spark.task.maxFailures=7 spark.driver.maxResultSize=2m"+
		" spark.locality.wait.process=1s spark.locality.wait.node=2s spark.locality.wait.rack=4s spark.locality.wait.legacyResetOnTaskLaunch=true"+
		" spark.shuffle.service.enabled=true spark.dynamicAllocation.enabled=true spark.scheduler.mode=FAIR"+
		" spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout=9s"+
		" spark.speculation=true spark.speculation.minTaskRuntime=5s spark.speculation.multiplier=6 spark.speculation.quantile=0.5"+
		" spark.speculation.efficiency.enabled=false spark.speculation.efficiency.processRateMultiplier=0.25"+
		" spark.speculation.efficiency.longRunTaskFactor=8 spark.speculation.task.duration.threshold=0 spark.executor.decommission.killInterval=11s")
	s := newScheduler(Config{})
	s.allocations, s.exclude, s.historic.tasks = &pools.Allocations{}, exclude.Config{Kill: true}, tasks.Faults{AbortsTwice: true}
	want := tasks.Config{
		Profiles: map[int32]*tasks.Profile{0: {CPUs: 2, Slots: 2}}, Mode: pools.FAIR, Allocations: s.allocations, MaxFailures: 7, MaxResultSize: 2 << 20,
		Waits:       tasks.Waits{Process: time.Second, Node: 2 * time.Second, Rack: 4 * time.Second},
		LegacyReset: true, ExternalShuffle: true, Exclude: exclude.Config{Kill: true}, UnschedulableTimeout: 9 * time.Second,
		Speculation: tasks.Speculation{
			Enabled: true, Multiplier: 6, Quantile: 0.5, MinRuntime: 5 * time.Second, RateMultiplier: 0.25, LongRunFactor: 8,
			Threshold: new(time.Duration), KillInterval: 11 * time.Second,
		},
		DynamicAllocation: true, Faults: tasks.Faults{AbortsTwice: true},
	}
	if got := s.tasksConfig(c); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

// coherer.compat turns on the historic faults that it names and no other.
func TestWhichFaultsTheDriverHas(t *testing.T) {
	for settings, want := range map[string]faults{
		"":                              {},
		"coherer.compat=SPARK-13112":    {offersEarly: true},
		"coherer.compat=SPARK-13519":    {tellsNobody: true},
		"coherer.compat=SPARK-27348":    {halfRemoves: true},
		"coherer.compat=TASK-SCHEDULER": {tasks: tasks.Faults{AbortsTwice: true, ResubmitsFailed: true}},
	} {
		if got := faultsOf(confOf(t, settings)); got != want {
			t.Errorf("%q: %+v, want %+v", settings, got, want)
		}
	}
}

func confOf(t *testing.T, settings string) *conf.Conf {
	t.Helper()
	pairs := map[string]string{}
	for pair := range strings.FieldsSeq(settings) {
		key, value, _ := strings.Cut(pair, "=")
		pairs[key] = value
	}
	c, err := conf.New(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// taskProfile: the slots of an executor are known where its cores are.
func TestWhatATaskTakesByTheSettings(t *testing.T) {
	for settings, want := range map[string][2]int{
		"":                       {1, 0},
		"spark.executor.cores=7": {1, 7},
		"spark.executor.cores=7 spark.task.cpus=2": {2, 3},
		"spark.task.cpus=2":                        {2, 0},
	} {
		if p := taskProfile(confOf(t, settings)); p.CPUs != want[0] || p.Slots != want[1] {
			t.Errorf("%q: %+v, want %v", settings, p, want)
		}
	}
}

// The setting is of clusters: a local application has no shuffle service.
func TestWhoseMapOutputsOutliveTheirExecutors(t *testing.T) {
	for settings, want := range map[string]bool{"": false, "spark.shuffle.service.enabled=true": true} {
		c := confOf(t, settings)
		if got := (Config{}).externalShuffle(c); got != want {
			t.Errorf("%q: %t on a cluster", settings, got)
		}
		if (Config{Local: &Local{}}).externalShuffle(c) {
			t.Errorf("%q: a local application has a shuffle service", settings)
		}
	}
}
