package fair

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// asRead is a file with these elements as it is read.
func asRead(elements string, modified time.Time) File {
	return File{Data: []byte("<allocations>" + elements + "</allocations>"), Modified: modified}
}

// loaded is a Reload whose file, with queue a, was good at noon.
func loaded(t *testing.T, faults Faults) *Reload {
	t.Helper()
	o := options
	o.Faults = faults
	r := NewReload(o)
	if a, err := r.Load(asRead(`<queue name="a"/>`, noon.Add(-time.Second)), noon); err != nil || len(a.Queues()) != 2 {
		t.Fatalf("%v, %v", a, err)
	}
	return &r
}

func TestAChangeCountsOnceItIsFiveSecondsOld(t *testing.T) {
	r := loaded(t, Faults{})
	f := asRead(`<queue name="a"/><queue name="b"/>`, noon.Add(10*time.Second))
	for _, after := range []time.Duration{10 * time.Second, 15 * time.Second} {
		if a, err := r.Take(f, noon.Add(after)); a != nil || err != nil {
			t.Errorf("%v after noon: %v, %v", after, a, err)
		}
	}
	if a, err := r.Take(f, noon.Add(15*time.Second+1)); err != nil || a == nil || len(a.Queues()) != 3 {
		t.Fatalf("%v, %v", a, err)
	}
	if a, err := r.Take(f, noon.Add(30*time.Second)); a != nil || err != nil {
		t.Errorf("a file that did not change counts again: %v, %v", a, err)
	}
}

func TestABadFileIsToldOnce(t *testing.T) {
	r := loaded(t, Faults{})
	at := noon
	take := func(f File) error {
		t.Helper()
		at = at.Add(ReloadInterval)
		a, err := r.Take(f, at)
		if a != nil {
			t.Fatal("a bad file counts")
		}
		return err
	}
	bad := asRead("\n<queue name=\"a\"><weight>x</weight></queue>", noon.Add(time.Second))
	if err := take(bad); err == nil || !strings.Contains(err.Error(), "the old allocations stay") || !strings.Contains(err.Error(), "line 2: queue root.a") {
		t.Errorf("first: %v", err)
	}
	if err := take(bad); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := take(File{Data: []byte("<allocations"), Modified: noon.Add(time.Second)}); err == nil {
		t.Error("another reason is not reported")
	}
	if err := take(File{Err: errors.New("no such file")}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is gone: %v", err)
	}
	if a, err := r.Take(asRead("", at), at.Add(ReloadInterval)); err != nil || a == nil {
		t.Errorf("a good file: %v, %v", a, err)
	}
	for n := range 2 { // the last reported reason comes again, once after another one and once after the file was good
		bad.Modified, at = at.Add(ReloadInterval), at.Add(2*ReloadInterval)
		if err := take(bad); err == nil {
			t.Errorf("the same reason is not reported again, %d", n)
		}
		if a, err := r.Take(asRead("", at), at.Add(ReloadInterval)); err != nil || a == nil {
			t.Errorf("a good file: %v, %v", a, err)
		}
	}
}

// A file that cannot be read is reported, whatever time it has.
func TestAFileThatCannotBeReadHasNoTime(t *testing.T) {
	r := loaded(t, Faults{})
	if _, err := r.Take(File{Err: errors.New("no such file"), Modified: noon.Add(-time.Second)}, noon.Add(time.Minute)); err == nil {
		t.Error("nothing is reported")
	}
}

func TestAnOlderFileInItsPlaceIsAChange(t *testing.T) {
	for faults, seen := range map[Faults]bool{{}: true, {missesOlder: true}: false} {
		a, err := loaded(t, faults).Take(asRead("", noon.Add(-time.Hour)), noon.Add(time.Minute))
		if err != nil || (a != nil) != seen {
			t.Errorf("faults %v: %v, %v", faults, a, err)
		}
	}
}

func TestAFileWithMoreThanItMayHaveIsRefused(t *testing.T) {
	r := NewReload(options)
	if _, err := r.Load(asRead(strings.Repeat(" ", maxFileSize), noon), noon); err == nil || !strings.Contains(err.Error(), "8 MiB") {
		t.Error(err)
	}
	f := asRead("", noon)
	f.Data = append(f.Data, strings.Repeat(" ", maxFileSize-len(f.Data))...)
	if _, err := r.Load(f, noon); err != nil {
		t.Errorf("one with as much: %v", err)
	}
}

// submitted is a scheduler with these elements in its file, and an application in each of the queues.
func submitted(t *testing.T, faults Faults, elements string, queues ...string) *Scheduler {
	t.Helper()
	conf := DefaultConfig()
	conf.Faults = faults
	s, err := New(0, conf, parsed(t, faults, elements))
	if err != nil {
		t.Fatal(err)
	}
	for n, queue := range queues {
		if placed, err := s.AddApp(0, attemptOf(int32(n+1)).App, Submission{User: "u", Queue: queue}); err != nil || placed != queue {
			t.Fatalf("%s: %s, %v", queue, placed, err)
		}
	}
	return s
}

