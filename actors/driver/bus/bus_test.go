package bus_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/transport"
)

// What comes before the cluster manager has taken the application waits: the stream begins as Spark's does.
func TestEventsWaitForTheStartOfTheApplication(t *testing.T) {
	r := newRig(t, nil)
	r.send(numbered(1, 2)...)
	if len(r.log.calls) > 0 {
		t.Errorf("the log got %q before there was an application", r.log.calls)
	}
	r.start()
	r.start() // of a Master that took it again: no second one
	r.send(numbered(3, 1)...)
	r.stop(3)
	all := r.log.events(t)
	wantTexts(t, "events", kinds(all), "LogStart", "ResourceProfileAdded", "BlockManagerAdded", "EnvironmentUpdate", "ApplicationStart",
		"UnpersistRDD", "UnpersistRDD", "UnpersistRDD", "ApplicationEnd")
	for i := range 3 {
		if id := all[5+i].(*listener.UnpersistRDD).ID; int(id) != i+1 {
			t.Errorf("event %d has number %d", i, id)
		}
	}
	if e := all[8].(*listener.ApplicationEnd); e.ExitCode == nil || *e.ExitCode != 3 {
		t.Errorf("the end is %+v", e)
	}
}

// Several queues that wait do not change the order: the log has each event once, in the order of its coming, and Stop is answered when the
// last one is written and the log closed. Nothing comes behind the end.
func TestStopDrainsInOrder(t *testing.T) {
	r := newRig(t, nil)
	r.start()
	r.at.Do(func(c *rpcenv.Context) {
		for _, m := range numbered(0, 2500) {
			c.Send(r.ref, m)
		}
	})
	r.stop(0)
	calls := r.log.calls
	if calls[0] != "Start app-1" || calls[len(calls)-1] != "End" {
		t.Errorf("calls %q", calls)
	}
	r.send(numbered(9000, 1)...)
	r.stop(1)
	all := r.log.events(t)
	if len(all) != 5+2500+1 || len(r.log.calls) != len(calls) {
		t.Fatalf("%d events", len(all))
	}
	for i, e := range all[5 : 5+2500] {
		if id := e.(*listener.UnpersistRDD).ID; int(id) != i {
			t.Fatalf("event %d has number %d", i, id)
		}
	}
}

// An event log that is too slow loses events: each is written or counted. The words are Spark's: that events are dropped once, how many at
// most each minute.
func TestDroppedEventsAreCounted(t *testing.T) {
	r := newRig(t, nil, "spark.scheduler.listenerbus.eventqueue.capacity", "7")
	r.start()
	const dropping = "error: Dropping event from queue eventLog. This likely means one of the listeners is too slow and cannot keep up with the " +
		"rate at which tasks are being started by the scheduler."
	const raise = ". The application is faster than its event log: raise spark.scheduler.listenerbus.eventqueue.capacity"
	sent := 0
	dropped := func() int {
		r.send(numbered(sent, 400)...)
		sent += 400
		n := sent
		for _, e := range r.log.events(t) {
			if _, ok := e.(*listener.UnpersistRDD); ok {
				n--
			}
		}
		return n
	}
	first := dropped()
	if first == 0 || first == sent {
		t.Fatalf("%d of %d events were dropped", first, sent)
	}
	wantTexts(t, "words", r.words(), dropping)
	r.Advance(time.Minute)
	wantTexts(t, "words", r.words(), dropping, fmt.Sprintf("warning: Dropped %d events from eventLog since the application started%s", first, raise))
	r.said.Reset()
	r.Advance(time.Hour)
	second := dropped() - first
	wantTexts(t, "words", r.words())
	r.Advance(59 * time.Second)
	wantTexts(t, "words", r.words())
	r.Advance(time.Second)
	wantTexts(t, "words", r.words(), fmt.Sprintf("warning: Dropped %d events from eventLog since 2026-01-01 00:01:00%s", second, raise))
	r.said.Reset()
	third := dropped() - first - second
	r.stop(0) // which says the rest
	wantTexts(t, "words", r.words(), fmt.Sprintf("warning: Dropped %d events from eventLog since 2026-01-01 01:02:00%s", third, raise))
}

// However few lines may wait, a log begins with the events without which it cannot be read.
func TestTheHeadOfALogIsNotDropped(t *testing.T) {
	r := newRig(t, nil, "spark.scheduler.listenerbus.eventqueue.capacity", "1")
	r.start()
	r.send(numbered(0, 400)...)
	r.stop(0)
	all := kinds(r.log.events(t))
	wantTexts(t, "events", all[:5], "LogStart", "ResourceProfileAdded", "BlockManagerAdded", "EnvironmentUpdate", "ApplicationStart")
	if n := len(all); n >= 400 {
		t.Errorf("%d events are in the log: none was dropped", n)
	}
}

