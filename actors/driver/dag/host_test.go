package dag

import (
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
)

// on says on which host a map output lies, or from which one a task has failed to fetch.
func on(host string, m tasks.CompletionEvent) tasks.CompletionEvent {
	if at := m.Result.GetMapStatus().GetLocation(); at != nil {
		at.Host = host
	}
	if m.Reason.Fetch != nil && m.Reason.Fetch.From != nil {
		m.Reason.Fetch.From.Host = host
	}
	return m
}

func decommissioned(id string, wholeHost bool) event.ExecutorChange {
	return event.ExecutorChange{Kind: event.ExecutorDecommissioned, ExecutorID: id, WholeHost: wholeHost}
}

const unRegisterOnHost = "spark.files.fetchFailure.unRegisterOutputOnHost"

// onHosts is a rig whose job reduces outputs of a and b on one host and of c on another.
func onHosts(t *testing.T, values map[string]string, external bool) *rig {
	t.Helper()
	r := newRigWith(t, values, nil, func(cfg *Config) { cfg.ExternalShuffle = external })
	submit(r, counted.With(0))
	r.tell(on("h", mapped(0, 0, 0, "a", 0)), on("h", mapped(0, 0, 1, "b", 0)), on("i", mapped(0, 0, 2, "c", 0)))
	r.forget()
	return r
}

// A failure to fetch gives up the outputs of the whole host when the settings say so and the host is decommissioned, or a shuffle
// service has them; else those of the executor.
func TestAFetchFailureMayGiveUpAHost(t *testing.T) {
	const onExecutor, onHost = "T: drop all at a, epoch 3", "T: drop all on h, epoch 3"
	one := []string{"S: submit 0.1 [0]", "L: job 0 stage 0.1: 1 tasks for shuffle 0"}
	two := []string{"S: submit 0.1 [0 1]", "L: job 0 stage 0.1: 2 tasks for shuffle 0"}
	for name, k := range map[string]struct {
		setting   string
		wholeHost bool
		external  bool
		drop      string
		again     []string
	}{
		"neither":                   {"true", false, false, onExecutor, one},
		"a host that leaves":        {"true", true, false, onHost, two},
		"a host that leaves, unset": {"false", true, false, onExecutor, one},
		"a service":                 {"true", false, true, onHost, two},
		"a service, unset":          {"false", false, true, onExecutor, one},
	} {
		t.Run(name, func(t *testing.T) {
			r := onHosts(t, map[string]string{unRegisterOnHost: k.setting}, k.external)
			r.tell(decommissioned("a", k.wholeHost), on("h", missed(1, 0, 0, 0, 0, "a", 1)))
			r.want("L: job 0 stage 1.0 ends: gone", "T: drop 0/0 at a, epoch 2", k.drop)
			r.Advance(resubmitDelay)
			r.want(k.again...)
		})
	}
}

// A report of before the loss of an executor says nothing new, but of a host that leaves: others there may have lost theirs since.
func TestAHostThatLeavesIsGivenUpAgain(t *testing.T) {
	r := onHosts(t, map[string]string{unRegisterOnHost: "true"}, false)
	r.tell(decommissioned("a", true), lost(event.ExecutorLossPending, "a"))
	r.forget()
	r.tell(on("h", missed(1, 0, 0, 0, 0, "a", 1)))
	r.want("L: job 0 stage 1.0 ends: gone", "T: drop all on h, epoch 3")
	r = onHosts(t, map[string]string{unRegisterOnHost: "true"}, true)
	r.tell(on("h", missed(1, 0, 0, 0, 0, "a", 1)), on("h", missed(1, 0, 1, 0, 1, "a", 1)))
	r.want("L: job 0 stage 1.0 ends: gone", "T: drop 0/0 at a, epoch 2", "T: drop all on h, epoch 3")
}

// With a shuffle service outputs outlive their executor, and go with its Worker. Without one it is the other way round.
func TestAShuffleServiceKeepsOutputs(t *testing.T) {
	removed := event.WorkerRemoved{ID: "w", Host: "h"}
	r := onHosts(t, nil, true)
	r.tell(lost(event.ExecutorLossPending, "a"), lost(event.ExecutorLost, "a"))
	r.want()
	r.tell(removed)
	r.want("T: drop all on h, epoch 2")
	r = onHosts(t, nil, false)
	r.tell(removed)
	r.want()
	r.tell(lost(event.ExecutorLost, "a"))
	r.want("T: drop all at a, epoch 2")
}

// Failures to fetch from an executor that is decommissioned count only when the settings say so, or when it is gone.
func TestFailuresToFetchFromExecutorsThatLeaveDoNotCount(t *testing.T) {
	for name, k := range map[string]struct {
		ignore string
		then   event.ExecutorKind
		fails  bool
	}{
		"as by default":         {"true", 0, false},
		"without the setting":   {"false", 0, true},
		"when its reason lacks": {"true", event.ExecutorLossPending, false},
		"when it has gone":      {"true", event.ExecutorLost, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := reducing(t, map[string]string{"spark.stage.ignoreDecommissionFetchFailure": k.ignore, "spark.stage.maxConsecutiveAttempts": "1"})
			r.tell(decommissioned("a", false))
			if k.then != 0 {
				r.tell(lost(k.then, "a"))
			}
			r.tell(missed(1, 0, 0, 0, 0, "a", 1))
			if failed := len(r.bad) > 0; failed != k.fails {
				t.Errorf("the job failed: %v", r.bad)
			}
		})
	}
}
