package master

import (
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// RequestMasterState asks a Master, from within its Env, for what it knows.
type RequestMasterState struct{ rpcenv.Local }

// ReplyType is the answer.
func (RequestMasterState) ReplyType() *MasterState { return nil }

// MasterState is a copy of a Master's books. It mirrors
// org.apache.spark.deploy.DeployMessages.MasterStateResponse.
type MasterState struct { //nolint:revive // Spark calls it MasterStateResponse
	rpcenv.Local
	Address   rpcenv.Address
	State     RecoveryState
	Workers   []WorkerSummary      // in the order of registration; dead ones too, for a while
	Active    []ApplicationSummary // in the order of scheduling
	Completed []ApplicationSummary // the oldest first
}

// WorkerSummary is a Worker as a Master knows it.
type WorkerSummary struct {
	ID                 string
	Address            rpcenv.Address
	WebUIURL           string
	Cores, CoresUsed   int
	Memory, MemoryUsed int // MiB
	State              WorkerState
	LastHeartbeat      time.Time
}

// ApplicationSummary is an application as a Master knows it.
type ApplicationSummary struct {
	ID, Name, User string
	Driver         rpcenv.Ref
	State          ApplicationState
	Started, Ended time.Time
	MaxCores       int
	CoresGranted   int
	Failures       int               // of executors, in a row
	NotBefore      time.Time         // no executor is launched until then
	Executors      []ExecutorSummary // those that have not ended, by id
	// Refused is why no Worker can take one more executor, when an active application wants one.
	Refused []Refusal
}

// ExecutorSummary is an executor as a Master knows it.
type ExecutorSummary struct {
	ID      int
	Profile int
	Worker  string // its id
	Cores   int
	Memory  int // MiB
	State   deploy.ExecutorState
}

// snapshot copies the books: nothing in it changes later.
func (m *Master) snapshot(self rpcenv.Address) *MasterState {
	s := &MasterState{Address: self, State: m.state}
	for _, w := range m.workers {
		s.Workers = append(s.Workers, w.summary())
	}
	for _, a := range m.apps {
		sum := a.summary()
		for _, p := range a.Profiles() {
			if a.CoresLeft() < p.Step() || a.executorsOf(p.ID) >= p.Limit {
				continue
			}
			if usable, refused := Usable(m.workers, p); len(usable) == 0 {
				sum.Refused = append(sum.Refused, refused...)
			}
		}
		s.Active = append(s.Active, sum)
	}
	for _, a := range m.completed {
		s.Completed = append(s.Completed, a.summary())
	}
	return s
}

func (w *WorkerInfo) summary() WorkerSummary {
	return WorkerSummary{
		ID: w.ID, Address: rpcenv.Address{Host: w.Host, Port: w.Port}, WebUIURL: w.WebUIURL,
		Cores: w.Cores, CoresUsed: w.CoresUsed, Memory: w.Memory, MemoryUsed: w.MemoryUsed,
		State: w.State, LastHeartbeat: w.LastHeartbeat,
	}
}

func (a *ApplicationInfo) summary() ApplicationSummary {
	s := ApplicationSummary{
		ID: a.ID, Name: a.Desc.GetName(), User: a.Desc.GetUser(), Driver: a.Driver, State: a.State,
		Started: a.Started, Ended: a.Ended, MaxCores: a.MaxCores, CoresGranted: a.CoresGranted,
		Failures: a.health.failures, NotBefore: a.health.notBefore,
	}
	for _, e := range a.executors {
		s.Executors = append(s.Executors, ExecutorSummary{
			ID: e.ID, Profile: e.Profile, Worker: e.Worker.ID, Cores: e.Cores, Memory: e.Memory, State: e.State,
		})
	}
	return s
}
