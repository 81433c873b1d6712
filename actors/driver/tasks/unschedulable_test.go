package tasks

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/rpcenv"
)

// often is a Config whose failures exclude nothing yet.
func often(change func(c *exclude.Config)) Config {
	c := exclude.Config{
		TaskAndStage: true, Application: true, TaskAttemptsPerExecutor: 99, TaskAttemptsPerNode: 99, StageTasksPerExecutor: 99,
		StageExecutorsPerNode: 99, ApplicationTasksPerExecutor: 99, ApplicationExecutorsPerNode: 99, Timeout: time.Hour,
	}
	change(&c)
	return Config{MaxFailures: 99, Exclude: c, UnschedulableTimeout: 2 * time.Minute}
}

// A task can run nowhere when each executor or its node is excluded from it, its set or the application. Only the next task to be
// started is looked at.
func TestATaskThatCanRunNowhere(t *testing.T) {
	byTask := func(c *exclude.Config) { c.TaskAttemptsPerExecutor = 1 }
	fails := func(k *kit, executor, host string) {
		k.Offers(at{{executor, host, 1}}, inOrder)
		k.fail(k.nextID-1, KindExceptionFailure)
	}
	earlier := func(k *kit) { // an earlier set that succeeds in the end, after a failure on a
		k.Cancel(0, "")
		k.Submit(newSet(1, 0, 0, 1))
		fails(k, "a", "h")
		k.Offers(at{{"z", "hz", 1}}, inOrder)
		k.finish(k.nextID - 1)
		k.ExecutorLost("z", Loss{})
		k.Submit(newSet(2, 0, 0, 2))
	}
	for _, k := range []struct {
		name   string
		change func(c *exclude.Config)
		tasks  int
		play   func(k *kit)
		index  int32
		found  bool
	}{
		{"no failure", byTask, 3, func(k *kit) { k.does("a@h") }, 0, false},
		{"the task failed", byTask, 3, func(k *kit) { fails(k, "a", "h") }, 0, true},
		{"and there is another executor", byTask, 3, func(k *kit) { fails(k, "a", "h"); k.does("b@h") }, 0, false},
		{"and its partition came", byTask, 3, func(k *kit) { fails(k, "a", "h"); k.PartitionCompleted(0, 0, k.now) }, 0, false},
		{"and it runs", byTask, 3, func(k *kit) {
			fails(k, "a", "h")
			k.Offers(at{{"c", "h", 1}}, inOrder)
			k.ExecutorLost("c", Loss{Pending: true})
		}, 0, false},
		{"and nothing else is to be started", byTask, 1, func(k *kit) {
			fails(k, "a", "h")
			k.Offers(at{{"c", "h", 1}}, inOrder)
			k.ExecutorLost("c", Loss{Pending: true})
		}, 0, false},
		{"and no executor is left", byTask, 1, func(k *kit) { fails(k, "a", "h"); k.ExecutorLost("a", Loss{}) }, 0, false},
		{"the node is excluded from the task", func(c *exclude.Config) { c.TaskAttemptsPerNode = 1 }, 3, func(k *kit) { fails(k, "a", "h"); k.does("b@h") }, 0, true},
		{"the executor is excluded from the set", func(c *exclude.Config) { c.StageTasksPerExecutor = 1 }, 2, func(k *kit) {
			fails(k, "a", "h")
			k.PartitionCompleted(0, 0, k.now)
		}, 1, true},
		{"the node is excluded from the set", func(c *exclude.Config) { c.StageTasksPerExecutor, c.StageExecutorsPerNode = 1, 1 }, 3, func(k *kit) {
			fails(k, "a", "h")
			k.does("b@h")
		}, 0, true},
		{"the executor is excluded from the application", func(c *exclude.Config) { c.ApplicationTasksPerExecutor = 1 }, 1, earlier, 0, true},
		{"the node is excluded from the application", func(c *exclude.Config) { c.ApplicationTasksPerExecutor, c.ApplicationExecutorsPerNode = 1, 1 }, 1, func(k *kit) {
			earlier(k)
			k.does("b@h")
			if !k.Excludes("b", "h") || k.Excludes("b", "elsewhere") {
				t.Error("want b excluded by its node")
			}
		}, 0, true},
	} {
		p := newKit(1, often(k.change))
		p.Submit(newSet(0, 0, 0, k.tasks))
		k.play(p)
		if index, found := p.sets[0].nowhere(); index != k.index || found != k.found {
			t.Errorf("%s: task %d, %v", k.name, index, found)
		}
	}
}

// A set that nothing may run gets its time, and fails after it unless a task of it was started.
func TestASetThatNothingMayRunGetsItsTime(t *testing.T) {
	begin := func(change func(c *Config)) *kit {
		cfg := often(func(c *exclude.Config) { c.TaskAttemptsPerExecutor, c.Application = 1, false })
		change(&cfg)
		p := newKit(1, cfg)
		p.Submit(newSet(4, 1, 1, 2))
		p.Offers(at{{"a", "h", 2}}, inOrder)
		p.fail(1, KindExceptionFailure)
		return p
	}
	offer := func(p *kit, a at) Effects {
		_, e := p.Scheduler.Offers(a.offers(), true, inOrder, p.now)
		return e
	}
	p := begin(func(*Config) {})
	p.finish(0)
	e := offer(p, at{{"a", "h", 1}})
	abort := Abort{Set: SetID{4, 1}, Index: 1, At: p.now.Add(2 * time.Minute)}
	if !slices.Equal(e.Aborts, []Abort{abort}) || len(e.Executors) > 0 || len(e.DAG) > 0 {
		t.Errorf("%+v", e)
	}
	older := abort
	older.Set.Attempt = 0
	for _, k := range []struct {
		a    Abort
		at   time.Time
		want []string
	}{
		{older, abort.At, nil}, {abort, abort.At.Add(-1), nil}, {abort, abort.At, []string{"failed 4.1"}},
	} {
		want(t, texts(p.AbortUnschedulable(k.a, k.at).DAG), k.want...)
	}

	p = begin(func(*Config) {})
	p.finish(0)
	offer(p, at{{"a", "h", 1}})
	again := UnschedulableSet{Set: SetID{4, 1}, Schedulable: true}
	if e := offer(p, at{{"b", "h", 1}}); !slices.Equal(e.DAG, []rpcenv.Message{again}) {
		t.Errorf("%+v", e)
	}
	want(t, texts(p.AbortUnschedulable(abort, abort.At).DAG))

	// All executors are busy: another one is asked for, or the set fails at once.
	p = begin(func(c *Config) { c.DynamicAllocation = true })
	if e := offer(p, at{{"a", "h", 1}}); !slices.Equal(e.DAG, []rpcenv.Message{UnschedulableSet{Set: SetID{4, 1}}}) || len(e.Aborts) != 1 {
		t.Errorf("%+v", e)
	}
	want(t, texts(offer(begin(func(*Config) {}), at{{"a", "h", 1}}).DAG), "failed 4.1")
}
