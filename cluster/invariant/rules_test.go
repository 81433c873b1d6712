package invariant_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
)

const (
	ask   = tracepb.Form_ASK
	reply = tracepb.Form_REPLY
	fail  = tracepb.Form_FAIL
)

// Each rule holds of a right trace, and is broken by one that differs from it in one thing: then the violation has the words in want.
func TestEachRuleHoldsAndFails(t *testing.T) {
	judge(t, []forged{
		{"I1", "an executor that ended and is started elsewhere", "", func(f *forger) {
			f.state(w1, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
			f.state(w1, "Worker", "executor", "A/0", "LAUNCHING", "EXITED", "x", nil)
			f.state(w2, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
		}},
		{"I1", "on a Worker that crashed", "", func(f *forger) {
			f.state(w1, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
			f.state(w1, "", "process", "W1", "", "crashed", "", nil)
			f.state(w2, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
		}},
		{"I1", "started twice", "W2 starts executor A/0, which runs on W1", func(f *forger) {
			f.state(w1, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
			f.state(w2, "Worker", "executor", "A/0", "", "LAUNCHING", "", nil)
		}},
		{"I1", "a driver twice", "W2 starts driver d-0, which runs on W1", func(f *forger) {
			f.state(w1, "Worker", "driver", "d-0", "", "RUNNING", "", nil)
			f.state(w2, "Worker", "driver", "d-0", "", "RUNNING", "", nil)
		}},
		{"I1", "two processes", "A/0 has two processes", func(f *forger) {
			s := cluster()
			s.Processes = append(s.Processes, invariant.Process{App: "A", ID: 0, Worker: places[w2]})
			f.look(s, 0)
		}},

		{"I2", "equal", "", func(f *forger) { f.look(cluster(), time.Hour) }},
		{"I2", "by the order", "", func(f *forger) {
			f.launch(0, 1, w1)
			s := cluster()
			s.Processes[0].Cores, s.Processes[0].Memory = 7, 7
			f.look(s, time.Hour)
		}},
		{"I2", "for two heartbeats", "", func(f *forger) {
			s := cluster()
			s.Processes = nil
			f.look(s, 30*time.Second)
		}},
		{"I2", "for longer", "M1 counts 1 cores and 512 MiB on W1, where [] lives with 0 cores and 0 MiB", func(f *forger) {
			s := cluster()
			s.Processes = nil
			f.look(s, 32*time.Second)
		}},
		{"I2", "of a Worker that vanished, before its time-out", "", func(f *forger) {
			s := cluster()
			s.Processes, s.Workers = nil, nil
			f.look(s, 130*time.Second)
		}},
		{"I2", "of a Worker that vanished, after it", "M1 counts", func(f *forger) {
			s := cluster()
			s.Processes, s.Workers = nil, nil
			f.look(s, 136*time.Second)
		}},

		{"I3", "passes", "", func(f *forger) {
			f.state(m1, "Master", "executor", "A/0", "", "LAUNCHING", "", nil)
			f.wait(time.Minute)
			f.state(m1, "Master", "executor", "A/0", "LAUNCHING", "RUNNING", "", nil)
			f.look(cluster(), time.Hour)
		}},
		{"I3", "is LAUNCHING for ever", "executor A/0 has been LAUNCHING for longer than 2m15s", func(f *forger) {
			f.state(m1, "Master", "executor", "A/0", "", "LAUNCHING", "", nil)
			f.look(cluster(), time.Hour)
		}},
		{"I3", "of a Master that is gone", "", func(f *forger) {
			f.state(m1, "Master", "worker", "W1", "", "UNKNOWN", "", nil)
			f.state(m1, "", "process", "M1", "", "crashed", "", nil)
			f.look(cluster(), time.Hour)
		}},
		{"I3", "does not recover", "master M has been COMPLETING_RECOVERY", func(f *forger) {
			f.state(m1, "Master", "master", "M", "RECOVERING", "COMPLETING_RECOVERY", "", nil)
			f.look(cluster(), time.Hour)
		}},

		{"I4", "nothing fits", "", func(f *forger) {
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 513})
			s := cluster()
			s.Masters[0].Apps[0].CoresLeft = 1
			f.look(s, time.Hour)
		}},
		{"I4", "nothing is wanted", "", func(f *forger) {
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512, InitialExecutorLimit: proto.Int32(1)})
			s := cluster()
			s.Masters[0].Apps[0].CoresLeft = 1
			f.look(s, time.Hour)
		}},
		{"I4", "nothing before its time", "", func(f *forger) {
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512})
			s := cluster()
			s.Masters[0].Apps[0].CoresLeft, s.Masters[0].Apps[0].NotBefore = 1, f.now.Add(time.Minute)
			f.look(s, 59*time.Second)
		}},
		{"I4", "what fits", "A wants executors of 512 MiB and gets none, though W1 has 1 cores and 512 MiB free", func(f *forger) {
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512})
			s := cluster()
			s.Masters[0].Apps[0].CoresLeft = 1
			f.look(s, 2*time.Second)
		}},
		{"I4", "a target that is on its way", "", func(f *forger) { f.target() }},
		{"I4", "a target that a Master handled", "A wants executors of 512 MiB and gets none, though W1 has 1 cores and 512 MiB free", func(f *forger) {
			q := f.target()
			f.handled(m1, "Master", q, "")
			s := cluster()
			s.Masters[0].Apps[0].CoresLeft = 8
			f.look(s, 2*time.Second)
		}},
		{"I4", "all cores", "", func(f *forger) { f.grow(4) }},
		{"I4", "one core of four", "A/0 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) { f.grow(1) }},
		{"I4", "one core of four, and the others later", "A/0 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) {
			f.worker(w1, 4, 1000)
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 512, MaxCores: proto.Int32(4)})
			f.launch(0, 1, w1)
			f.wait(time.Second)
			f.launch(1, 3, w1)
		}},
		{"I4", "while an order waits for its connection", "", func(f *forger) {
			f.state(m1, "Master", "executor", "A/1", "", "LAUNCHING", "launched", nil)
			f.grow(1)
			f.look(cluster(), 0)
		}},
		{"I4", "an order that waited was of a Master that is gone", "A/0 gets 1 cores", func(f *forger) {
			f.state(m2, "Master", "executor", "A/1", "", "LAUNCHING", "launched", nil)
			f.state(m2, "", "process", "M2", "", "crashed", "", nil)
			f.grow(1)
		}},
		{"I4", "an executor that another Master took over", "A/0 gets 1 cores", func(f *forger) {
			f.state(m2, "Master", "executor", "A/1", "", "LAUNCHING", master.Recovered, nil)
			f.grow(1)
		}},
		{"I4", "an end that no Master knows of yet", "", func(f *forger) { f.regrow(func(*tracepb.Id) {}) }},
		{"I4", "an end that a Master in standby heard of", "", func(f *forger) {
			f.regrow(func(q *tracepb.Id) {
				f.send(m1, &deploy.ExecutorStateChanged{}, w1, "Worker", tracepb.Form_FAIL, q)
			})
		}},
		{"I4", "an end that a Master acknowledged", "A/1 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) {
			f.regrow(func(q *tracepb.Id) {
				f.send(m1, &deploy.ExecutorStateChanged{}, w1, "Worker", tracepb.Form_REPLY, q)
			})
		}},
		{"I4", "an end that a Master says", "A/1 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) {
			f.regrow(func(q *tracepb.Id) { f.state(m1, "Master", "executor", "A/0", "RUNNING", "EXITED", "0", q) })
		}},
		{"I4", "an end in the same moment, after the order", "", func(f *forger) { f.regrowAtOnce(func(order, end func(*tracepb.Id)) { order(nil); end(nil) }) }},
		{"I4", "an end in the same moment, before the order", "A/1 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) {
			f.regrowAtOnce(func(order, end func(*tracepb.Id)) { end(nil); order(nil) })
		}},
		{"I4", "an end after the order, by another message", "", func(f *forger) {
			f.regrowAtOnce(func(order, end func(*tracepb.Id)) { order(f.id()); end(f.id()) })
		}},
		{"I4", "an end after the order, by the same handler", "A/1 gets 1 cores on the Worker at 10.0.0.3:1, where 3 more are free", func(f *forger) {
			cause := f.id()
			f.regrowAtOnce(func(order, end func(*tracepb.Id)) { order(cause); end(cause) })
		}},
		{"I4", "an end while the order waited for its connection", "", func(f *forger) {
			f.regrowAtOnce(func(order, end func(*tracepb.Id)) {
				f.state(m1, "Master", "executor", "A/1", "", "LAUNCHING", "launched", nil)
				end(nil)
				f.wait(time.Second)
				order(nil)
			})
		}},

		{"I5", "counted", "", func(f *forger) { f.look(cluster(), time.Hour) }},
		{"I5", "paused", "", func(f *forger) {
			s := cluster()
			s.Masters[0].Apps, s.Processes[0].Paused = nil, true
			f.look(s, time.Hour)
		}},
		{"I5", "for a minute", "", func(f *forger) {
			s := cluster()
			s.Masters[0].Apps = nil
			f.look(s, time.Minute)
		}},
		{"I5", "for longer", "M1 does not count A/0 on the Worker at 10.0.0.3:1, and it lives", func(f *forger) {
			s := cluster()
			s.Masters[0].Apps = nil
			f.look(s, time.Minute+1)
		}},
		{"I5", "on another Worker", "does not count A/0", func(f *forger) {
			s := cluster()
			s.Processes[0].Worker = places[w2]
			s.Workers = append(s.Workers, places[w2])
			f.look(s, time.Hour)
		}},
		{"I5", "without a Worker", "the Worker of A/0 at 10.0.0.3:1 is gone, and it lives", func(f *forger) {
			s := cluster()
			s.Workers = nil
			f.look(s, time.Hour)
		}},
		{"I5", "given up by its driver", "D has given up A/0, and it lives", func(f *forger) {
			f.app(&deploy.ApplicationDescription{MemoryPerExecutorMb: 4096})
			f.state(dr, "CoarseGrainedScheduler", "executor", "0", "REGISTERED", "LOST", "silent", nil)
			f.look(cluster(), time.Hour)
		}},
		{"I5", "a driver nobody counts", "M1 does not count d-0", func(f *forger) {
			s := cluster()
			s.Processes = append(s.Processes, invariant.Process{Driver: "d-0", Worker: places[w1]})
			f.look(s, time.Hour)
		}},

		{"I6", "equal", "", func(f *forger) { f.look(cluster(), time.Hour) }},
		{"I6", "for an instant", "", func(f *forger) {
			s := cluster()
			s.Drivers[0].Books["Scheduler"] = nil
			f.look(s, time.Second)
		}},
		{"I6", "for ever", "D: HeartbeatReceiver has [0], Scheduler has []", func(f *forger) {
			s := cluster()
			s.Drivers[0].Books["Scheduler"] = nil
			f.look(s, time.Hour)
		}},

		{"I7", "in order", "", func(f *forger) { f.two(true, nil) }},
		{"I7", "out of order", "M1/Master handles a RegisterWorker of W1 after what was sent later", func(f *forger) { f.two(false, nil) }},
		{"I7", "out of order by a fault", "", func(f *forger) {
			f.two(false, func(first *tracepb.Id) { f.state(1<<31, "", "fault", "x", "", "reordered", "", first) })
		}},
		{"I7", "a task after LaunchedExecutor", "", func(f *forger) {
			f.handled(dr, "S", f.oneWay(ex, &app.LaunchedExecutor{ExecutorId: "0"}, dr, "S", nil), "")
			f.handled(ex, "Executor", f.oneWay(dr, &app.LaunchTask{}, ex, "Executor", nil), "")
		}},
		{"I7", "a task before it", "Exec0/Executor is given a task before it said that it takes tasks", func(f *forger) {
			f.handled(ex, "Executor", f.oneWay(dr, &app.LaunchTask{}, ex, "Executor", nil), "")
		}},
		{"I7", "an executor after RegisteredWorker", "", func(f *forger) {
			f.handled(w1, "Worker", f.worker(w1, 1, 512), "")
			f.handled(w1, "Worker", f.launch(0, 1, w1), "")
		}},
		{"I7", "an executor before it", "W1/Worker gets the order to launch an executor before", func(f *forger) {
			f.handled(w1, "Worker", f.launch(0, 1, w1), "")
		}},

		{"I8", "again", "", func(f *forger) { f.worker(w1, 1, 512); f.worker(w1, 1, 512) }},
		{"I8", "refused at first", "", func(f *forger) { f.refuse(w1) }},
		{"I8", "refused again", "M1 refuses Worker W1, which was accepted before: Duplicate worker ID", func(f *forger) { f.worker(w1, 1, 512); f.refuse(w1) }},
		{"I8", "another application after the first", "", func(f *forger) {
			f.app(&deploy.ApplicationDescription{})
			f.oneWay(dr, &deploy.UnregisterApplication{AppId: "A"}, m1, "Master", nil)
			f.oneWay(m1, &deploy.RegisteredApplication{AppId: "B"}, dr, "AppClient", f.oneWay(dr, &deploy.RegisterApplication{AppDescription: &deploy.ApplicationDescription{}}, m1, "Master", nil))
		}},
		{"I8", "two ids", "M1 gives D the id B, and had given it A before", func(f *forger) {
			f.app(&deploy.ApplicationDescription{})
			f.oneWay(m1, &deploy.RegisteredApplication{AppId: "B"}, dr, "AppClient", f.oneWay(dr, &deploy.RegisterApplication{AppDescription: &deploy.ApplicationDescription{}}, m1, "Master", nil))
		}},
		{"I8", "an executor again", "D refuses executor 0, which it accepted before", func(f *forger) {
			for _, form := range []tracepb.Form{reply, fail} {
				f.send(dr, &rpc.Bool{}, ex, "", form, f.send(ex, &app.RegisterExecutor{ExecutorId: "0"}, dr, "S", ask, nil))
			}
		}},

		{"I9", "a hundred ends", "", func(f *forger) { f.ends(99, time.Second) }},
		{"I9", "more", "executor 100 of A is launched, after 100 others of it ended early", func(f *forger) { f.ends(100, time.Second) }},
		{"I9", "over a longer time", "", func(f *forger) { f.ends(300, 4*time.Second) }},
		{"I9", "an application without a healthy executor", "", func(f *forger) { f.giveUp(59 * time.Second) }},
		{"I9", "a healthy application", "M1 gives A up (failed 10 times), whose executor A/0 has been RUNNING for 2m0s", func(f *forger) { f.giveUp(2 * time.Minute) }},
		{"I9", "a healthy application, that another Master took over", "M2 gives A up (failed 10 times), whose executor A/0 has been RUNNING for 1m10s", func(f *forger) {
			f.state(m1, "Master", "executor", "A/0", "LAUNCHING", "RUNNING", "", nil)
			f.wait(time.Minute)
			f.state(m2, "Master", "executor", "A/0", "", "RUNNING", master.Recovered, nil)
			f.wait(10 * time.Second)
			f.state(m2, "Master", "application", "A", "RUNNING", "FAILED", "failed 10 times", nil)
		}},

		{"I10", "at once", "", func(f *forger) { f.beat(9 * time.Second) }},
		{"I10", "late", "a heartbeat waits 11s for D/HeartbeatReceiver", func(f *forger) { f.beat(11 * time.Second) }},

		{"I12", "a reason", "", func(f *forger) {
			f.state(m1, "Master", "application", "A", "RUNNING", "FAILED", "failed 10 times", nil)
		}},
		{"I12", "no reason", "M1/Master says that application A is FAILED, and not why", func(f *forger) {
			f.state(m1, "Master", "application", "A", "RUNNING", "FAILED", "", nil)
		}},
		{"I10", "a driver that is answered", "", func(f *forger) { f.requestExecutors(9 * time.Second) }},
		{"I10", "a driver that waits", "D waits 10s until its ApplicationMaster answers how many executors are wanted", func(f *forger) { f.requestExecutors(10 * time.Second) }},

		{"I11", "balanced", "", func(f *forger) { f.asks("", 5, 3); f.asks("", 1, 0) }},
		{"I11", "one too many", "application_1_0001 asks for 4 containers of profile 0, and wants 5 executors of which 1 run and 1 start", func(f *forger) { f.asks("", 5, 4) }},
		{"I11", "one too few", "application_1_0001 asks for 2 containers", func(f *forger) { f.asks("", 5, 2) }},
		{"I11", "a surplus", "application_1_0001 is given container_1_0001_01_000002, which it did not ask for", func(f *forger) {
			f.asks("", 5, 3)
			f.wait(time.Second)
			f.surplus(allocator.NotAskedFor)
		}},
		{"I11", "a container that crossed a new target", "application_1_0001 is given container_1_0001_01_000002, which it did not ask for", func(f *forger) {
			f.asks(f.asks("", 5, 3), 4, 2)
			f.wait(time.Second)
			f.surplus(allocator.NotAskedFor)
		}},
		{"I11", "a container that is asked for", "", func(f *forger) {
			f.state(dr, "YarnAM", "container", "container_1_0001_01_000002", "", "LAUNCHING", "executor 1", nil)
		}},
		{"I11", "a container that its node refused", "", func(f *forger) { f.asks("", 5, 3); f.surplus("refused") }},

		{"I12", "a panic", "M1/Master panics", func(f *forger) {
			f.handled(m1, "Master", f.oneWay(w1, &deploy.Heartbeat{}, m1, "Master", nil), "panic: nil map")
		}},
		{"I12", "an end without a word", "D hears that executor 0 is EXITED, and not why", func(f *forger) { f.updated(&deploy.ExecutorUpdated{State: deploy.ExecutorState_EXITED}) }},
		{"I12", "disassociated, and reported so", "", func(f *forger) {
			f.updated(&deploy.ExecutorUpdated{State: deploy.ExecutorState_LOST, Message: proto.String("10.0.0.3:1 got disassociated")})
		}},
		{"I12", "disassociated, and reported better", "D gives executor 0 up as disassociated, though the Master reported: exited 3", func(f *forger) {
			f.updated(&deploy.ExecutorUpdated{State: deploy.ExecutorState_EXITED, Message: proto.String("exited 3")})
		}},

		{"I13", "a later leadership", "", func(f *forger) { f.terms(1, 2) }},
		{"I13", "an earlier leadership", "LaunchExecutor of M2, of leadership 1, makes executor A/0 LAUNCHING at W1, which has heard of leadership 2", func(f *forger) { f.terms(2, 1) }},
		{"I13", "of whom it was ordered", "", func(f *forger) { f.launch(0, 1, w1); f.report(w1) }},
		{"I15", "containers for others", "", func(f *forger) {
			for range 12 {
				f.starve(10*time.Second, func() { f.given("1_0002_01_000002") })
			}
		}},
		{"I15", "containers for others alone", "appattempt_1_0001_000001 waits", func(f *forger) {
			for range 13 {
				f.starve(10*time.Second, func() { f.given("1_0002_01_000002") })
			}
		}},
		{"I15", "preempted for another", "", func(f *forger) {
			for range 5 {
				f.preempted()
				f.given("1_0002_01_000002")
				f.given("1_0001_01_000003")
			}
		}},
		{"I15", "preempted for itself", "application_1_0001 has lost containers to preemption 3 times and got others", func(f *forger) {
			for range 3 {
				f.preempted()
				f.given("1_0001_01_000003")
			}
		}},
		{"I15", "a driver that asks for more each second", "", func(f *forger) { f.backlog(5, 1, time.Minute); f.backlog(5, 5, time.Hour) }},
		{"I15", "a driver that asks for too few", "the tasks of D need 5 executors, and it asks for 1", func(f *forger) { f.backlog(5, 1, 61*time.Second) }},

		{"I13", "an executor that registers again", "", func(f *forger) { f.executor(ex, "0"); f.executor(ex, "0") }},
		{"I13", "two executors", "", func(f *forger) { f.executor(ex, "0"); f.executor(w1, "1") }},
		{"I13", "two of one id", "D accepts a second executor 0", func(f *forger) { f.executor(ex, "0"); f.executor(w1, "0") }},
		{"I13", "of another", "W2 reports A/0 as EXITED, which was ordered of W1, and M1 believes it", func(f *forger) { f.launch(0, 1, w1); f.report(w2) }},
	})
}

