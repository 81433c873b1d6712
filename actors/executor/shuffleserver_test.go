package executor_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// withService is a boot beside a Worker whose shuffle service answers with answers in turn, the last one for ever; nil is success, and an
// error that is errSilent is no answer. It returns the times of the questions.
func withService(t *testing.T, answers ...error) (r *rig, asked *[]time.Duration) {
	t.Helper()
	asked = &[]time.Duration{}
	r = bootRig(t, nil, func(r *rig, x *executor.Boot) {
		env := r.Env("Worker", nil)
		x.Args.WorkerURL, x.LocalDirs = r.ProbeIn(env, "Worker").Ref.String(), []string{"/a", "/b"}
		began := r.Now()
		r.ProbeIn(env, "ExternalShuffleService").On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q := m.(*storage.RegisterShuffleExecutor)
			r.hear("ExternalShuffleService", q)
			*asked = append(*asked, r.Now().Sub(began).Truncate(time.Second))
			switch err := answers[min(len(*asked), len(answers))-1]; {
			case errors.Is(err, errSilent):
				rpcenv.Defer(c, q)
			case err != nil:
				rpcenv.Fail(c, q, err)
			default:
				rpcenv.Reply(c, q, &storage.ShuffleExecutorRegistered{ShuffleServerId: &storage.BlockManagerId{ExecutorId: "0", Host: "10.0.0.2", Port: 7337}})
			}
			return true
		})
	}, &app.Property{Key: "spark.shuffle.service.enabled", Value: "true"})
	return r, asked
}

var errSilent = errors.New("silent")

// Behind the block manager, and before it takes tasks: what it writes must be served.
func TestAnExecutorRegistersWithTheShuffleService(t *testing.T) {
	r, _ := withService(t, nil)
	r.expect(&app.LaunchedExecutor{})
	at := slices.IndexFunc(r.heard, func(line string) bool { return strings.HasPrefix(line, "ExternalShuffleService") })
	if at < 1 || r.heard[at] != `ExternalShuffleService RegisterShuffleExecutor{app_id:"app" exec_id:"0" executor_info:{local_dirs:"/a" local_dirs:"/b"}}` ||
		!strings.HasPrefix(r.heard[at-1], "BlockManagerMaster RegisterBlockManager") {
		t.Errorf("the driver and the service heard %q", r.heard)
	}
}

func TestMapOutputsLieAtTheShuffleService(t *testing.T) {
	r, _ := withService(t, nil)
	r.expect(&app.LaunchedExecutor{})
	r.launch(mapTask(t, 0, 0))
	if at := r.end().GetResult().GetMapStatus().GetLocation(); at.GetPort() != 7337 || at.GetExecutorId() != "0" {
		t.Errorf("the output lies at %v", at)
	}
	r = newRig(t)
	r.launch(mapTask(t, 0, 0))
	if at := r.end().GetResult().GetMapStatus().GetLocation(); at.GetPort() != 1 {
		t.Errorf("without a service the output lies at %v", at)
	}
}

// An answer that does not come counts as a failure after 5 s; between two tries are 5 s.
func TestARegistrationIsTriedAgain(t *testing.T) {
	r, asked := withService(t, errors.New("not yet"), errSilent, nil)
	r.expect(&app.LaunchedExecutor{})
	if want := []time.Duration{0, 5 * time.Second, 15 * time.Second}; !slices.Equal(*asked, want) {
		t.Errorf("it asked after %v, want %v", *asked, want)
	}
}

// Three tries, and then the driver hears why: nobody would serve what it computes.
func TestAnExecutorWithoutAShuffleServiceEnds(t *testing.T) {
	r, asked := withService(t, errors.New("no"))
	m := r.expect(&app.RemoveExecutor{}).(*app.RemoveExecutor)
	if code := r.exited(); code != 1 || len(*asked) != 3 ||
		!strings.Contains(m.GetReason(), "Unable to register with external shuffle server due to : no") || !strings.Contains(m.GetReason(), "spark.shuffle.service.enabled") {
		t.Errorf("exit code %d after %d tries: %s", code, len(*asked), m.GetReason())
	}
}

// A local application has neither Worker nor NodeManager.
func TestAnExecutorOfALocalApplicationNeedsNoShuffleService(t *testing.T) {
	r := startRig(t, nil, &app.Property{Key: "spark.shuffle.service.enabled", Value: "true"})
	r.expect(&app.LaunchedExecutor{})
}

// On YARN the service is the NodeManager's.
func TestOnYARNTheShuffleServiceIsTheNodeManagers(t *testing.T) {
	asked := false
	r := bootRig(t, nil, func(r *rig, x *executor.Boot) {
		node := r.ProbeIn(r.Env("NM", nil), "ExternalShuffleService")
		x.NodeManager = node.Env.Address()
		node.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			asked = true
			rpcenv.Reply(c, m.(*storage.RegisterShuffleExecutor), &storage.ShuffleExecutorRegistered{ShuffleServerId: &storage.BlockManagerId{}})
			return true
		})
	}, &app.Property{Key: "spark.shuffle.service.enabled", Value: "true"})
	r.expect(&app.LaunchedExecutor{})
	if !asked {
		t.Error("it was not asked")
	}
}
