package known

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestNewReportsAllProblemsAtOnce(t *testing.T) {
	_, err := conf.New(map[string]string{
		"spark.worker.timeout":               "1m",
		"spark.executor.memory":              "1.5g",
		"spark.cores.max":                    "0",
		"spark.deploy.spreadOutApps":         "yes",
		"spark.deploy.workerSelectionPolicy": "RANDOM",
		"spark.driver.port":                  "70000",
		"spark.task.cpus":                    "2",
	}, All())
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`spark.cores.max = "0": too small: want a whole number of at least 1, for example 4`,
		`spark.deploy.spreadOutApps = "yes": neither true nor false: want true or false, for example true`,
		`spark.deploy.workerSelectionPolicy = "RANDOM": no such choice: want one of CORES_FREE_ASC, CORES_FREE_DESC, MEMORY_FREE_ASC, MEMORY_FREE_DESC, WORKER_ID, for example CORES_FREE_DESC`,
		`spark.driver.port = "70000": no port has that number: want a port from 0 to 65535 (0: any free one), for example 0`,
		`spark.executor.memory = "1.5g": fractional values are not supported, write 1536m: want a size, a whole number with b, k, m, g, t or p (without: MiB), of at least 1m, for example 1g`,
		`spark.worker.timeout = "1m": not a number of that form: want whole seconds, a number without suffix, of at least 1, for example 60`,
	}
	if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", err, strings.Join(want, "\n"))
	}
	var bad *conf.ValueError
	if !errors.As(err, &bad) || bad.Key != "spark.cores.max" || bad.Value != "0" {
		t.Errorf("first error is %+v", bad)
	}
}

