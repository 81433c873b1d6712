package tasks

import (
	"time"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// inOrder leaves offers as they are.
func inOrder(int, func(i, j int)) {}

// kit is a Scheduler whose time stands still until a test moves it, and that forgets Effects which no test asks for.
type kit struct {
	*Scheduler
	now time.Time
}

func newKit(cpus int, cfg Config) *kit {
	if cfg.Profiles == nil {
		cfg.Profiles = map[int32]*Profile{0: {CPUs: cpus}}
	}
	s, _ := New(cfg)
	return &kit{s, time.UnixMilli(1_000_000)}
}

// pool has sets whose tasks take a core each and may fail four times.
func pool(sets ...Set) *kit {
	p := newKit(1, Config{MaxFailures: 4})
	for _, s := range sets {
		p.Submit(s)
	}
	return p
}

// at are the free cores of executors.
type at []seat

type seat struct {
	executor, host string
	cores          int
}

func (a at) offers() []Offer {
	var out []Offer
	for _, o := range a {
		out = append(out, Offer{Executor: o.executor, Host: o.host, Cores: o.cores})
	}
	return out
}

func (k *kit) Submit(s Set) { k.Scheduler.Submit(s, k.now) }

func (k *kit) Offers(a at, shuffle func(int, func(i, j int))) []Launch {
	l, _ := k.Scheduler.Offers(a.offers(), true, shuffle, k.now)
	return l
}

func (k *kit) Update(id int64, state app.TaskState, r *app.TaskResult, f *app.TaskFailure) []rpcenv.Message {
	return k.Scheduler.Update(id, state, r, f, k.now).DAG
}

func mapped() *app.TaskResult { return &app.TaskResult{MapStatus: &storage.MapStatus{}} }

func (k *kit) runs(id int64) { k.Update(id, app.TaskState_RUNNING, nil, nil) }

func (k *kit) finish(id int64) []rpcenv.Message {
	return k.Update(id, app.TaskState_FINISHED, mapped(), nil)
}

func (k *kit) fail(id int64, kind string) []rpcenv.Message {
	return k.Update(id, app.TaskState_FAILED, nil, &app.TaskFailure{Kind: kind, Message: "m"})
}

func (k *kit) Abort(id int64, why string) []rpcenv.Message {
	return k.Scheduler.Abort(id, why, k.now).DAG
}

func (k *kit) ExecutorLost(id string, l Loss) []rpcenv.Message {
	return k.Scheduler.ExecutorLost(id, l, k.now).DAG
}

func (k *kit) Cancel(stage int32, why string) []Kill {
	return k.Scheduler.Cancel(stage, false, why, k.now).Kills
}
