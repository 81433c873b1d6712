package fair

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// fakeFile is a file in memory.
type fakeFile struct {
	text     string
	modified time.Time
	err      error
	reads    int
}

func (f *fakeFile) Modified() (time.Time, error) { return f.modified, f.err }

func (f *fakeFile) Read() ([]byte, error) {
	f.reads++
	return []byte(f.text), f.err
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// reloadRig is a Reload that read its file, with queue a, at noon.
func reloadRig(t *testing.T) (*Reload, *fakeFile) {
	f := &fakeFile{text: `<allocations><queue name="a"/></allocations>`, modified: noon.Add(-time.Second)}
	r := NewReload(options)
	if a, err := r.Load(f, noon); err != nil || len(a.Queues()) != 2 {
		t.Fatalf("%v, %v", a, err)
	}
	return &r, f
}

func TestAChangeCountsOnceItIsFiveSecondsOld(t *testing.T) {
	r, f := reloadRig(t)
	f.text, f.modified = `<allocations><queue name="a"/><queue name="b"/></allocations>`, noon.Add(10*time.Second)
	for after, due := range map[time.Duration]bool{10 * time.Second: false, 15 * time.Second: false, 15*time.Second + 1: true} {
		if n := r.Look(f, noon.Add(after)); n.Due != due {
			t.Errorf("%v after noon: due %v", after, n.Due)
		}
	}
	a, err := r.Take(r.Look(f, noon.Add(20*time.Second)))
	if err != nil || len(a.Queues()) != 3 {
		t.Fatalf("%v, %v", a, err)
	}
	reads := f.reads
	if a, err := r.Take(r.Look(f, noon.Add(30*time.Second))); a != nil || err != nil || f.reads != reads {
		t.Errorf("a file that did not change is read again: %v, %v", a, err)
	}
}

func TestABadFileIsToldOnce(t *testing.T) {
	r, f := reloadRig(t)
	f.text, f.modified = `<allocations>
<queue name="a"><weight>x</weight></queue></allocations>`, noon.Add(time.Second)
	at := noon
	look := func() error {
		at = at.Add(ReloadInterval)
		a, err := r.Take(r.Look(f, at))
		if a != nil {
			t.Fatal("a bad file counts")
		}
		return err
	}
	if err := look(); err == nil || !strings.Contains(err.Error(), "the old allocations stay") || !strings.Contains(err.Error(), "line 2: queue root.a") {
		t.Errorf("first: %v", err)
	}
	if err := look(); err != nil {
		t.Errorf("again: %v", err)
	}
	f.text = "<allocations"
	if err := look(); err == nil {
		t.Error("another reason is not told")
	}
	f.err = errors.New("no such file")
	if err := look(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a file that is gone: %v", err)
	}
	f.text, f.err = `<allocations/>`, nil
	if a, err := r.Take(r.Look(f, at.Add(ReloadInterval))); err != nil || a == nil {
		t.Errorf("a good file: %v, %v", a, err)
	}
	f.text, f.modified = "<allocations", at.Add(2*ReloadInterval)
	at = at.Add(2 * ReloadInterval)
	if err := look(); err == nil {
		t.Error("the same reason is not told after the file was good")
	}
}

func TestAFileWithMoreThanItMayHaveIsRefused(t *testing.T) {
	f := &fakeFile{text: "<allocations>" + strings.Repeat(" ", MaxFileSize) + "</allocations>"}
	r := NewReload(options)
	if _, err := r.Load(f, noon); err == nil || !strings.Contains(err.Error(), "8 MiB") {
		t.Error(err)
	}
}

// submitted is a scheduler with these elements in its file, and an application in each of the queues.
func submitted(t *testing.T, compat Compat, elements string, queues ...string) *Scheduler {
	t.Helper()
	conf := DefaultConfig()
	conf.Compat = compat
	s, err := New(0, conf, parsed(t, compat, elements))
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

func TestAQueueMadeForASubmissionKeepsItsMaximum(t *testing.T) {
	const file = `<queue name="p" type="parent"><maxChildResources>4096 mb, 4 vcores</maxChildResources></queue>`
	for compat, want := range map[Compat]Resource{Fixed: {4096, 4}, Upstream: Unbounded} {
		s := submitted(t, compat, file, "root.p.made")
		if got := stateOf(t, s, "root.p.made").MaxShare; got != (Resource{4096, 4}) {
			t.Errorf("compat %d: at first %v", compat, got)
		}
		s.Reload(0, parsed(t, compat, file))
		if got := stateOf(t, s, "root.p.made").MaxShare; got != want {
			t.Errorf("compat %d: %v after the file was read again, want %v", compat, got, want)
		}
	}
}

func TestQueuesKeepTheirPoliciesWhenNewOnesMayNotStandThere(t *testing.T) {
	s := submitted(t, Fixed, `<queue name="p"><queue name="c"/></queue>`, "root.p.c")
	s.Reload(0, parsed(t, Fixed, `<queue name="p"><schedulingPolicy>fifo</schedulingPolicy><queue name="c"><schedulingPolicy>fifo</schedulingPolicy></queue></queue>`))
	for _, name := range []string{"root.p", "root.p.c"} {
		if got := stateOf(t, s, name).Policy; got != PolicyFair {
			t.Errorf("%s has policy %s", name, got)
		}
	}
	s.Reload(0, parsed(t, Fixed, `<queue name="p"><queue name="c"><schedulingPolicy>fifo</schedulingPolicy></queue></queue>`))
	if got := stateOf(t, s, "root.p.c").Policy; got != PolicyFIFO {
		t.Errorf("root.p.c has policy %s", got)
	}
}

func TestAQueueWithAnEmptyPartInItsNameIsNotMade(t *testing.T) {
	s := submitted(t, Fixed, ``)
	for _, queue := range []string{"a..b", "root..b", "a. b", "a .b", "a\t.b", strings.Repeat("a.", 600) + "a"} {
		var rejected *RejectedError
		if placed, err := s.AddApp(0, attemptOf(1).App, Submission{User: "u", Queue: queue}); !errors.As(err, &rejected) {
			t.Errorf("%.20q: %q, %v", queue, placed, err)
		}
	}
	if queues := s.Queues(); len(queues) != 1 {
		t.Errorf("%d queues are there", len(queues))
	}
}
