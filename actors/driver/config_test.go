package driver_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// The Master starts executors by the description alone: what no setting says is left to it.
func TestTheDescriptionHasWhatTheConfigAndTheSettingsSay(t *testing.T) {
	for _, k := range []struct {
		name     string
		settings map[string]string
		cfg      driver.Config
		want     *deploy.ApplicationDescription
	}{
		{"nothing", nil, driver.Config{}, &deploy.ApplicationDescription{MemoryPerExecutorMb: 1024}},
		{
			"all",
			map[string]string{
				"spark.cores.max": "8", "spark.executor.cores": "4", "spark.executor.memory": "2g", "spark.task.cpus": "2",
				"spark.executorEnv.B": "c", "spark.dynamicAllocation.enabled": "true",
			},
			driver.Config{User: "ada", WebUIURL: "http://h:4040", Environment: []*deploy.EnvironmentVariable{{Name: "A", Value: "b"}}},
			&deploy.ApplicationDescription{
				MemoryPerExecutorMb: 2048, AppUiUrl: "http://h:4040", User: "ada", MaxCores: new(int32(8)), CoresPerExecutor: new(int32(4)),
				CpusPerTask: new(int32(2)), InitialExecutorLimit: new(int32(0)),
				Command: &deploy.Command{Environment: []*deploy.EnvironmentVariable{
					{Name: "SPARK_USER", Value: "ada"}, {Name: "A", Value: "b"}, {Name: "B", Value: "c"},
				}},
			},
		},
	} {
		w := rpctest.New(t, 1)
		master, env := w.Probe("Master"), w.Env("Driver", settings(t, k.settings))
		k.cfg.AppName, k.cfg.Masters = "test", []rpcenv.Address{master.Ref.Address}
		if _, err := driver.Start(env, k.cfg); err != nil {
			t.Fatal(err)
		}
		got := master.Next().(*deploy.RegisterApplication).GetAppDescription()
		k.want.Name = "test"
		if k.want.Command == nil {
			k.want.Command = &deploy.Command{}
		}
		k.want.Command.MainClass = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
		k.want.Command.Arguments = strings.Fields("--driver-url spark://CoarseGrainedScheduler@" + env.Address().String() +
			" --executor-id {{EXECUTOR_ID}} --hostname {{HOSTNAME}} --cores {{CORES}} --app-id {{APP_ID}}" +
			" --worker-url {{WORKER_URL}} --resourceProfileId {{RESOURCE_PROFILE_ID}}")
		if !proto.Equal(got, k.want) {
			t.Errorf("%s: got\n%v\nwant\n%v", k.name, got, k.want)
		}
	}
}

func TestADriverThatCannotStart(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Driver", nil)
	good := driver.Config{AppName: "test", Masters: []rpcenv.Address{{Host: "h", Port: 7077}}}
	for _, k := range []struct {
		name string
		env  *rpcenv.Env
		cfg  driver.Config
		want string
	}{
		{"nothing said", env, driver.Config{}, "driver: a driver needs the application's name (spark.app.name)\n" +
			"a driver needs a master (spark.master), such as spark://localhost:7077"},
		{"no name", env, driver.Config{Masters: good.Masters}, "driver: a driver needs the application's name (spark.app.name)"},
		{"no master", env, driver.Config{AppName: "test"}, "driver: a driver needs a master (spark.master), such as spark://localhost:7077"},
		{"in client mode", w.ClientEnv("Client", nil), good, "driver: its Env must listen (rpcenv.Config.Listen)"},
	} {
		if _, err := driver.Start(k.env, k.cfg); err == nil || err.Error() != k.want {
			t.Errorf("%s: %v, want %s", k.name, err, k.want)
		}
	}
	if _, err := driver.Start(env, good); err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Start(env, good); !errors.Is(err, rpcenv.ErrNameTaken) || !strings.HasPrefix(err.Error(), "driver: ") {
		t.Errorf("twice in an Env: %v", err)
	}
}

// A program whose executors could never take a task, or whose settings contradict each other, does not begin. On YARN an executor has
// one core by default.
func TestADriverWhoseExecutorsTakeNoTaskIsRefused(t *testing.T) {
	standalone := driver.Config{AppName: "test", Masters: []rpcenv.Address{{Host: "h", Port: 7077}}}
	yarn := driver.Config{AppName: "test", YARN: &driver.YARN{AppID: "application_1_0001"}}
	for _, k := range []struct {
		cfg      driver.Config
		settings string
		want     string // "": it begins
	}{
		{standalone, "spark.task.cpus=4 spark.executor.cores=2", "cores per executor (=2)"},
		{standalone, "spark.task.cpus=4 spark.executor.cores=2 spark.dynamicAllocation.enabled=true", "cores per executor (=2)"},
		{standalone, "spark.task.cpus=4 spark.cores.max=3", "may have 3 in all"},
		{standalone, "spark.task.cpus=4 spark.cores.max=3 spark.dynamicAllocation.enabled=true", "may have 3 in all"},
		{standalone, "spark.task.cpus=2", ""},
		{standalone, "spark.excludeOnFailure.enabled=true spark.excludeOnFailure.task.maxTaskAttemptsPerNode=4", "spark.task.maxFailures"},
		{yarn, "spark.task.cpus=2", "spark.task.cpus"},
		{
			yarn, "spark.dynamicAllocation.enabled=true spark.dynamicAllocation.maxExecutors=2 spark.executor.instances=3",
			"initial executor number 3 must between min executor number 0 and max executor number 2",
		},
	} {
		pairs := map[string]string{}
		for pair := range strings.FieldsSeq(k.settings) {
			key, value, _ := strings.Cut(pair, "=")
			pairs[key] = value
		}
		w := rpctest.New(t, 1)
		_, err := driver.Start(w.Env("Driver", settings(t, pairs)), k.cfg)
		if k.want == "" && err == nil || k.want != "" && err != nil && strings.Contains(err.Error(), k.want) && len(w.Trace().Entries) == 0 {
			continue
		}
		t.Errorf("%s: %v, want %q", k.settings, err, k.want)
	}
}

func TestALocalApplicationNeedsAnIDAndAnAttempt(t *testing.T) {
	for _, k := range []struct {
		local *driver.Local
		want  string
	}{
		{nil, ""},
		{&driver.Local{AppID: "local-1", MaxFailures: 1}, ""},
		{&driver.Local{MaxFailures: 1}, "driver: a local application needs an id"},
		{&driver.Local{AppID: "local-1"}, "driver: a task of a local application may fail 0 times: want at least 1"},
	} {
		cfg := driver.Config{AppName: "test", Local: k.local, YARN: &driver.YARN{}}
		if err := cfg.Validate(); k.want == "" && err != nil || k.want != "" && (err == nil || err.Error() != k.want) {
			t.Errorf("%+v: %v, want %q", k.local, err, k.want)
		}
	}
}
