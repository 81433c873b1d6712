package driver

import (
	"cmp"
	"slices"

	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// executor is a registered executor. It mirrors org.apache.spark.scheduler.cluster.ExecutorData.
type executor struct {
	id, host   string
	ref        rpcenv.Ref
	totalCores int
	// launched: LaunchedExecutor came; freeCores is 0 until then.
	launched  bool
	freeCores int
	// lossPending: its connection ended; removal is the timer that gives it up.
	lossPending bool
	removal     rpcenv.Timer
	// decommissioned: it ends when it has finished its tasks.
	decommissioned bool
	// removing: its end was asked for.
	removing bool
	// state is what the trace had last: the fields above may hold at the same time.
	state string
}

// becomes records a change of the executor's state.
func (e *executor) becomes(c *rpcenv.Context, state, why string) {
	c.State("executor", e.id, e.state, state, why)
	e.state = state
}

// executors are the registered executors.
type executors struct {
	byID      map[string]*executor
	byAddress map[rpcenv.Address]*executor
	sorted    []*executor // by id, ids that are numbers as numbers
}

func newExecutors() executors {
	return executors{byID: map[string]*executor{}, byAddress: map[rpcenv.Address]*executor{}}
}

func byID(a, b *executor) int {
	return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
}

// add enters an executor; false when its id is taken.
func (x *executors) add(e *executor) bool {
	if x.byID[e.id] != nil {
		return false
	}
	x.byID[e.id], x.byAddress[e.ref.Address] = e, e
	at, _ := slices.BinarySearchFunc(x.sorted, e, byID)
	x.sorted = slices.Insert(x.sorted, at, e)
	return true
}

func (x *executors) remove(e *executor) {
	delete(x.byID, e.id)
	if x.byAddress[e.ref.Address] == e {
		delete(x.byAddress, e.ref.Address)
	}
	if at, found := slices.BinarySearchFunc(x.sorted, e, byID); found {
		x.sorted = slices.Delete(x.sorted, at, at+1)
	}
}

// cores are those of the executors that may take tasks.
func (x *executors) cores() int {
	n := 0
	for _, e := range x.sorted {
		if e.launched && e.usable() {
			n += e.totalCores
		}
	}
	return n
}

// launched is how many executors may take tasks.
func (x *executors) launched() int {
	n := 0
	for _, e := range x.sorted {
		if e.launched && e.usable() {
			n++
		}
	}
	return n
}

// offers are the free cores of the executors that may take tasks.
func (x *executors) offers() []tasks.Offer {
	var out []tasks.Offer
	for _, e := range x.sorted {
		out = append(out, e.offer()...)
	}
	return out
}

// usable reports whether the executor may be given tasks.
func (e *executor) usable() bool { return !e.lossPending && !e.decommissioned && !e.removing }

// offer is the executor's free cores, if it may take tasks.
func (e *executor) offer() []tasks.Offer {
	if !e.usable() || e.freeCores == 0 {
		return nil
	}
	return []tasks.Offer{{Executor: e.id, Host: e.host, Cores: e.freeCores, Address: e.ref.Address.String()}}
}