// forged is a forged trace.
type forged struct {
	rule invariant.ID
	name string
	want string // of the violation; empty: it holds
	run  func(*forger)
}

// judge judges forged traces, each by its rule.
func judge(t *testing.T, all []forged) {
	t.Helper()
	for _, c := range all {
		f := forge()
		c.run(f)
		var got []string
		for _, v := range f.Violations() {
			if v.Rule == c.rule {
				got = append(got, v.Text)
			}
		}
		switch {
		case f.Judged()[c.rule] == 0 && c.want == "":
			t.Errorf("%s, %s: it was not looked at", c.rule, c.name)
		case c.want == "" && len(got) > 0:
			t.Errorf("%s, %s: %q", c.rule, c.name, got)
		case c.want != "" && (len(got) == 0 || !strings.Contains(got[0], c.want)):
			t.Errorf("%s, %s: %q, want %s", c.rule, c.name, got, c.want)
		}
	}
}

func TestRulesAreFoundByIDAndName(t *testing.T) {
	for _, r := range invariant.Rules {
		for _, word := range []string{string(r.ID), r.Name} {
			if found, ok := invariant.Find(word); !ok || found != r {
				t.Errorf("%s: %v", word, found)
			}
		}
	}
	if _, ok := invariant.Find("I99"); ok {
		t.Error("I99")
	}
}

// A deadline begins anew with each fault that is caused.
func TestNothingIsJudgedInNoise(t *testing.T) {
	f := forge()
	s := cluster()
	s.Processes, s.Drivers[0].Books["Scheduler"] = nil, nil
	f.state(m1, "Master", "executor", "A/0", "", "LAUNCHING", "", nil)
	for range 100 {
		f.wait(time.Minute)
		s.Now = f.now
		f.Look(s)
	}
	if v := f.Violations(); len(v) > 0 {
		t.Error(v)
	}
}
