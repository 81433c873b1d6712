package driver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// ear is a listener of a driver outside a simulation.
type ear struct {
	started chan int32
	ended   chan error
}

func (e ear) Receive(_ *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case event.JobStart:
		e.started <- m.JobID
	case event.JobEnd:
		e.ended <- m.Err
	}
}

// A job whose program waits no more is cancelled, with the reason. Outside a simulation, where a context may end at any time.
func TestAJobEndsWithTheContextOfItsProgram(t *testing.T) {
	host := transport.New(transport.Options{Memory: true})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Driver", Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: settings(t, nil), Log: rpcenv.NoLog()})
	if err != nil {
		t.Fatal(err)
	}
	e := ear{make(chan int32, 2), make(chan error, 2)}
	listener, err := env.Register("Listener", e)
	if err != nil {
		t.Fatal(err)
	}
	d, err := driver.Start(env, driver.Config{AppName: "test", Local: &driver.Local{AppID: "local-1", MaxFailures: 1}, Listener: listener})
	if err != nil {
		t.Fatal(err)
	}
	inv, err := tasksOf.With(1).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	runs := func(ctx context.Context) chan error {
		failed := make(chan error, 1)
		go func() {
			b := env.Blocking(ctx)
			defer b.Close()
			_, err := d.RunJob(b, inv, rdd.ActionCount)
			failed <- err
		}()
		<-e.started
		return failed
	}
	tired := errors.New("nobody waits")
	first := runs(context.Background())
	ctx, cancel := context.WithCancelCause(context.Background())
	second := runs(ctx)
	cancel(tired)
	if err := <-second; !errors.Is(err, tired) || !strings.HasPrefix(err.Error(), "job tasks: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the program gets %v", err)
	}
	if err := <-e.ended; err == nil || err.Error() != "Job 1 cancelled because its context ended: nobody waits" {
		t.Errorf("the job ends with %v", err)
	}
	// The first one goes on until its Env ends, with which it ends.
	env.Shutdown()
	if err := <-first; err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("in an Env that ends: %v", err)
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatIsAskedOfADriverThatHasEndedFails(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	if err := r.stop(0); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(b *rpcenv.Blocking) error{
		"cancel": func(b *rpcenv.Blocking) error {
			_, err := driver.Cancel(b, r.driver, dag.AllJobsCancelled{})
			return err
		},
		"unpersist": func(b *rpcenv.Blocking) error { return r.driver.Unpersist(b, []string{"key"}) },
	} {
		if err := r.program(ask); !errors.Is(err, rpcenv.ErrRefusedNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Cancel returns the jobs that it has ended.
func TestCancelReturnsTheJobsThatItEnded(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	first, second := run(r, tasksOf.With(1)), run(r, tasksOf.With(1))
	r.Settle()
	err := r.program(func(b *rpcenv.Blocking) error {
		ended, err := driver.Cancel(b, r.driver, dag.AllJobsCancelled{})
		if got := fmt.Sprint(ended); err == nil && got != "[0 1]" {
			t.Errorf("jobs %s", got)
		}
		return err
	})
	r.Settle()
	if err != nil || !first.done || !second.done {
		t.Errorf("%v, the jobs ended: %t, %t", err, first.done, second.done)
	}
}

// The program's own call gives up what a dataset has kept.
func TestUnpersistGoesByTheKeysOfDatasets(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	k := r.keeping("0", 1)
	text := keptWords.With([]string{"a", "b"})
	k.all(run(r, text))
	k.keeps(keptWordsRDD, 0, true)
	inv, err := text.Invocation()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.program(func(b *rpcenv.Blocking) error { return r.driver.Unpersist(b, []string{inv.Lineage.Persisted()[0].Key}) }); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(k.removed) != "[3]" {
		t.Errorf("removed %v", k.removed)
	}
}

// A step that fails is the error of the stop, and the others follow.
func TestAStepThatFailsIsTheErrorOfTheStop(t *testing.T) {
	r := newRig(t, 1, nil, nil)
	r.env.Stop(driver.Name)
	r.Settle()
	broken := errors.New("it will not stop")
	p := r.ProbeIn(r.env, driver.Name)
	p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch q := m.(type) {
		case driver.StopExecutors:
			rpcenv.Fail(c, q, broken)
		case driver.StopDriver:
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		}
		return true
	})
	if err := r.stop(0); err == nil || !strings.Contains(err.Error(), "it will not stop") {
		t.Error(err)
	}
}

// rdd.Take goes by settings, and by the number of partitions.
func TestHowManyPartitionsATakeComputes(t *testing.T) {
	for _, k := range []struct {
		pairs         map[string]string
		first, factor int
	}{
		{nil, 1, 4},
		{map[string]string{"spark.rdd.limit.initialNumPartitions": "3", "spark.rdd.limit.scaleUpFactor": "7"}, 3, 7},
	} {
		r := newRig(t, 1, k.pairs, nil)
		if first, factor := r.driver.TakeRounds(); first != k.first || factor != k.factor {
			t.Errorf("%v: %d and then %d times as many", k.pairs, first, factor)
		}
	}
	for name, k := range map[string]struct {
		files rdd.FS
		want  int
	}{"a file": {rdd.MemFS{"text": []byte("a\nb\nc\nd\n")}, 2}, "a missing file": {rdd.MemFS{}, 0}, "no files": {nil, 0}} {
		r := newRig(t, 1, nil, k.files)
		inv, err := keptLines.With("text").Invocation()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.driver.Partitions(inv); n != k.want || (err == nil) != (k.want > 0) {
			t.Errorf("%s: %d partitions, %v", name, n, err)
		}
	}
	// Without files there are still partitions of what is in the program.
	r := newRig(t, 1, nil, nil)
	inv, err := tasksOf.With(5).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.driver.Partitions(inv); n != 5 || err != nil {
		t.Errorf("%d partitions, %v", n, err)
	}
}
