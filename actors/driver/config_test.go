package driver_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
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
		c, err := conf.New(k.settings)
		if err != nil {
			t.Fatal(err)
		}
		w := rpctest.New(t, 1)
		master := w.Probe("Master")
		k.cfg.AppName, k.cfg.Masters = "test", []rpcenv.Address{master.Ref.Address}
		if _, err := driver.Start(w.Env("Driver", c), k.cfg); err != nil {
			t.Fatal(err)
		}
		got := master.Next().(*deploy.RegisterApplication).GetAppDescription()
		k.want.Name = "test"
		if k.want.Command == nil {
			k.want.Command = &deploy.Command{}
		}
		k.want.Command.MainClass = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
		k.want.Command.Arguments = got.GetCommand().GetArguments() // see TestTheApplicationIsDescribedAsInSpark
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

// A task that no executor could take is refused by the rule of the cluster manager: on YARN an executor has one core by default.
func TestADriverRefusesTasksThatNoExecutorCouldTake(t *testing.T) {
	c, err := conf.New(map[string]string{"spark.task.cpus": "2"})
	if err != nil {
		t.Fatal(err)
	}
	w := rpctest.New(t, 1)
	if _, err := driver.Start(w.Env("Driver", c), driver.Config{AppName: "test", Masters: []rpcenv.Address{{Host: "h", Port: 7077}}}); err != nil {
		t.Error(err)
	}
	_, err = driver.Start(w.Env("OnYARN", c), driver.Config{AppName: "test", YARN: &driver.YARN{AppID: "application_1_0001"}})
	if err == nil || !strings.Contains(err.Error(), "spark.task.cpus") {
		t.Errorf("on YARN: %v", err)
	}
}