// So many events wait for the application, and no more.
func TestEventsBeforeTheApplicationAreBounded(t *testing.T) {
	r := newRig(t, func(_ *rig, cfg *bus.Config) { cfg.Log = nil }, "spark.scheduler.listenerbus.eventqueue.capacity", "7")
	r.send(numbered(0, 9)...)
	r.start()
	r.stop(0)
	const raise = "The application is faster than its event log: raise spark.scheduler.listenerbus.eventqueue.capacity"
	if words := r.words(); len(words) != 2 || words[1] != "warning: Dropped 2 events from eventLog since the application started. "+raise {
		t.Errorf("words %q", words)
	}
}

// A log that fails is used no more; the application and its pages go on.
func TestAFailureOfTheLogEndsItAlone(t *testing.T) {
	for _, call := range []string{"Start app-1", "Write", "End"} {
		r := newRig(t, func(r *rig, _ *bus.Config) { r.log.failAt = call })
		r.start()
		r.send(numbered(0, 3)...)
		r.stop(0)
		if last := r.log.calls[len(r.log.calls)-1]; last != call {
			t.Errorf("after the failure of %s came %s", call, last)
		}
		wantTexts(t, "words", r.words(), "warning: the event log ends here, the application goes on: the disk is full")
		got, err := rpctest.Ask[bus.Status](r.at, r.ref, bus.Query{Of: status.Application{}})
		if info, ok := got.Value.(status.ApplicationInfo); err != nil || !ok || info.ID != "app-1" {
			t.Errorf("%v %v", got, err)
		}
	}
}

// Without an event log and without pages there is nothing to do, and nothing waits.
func TestABusWithoutListeners(t *testing.T) {
	r := newRig(t, func(_ *rig, cfg *bus.Config) { cfg.Log, cfg.Status = nil, nil })
	r.start()
	r.send(numbered(0, 3)...)
	if _, err := rpctest.Ask[bus.Status](r.at, r.ref, bus.Query{Of: status.Application{}}); err == nil {
		t.Error("there is a status")
	}
	r.stop(0)
	if len(r.log.calls) > 0 {
		t.Errorf("calls %q", r.log.calls)
	}
}

// The changes of blocks are in the log only where the setting wants them; the pages have them always.
func TestChangesOfBlocksAreLoggedOnRequest(t *testing.T) {
	for _, wanted := range []string{"false", "true"} {
		r := newRig(t, nil, "spark.eventLog.logBlockUpdates.enabled", wanted)
		r.start()
		r.send(event.BlockUpdated{ID: &storage.BlockManagerId{ExecutorId: "1", Host: "h", Port: 1}, Block: "rdd_3_0", Memory: true, MemorySize: 5})
		r.stop(0)
		all := kinds(r.log.events(t))
		if got := len(all) == 7; got != (wanted == "true") {
			t.Errorf("%s: %q", wanted, all)
		}
	}
}

// A log whose disk is slow holds nobody up: the bus takes events and answers its pages meanwhile, and Stop waits.
func TestASlowLogHoldsNobodyUp(t *testing.T) {
	host := transport.New(transport.Options{})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Driver", Listen: rpcenv.Address{Host: "127.0.0.1"}, Conf: settings(t, nil), Log: rpcenv.NoLog()})
	if err != nil {
		t.Fatal(err)
	}
	slow := &written{writing: make(chan struct{}), gate: make(chan struct{})}
	ref, err := env.Register(bus.Name, bus.New(bus.Config{Log: slow, Status: status.New(env.Conf())}))
	if err != nil {
		t.Fatal(err)
	}
	b := env.Blocking(context.Background())
	if err := b.Send(ref, event.ApplicationStart{AppID: "app-1"}); err != nil {
		t.Fatal(err)
	}
	<-slow.writing
	for _, m := range numbered(0, 50) {
		if err := b.Send(ref, m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rpcenv.AskWait(b, ref, bus.Query{Of: status.Jobs{}}); err != nil {
		t.Error(err)
	}
	stopped := make(chan error, 1)
	go func() {
		_, err := rpcenv.AskWait[bus.Stop, *rpc.Bool](env.Blocking(context.Background()), ref, bus.Stop{})
		stopped <- err
	}()
	if _, err := rpcenv.AskWait(b, ref, bus.Query{Of: status.Jobs{}}); err != nil {
		t.Error(err)
	}
	for open := true; open; {
		select {
		case slow.gate <- struct{}{}:
		case <-slow.writing:
		case err := <-stopped:
			if err != nil {
				t.Error(err)
			}
			open = false
		}
	}
	if n := len(slow.events(t)); n != 5+50+1 || slow.calls[len(slow.calls)-1] != "End" {
		t.Errorf("%d events, %q", n, slow.calls)
	}
	if err := host.Close(); err != nil {
		t.Error(err)
	}
}
