package process

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// at is a clock that a test moves.
type at struct{ time.Time }

func (a *at) now() time.Time { return a.Time }

var noon = time.Date(2026, 3, 4, 12, 0, 30, 7_000_000, time.UTC)

func newRoller(t *testing.T, r Rolling) (*roller, *at) {
	t.Helper()
	clock := &at{noon}
	w, err := openRoller(filepath.Join(t.TempDir(), "stdout"), r, clock.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, clock
}

func (w *roller) must(t *testing.T, text string) {
	t.Helper()
	if n, err := w.Write([]byte(text)); err != nil || n != len(text) {
		t.Fatal(n, err)
	}
}

// files are the names in the output's directory, and what they have.
func (w *roller) files(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(w.path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(w.path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		name := e.Name()
		if len(text) < 20 {
			name += "=" + string(text)
		}
		names = append(names, name)
	}
	return names
}

// The names are those of Spark's TimeBasedRollingPolicy and SizeBasedRollingPolicy.
func TestOldFilesAreNamedAsSparks(t *testing.T) {
	for _, c := range []struct {
		rolling Rolling
		want    string
	}{
		{Rolling{Interval: 24 * time.Hour}, "--2026-03-04"},
		{Rolling{Interval: time.Hour}, "--2026-03-04--12"},
		{Rolling{Interval: time.Minute}, "--2026-03-04--12-00"},
		{Rolling{Interval: 10 * time.Second}, "--2026-03-04--12-00-30"},
		{Rolling{MaxSize: 1}, "--2026-03-04--12-00-30--0007"},
	} {
		if got := c.rolling.suffix(noon); got != c.want {
			t.Errorf("%+v: %s, want %s", c.rolling, got, c.want)
		}
	}
}

func TestAFileRollsOverWhenItsIntervalEnds(t *testing.T) {
	w, clock := newRoller(t, Rolling{Interval: time.Minute})
	w.must(t, "a")
	clock.Time = noon.Add(29 * time.Second)
	w.must(t, "b")
	clock.Time = noon.Add(31 * time.Second)
	w.must(t, "c")
	clock.Time = noon.Add(5 * time.Minute) // silence makes no files
	w.must(t, "d")
	want := []string{"stdout=d", "stdout--2026-03-04--12-01=ab", "stdout--2026-03-04--12-05=c"}
	if got := w.files(t); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFileRollsOverBeforeItIsTooLarge(t *testing.T) {
	w, clock := newRoller(t, Rolling{MaxSize: 1}) // which counts as 80 KiB
	half := strings.Repeat("x", MinRollingSize/2)
	w.must(t, half)
	w.must(t, half)
	clock.Time = noon.Add(time.Second)
	w.must(t, "y")
	want := []string{"stdout=y", "stdout--2026-03-04--12-00-31--0007"}
	if got := w.files(t); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.must(t, strings.Repeat("z", 2*MinRollingSize)) // more than a file takes has one of its own
	if got := w.files(t); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

func TestANameThatIsTakenGetsANumber(t *testing.T) {
	w, _ := newRoller(t, Rolling{MaxSize: 1})
	full := strings.Repeat("x", MinRollingSize)
	for range 4 {
		w.must(t, full)
	}
	const old = "stdout--2026-03-04--12-00-30--0007"
	if got, want := w.files(t), []string{"stdout", old, old + "--0", old + "--1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOnlyTheNewestFilesAreRetained(t *testing.T) {
	w, clock := newRoller(t, Rolling{Interval: time.Second, Retained: 2})
	other := filepath.Join(filepath.Dir(w.path), "stdout.mine")
	if err := os.WriteFile(other, []byte("!"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "b", "c", "d", "e"} {
		clock.Time = clock.Add(2 * time.Second)
		w.must(t, text)
	}
	want := []string{"stdout=e", "stdout--2026-03-04--12-00-38=c", "stdout--2026-03-04--12-00-40=d", "stdout.mine=!"}
	if got := w.files(t); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOldFilesAreCompressed(t *testing.T) {
	w, clock := newRoller(t, Rolling{Interval: time.Hour, Compress: true})
	w.must(t, "first")
	clock.Time = noon.Add(time.Hour)
	w.must(t, "second")
	f, err := os.Open(w.path + "--2026-03-04--13.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != "first" {
		t.Errorf("%q %v", text, err)
	}
	if got := w.files(t); len(got) != 2 || got[0] != "stdout=second" {
		t.Errorf("%q", got)
	}
}

// A file that vanishes while it is written harms nothing.
func TestAFileThatIsTakenAwayIsBegunAgain(t *testing.T) {
	w, clock := newRoller(t, Rolling{Interval: time.Hour})
	w.must(t, "a")
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	clock.Time = noon.Add(2 * time.Hour)
	w.must(t, "b")
	if got := w.files(t); !slices.Equal(got, []string{"stdout=b"}) {
		t.Errorf("%q", got)
	}
}

// A full disk costs the output, not the process that writes it.
func TestAFullDiskIsCountedAndReadOn(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full to write to")
	}
	var dropped []int64
	var why error
	a, w, err := appendTo(Output{Path: "/dev/full", Rolling: &Rolling{MaxSize: 1 << 20, Dropped: func(n int64, err error) {
		dropped, why = append(dropped, n), err
	}}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	const much = 1 << 20 // more than a pipe holds
	if n, err := w.Write(make([]byte, much)); err != nil || n != much {
		t.Fatal(n, err)
	}
	w.Close()
	a.finish()
	if !slices.Equal(dropped, []int64{0, much}) || !errors.Is(why, syscall.ENOSPC) {
		t.Errorf("dropped %v, %v", dropped, why)
	}
}

// A descendant that leaves a process's group keeps the pipe; the process's end is reported all the same.
func TestAPipeThatSomebodyHoldsDoesNotHoldUpTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stdout")
	a, w, err := appendTo(Output{Path: path, Rolling: &Rolling{MaxSize: 1}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.WriteString("said before"); err != nil {
		t.Fatal(err)
	}
	a.finish() // or the test hangs
	if text, err := os.ReadFile(path); err != nil || string(text) != "said before" {
		t.Errorf("%q %v", text, err)
	}
}