func TestNewRefusesHeartbeatsRarerThanTheTimeout(t *testing.T) {
	for _, pairs := range []map[string]string{
		{"spark.network.timeout": "10s"},
		{"spark.executor.heartbeatInterval": "2m"},
		{"spark.executor.heartbeatInterval": "20s", "spark.network.timeout": "20"},
	} {
		if _, err := conf.New(pairs, All()); err == nil || !strings.Contains(err.Error(), "must be greater than spark.executor.heartbeatInterval") {
			t.Errorf("%v: %v", pairs, err)
		}
	}
	mustNew(t, "spark.executor.heartbeatInterval", "1s", "spark.network.timeout", "2s")
	var s conf.Settings
	s.Set(conf.Setting{Pair: conf.Pair{Key: "spark.network.timeout", Value: "10s"}, From: conf.Origin{Place: "--conf"}})
	const want = "spark.network.timeout (10s) must be greater than spark.executor.heartbeatInterval (10s), or executors count as lost " +
		"between two heartbeats: raise the first or lower the second"
	if _, err := s.Conf(All()); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestWarnings(t *testing.T) {
	c := mustNew(t,
		"spark.worker.timout", "30",
		"spark.sql.shuffle.partitions", "8",
		"coherer.trace.enable", "false",
		"spark.executorEnv.PATH", "/bin",
		"spark.hadoop.fs.defaultFS", "file:///",
		"spark.hadoop.", "a family's name alone",
		"spark.task.cpus", "1",
		"spark.jars.ivy", "/ivy",
		"spark.master.ui.visibleEnvVarPrefixes", "9",
		"spark.task.reaper.enabled", "true",
		"hive.metastore.uris", "x",
		"javax.net", "y",
	)
	want := []string{
		"Ignoring non-Spark config property: hive.metastore.uris",
		"Ignoring non-Spark config property: javax.net",
		"spark.jars.ivy has no effect yet: there is no support for fetching of Maven packages",
		"spark.master.ui.visibleEnvVarPrefixes has no effect yet: there is no support for the page of the Master's environment",
		"spark.task.reaper.enabled has no effect yet: there is no support for the task reaper",
		"unknown setting coherer.trace.enable: did you mean coherer.trace.enabled?",
		"unknown setting spark.hadoop.",
		"unknown setting spark.sql.shuffle.partitions",
		"unknown setting spark.worker.timout: did you mean spark.worker.timeout?",
	}
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	if v, ok := c.Get("spark.sql.shuffle.partitions"); !ok || v != "8" {
		t.Errorf("an unknown setting of Spark's is not kept: %q %v", v, ok)
	}
	if _, ok := c.Get("hive.metastore.uris"); ok {
		t.Error("a key of another prefix is kept")
	}
	if got := c.Under("spark.executorEnv."); !slices.Equal(got, []conf.Pair{{Key: "spark.executorEnv.PATH", Value: "/bin"}}) {
		t.Errorf("Under: %v", got)
	}
	more, err := c.With(map[string]string{"spark.worker.timout": "40", "other": "", "hive.metastore.uris": "again", "a": ""})
	if err != nil {
		t.Fatal(err)
	}
	want = slices.Insert(want, 2, "Ignoring non-Spark config property: other")
	want = slices.Insert(want, 0, "Ignoring non-Spark config property: a")
	if got := more.Warnings(); !slices.Equal(got, want) {
		t.Errorf("With keeps warnings, once each; got:\n%s", strings.Join(got, "\n"))
	}
}

func TestWithLeavesTheOriginal(t *testing.T) {
	pairs := map[string]string{"spark.task.cpus": "2", "spark.app.name": "one"}
	a, err := conf.New(pairs, All())
	if err != nil {
		t.Fatal(err)
	}
	pairs["spark.task.cpus"] = "9"
	b, err := a.With(map[string]string{"spark.task.cpus": "3", "spark.task.maxFailures": "1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := submit.TaskCPUs.Get(a); got != 2 {
		t.Errorf("the first changed: %d", got)
	}
	want := []conf.Pair{{Key: "spark.app.name", Value: "one"}, {Key: "spark.task.cpus", Value: "3"}, {Key: "spark.task.maxFailures", Value: "1"}}
	if got := b.Pairs(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, err := a.With(map[string]string{"spark.network.timeout": "5s"}); err == nil {
		t.Error("With does not check settings against each other")
	}
}

func TestNilConfHasDefaults(t *testing.T) {
	var c *conf.Conf
	if got := membership.WorkerTimeout.Get(c); got != time.Minute {
		t.Errorf("worker timeout %v", got)
	}
	if _, ok := c.Get("spark.worker.timeout"); ok || c.Pairs() != nil || c.Warnings() != nil {
		t.Error("a nil Conf holds something")
	}
	d, err := c.With(map[string]string{"spark.worker.timeout": "5"})
	if err != nil || membership.WorkerTimeout.Get(d) != 5*time.Second {
		t.Errorf("With on nil: %v %v", d, err)
	}
}

func TestFallback(t *testing.T) {
	for _, test := range []struct {
		name   string
		c      *conf.Conf
		want   time.Duration
		source string
	}{
		{"nothing set", nil, 2 * time.Minute, "spark.rpc.askTimeout"},
		{"fallback set", mustNew(t, "spark.network.timeout", "5m"), 5 * time.Minute, "spark.network.timeout"},
		{"both set", mustNew(t, "spark.network.timeout", "5m", "spark.rpc.askTimeout", "7"), 7 * time.Second, "spark.rpc.askTimeout"},
	} {
		if got := rpcenv.RPCAskTimeout.Get(test.c); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		if got := rpcenv.RPCAskTimeout.Source(test.c); got != test.source {
			t.Errorf("%s: controlled by %s", test.name, got)
		}
	}
	if got := heartbeat.NetworkTimeoutInterval.Get(mustNew(t, "spark.storage.blockManagerTimeoutIntervalMs", "500")); got != 500*time.Millisecond {
		t.Errorf("timeout interval %v", got)
	}
}

func TestFindTellsWhatWasSet(t *testing.T) {
	if v, ok := submit.CoresMax.Find(nil); ok || v != 0 {
		t.Errorf("unset: %d %v", v, ok)
	}
	if v, ok := submit.CoresMax.Find(mustNew(t, "spark.cores.max", "8")); !ok || v != 8 {
		t.Errorf("set: %d %v", v, ok)
	}
	if _, ok := rpcenv.RPCAskTimeout.Find(mustNew(t, "spark.network.timeout", "5m")); ok {
		t.Error("a fallback that is set counts as set")
	}
	if _, ok := submit.CoresMax.Default(); ok {
		t.Error("an optional entry has a default")
	}
	if d, ok := rpcenv.RPCAskTimeout.Default(); !ok || d != 2*time.Minute {
		t.Errorf("default through the fallback: %v %v", d, ok)
	}
}
