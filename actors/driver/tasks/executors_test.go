package tasks

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// racks are hosts as rN-M, each in rack rN; other hosts have none.
func racks(host string) string {
	rack, _, ok := strings.Cut(host, "-")
	if !ok {
		return ""
	}
	return rack
}

// preferring is a set with a task for each of Spark's texts of a location; "" is none.
func preferring(t *testing.T, locations ...string) Set {
	s := newSet(0, 0, 0, len(locations))
	for i, text := range locations {
		if text == "" {
			continue
		}
		l, err := ParseLocation(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Tasks[i].Locations = []Location{l}
	}
	return s
}

// does plays events, each of one word of what happens to an executor: EXEC@HOST offers it without a core, -EXEC loses it, ?EXEC loses
// it without a reason, ~EXEC decommissions it, ~~EXEC with its whole machine.
func (k *kit) does(events string) {
	for e := range strings.FieldsSeq(events) {
		id := strings.TrimLeft(e, "-?~")
		switch e[0] {
		case '-':
			k.ExecutorLost(id, Loss{})
		case '?':
			k.ExecutorLost(id, Loss{Pending: true})
		case '~':
			k.Decommission(id, strings.HasPrefix(e, "~~"), k.now)
		default:
			executor, host, _ := strings.Cut(id, "@")
			k.Offers(at{{executor, host, 0}}, inOrder)
		}
	}
}

// A set waits only for executors that are there and take tasks.
func TestTheLevelsOfASetFollowTheExecutors(t *testing.T) {
	for _, k := range []struct{ location, events, want string }{
		{"executor_r1-1_a", "", "ANY"},
		{"executor_r1-1_a", "a@r1-1", "PROCESS_LOCAL NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "b@r1-1", "NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "b@r1-2", "RACK_LOCAL ANY"},
		{"executor_h1_a", "a@h1 b@h2", "PROCESS_LOCAL NODE_LOCAL ANY"},
		{"", "a@h1", "NO_PREF ANY"},

		{"executor_r1-1_a", "a@r1-1 b@r1-1 -a", "NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 b@r1-2 -a", "RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 b@r1-2 -a -b", "ANY"},
		{"executor_r1-1_a", "a@r1-1 -a c@r2-1", "ANY"},
		{"executor_r1-1_a", "a@r1-1 -a a@r1-1", "PROCESS_LOCAL NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ?a c@h", "ANY"},
		{"executor_r1-1_a", "a@r1-1 b@r1-1 ?a c@h", "NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ?a a@r1-1 c@h", "PROCESS_LOCAL NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ?a -a", "ANY"},

		// One that is about to go still counts for its rack, unless the machine goes.
		{"executor_r1-1_a", "a@r1-1 ~a", "RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 b@r1-1 ~a", "NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ~~a", "ANY"},
		{"executor_r1-1_a", "a@r1-1 b@r1-2 ~~a", "RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ~~a -a a@r1-1", "PROCESS_LOCAL NODE_LOCAL RACK_LOCAL ANY"},
		{"executor_r1-1_a", "a@r1-1 ~z", "PROCESS_LOCAL NODE_LOCAL RACK_LOCAL ANY"},
	} {
		p := newKit(1, Config{Rack: racks})
		p.Submit(preferring(t, k.location))
		p.does(k.events)
		if got := strings.Trim(fmt.Sprint(p.sets[0].levels), "[]"); got != k.want {
			t.Errorf("a task for %q, %s: levels %s, want %s", k.location, k.events, got, k.want)
		}
	}
}

// A cache of a host is as the memory of those of its executors that take tasks.
func TestTheCacheOfAHostIsNearToExecutorsThatTakeTasks(t *testing.T) {
	p := newKit(1, Config{Waits: Waits{Node: time.Hour}})
	p.does("a@h b@h ~a")
	p.Submit(preferring(t, "hdfs_cache_h", "hdfs_cache_h"))
	l := p.Offers(at{{"a", "h", 1}, {"b", "h", 1}}, inOrder)
	if len(l) != 2 || l[0].Executor != "b" || l[0].Level != ProcessLocal || l[1].Executor != "a" || l[1].Level != NodeLocal {
		t.Errorf("%+v", l)
	}
}

// A set that has gone on to farther executors begins with the nearest of the levels that are new, not with an old one (SPARK-31837).
func TestNewNearerLevelsAreTriedFirst(t *testing.T) {
	p := newKit(1, Config{Waits: Waits{Process: time.Second, Node: time.Second}})
	p.Submit(preferring(t, "executor_h9_a", "executor_h9_a"))
	p.does("a@h1")
	p.now = p.now.Add(time.Second)
	if l := p.Offers(at{{"c", "h5", 1}}, inOrder); len(l) != 1 || l[0].Level != Any {
		t.Fatalf("%+v", l)
	}
	p.does("b@h9")
	if m := p.sets[0]; m.levels[m.at] != NodeLocal {
		t.Errorf("the set waits at %s of %v", m.levels[m.at], m.levels)
	}
}

// A set does not wait at a level for tasks that are done, nor in a rack for hosts without one.
func TestASetDoesNotWaitForWhatItDoesNotNeed(t *testing.T) {
	waits := Waits{Process: time.Hour, Rack: time.Hour}
	p := newKit(1, Config{Waits: waits})
	p.does("a@h1 b@h1")
	p.Submit(preferring(t, "executor_h1_a", "h1"))
	p.PartitionCompleted(0, 0, p.now)
	want(t, names(p.Offers(at{{"b", "h1", 1}}, inOrder)), "b: task 1.0 in stage 0.0 (TID 0)")

	p = newKit(1, Config{MaxFailures: 9, Waits: waits, Rack: racks})
	p.does("a@r1-1 b@h2")
	p.Submit(preferring(t, "r1-1", "h1"))
	want(t, names(p.Offers(at{{"a", "r1-1", 1}}, inOrder)), "a: task 0.0 in stage 0.0 (TID 0)")
	want(t, names(p.Offers(at{{"b", "h2", 1}}, inOrder)), "b: task 1.0 in stage 0.0 (TID 1)")
	p.fail(1, KindExceptionFailure)
	want(t, names(p.Offers(at{{"b", "h2", 1}}, inOrder)), "b: task 1.1 in stage 0.0 (TID 2)")
}

// Of idle executors the first one of a hash table is ended. The table doubles for its 12th entry.
func TestTheIdleExecutorIsTheFirstOfAHashTable(t *testing.T) {
	eleven := "0@h 1@h 2@h 3@h 4@h 5@h 6@h 7@h 8@h 9@h 10@h "
	for _, k := range []struct{ events, want string }{
		{eleven, "0"},
		{eleven + "11@h", "11"},
		{eleven + "11@h -11", "0"},
		{eleven + "-5 11@h", "0"},
		{eleven + "-5 11@h 12@h", "11"},
		{eleven + "?5 -5 11@h 12@h", "11"},
		{eleven + "?0", "1"},
		{"BB@h Aa@h", "Aa"}, // of the same hash
	} {
		p := newKit(1, Config{})
		p.does(k.events)
		if got := p.idle(); got.id != k.want {
			t.Errorf("%s: %s, want %s", k.events, got.id, k.want)
		}
	}
	p := newKit(1, Config{})
	p.Submit(newSet(0, 0, 0, 2))
	p.Offers(at{{"0", "h", 1}, {"1", "h", 0}}, inOrder)
	if got := p.idle(); got.id != "1" {
		t.Errorf("executor %s runs a task, yet is idle", got.id)
	}
	p.finish(0)
	if got := p.idle(); got.id != "0" {
		t.Errorf("executor 0 runs nothing, yet %s is the first that is idle", got.id)
	}
}

func TestALocationNamesHostAndExecutor(t *testing.T) {
	for text, want := range map[string]Location{
		"h": {Host: "h"}, "executor_h_1_2": {Host: "h", Executor: "1_2"}, "hdfs_cache_h": {Host: "h", Cached: true},
	} {
		if l, err := ParseLocation(text); err != nil || l != want || l.String() != text {
			t.Errorf("%s: %+v, %v", text, l, err)
		}
	}
	if _, err := ParseLocation("executor_h"); err == nil || err.Error() != "illegal executor location: executor_h: want executor_HOST_ID" {
		t.Error(err)
	}
}
