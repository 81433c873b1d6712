package invariant_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The executor of the forged ResourceManager, and its container.
const (
	exec1      = "executor 1 of spark://CoarseGrainedScheduler@10.0.0.5:1"
	container2 = "container_1_0001_01_000002"
)

// onYARN is a quiet cluster: M1 is a ResourceManager, W1 a NodeManager with D's executor 1.
func onYARN(changes ...func(*invariant.Snapshot)) invariant.Snapshot {
	s := invariant.Snapshot{
		Managers: []invariant.Manager{{
			Name: "M1", Nodes: map[string]invariant.Node{at(w1): {Memory: 8192, Used: 1024}},
			Given: map[string]invariant.Given{container2: {Node: at(w1), Memory: 1024, Running: true}},
		}},
		Workers:    []rpcenv.Address{places[w1]},
		Containers: []invariant.Container{{ID: container2, Node: at(w1), Executor: exec1}},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func at(env uint32) string { return places[env].String() }

// watch looks at a quiet cluster for d, at its beginning, each second and at its end; nodes are heard of each second.
func (f *forger) watch(s invariant.Snapshot, d time.Duration, heard ...uint32) {
	s.Quiet = time.Hour
	for end := f.now.Add(d); ; f.wait(min(time.Second, end.Sub(f.now))) {
		for _, n := range heard {
			f.beats(m1, n)
		}
		s.Now = f.now
		f.Look(s)
		if !f.now.Before(end) {
			return
		}
	}
}

func noProcess(s *invariant.Snapshot) { s.Containers = nil }
func notGiven(s *invariant.Snapshot) {
	s.Managers[0].Given, s.Managers[0].Nodes[at(w1)] = nil, invariant.Node{Memory: 8192}
}
func paused(s *invariant.Snapshot)    { s.Containers[0].Paused = true }
func noManager(s *invariant.Snapshot) { s.Managers[0].Nodes = nil; s.Managers[0].Given = nil }
func notRunning(s *invariant.Snapshot) {
	s.Managers[0].Given[container2] = invariant.Given{Node: at(w1), Memory: 1024}
}

// begins is a container at its NodeManager, ends its end there.
func (f *forger) begins(node uint32) {
	f.state(node, "ContainerManager", "container", container2, "", "NEW", "", nil)
}

func (f *forger) ends2(node uint32) {
	f.state(node, "ContainerManager", "container", container2, "RUNNING", "DONE", "", nil)
}

// lost: D gives executor 1 up.
func (f *forger) lost(to string) {
	f.state(dr, "CoarseGrainedScheduler", "executor", "1", "REGISTERED", to, "silent", nil)
}

// passes is a state that something of a kind comes to at an endpoint of an Env, before a long look.
func (f *forger) passes(env uint32, endpoint, kind, to string, d time.Duration) {
	f.state(env, endpoint, kind, "x", "A", to, "", nil)
	f.watch(onYARN(), d, w1)
}

// submits an application that may have most attempts, whose failures count for within.
func (f *forger) submits(most int32, within time.Duration) {
	f.oneWay(dr, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: &yarn.ApplicationId{Id: 1, ClusterTimestamp: 1}, MaxAppAttempts: most, AttemptFailuresValidityInterval: within.Milliseconds(),
	}}, m1, "ClientRMService", nil)
}

// attempts begin, and fail for a reason; the last one begins.
func (f *forger) attempts(n int, each time.Duration, why string) {
	for i := 1; i <= n+1; i++ {
		id := fmt.Sprintf("appattempt_1_0001_%06d", i)
		f.state(m1, "ClientRMService", "attempt", id, "", "NEW", "", nil)
		f.wait(each)
		if i <= n {
			f.state(m1, "ClientRMService", "attempt", id, "RUNNING", "FINAL_SAVING", why, nil)
			f.state(m1, "ClientRMService", "attempt", id, "FINAL_SAVING", "FAILED", why, nil)
		}
	}
}

// recovers is a ResourceManager that reads n attempts from its records, all of which have failed.
func (f *forger) recovers(n int) {
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("appattempt_1_0001_%06d", i)
		f.state(m1, "ClientRMService", "attempt", id, "", "NEW", "recovered", nil)
		f.state(m1, "ClientRMService", "attempt", id, "NEW", "FAILED", "recovered", nil)
	}
}

