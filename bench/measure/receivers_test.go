package measure

import (
	"testing"

	"github.com/coherer/coherer/messages/app"
)

// Each message comes to the receiver of its pair; one of no pair to the first, which reports it.
func TestReceivers(t *testing.T) {
	s := spec(RemoteTell, 76, 8)
	s.Pairs = 3
	tells, err := pairs(newGroup(&s), newTell)
	if err != nil {
		t.Fatal(err)
	}
	sinks, err := newSinks(&s)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReceivers(&s, sinks)
	for pair, n := range []int{1, 2, 3} {
		for range n {
			r.Take(tells[pair].Next())
		}
	}
	for pair, sink := range sinks {
		if got := sink.intakes[0].messages; got != uint64(pair+1) || sink.stray != "" {
			t.Errorf("receiver %d got %d messages, and %q", pair, got, sink.stray)
		}
	}
	r.Take(&app.StatusUpdate{})
	if sinks[0].stray == "" || sinks[1].stray != "" {
		t.Errorf("a message of no pair: %q, %q", sinks[0].stray, sinks[1].stray)
	}
}

// The question of a connect is counted, and is its own answer.
func TestReceiversOfConnects(t *testing.T) {
	s := spec(Connect, 0, 1)
	sinks, err := newSinks(&s)
	if err != nil {
		t.Fatal(err)
	}
	m := &app.StatusUpdate{}
	if back := NewReceivers(&s, sinks).Take(m); back != m || sinks[0].operations.Load() != 1 {
		t.Errorf("%v, %d operations", back, sinks[0].operations.Load())
	}
}
