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
