package applicationmaster

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// started is the ApplicationMaster of a script, with these settings. Nothing has happened yet.
func started(t *testing.T, pairs map[string]string, config func(k *talk)) *talk {
	t.Helper()
	w := rpctest.New(t, 1)
	w.Conf = settings(t, pairs)
	k := newTalk(w)
	config(k)
	if _, err := k.start(""); err != nil {
		t.Fatal(err)
	}
	if b := k.am.Balances(); b != nil {
		t.Error("before there is an allocator it has", b)
	}
	return k
}

// What an executor's container gets, field by field: the files and the credentials are those of all, variables and command have its
// profile too. Scripts show only that it has them.
func TestTheCommandOfAnExecutor(t *testing.T) {
	k := started(t, map[string]string{"spark.executorEnv.GREETING": "hello", "spark.executor.cores": "2"}, func(k *talk) {
		k.config.Environment = []*yarn.StringStringMap{{Key: "SPARK_USER", Value: "ada"}}
		k.config.LocalResources = []*yarn.StringLocalResourceMap{{Key: "f", Value: &yarn.LocalResource{Size: 7}}}
		k.config.Credentials = []byte("tokens")
	})
	give := func(args string) {
		if _, err := k.give(args); err != nil {
			t.Fatal(err)
		}
		k.Advance(4 * time.Second)
	}
	give("2")
	k.driver.Send(k.ref, &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{
		{Profile: &deploy.ResourceProfile{Id: 3, ExecutorMemoryMb: 600, ExecutorCores: new(int32(1))}, Total: 1},
	}})
	give("1 priority={priority=3}")
	all := k.node.Waiting()
	if len(all) != 3 {
		t.Fatal(all)
	}
	for n, v := range map[int]struct{ id, cores, memory, profile string }{1: {"2", "2", "1024MiB", "0"}, 2: {"3", "1", "600MiB", "3"}} {
		want := &yarn.StartContainersRequest{StartContainerRequest: []*yarn.StartContainerRequest{{
			ContainerToken: &yarn.Token{Kind: "ContainerToken"},
			ContainerLaunchContext: &yarn.ContainerLaunchContext{
				LocalResources: k.config.LocalResources, Tokens: k.config.Credentials,
				Environment: []*yarn.StringStringMap{
					{Key: "GOGC", Value: "400"},
					{Key: "GOMAXPROCS", Value: v.cores},
					{Key: "GOMEMLIMIT", Value: v.memory},
					{Key: "SPARK_USER", Value: "ada"},
					{Key: "GREETING", Value: "hello"},
				},
				Command: []string{
					"{{PWD}}/__app__.jar", "executor", "--driver-url", "spark://CoarseGrainedScheduler@" + k.driver.Env.Address().String(),
					"--executor-id", v.id, "--hostname", k.node.Env.Address().Host, "--cores", v.cores, "--app-id", k.config.Attempt.App.String(),
					"--resourceProfileId", v.profile, "1><LOG_DIR>/stdout", "2><LOG_DIR>/stderr",
				},
			},
		}}}
		if got, ok := all[n].(*yarn.StartContainersRequest); !ok || !proto.Equal(got, want) {
			t.Errorf("%v\nwant %v", all[n], want)
		}
	}
}

// YARN-1902, SPARK-9396: ten are wanted, and a ResourceManager that counts its book down itself gives one between two calls. Ten are
// given, and no more; of Spark's eleven one is given back.
func TestTenThatComeOneByOneAreTen(t *testing.T) {
	for compat, want := range map[string]string{"fixed": "10 given, 0 back", "upstream": "11 given, 1 back"} {
		book, back := int32(0), 0
		k := started(t, map[string]string{"spark.executor.instances": "10", "coherer.compat": compat}, func(k *talk) {
			k.rm.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
				if q, ok := m.(*yarn.AllocateRequest); ok {
					if book > 0 {
						book--
						_, _ = k.give("1") // it is a number
					}
					for _, a := range q.GetAsk() {
						book = a.GetNumContainers()
					}
					back += len(q.GetRelease())
				}
				return false
			})
		})
		k.Advance(time.Minute)
		if got := fmt.Sprint(k.given, " given, ", back, " back"); got != want || len(k.node.Waiting()) != 10 {
			t.Errorf("%s: %s, want %s; %d started", compat, got, want, len(k.node.Waiting()))
		}
		if b := k.am.Balances()[0]; b.Running != 10 || b.Pending != 0 || b.Missing() != 0 {
			t.Error(compat, b)
		}
	}
}