// stateOf is the state of a queue.
func stateOf(t *testing.T, s *Scheduler, name string) QueueState {
	t.Helper()
	for _, q := range s.Queues() {
		if q.Name == name {
			return q
		}
	}
	t.Fatalf("no queue %s", name)
	return QueueState{}
}

// TestAReloadIsDoneAsAWhole: in Hadoop a queue of the old file that is not there any more ends it half way.
func TestAReloadIsDoneAsAWhole(t *testing.T) {
	const parent = `<queue name="p" type="parent"><maxChildResources>4096 mb, 4 vcores</maxChildResources></queue>`
	const begun = parent + `<queue name="q"><queue name="c"/></queue><queue name="w"><maxRunningApps>0</maxRunningApps></queue>`
	for file, half := range map[string]bool{
		parent + `<queue name="q"><queue name="c"/></queue><queue name="w"/>`: false,
		parent + `<queue name="q"/><queue name="w"/>`:                         true,
	} {
		for _, faults := range []Faults{{}, {halfReloads: true}} {
			s := submitted(t, faults, begun, "root.p.made", "root.w")
			if runnable, err := s.AddAttempt(0, AttemptSpec{ID: attemptOf(2)}); err != nil || runnable {
				t.Fatalf("an attempt above the limit: %v, %v", runnable, err)
			}
			s.Reload(0, parsed(t, faults, file))
			limit, whole := Resource{4096, 4}, true
			if half && faults.halfReloads {
				limit, whole = unbounded, false
			}
			if got := stateOf(t, s, "root.p.made").MaxShare; got != limit {
				t.Errorf("faults %v, %s: maximum %v, want %v", faults, file, got, limit)
			}
			if a, _ := s.App(attemptOf(2)); a.Runnable != whole {
				t.Errorf("faults %v, %s: the waiting one runs: %v", faults, file, a.Runnable)
			}
		}
	}
}

func TestQueuesKeepTheirPoliciesWhenNewOnesMayNotStandThere(t *testing.T) {
	s := submitted(t, Faults{}, `<queue name="p"><queue name="c"/></queue>`, "root.p.c")
	s.Reload(0, parsed(t, Faults{}, `<queue name="p"><schedulingPolicy>fifo</schedulingPolicy><queue name="c"><schedulingPolicy>fifo</schedulingPolicy></queue></queue>`))
	for _, name := range []string{"root.p", "root.p.c"} {
		if got := stateOf(t, s, name).Policy; got != policyFair {
			t.Errorf("%s has policy %s", name, got)
		}
	}
	if queue, err := s.AddApp(0, attemptOf(2).App, Submission{User: "u", Queue: "root.p.new"}); queue != "root.p.new" || err != nil {
		t.Errorf("below the policy that root.p has a queue may be made: %q, %v", queue, err)
	}
	s.Reload(0, parsed(t, Faults{}, `<queue name="p"><queue name="c"><schedulingPolicy>fifo</schedulingPolicy></queue></queue>`))
	if got := stateOf(t, s, "root.p.c").Policy; got != policyFIFO {
		t.Errorf("root.p.c has policy %s", got)
	}
}

// TestHadoopGivesPoliciesUntilOneMayNotStand: those of the children that it came to first, and of what is below those.
func TestHadoopGivesPoliciesUntilOneMayNotStand(t *testing.T) {
	const begun = `<queue name="p"><queue name="a"/><queue name="b"/></queue>`
	const fifo = `<schedulingPolicy>fifo</schedulingPolicy>`
	const file = `<queue name="p"><queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue><queue name="b">` + fifo + `</queue></queue>`
	for faults, want := range map[Faults]string{{}: policyFair, Upstream(): policyFIFO} {
		s := submitted(t, faults, begun)
		s.Reload(0, parsed(t, faults, file))
		if a, b := stateOf(t, s, "root.p.a").Policy, stateOf(t, s, "root.p.b").Policy; a != policyFair || b != want {
			t.Errorf("faults %v: %s and %s, want %s and %s", faults, a, b, policyFair, want)
		}
	}
}

func TestAQueueWithAnEmptyPartInItsNameIsNotMade(t *testing.T) {
	s := submitted(t, Faults{}, ``)
	for _, queue := range []string{"a..b", "root..b", "a. b", "a .b", "a\t.b", strings.Repeat("a.", 600) + "a"} {
		var rejected *rejectedError
		if placed, err := s.AddApp(0, attemptOf(1).App, Submission{User: "u", Queue: queue}); !errors.As(err, &rejected) {
			t.Errorf("%.20q: %q, %v", queue, placed, err)
		}
	}
	if queues := s.Queues(); len(queues) != 1 {
		t.Errorf("%d queues are there", len(queues))
	}
}

