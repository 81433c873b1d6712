package rpcenv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// claimed is a world where B is connected to A's watched endpoint E.
func claimed(w *world) (a, b *rpcenv.Env, ref rpcenv.Ref) {
	w.t.Helper()
	a, b = w.env("A"), w.env("B")
	ref = w.register(a, "E", watching(w))
	w.register(b, "E", double(w))
	w.say(b, ref, "hello")
	w.await("A: hello")
	return a, b, ref
}

// say sends a text from a program of e.
func (w *world) say(e *rpcenv.Env, to rpcenv.Ref, s string) {
	w.t.Helper()
	w.do(e, func(b *rpcenv.Blocking) {
		if err := b.Send(to, text(s)); err != nil {
			w.t.Error(err)
		}
	})
}

// wantAnswer wants an answer of the endpoint E of an Env, of which e has the same idea as before.
func (w *world) wantAnswer(e, of *rpcenv.Env) {
	w.t.Helper()
	w.do(e, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, e.Ref(of.Address(), "E"), num(1)); err != nil {
			w.t.Error(err)
		}
	})
}

// incarnationOf is the incarnation that an Env gives to any dialler.
func (w *world) incarnationOf(e *rpcenv.Env) (n uint64) {
	s := w.stranger(e.Address(), nil)
	s.heard = func(m rpcenv.Message) { n = m.(*rpc.Welcome).GetIncarnation() }
	s.link.Send(hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 5, Connection: 98}))
	w.await("stranger: Welcome")
	return n
}

func (w *world) wantNo(line string) {
	w.t.Helper()
	if slices.Contains(w.noted(), line) {
		w.t.Errorf("noted %q:\n  %s", line, strings.Join(w.noted(), "\n  "))
	}
}

// Any process may say Hello with the address of a peer; the peer stays.
func TestAClaimToTheAddressOfALivePeerIsRefused(t *testing.T) {
	inSimAndMemory(t, func(w *world) {
		a, b, ref := claimed(w)
		w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: b.Address().Proto()}))
		w.await("stranger: failure: " + b.Address().String() +
			" is the address of B, which is connected: if that is another process, give each an address of its own")
		w.await("stranger: closed")
		w.stays(a, b, ref)
	})
}

// stays wants B to be what it was to A.
func (w *world) stays(a, b *rpcenv.Env, ref rpcenv.Ref) {
	w.t.Helper()
	w.say(b, ref, "still here")
	w.await("A: still here")
	w.wantAnswer(a, b)
	w.wantNo("A: disconnected " + b.Address().String())
	if _, conns, _ := a.Held(); w.sim != nil && conns != 1 { // a real A may not have heard of the stranger's end yet
		w.t.Error(conns, "connections")
	}
}

// The incarnation of a peer is no secret: any dialler gets it. A connection that the peer did not open ends, and its end is not
// taken for the peer's, also if it comes before the peer was heard.
func TestTheEndOfAFalseConnectionIsNotThePeers(t *testing.T) {
	for name, leaves := range map[string]bool{"found out": false, "leaves at once": true} {
		t.Run(name, func(t *testing.T) {
			inSimAndMemory(t, func(w *world) {
				a, b, ref := claimed(w)
				n := w.incarnationOf(b)
				first := hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: n, Connection: 99, Address: b.Address().Proto()})
				s := w.stranger(a.Address(), first)
				if leaves {
					s.link.Close()
				}
				w.await("stranger: closed")
				if w.sim != nil {
					w.sim.Advance(time.Minute)
				}
				w.stays(a, b, ref)
			})
		})
	}
}

// byANewConnection is claimed, whose B has lost its connection, of which A will hear in 2 s, and has said something by a new one.
func byANewConnection(w *world) (a, b *rpcenv.Env, at string) {
	w.t.Helper()
	a, b, ref := claimed(w)
	if err := w.sim.Reset("B", "A", 2*time.Second); err != nil {
		w.t.Fatal(err)
	}
	w.say(b, ref, "by the new one")
	w.await("A: by the new one")
	return a, b, b.Address().String()
}