// lastWord is an attempt that fails when its ResourceManager does: the next one reads the end, and an attempt more begins.
func (f *forger) lastWord(why string) {
	f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000001", "", "NEW", "", nil)
	f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000001", "RUNNING", "FINAL_SAVING", why, nil)
	f.recovers(1)
	f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000002", "", "NEW", "", nil)
}

// executors are started, and their containers end for a reason; one more is started.
func (f *forger) executors(n int, each time.Duration, why string) {
	for i := 2; i <= n+2; i++ {
		id := fmt.Sprintf("container_1_0001_01_%06d", i)
		f.state(dr, "YarnAM", "container", id, "", "LAUNCHING", "", nil)
		f.wait(each)
		if i < n+2 {
			f.state(dr, "YarnAM", "container", id, "", "COMPLETED", why, nil)
		}
	}
}

// registerNode is a node that registers, and is answered so.
func (f *forger) registerNode(action yarn.NodeAction, why string) {
	q := f.send(w1, &yarn.RegisterNodeManagerRequest{}, m1, "ResourceTracker", ask, nil)
	f.answer(m1, q, w1, "yarn.RegisterNodeManagerRequest", &yarn.RegisterNodeManagerResponse{NodeAction: action, DiagnosticsMessage: why}, reply)
}

// registerMaster is an ApplicationMaster that registers, and is answered so.
func (f *forger) registerMaster(form tracepb.Form) {
	q := f.send(dr, &yarn.RegisterApplicationMasterRequest{ApplicationAttemptId: &yarn.ApplicationAttemptId{
		ApplicationId: &yarn.ApplicationId{Id: 1, ClusterTimestamp: 1}, AttemptId: 1,
	}}, m1, "ApplicationMasterService", ask, nil)
	f.answer(m1, q, dr, "yarn.RegisterApplicationMasterRequest", &rpc.Bool{}, form)
}

const (
	ended = "AM Container for appattempt_1_0001_000001 exited with  exitCode: "
	fault = "Container marked as failed: x on host: h. Exit status: 1. Diagnostics: ."
)

