package local_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/rpcenv"
)

// memoryLog is an event log in memory.
type memoryLog struct {
	app   string
	lines [][]byte
	ended bool
	err   error // of Write
}

func (l *memoryLog) Start(app string) error { l.app = app; return nil }

func (l *memoryLog) Write(lines [][]byte) error {
	l.lines = append(l.lines, lines...)
	return l.err
}

func (l *memoryLog) End() error { l.ended = true; return nil }

// failures is how many tasks of the job "flaky" are still to fail.
var failures atomic.Int32

// The functions have names, which are in the log. The compiler numbers those without one over all files of the package.

func once(word string) rdd.Pair[string, int64] { return rdd.PairOf(word, int64(1)) }

func plus(a, b int64) int64 { return a + b }

func all(d time.Duration) time.Duration { return d }

func luckless(i int64) int64 {
	if i == 1 && failures.Add(-1) >= 0 {
		panic("no luck")
	}
	return i
}

var (
	counted = rdd.Define("events: words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
		lines := rdd.FlatMap(rdd.Parallelize(text, 2), strings.FieldsSeq)
		return rdd.ReduceByKey(rdd.Map(lines, once), plus, 2)
	})
	flaky = rdd.Define("events: flaky", func(n int64) rdd.Dataset[int64] {
		return rdd.Map(rdd.Range(0, n, 2), luckless)
	})
	slow = rdd.Define("events: slow", func(d time.Duration) rdd.Dataset[time.Duration] {
		return rdd.Sleep(rdd.Parallelize([]time.Duration{d, d}, 2), all)
	})
)

// told is a program whose log has each kind of event that a program without kept blocks can bring.
func told(b *rpcenv.Blocking, a *app.App, kill func()) error {
	ctx := rdd.WithProperty(b.Context(), rdd.PropertyDescription, "count words")
	for range 2 { // the second one skips its first stage
		if _, err := rdd.Collect(ctx, a, counted.With([]string{"a b a", "b c"})); err != nil {
			return err
		}
	}
	failures.Store(1)
	if _, err := rdd.Count(b.Context(), a, flaky.With(2)); err != nil {
		return err
	}
	failures.Store(100)
	if _, err := rdd.Count(b.Context(), a, flaky.With(2)); err == nil {
		return errors.New("the job did not fail")
	}
	group := rdd.WithJobGroup(b.Context(), "group-1", "to be cancelled")
	b.Env().Go("canceller", func(other *rpcenv.Blocking) error {
		if err := other.Sleep(5 * time.Second); err != nil {
			return err
		}
		env := other.Env()
		_, err := rpcenv.AskWait(other, env.Ref(env.Address(), dag.Name), dag.JobGroupCancelled{Group: "group-1"})
		return err
	})
	if _, err := rdd.Count(group, a, slow.With(time.Minute)); !errors.Is(err, rdd.ErrCancelled) {
		return fmt.Errorf("the job was not cancelled: %w", err)
	}
	b.Env().Go("killer", func(other *rpcenv.Blocking) error {
		err := other.Sleep(2 * time.Second)
		kill()
		return err
	})
	_, err := rdd.Count(b.Context(), a, slow.With(5*time.Second))
	return err
}

// tell runs told in a simulation.
func tell(t *testing.T, to bus.Log, conf map[string]string) {
	t.Helper()
	c := local.Start(t, local.Config{Seed: 1, Conf: conf, EventLog: func(string) bus.Log { return to }})
	ended := make(chan error, 1)
	c.Application("story", func(b *rpcenv.Blocking, a *app.App) error {
		return told(b, a, func() { _ = c.Kill("Exec0") })
	}, func(err error) { ended <- err })
	wantEnd(t, c, ended)
}

// An event log of a whole program, line by line. The times are virtual.
func TestTheEventLogOfAProgram(t *testing.T) {
	var log, again memoryLog
	settings := map[string]string{"spark.executor.memory": "512m", "spark.ui.token": "hidden"}
	tell(t, &log, settings)
	tell(t, &again, settings)
	// Stacks have addresses, and paths of the machine.
	stack := regexp.MustCompile(`goroutine \d+ (?:[^"\\]|\\.)*`)
	got := stack.ReplaceAll(bytes.Join(log.lines, nil), []byte("STACK"))
	if !bytes.Equal(got, stack.ReplaceAll(bytes.Join(again.lines, nil), []byte("STACK"))) {
		t.Error("a second run of the same seed has another log")
	}
	if log.app == "" || !log.ended {
		t.Errorf("started for %q, ended %v", log.app, log.ended)
	}
	golden(t, "events.jsonl", got)
	for i, line := range log.lines {
		e, err := listener.Decode(line)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if text, err := listener.Encode(e); err != nil || !bytes.Equal(append(text, '\n'), line) {
			t.Errorf("line %d is not what its fields give: %v", i+1, err)
		}
	}
}

var rewrite = flag.Bool("rewrite", false, "write the golden files of testdata anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
		at := 0
		for at < min(len(g), len(w))-1 && g[at] == w[at] {
			at++
		}
		t.Errorf("%s differs from line %d on (-rewrite writes it anew):\n%s\nwant\n%s", path, at+1, g[at], w[at])
	}
}

// A log that fails is given up: the application goes on.
func TestAnEventLogThatFails(t *testing.T) {
	log := memoryLog{err: errors.New("no space left on device")}
	tell(t, &log, nil)
	if len(log.lines) == 0 || log.ended {
		t.Errorf("%d lines, ended %v", len(log.lines), log.ended)
	}
}