// A peer that lost its connection goes on by a new one at once, though this side has not heard of the loss and the peer
// does not answer by the old one. Then both ends are reported.
func TestAPeerGoesOnByANewConnectionBeforeTheOldOneEnds(t *testing.T) {
	w := inSim(t)
	a, b, at := byANewConnection(w)
	w.wantNo("A: disconnected " + at)
	w.sim.Advance(3 * time.Second)
	w.wantLog("A: connected "+at, "A: hello", "A: connected "+at, "A: by the new one", "A: disconnected "+at)
	w.crash(b)
	w.sim.Advance(time.Second)
	w.wantLog("A: connected "+at, "A: hello", "A: connected "+at, "A: by the new one", "A: disconnected "+at, "A: disconnected "+at)
	w.close(a)
}

// A connection that ends before the peer has answered for it by the old one may have been opened by another process that claimed to
// be the peer. Once the old one has ended too, the question has no answer: the end is reported, late.
func TestTheEndOfAConnectionInDoubtIsToldLate(t *testing.T) {
	w := inSim(t)
	a, b, at := byANewConnection(w)
	w.crash(b)
	w.sim.Advance(time.Second)
	w.wantLog("A: connected "+at, "A: hello", "A: connected "+at, "A: by the new one")
	w.sim.Advance(2 * time.Second)
	w.wantLog("A: connected "+at, "A: hello", "A: connected "+at, "A: by the new one", "A: disconnected "+at, "A: disconnected "+at)
	w.close(a)
}

// A restart after kill -9 goes on at once: the old connection has ended, or the machine ends it when the peer is asked.
func TestARestartedProcessHasItsAddressAtOnce(t *testing.T) {
	inCrashingWorlds(t, func(w *world) {
		a, b, ref := claimed(w)
		at := b.Address()
		w.crash(b)
		young := w.makeAt(rpcenv.Config{Name: "B2", Listen: at}, at.Host)
		begin := young.Host().Now()
		w.say(young, ref, "young")
		w.await("A: young")
		if d := young.Host().Now().Sub(begin); w.sim != nil && d > 100*time.Millisecond {
			t.Error("it took", d)
		}
		w.wantLog("A: connected "+at.String(), "A: hello", "A: disconnected "+at.String(), "A: connected "+at.String(), "A: young")
		w.close(a)
	})
}

// No one hears the end of the old process: it has 3 seconds to answer for its address.
func TestAHalfOpenConnectionGivesItsAddressUpAfterThreeSeconds(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	_, young, ref := cutOff(w, at)
	begin := w.sim.Now()
	w.say(young, ref, "young")
	w.await("A: young")
	if d := w.sim.Now().Sub(begin); d < 3*time.Second || d > 3100*time.Millisecond {
		t.Error("it took", d)
	}
	w.wantLog("A: connected "+at.String(), "A: old", "A: disconnected "+at.String(), "A: connected "+at.String(), "A: young")
}

// cutOff is a world where A still takes a crashed process at an address for alive, and another has the address since.
func cutOff(w *world, at rpcenv.Address) (a, young *rpcenv.Env, ref rpcenv.Ref) {
	a = w.env("A")
	ref = w.register(a, "E", watching(w))
	old := w.makeAt(rpcenv.Config{Name: "B", Listen: at}, at.Host)
	w.say(old, ref, "old")
	w.await("A: old")
	w.sim.Cut("B", "A")
	w.crash(old)
	return a, w.makeAt(rpcenv.Config{Name: "B2", Listen: at}, at.Host), ref
}

// Of two that claim an address whose process is silent one gets it; that one is asked about the other.
func TestTwoThatClaimOneAddressAreAsked(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, young, ref := cutOff(w, at)
	w.do(young, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("young")) })
	w.sim.Advance(time.Second)
	w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: at.Proto()}))
	w.await("stranger: closed")
	w.await("A: young")
	w.sim.Advance(time.Minute)
	w.say(young, ref, "still here")
	w.await("A: still here")
	if n := len(slices.DeleteFunc(w.noted(), func(l string) bool { return l != "A: disconnected "+at.String() })); n != 1 {
		t.Error(n, "disconnections in", w.noted())
	}
}

// Nothing but Welcome ends the wait for the old connection's answer.
func TestAClaimantThatDoesNotWaitIsRefused(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, _, _ := cutOff(w, at)
	s := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: at.Proto()}))
	s.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "E", Content: content(text("early"))})
	w.await("stranger: closed")
	w.sim.Advance(time.Minute)
	w.wantNo("A: early")
	w.wantNo("stranger: Welcome")
	w.wantNo("A: disconnected " + at.String())
}