// Each rule on YARN.
func TestEachRuleOnYARN(t *testing.T) {
	judge(t, []forged{
		{"I1", "one process", "", func(f *forger) { f.watch(onYARN(), 0) }},
		{"I1", "two processes of a container", container2 + " has two processes, of the NodeManagers at 10.0.0.3:1 and 10.0.0.4:1", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) {
				s.Containers = append(s.Containers, invariant.Container{ID: container2, Node: at(w2)})
			}), 0)
		}},
		{"I1", "two containers without an executor", "", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) {
				s.Containers = []invariant.Container{{ID: "a", Node: at(w1)}, {ID: "b", Node: at(w1)}}
			}), 0)
		}},
		{"I1", "two containers of one executor", exec1 + " has two processes", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) {
				s.Containers = append(s.Containers, invariant.Container{ID: "b", Node: at(w2), Executor: exec1})
			}), 0)
		}},
		{"I1", "a container that another node has", "W2 starts " + container2 + ", which W1 has", func(f *forger) { f.begins(w1); f.begins(w2) }},
		{"I1", "a container that ended", "", func(f *forger) { f.begins(w1); f.ends2(w1); f.begins(w2) }},
		{"I1", "a container of a NodeManager that crashed", "", func(f *forger) {
			f.begins(w1)
			f.state(w1, "", "process", "W1", "", "crashed", "", nil)
			f.begins(w2)
		}},

		{"I2", "equal on YARN", "", func(f *forger) { f.watch(onYARN(), time.Hour, w1) }},
		{"I2", "more used than given", "M1 counts 2048 MiB as used on 10.0.0.3:1, where it gave 1024", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) { s.Managers[0].Nodes[at(w1)] = invariant.Node{Memory: 8192, Used: 2048} }), 0)
		}},
		{"I2", "counted for two heartbeats", "", func(f *forger) { f.watch(onYARN(noProcess), 2*time.Second, w1) }},
		{"I2", "counted for longer", "M1 counts " + container2 + " as running on 10.0.0.3:1 with 1024 MiB, and it does not live", func(f *forger) {
			f.watch(onYARN(noProcess), 3*time.Second, w1)
		}},
		{"I2", "on another node", "and it does not live", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) { s.Containers[0].Node = at(w2) }), 3*time.Second, w1)
		}},
		{"I2", "on a silent node, until it is given up", "", func(f *forger) { f.watch(onYARN(noProcess), 801*time.Second) }},
		{"I2", "on a silent node, for longer", "and it does not live", func(f *forger) { f.watch(onYARN(noProcess), 802*time.Second) }},
		{"I2", "on a node that is heard of again", "", func(f *forger) {
			f.watch(onYARN(noProcess), 100*time.Second)
			f.watch(onYARN(noProcess), 2*time.Second, w1)
		}},
		{"I2", "lives, and is given", "", func(f *forger) { f.watch(onYARN(notRunning), 2*time.Second, w1) }},
		{"I2", "lives, and is not running for longer", container2 + " lives on 10.0.0.3:1 with 1024 MiB, and M1 does not count it as running", func(f *forger) {
			f.watch(onYARN(notRunning), 3*time.Second, w1)
		}},
		{"I2", "lives on a silent node", "", func(f *forger) { f.watch(onYARN(notRunning), time.Hour) }},
		{"I2", "given, and not started", "", func(f *forger) { f.watch(onYARN(notRunning, noProcess), time.Hour, w1) }},

		{"I3", "an attempt that waits for room", "", func(f *forger) {
			f.passes(m1, "ClientRMService", "attempt", "SUBMITTED", 0)
			f.passes(m1, "ClientRMService", "attempt", "SCHEDULED", time.Hour)
		}},
		{"I3", "a record that is written", "", func(f *forger) { f.passes(m1, "ClientRMService", "attempt", "ALLOCATED_SAVING", time.Second) }},
		{"I3", "a record that is not", "M1: attempt x has been ALLOCATED_SAVING for longer than 1s", func(f *forger) {
			f.passes(m1, "ClientRMService", "attempt", "ALLOCATED_SAVING", 2*time.Second)
		}},
		{"I3", "an ApplicationMaster that does not come, until it is given up", "", func(f *forger) {
			f.passes(m1, "ClientRMService", "attempt", "LAUNCHED", 1201*time.Second)
		}},
		{"I3", "an ApplicationMaster that does not come", "attempt x has been LAUNCHED", func(f *forger) {
			f.passes(m1, "ClientRMService", "attempt", "LAUNCHED", 1202*time.Second)
		}},
		{"I3", "of a ResourceManager that is gone", "", func(f *forger) {
			f.passes(m1, "ClientRMService", "application", "FINAL_SAVING", 0)
			f.state(m1, "", "process", "M1", "", "crashed", "", nil)
			f.watch(onYARN(), time.Hour, w1)
		}},
		{"I3", "a container that nobody fetches", "container x has been ALLOCATED", func(f *forger) { f.passes(m1, "Scheduler", "container", "ALLOCATED", time.Hour) }},
		{"I3", "a reservation", "", func(f *forger) {
			f.passes(m1, "Scheduler", "container", "ACQUIRED", 0)
			f.passes(m1, "Scheduler", "container", "RESERVED", time.Hour)
		}},
		{"I3", "a container that is killed", "", func(f *forger) { f.passes(w1, "ContainerManager", "container", "KILLING", 3*time.Second) }},
		{"I3", "a container that is not killed", "W1: container x has been KILLING for longer than 3.25s", func(f *forger) {
			f.passes(w1, "ContainerManager", "container", "KILLING", 4*time.Second)
		}},
		{"I3", "an application that a node runs", "", func(f *forger) {
			f.passes(w1, "ContainerManager", "application", "INITING", 0)
			f.passes(w1, "ContainerManager", "application", "RUNNING", time.Hour)
		}},
		{"I3", "a start that is not answered", "container x has been LAUNCHING", func(f *forger) { f.passes(dr, "YarnAM", "container", "LAUNCHING", time.Hour) }},
		{"I3", "an executor whose end is reported when its node is given up", "", func(f *forger) {
			f.passes(dr, "CoarseGrainedScheduler", "executor", "LOSS_PENDING", 804*time.Second)
		}},
		{"I3", "an executor whose end is never reported", "D: executor x has been LOSS_PENDING", func(f *forger) {
			f.passes(dr, "CoarseGrainedScheduler", "executor", "LOSS_PENDING", 805*time.Second)
		}},

		{"I4", "demand for six seconds", "", func(f *forger) { f.starve(6*time.Second, func() {}) }},
		{"I4", "no container though there is room", "appattempt_1_0001_000001 waits for containers and gets none of M1: N1 has 8 GiB free", func(f *forger) {
			f.starve(7*time.Second, func() {})
		}},
		{"I4", "a node that was heard of lately", "appattempt_1_0001_000001 waits for containers and gets none of M1: N1 has 8 GiB free; 10.0.0.3:1 is heard of", func(f *forger) {
			for range 4 {
				f.starve(0, func() {})
				f.unheard(2*time.Second, w1)
			}
		}},
		{"I4", "a node that is not heard of", "", func(f *forger) { f.starve(3*time.Second, func() {}); f.unheard(time.Hour, w1) }},
		{"I4", "a node that never was heard of", "", func(f *forger) { f.unheard(time.Hour, w1) }},
		{"I4", "a node that is heard of again", "gets none of M1", func(f *forger) { f.unheard(time.Hour, w1); f.starve(7*time.Second, func() {}) }},
		{"I4", "a node whose heartbeats are not handled", "", func(f *forger) {
			for range 30 {
				f.oneWay(w1, &yarn.NodeHeartbeatRequest{}, m1, "ResourceTracker", nil)
				f.unheard(time.Second, w1)
			}
		}},
		{"I4", "another node is not heard of", "10.0.0.3:1 is heard of", func(f *forger) {
			for range 12 {
				f.beats(m1, w1)
				f.unheard(time.Second, w2, w1)
			}
		}},
		{"I4", "another node is heard of", "", func(f *forger) {
			for range 30 {
				f.beats(m1, w1)
				f.unheard(time.Second, w2)
			}
		}},
		{"I4", "another ResourceManager hears of it", "", func(f *forger) {
			for range 30 {
				f.beats(m2, w1)
				f.unheard(time.Second, w1)
			}
		}},
		{"I4", "a container now and then", "", func(f *forger) {
			for range 4 {
				f.starve(5*time.Second, func() { f.given("1_0001_01_000002") })
			}
		}},

		{"I5", "counted on YARN", "", func(f *forger) { f.watch(onYARN(), time.Hour, w1) }},
		{"I5", "not counted for three heartbeats", "", func(f *forger) { f.watch(onYARN(notGiven), 3*time.Second, w1) }},
		{"I5", "not counted for longer", "M1 does not count " + container2 + " on the node at 10.0.0.3:1, and it lives", func(f *forger) {
			f.watch(onYARN(notGiven), 4*time.Second, w1)
		}},
		{"I5", "counted elsewhere", "M1 does not count " + container2 + " on the node at 10.0.0.3:1", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) {
				s.Managers[0].Given[container2] = invariant.Given{Node: at(w2), Memory: 1024, Running: true}
			}), 4*time.Second, w1)
		}},
		{"I5", "on a node that is not heard of", "", func(f *forger) { f.watch(onYARN(notGiven), time.Hour) }},
		{"I5", "on a node that is heard of again", "does not count", func(f *forger) {
			f.watch(onYARN(notGiven), time.Minute)
			f.watch(onYARN(notGiven), 4*time.Second, w1)
		}},
		{"I5", "on a node that was just heard of again", "", func(f *forger) {
			f.watch(onYARN(notGiven), time.Minute)
			f.watch(onYARN(notGiven), 3*time.Second, w1)
		}},
		{"I5", "on a node that has not registered", "", func(f *forger) { f.watch(onYARN(noManager), time.Hour, w1) }},
		{"I5", "paused on YARN", "", func(f *forger) { f.watch(onYARN(notGiven, paused), time.Hour, w1) }},
		{"I5", "without a NodeManager", "the NodeManager of " + container2 + " at 10.0.0.3:1 is gone, and it lives", func(f *forger) {
			f.watch(onYARN(func(s *invariant.Snapshot) { s.Workers = nil }), 4*time.Second)
		}},
		{"I5", "given up by its driver on YARN, and stopped with the next call", "", func(f *forger) { f.lost("LOST"); f.watch(onYARN(), 6*time.Second, w1) }},
		{"I5", "given up by its driver on YARN", "D has given up the executor in " + container2 + ", and it lives", func(f *forger) {
			f.lost("LOST")
			f.watch(onYARN(), 7*time.Second, w1)
		}},
		{"I5", "registered again", "", func(f *forger) { f.lost("LOST"); f.lost("REGISTERED"); f.watch(onYARN(), time.Hour, w1) }},

		{"I8", "a node registers again", "", func(f *forger) {
			f.registerNode(yarn.NodeAction_NORMAL, "")
			f.registerNode(yarn.NodeAction_NORMAL, "")
		}},
		{"I8", "a node that is too small", "", func(f *forger) {
			f.registerNode(yarn.NodeAction_NODE_SHUTDOWN, "it does not satisfy minimum allocations")
		}},
		{"I8", "a node that was accepted is refused", "M1 refuses the node at 10.0.0.3:1, which it accepted before: Duplicate", func(f *forger) {
			f.registerNode(yarn.NodeAction_NORMAL, "")
			f.registerNode(yarn.NodeAction_NODE_SHUTDOWN, "Duplicate")
		}},
		{"I8", "a node that was excluded meanwhile", "", func(f *forger) {
			f.registerNode(yarn.NodeAction_NORMAL, "")
			f.registerNode(yarn.NodeAction_NODE_SHUTDOWN, "Disallowed NodeManager from  10.0.0.3")
		}},
		{"I8", "an ApplicationMaster registers again", "", func(f *forger) { f.registerMaster(reply); f.registerMaster(reply) }},
		{"I8", "an ApplicationMaster that comes too early", "", func(f *forger) { f.registerMaster(fail); f.registerMaster(reply) }},
		{"I8", "an ApplicationMaster that was accepted is refused", "M1 refuses the ApplicationMaster of appattempt_1_0001_000001, which it accepted before", func(f *forger) {
			f.registerMaster(reply)
			f.registerMaster(fail)
		}},
		{"I8", "an ApplicationMaster whose attempt is over", "", func(f *forger) {
			f.registerMaster(reply)
			f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000001", "RUNNING", "FINAL_SAVING", "", nil)
			f.registerMaster(fail)
		}},

		{"I9", "the last attempt", "", func(f *forger) { f.submits(2, 0); f.attempts(1, time.Second, ended+"1") }},
		{"I9", "an attempt more", "appattempt_1_0001_000003 begins, after 2 of application_1_0001 failed by themselves; 2 may", func(f *forger) {
			f.submits(9, 0)
			f.attempts(2, time.Second, ended+"1")
		}},
		{"I9", "its own bound", "appattempt_1_0001_000002 begins, after 1", func(f *forger) { f.submits(1, 0); f.attempts(1, time.Second, "it timed out") }},
		{"I9", "attempts whose nodes were lost", "", func(f *forger) { f.submits(2, 0); f.attempts(9, time.Second, ended+"-100\nFailing") }},
		{"I9", "failures of long ago", "", func(f *forger) { f.submits(2, time.Minute); f.attempts(9, 61*time.Second, ended+"1") }},
		{"I9", "failures of lately", "begins, after 2", func(f *forger) { f.submits(2, time.Minute); f.attempts(2, time.Second, ended+"1") }},
		{"I9", "an attempt that is read again", "", func(f *forger) {
			f.submits(2, 0)
			f.attempts(1, time.Second, ended+"1")
			f.recovers(1)
			f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000002", "", "NEW", "recovered", nil)
		}},
		{"I9", "attempts that are read again", "appattempt_1_0001_000003 begins, after 2 of application_1_0001", func(f *forger) {
			f.submits(2, 0)
			f.attempts(1, time.Second, ended+"1")
			f.recovers(1)
			f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000002", "RUNNING", "FINAL_SAVING", ended+"1", nil)
			f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000002", "FINAL_SAVING", "FAILED", ended+"1", nil)
			f.state(m1, "ClientRMService", "attempt", "appattempt_1_0001_000003", "", "NEW", "", nil)
		}},
		{"I9", "a failure that only the next ResourceManager reads", "appattempt_1_0001_000002 begins, after 1", func(f *forger) {
			f.submits(1, 0)
			f.lastWord(ended + "1")
		}},
		{"I9", "a lost node that only the next ResourceManager reads of", "", func(f *forger) { f.submits(1, 0); f.lastWord(ended + "-100\nFailing") }},
		{"I9", "ninety-nine executors that end", "", func(f *forger) { f.executors(99, time.Second, fault) }},
		{"I9", "a hundred", "is started, after 100 other executors of application_1_0001 ended early within 5m0s", func(f *forger) { f.executors(100, time.Second, fault) }},
		{"I9", "a hundred in a longer time", "", func(f *forger) { f.executors(300, 4*time.Second, fault) }},
		{"I9", "a hundred that lived a minute", "", func(f *forger) { f.executors(300, time.Minute, fault) }},
		{"I9", "a hundred that were preempted", "", func(f *forger) { f.executors(300, time.Second, "Container x on host: h was preempted.") }},
		{"I9", "a hundred that their driver gave back", "", func(f *forger) {
			f.executors(300, time.Second, "Container x exited from explicit termination request.")
		}},
	})
}
