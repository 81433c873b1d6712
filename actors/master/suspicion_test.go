package master_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// A suspicion is a hint: the Worker is asked, and stays, also if it does not answer, until it has been silent for the time
// that Spark gives it.
func TestASuspicionAsksAndNeverRemoves(t *testing.T) {
	k, said := logged(t)
	there, silent := k.worker("W1", 1, 1024), k.worker("W2", 1, 1024)
	k.Find("W2").Pause()
	for _, w := range []*worker{there, silent} {
		for range 2 {
			k.tool.Send(k.ref, membership.MemberSuspected{Member: membership.Member{Name: "x", Role: "worker", RPC: w.Ref.Address}})
		}
	}
	k.tool.Send(k.ref, membership.MemberSuspected{Member: membership.Member{Name: "y", RPC: rpcenv.Address{Host: "nobody", Port: 1}}})
	states := func() (got []string) {
		for _, w := range k.state().Workers {
			got = append(got, w.State)
		}
		return got
	}
	for range 5 {
		there.beat()
		k.Advance(10 * time.Second)
		if s := states(); s[0] != "ALIVE" || s[1] != "ALIVE" {
			t.Fatalf("states %v", s)
		}
	}
	there.beat()
	k.Advance(70 * time.Second)
	if s := states(); s[1] != "DEAD" {
		t.Errorf("states %v", s)
	}
	k.Advance(time.Minute)
	lines := map[string]int{}
	for _, e := range said.AllEntries() {
		lines[e.Message]++
	}
	if there, silent := lines["Worker worker-W1 is there"], lines["Worker worker-W2 did not answer; it has until its time-out"]; there != 2 || silent != 2 {
		t.Errorf("the log has %d answers and %d silences, want 2 of each: %v", there, silent, lines)
	}
	asked := 0
	for _, e := range k.Trace().Entries {
		if e.Type == "CheckExistence" && e.K == trace.KindMsg && e.Form == "ask" && e.From == "M/Master" {
			asked++
		}
	}
	if asked != 4 {
		t.Errorf("asked %d times, want 4", asked)
	}
}
