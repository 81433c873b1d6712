package runner

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// follow follows a run in the test's steps: each call of next is a tick and returns the entries that it showed; end waits
// for the end.
type follow struct {
	t     *testing.T
	ticks chan time.Time
	shown chan int
	ended chan error
	notes []error
}

func startFollow(ctx context.Context, t *testing.T, dir string) *follow {
	f := &follow{t: t, ticks: make(chan time.Time), shown: make(chan int), ended: make(chan error, 1)}
	go func() {
		f.ended <- Follow(ctx, dir, f.ticks,
			func(tr *trace.Trace) error { f.shown <- len(tr.Entries); return nil },
			func(err error) { f.notes = append(f.notes, err) })
	}()
	return f
}

func (f *follow) next(want int) {
	f.t.Helper()
	f.ticks <- time.Unix(1, 0) // the records are of the first microsecond of 1970
	if got := <-f.shown; got != want {
		f.t.Errorf("%d entries, want %d", got, want)
	}
}

func (f *follow) end(notes int) {
	f.t.Helper()
	if err := <-f.ended; err != nil || len(f.notes) != notes {
		f.t.Errorf("ended with %v and notes %v, want %d", err, f.notes, notes)
	}
}

func grow(t *testing.T, path string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
}

func TestFollowOfARunUnderWay(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	f := startFollow(t.Context(), t, filepath.Join(filepath.Dir(d.Path()), latestRun))
	f.next(0)
	master, worker := filepath.Join(d.Trace(), "Master.trace"), filepath.Join(d.Trace(), "Worker1.trace")
	one, two := recorded(1), recorded(2)
	grow(t, master, one[:len(one)-1])
	f.next(0)
	grow(t, master, one[len(one)-1:])
	f.next(1)
	f.next(0)
	begun(t, "b") // is the latest now
	grow(t, worker, recorded(3))
	grow(t, master, two[len(one):])
	f.next(4)
	grow(t, worker, []byte{100, 1}) // it is killed while it writes
	if _, err := d.Finish(Details{}); err != nil {
		t.Fatal(err)
	}
	f.next(0)
	f.end(1)
	if _, err := os.Stat(filepath.Join(d.Path(), pidFile)); err == nil {
		t.Error("the pid is left")
	}
}

func TestFollowEndsWithARunThatWasKilled(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	d := begun(t, "a")
	f := startFollow(t.Context(), t, d.Path())
	grow(t, filepath.Join(d.Trace(), "Master.trace"), recorded(1))
	f.next(1)
	const none = 1<<22 + 1 // more than Linux gives
	put(t, filepath.Join(d.Path(), pidFile), []byte(strconv.Itoa(none)))
	grow(t, filepath.Join(d.Trace(), "Worker1.trace"), []byte("no trace"))
	f.next(0)
	f.end(1)
}

func TestFollowEndsWithItsContext(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	f := startFollow(ctx, t, begun(t, "a").Path())
	f.next(0)
	cancel()
	f.end(0)
	if err := Follow(t.Context(), t.TempDir(), nil, nil, nil); err == nil {
		t.Error("a folder that is no run is followed")
	}
}