func TestTidyTakesAwayWhatNobodyUses(t *testing.T) {
	s := submitted(t, Faults{}, `<queue name="a"/>`, "root.x.y", "root.z")
	s.RemoveApp(0, attemptOf(2).App)
	s.Tidy(0)
	if got := queueNames(s); got != "root root.a root.x root.x.y" {
		t.Errorf("with an application in root.x.y: %s", got)
	}
	s.RemoveApp(0, attemptOf(1).App)
	s.Tidy(0)
	if got := queueNames(s); got != "root root.a" {
		t.Errorf("without: %s", got)
	}
	s.Reload(0, parsed(t, Faults{}, `<queue name="b"/>`))
	s.Tidy(0)
	if got := queueNames(s); got != "root root.b" {
		t.Errorf("of another file: %s", got)
	}
}

// TestAQueueBecomesWhatTheFileSaysWhenItIsNotUsed: while it is used it stays a leaf, or a parent.
func TestAQueueBecomesWhatTheFileSaysWhenItIsNotUsed(t *testing.T) {
	s := submitted(t, Faults{}, `<queue name="a"/><queue name="p"><queue name="c"/></queue>`, "root.a", "root.p.c")
	s.Reload(0, parsed(t, Faults{}, `<queue name="a"><queue name="d"/></queue><queue name="p"/>`))
	s.Tidy(0)
	if got := queueNames(s); got != "root root.a root.p root.p.c" || !stateOf(t, s, "root.a").Leaf || stateOf(t, s, "root.p").Leaf {
		t.Errorf("used: %s", got)
	}
	if stateOf(t, s, "root.a").Parent || !stateOf(t, s, "root.p").Parent {
		t.Error("a leaf has the settings of a parent, or a parent those of a leaf")
	}
	s.RemoveApp(0, attemptOf(1).App)
	s.RemoveApp(0, attemptOf(2).App)
	s.Tidy(0)
	if got := queueNames(s); got != "root root.a root.a.d root.p" || stateOf(t, s, "root.a").Leaf || !stateOf(t, s, "root.p").Leaf {
		t.Errorf("not used: %s", got)
	}
}

// Queues below a used leaf are not made, however deep; a parent with a used child stays one.
func TestWhatIsBelowAUsedLeafIsNotMade(t *testing.T) {
	s := submitted(t, Faults{}, `<queue name="a"/><queue name="p"><queue name="c"/><queue name="d"/></queue>`, "root.a", "root.p.c")
	s.Reload(0, parsed(t, Faults{}, `<queue name="a"><queue name="d"><queue name="e"/></queue></queue><queue name="p"/>`))
	if got := queueNames(s); got != "root root.a root.p root.p.c root.p.d" {
		t.Error(got)
	}
}

func queueNames(s *Scheduler) string {
	var names []string
	for _, q := range s.Queues() {
		names = append(names, q.Name)
	}
	return strings.Join(names, " ")
}

// TestHadoopsOrderOfQueues: of two applications that wait since the same time in queues below one that is at its limit, the
// one in the queue that was made first runs first: with Hadoop's hash sets root.p.b, not root.p.a.
func TestHadoopsOrderOfQueues(t *testing.T) {
	const file = `<queue name="p"><maxRunningApps>1</maxRunningApps><queue name="a"/><queue name="b"/><queue name="c"/></queue>`
	for faults, want := range map[Faults]int32{{}: 2, Upstream(): 3} {
		s := submitted(t, faults, file, "root.p.c", "root.p.a", "root.p.b")
		for n := range int32(3) {
			if _, err := s.AddAttempt(0, AttemptSpec{ID: attemptOf(n + 1)}); err != nil {
				t.Fatal(err)
			}
		}
		s.RemoveApp(0, attemptOf(1).App)
		for n := int32(2); n <= 3; n++ {
			if a, _ := s.App(attemptOf(n)); a.Runnable != (n == want) {
				t.Errorf("faults %v: application %d runs: %v", faults, n, a.Runnable)
			}
		}
	}
}

func TestListsOfOneTimeTakeTurns(t *testing.T) {
	at := func(name string, time time.Duration) *app {
		return &app{schedulable: schedulable{Name: name, StartTime: time}}
	}
	var got []string
	for _, a := range historicMerge([][]*app{{at("a1", 1), at("a2", 1), at("a3", 3)}, nil, {at("b1", 1), at("b2", 2)}}) {
		got = append(got, a.Name)
	}
	if want := "a1 b1 a2 b2 a3"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
