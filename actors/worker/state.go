package worker

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// key names an executor: ids count from 0 in each application.
type key struct {
	app string
	id  int32
}

// String is Spark's full id, APP/ID.
func (k key) String() string { return fmt.Sprintf("%s/%d", k.app, k.id) }

// executor is one process that the Master ordered. It mirrors ExecutorRunner.
type executor struct {
	key             key
	rpID            int32
	cores, memoryMB int
	resources       []*deploy.ResourceInformation
	desc            *deploy.ApplicationDescription
	state           deploy.ExecutorState
	process         rpcenv.Process // nil until it is started
	killed          bool           // its end was asked for
	ending          bool           // by the end of the Worker
	message         string
	exitStatus      *int32
}

func (x *executor) description() *deploy.ExecutorDescription {
	return &deploy.ExecutorDescription{
		AppId: x.key.app, ExecId: x.key.id, RpId: x.rpID,
		Cores: int32(x.cores), MemoryMb: int32(x.memoryMB), State: x.state,
	}
}

// finished reports whether nothing follows s. It mirrors ExecutorState.isFinished.
func finished(s deploy.ExecutorState) bool {
	switch s {
	case deploy.ExecutorState_KILLED, deploy.ExecutorState_FAILED, deploy.ExecutorState_LOST, deploy.ExecutorState_EXITED:
		return true
	}
	return false
}

// mayFollow reports whether an executor may go from one state to another: LAUNCHING to RUNNING to a finished one, or
// straight to a finished one.
func mayFollow(from, to deploy.ExecutorState) bool {
	return !finished(from) && (finished(to) || from == deploy.ExecutorState_LAUNCHING && to == deploy.ExecutorState_RUNNING)
}

// books are the executors and drivers of a Worker: what runs, what it takes, what ran.
type books struct {
	driverBooks
	live                    []*executor // in the order of their launch
	ended                   []*executor // oldest first
	retained                int         // how many of ended are kept
	coresUsed, memoryUsedMB int
	apps                    map[string]bool // applications that have had an executor here; true: finished
}

func newBooks(executors, drivers int) *books {
	return &books{retained: executors, driverBooks: driverBooks{retainedDrivers: drivers}, apps: map[string]bool{}}
}

// find is the live executor of that name, or nil.
func (b *books) find(k key) *executor {
	for _, x := range b.live {
		if x.key == k {
			return x
		}
	}
	return nil
}

// add enters a new executor.
func (b *books) add(x *executor) {
	b.live = append(b.live, x)
	b.coresUsed += x.cores
	b.memoryUsedMB += x.memoryMB
	if _, known := b.apps[x.key.app]; !known {
		b.apps[x.key.app] = false
	}
}

// end moves x to those that ended and gives back what it had.
func (b *books) end(x *executor) {
	i := slices.Index(b.live, x)
	if i < 0 {
		return
	}
	b.live = slices.Delete(b.live, i, i+1)
	b.coresUsed -= x.cores
	b.memoryUsedMB -= x.memoryMB
	b.ended = trim(append(b.ended, x), b.retained)
}

// trim drops the oldest tenth, at least one, of a list that is longer than retained. It mirrors
// Worker.trimFinishedExecutorsIfNecessary.
func trim[T any](list []T, retained int) []T {
	if len(list) <= retained {
		return list
	}
	return slices.Clone(list[max(len(list)/10, 1):])
}

// finishApp notes that an application ended.
func (b *books) finishApp(app string) {
	if _, known := b.apps[app]; known { // the Master sends ApplicationFinished to all Workers: others would pile up here
		b.apps[app] = true
	}
}

// forgetApp reports whether an application has ended and has no executor left, and if so forgets it. It mirrors the
// condition of Worker.maybeCleanupApplication.
func (b *books) forgetApp(app string) bool {
	if !b.apps[app] {
		return false
	}
	if slices.ContainsFunc(b.live, func(x *executor) bool { return x.key.app == app }) {
		return false
	}
	delete(b.apps, app)
	return true
}

// descriptions are the live executors as reports describe them.
func (b *books) descriptions() []*deploy.ExecutorDescription {
	var out []*deploy.ExecutorDescription
	for _, x := range b.live {
		out = append(out, x.description())
	}
	return out
}
