package rpcenv_test

import (
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// A new process that is dialled at its address is the owner without a question; what was in doubt of the old one ends first.
func TestADialToTheNewProcessEndsTheOldOnesConnectionsFirst(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", watching(w))
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	old := w.makeAt(rpcenv.Config{Name: "B", Listen: at}, at.Host)
	w.say(old, ref, "old")
	w.await("A: old")
	if err := w.sim.Reset("B", "A", 10*time.Second); err != nil {
		t.Fatal(err)
	}
	w.say(old, ref, "by the new one") // which A has to ask about by the old one
	w.await("A: by the new one")
	w.sim.Cut("B", "A")
	w.crash(old)
	young := w.makeAt(rpcenv.Config{Name: "B2", Listen: at}, at.Host)
	begin := w.sim.Now()
	w.do(a, func(b *rpcenv.Blocking) {
		if err := a.DialWait(b, at); err != nil {
			t.Error(err)
		}
	})
	if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
		t.Error("it took", d)
	}
	w.quiet()
	want := []string{
		"A: connected " + at.String(), "A: old", "A: connected " + at.String(), "A: by the new one",
		"A: disconnected " + at.String(), "A: disconnected " + at.String(), "A: connected " + at.String(),
	}
	w.wantLog(want...)
	w.sim.Advance(time.Second)
	if _, conns, _ := a.Held(); conns != 1 {
		t.Error(conns, "connections while the old process is silent")
	}
	w.sim.Heal("B", "A")
	w.sim.Advance(time.Minute)
	w.wantLog(want...)
	if _, conns, _ := a.Held(); conns != 1 {
		t.Error(conns, "connections")
	}
	w.close(young)
}

// All connections of a silent process are asked at once, and given up together.
func TestASilentProcessHasThreeSecondsForAllItsConnections(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	ref := w.register(a, "E", watching(w))
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	old := w.makeAt(rpcenv.Config{Name: "B", Listen: at}, at.Host)
	w.say(old, ref, "old")
	w.await("A: old")
	for range 2 {
		w.do(old, func(b *rpcenv.Blocking) {
			if err := old.DialWait(b, a.Address()); err != nil {
				t.Error(err)
			}
		})
	}
	w.awaitLines(4)
	w.sim.Cut("B", "A")
	w.crash(old)
	young := w.makeAt(rpcenv.Config{Name: "B2", Listen: at}, at.Host)
	begin := w.sim.Now()
	w.say(young, ref, "young")
	w.await("A: young")
	if d := w.sim.Now().Sub(begin); d < 3*time.Second || d > 3100*time.Millisecond {
		t.Error("it took", d)
	}
	ended := "A: disconnected " + at.String()
	w.wantLog("A: connected "+at.String(), "A: old", "A: connected "+at.String(), "A: connected "+at.String(),
		ended, ended, ended, "A: connected "+at.String(), "A: young")
}

// A claimant that is held must not speak, not even say Hello again.
func TestAHeldClaimantDoesNotSayHelloAgain(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, _, _ := cutOff(w, at)
	h := hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: at.Proto()})
	s := w.stranger(a.Address(), h)
	s.link.Send(h)
	w.sim.Advance(time.Second)
	if !slices.Contains(w.noted(), "stranger: closed") {
		t.Error(w.noted())
	}
}

// An Env that stops while a claimant is held welcomes it no more.
func TestAHeldClaimantIsRefusedByAnEnvThatStops(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, _, _ := cutOff(w, at)
	w.register(a, "Slow", doer())
	w.sim.Cost("A/Slow", "OnStop", 20*time.Second)
	w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: at.Proto()}))
	a.Shutdown()
	w.sim.Advance(3100 * time.Millisecond)
	for _, line := range []string{"stranger: failure: rpcenv: stopped: RpcEnv has been stopped", "stranger: closed"} {
		if !slices.Contains(w.noted(), line) {
			t.Errorf("no %q in %q", line, w.noted())
		}
	}
}

// The socket of a client may have the numbers of an address where a process listened: it claims nothing.
func TestAClientsSocketIsNobodysAddress(t *testing.T) {
	t.Run("client second", func(t *testing.T) {
		at := rpcenv.Address{Host: "10.0.1.1", Port: 40002} // the port of the second socket there
		w := inSim(t)
		a := w.env("A")
		ref := w.register(a, "E", watching(w))
		old := w.makeAt(rpcenv.Config{Name: "B", Listen: at}, at.Host)
		w.say(old, ref, "old")
		w.await("A: old")
		w.sim.Cut("B", "A")
		w.crash(old)
		k := w.makeAt(rpcenv.Config{Name: "K"}, at.Host)
		begin := w.sim.Now()
		w.say(k, ref, "client")
		w.await("A: client")
		if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
			t.Error("it took", d)
		}
		w.wantLog("A: connected "+at.String(), "A: old", "A: connected "+at.String(), "A: client")
	})
	t.Run("client first", func(t *testing.T) {
		at := rpcenv.Address{Host: "10.0.1.1", Port: 40001} // of the first socket
		w := inSim(t)
		a := w.env("A")
		ref := w.register(a, "E", watching(w))
		k := w.makeAt(rpcenv.Config{Name: "K"}, at.Host)
		w.say(k, ref, "client")
		w.await("A: client")
		w.wantLog("A: connected "+at.String(), "A: client")
		b := w.makeAt(rpcenv.Config{Name: "B", Listen: at}, at.Host)
		begin := w.sim.Now()
		w.say(b, ref, "listener")
		w.await("A: listener")
		if peers := a.Metrics().Peers; len(peers) != 2 || peers[0].Name != "B" || !peers[0].Listens || peers[1].Name != "K" || peers[1].Listens {
			t.Errorf("%+v", peers)
		}
		if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
			t.Error("it took", d)
		}
		w.wantNo("A: disconnected " + at.String())
	})
}