// One that leaves while it waits takes nothing with it.
func TestAClaimantThatLeavesChangesNothing(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, _, _ := cutOff(w, at)
	s := w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: at.Proto()}))
	w.sim.Advance(time.Second)
	s.link.Close()
	w.await("stranger: closed")
	w.sim.Advance(time.Minute)
	w.wantNo("A: disconnected " + at.String())
	if _, conns, _ := a.Held(); conns != 1 {
		t.Error(conns, "connections")
	}
}

// A process may have more than one connection to a peer, as when it knows it by two names.
func TestAPeerAnswersForItsOwnConnections(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b, _ := claimed(w)
		w.do(b, func(blocking *rpcenv.Blocking) {
			if err := b.DialWait(blocking, a.Address()); err != nil {
				t.Error(err)
			}
		})
		at := b.Address().String()
		w.awaitLines(3)
		w.wantLog("A: connected "+at, "A: hello", "A: connected "+at)
	})
}

// A process that stops does not answer for its address any more.
func TestAnEnvThatStopsGivesItsAddressUp(t *testing.T) {
	w := inSim(t)
	a, b, ref := claimed(w)
	at := b.Address()
	w.register(b, "Slow", doer())
	w.sim.Cost("B/Slow", "OnStop", 10*time.Second)
	b.Shutdown() // it ends with Slow, and listens no more
	w.sim.Advance(time.Second)
	w.wantNo("A: disconnected " + at.String())
	young := w.makeAt(rpcenv.Config{Name: "B2", Listen: at}, at.Host)
	begin := w.sim.Now()
	w.say(young, ref, "young")
	w.await("A: young")
	if d := w.sim.Now().Sub(begin); d > 100*time.Millisecond {
		t.Error("it took", d)
	}
	w.close(a)
}

func TestNobodyHasTheAddressOfTheEnvItself(t *testing.T) {
	inSimAndMemory(t, func(w *world) {
		a := w.env("A")
		w.register(a, "E", watching(w))
		w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: a.Address().Proto()}))
		w.await("stranger: failure: the peer says that it listens at " + a.Address().String() +
			", where this process listens: give each an address of its own")
		w.await("stranger: closed")
		w.wantNo("A: connected " + a.Address().String())
	})
}

// impostor listens and answers each Hello as a process of that address and incarnation.
func impostor(w *world, as rpcenv.Address, incarnation uint64) rpcenv.Address {
	host := w.hostOf("Impostor", "10.0.9.8")
	at, closer, err := host.Listen(rpcenv.Address{Host: "10.0.9.8"}, func(l rpcenv.Link) rpcenv.Receiver {
		s := &stranger{w: w, link: l}
		s.heard = func(rpcenv.Message) {
			l.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, Content: content(&rpc.Welcome{Version: 1, Env: "I", Incarnation: incarnation, Address: as.Proto()})})
		}
		return s
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = closer.Close() })
	return at
}

// A Welcome may claim an address as well as a Hello.
func TestAWelcomeThatClaimsTheAddressOfAnotherPeerIsRefused(t *testing.T) {
	w := inSim(t)
	a, b, ref := claimed(w)
	at := impostor(w, b.Address(), 7)
	w.do(a, func(blocking *rpcenv.Blocking) {
		_, err := rpcenv.AskWaitAs[rpcenv.Message](blocking, a.Ref(at, "E"), num(1))
		if !errors.Is(err, rpcenv.ErrHandshake) || !strings.Contains(err.Error(), b.Address().String()+" is the address of B") {
			t.Error(err)
		}
	})
	w.sim.Advance(time.Minute)
	w.say(b, ref, "still here")
	w.await("A: still here")
	w.wantNo("A: disconnected " + b.Address().String())
}

// The peer that it claims to be is asked: one that is gone does not stand in the way of the next dial.
func TestAWelcomeFindsOutThatAPeerIsGone(t *testing.T) {
	w := inSim(t)
	at := rpcenv.Address{Host: "10.0.1.1", Port: 7078}
	a, _, _ := cutOff(w, at)
	other := impostor(w, at, 7)
	dial := func() (err error) {
		w.do(a, func(blocking *rpcenv.Blocking) { err = a.DialWait(blocking, other) })
		return err
	}
	if err := dial(); !errors.Is(err, rpcenv.ErrHandshake) {
		t.Error(err)
	}
	w.sim.Advance(4 * time.Second)
	w.await("A: disconnected " + at.String())
	if err := dial(); err != nil {
		t.Error(err)
	}
}
