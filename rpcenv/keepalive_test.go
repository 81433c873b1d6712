package rpcenv_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// Rounds of the time-out that is the default: 5 s, of which 12 are half of it, and 23 end a connection.
const (
	networkTimeout = 2 * time.Minute
	aliveRound     = networkTimeout / 24
)

// talking are A, which listens, and B, which has sent it a message. Each has a watcher.
func talking(w *world, bListens bool, aTimeout, bTimeout string) (a, b *rpcenv.Env) {
	w.t.Helper()
	a = w.make("A", true, settings(w.t, "spark.network.timeout", aTimeout))
	b = w.make("B", bListens, settings(w.t, "spark.network.timeout", bTimeout))
	w.register(a, "E", double(w))
	w.register(a, "Watcher", &watcher{w: w})
	w.register(b, "Watcher", &watcher{w: w})
	w.tell(b, a, "hello")
	return a, b
}

// tell sends text to E of an Env and waits until it is noted.
func (w *world) tell(from, to *rpcenv.Env, s string) {
	w.t.Helper()
	if err := from.Send(from.Ref(to.Address(), "E"), text(s)); err != nil {
		w.t.Fatal(err)
	}
	w.await(s)
}

// ends are the lines about ends of connections in the log.
func (w *world) ends() []string {
	return slices.DeleteFunc(w.noted(), func(line string) bool { return !strings.Contains(line, "disconnected") })
}

// endReasons are why connections ended, by the trace.
func (w *world) endReasons() (whys []string) {
	for _, r := range w.rec.Records() {
		if r.GetKind() == tracepb.Kind_CONN && r.GetName() == "disconnected" {
			whys = append(whys, r.GetWhy())
		}
	}
	return whys
}

func TestAPeerThatIsGoneIsNoticedWithinTheNetworkTimeout(t *testing.T) {
	for _, gone := range []string{"A", "B"} {
		for _, listens := range []bool{true, false} {
			// Wherever in a round the last message comes.
			for late := time.Duration(0); late < aliveRound; late += aliveRound / 7 {
				t.Run(fmt.Sprintf("%s is gone, B listens %v, %s late", gone, listens, late), func(t *testing.T) {
					w := inSim(t)
					a, b := talking(w, listens, "120s", "120s")
					w.sim.Advance(late)
					w.do(b, func(b *rpcenv.Blocking) { // a message each way
						if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, a.Ref(a.Address(), "E"), num(1)); err != nil {
							t.Error(err)
						}
					})
					w.apply("vanish " + gone)
					w.sim.Advance(22 * aliveRound)
					if got := w.ends(); len(got) > 0 {
						t.Error("too early:", got)
					}
					w.sim.Advance(2 * aliveRound)
					if got, lives := w.ends(), map[string]string{"A": "B", "B": "A"}[gone]; len(got) != 1 || !strings.HasPrefix(got[0], lives+": disconnected 10.0.0.") {
						t.Error(got)
					}
					w.crashed[map[string]*rpcenv.Env{"A": a, "B": b}[gone]] = true
				})
			}
		}
	}
}

func TestTheEndOfASilentConnectionSaysWhy(t *testing.T) {
	w := inSim(t)
	_, b := talking(w, true, "7s", "1h")
	w.apply("vanish B")
	w.crashed[b] = true
	w.sim.Advance(7 * time.Second)
	const want = "Connection to 10.0.0.2:40001 has been quiet for at least 6708 milliseconds, and the peer answers nothing. " +
		"Assuming connection is dead; please adjust spark.network.timeout (7 seconds) if this is wrong."
	if got := w.endReasons(); !slices.Equal(got, []string{want}) {
		t.Errorf("%q", got)
	}
}

func TestAnAskToAPeerThatIsGoneFailsWithTheConnection(t *testing.T) {
	w := inSim(t)
	a, b := talking(w, true, "120s", "60s")
	w.apply("vanish A")
	w.crashed[a] = true
	w.do(b, func(b *rpcenv.Blocking) {
		_, err := rpcenv.AskWaitAs[rpcenv.Message](b, a.Ref(a.Address(), "E"), num(1))
		if want := "has been quiet for at least 57500 milliseconds"; err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	})
}

func TestAPeerThatStandsStillLosesNothing(t *testing.T) {
	for _, still := range []time.Duration{30 * time.Second, 110 * time.Second} {
		for _, who := range []string{"A", "B"} {
			t.Run(fmt.Sprint(who, " for ", still), func(t *testing.T) {
				w := inSim(t)
				a, b := talking(w, true, "120s", "120s")
				w.register(b, "E", double(w))
				w.apply("pause " + who)
				for _, e := range []*rpcenv.Env{a, b} {
					if err := e.Send(e.Ref(map[*rpcenv.Env]*rpcenv.Env{a: b, b: a}[e].Address(), "E"), text("to the other from "+e.Name())); err != nil {
						t.Fatal(err)
					}
				}
				w.sim.Advance(still)
				w.apply("resume " + who)
				w.await("to the other from A")
				w.await("to the other from B")
				w.sim.Advance(time.Hour)
				if got := w.ends(); len(got) > 0 {
					t.Error(got)
				}
			})
		}
	}
}

// A silent connection is asked after half of the time-out; a pause that begins then may take the other half.
func TestAPauseOfLessThanHalfTheTimeoutLosesNothing(t *testing.T) {
	for late := time.Duration(0); late < time.Minute; late += 7 * time.Second {
		w := inSim(t)
		talking(w, true, "120s", "120s")
		w.sim.Advance(10*time.Minute + late)
		w.apply("pause A")
		w.sim.Advance(50 * time.Second)
		w.apply("resume A")
		w.sim.Advance(time.Hour)
		if got := w.ends(); len(got) > 0 {
			t.Errorf("after %s: %v", late, got)
		}
	}
}

// Rounds are counted, so a process that stood still takes its own pause for nobody's silence.
func TestAProcessThatStoodStillBlamesNobody(t *testing.T) {
	w := inSim(t)
	talking(w, true, "120s", "120s")
	w.apply("pause A")
	w.apply("pause B")
	w.sim.Advance(time.Hour)
	w.apply("resume B")
	w.sim.Advance(time.Second)
	w.apply("resume A")
	w.sim.Advance(time.Hour)
	if got := w.ends(); len(got) > 0 {
		t.Error(got)
	}
}

// Each side asks by its own setting. B in client mode has no verifier: its refusal is a sign of life.
func TestAPeerThatAnswersOnlyQuestionsLives(t *testing.T) {
	for _, listens := range []bool{true, false} {
		for _, timeouts := range [][2]string{{"120s", "100h"}, {"100h", "120s"}} {
			w := inSim(t)
			talking(w, listens, timeouts[0], timeouts[1])
			w.sim.Advance(10 * time.Hour)
			if got := w.ends(); len(got) > 0 {
				t.Errorf("B listens %v, time-outs %v: %v", listens, timeouts, got)
			}
		}
	}
}

// A question for a sign of life is no message of the trace: what follows is named as if there had been none.
func TestSilenceLeavesNoTrace(t *testing.T) {
	run := func(silence time.Duration) (names []string) {
		w := inSim(t)
		a, b := talking(w, true, "120s", "120s")
		w.sim.Advance(silence)
		w.tell(b, a, "again")
		for _, r := range w.rec.Records() {
			if r.GetId().GetConn() != 0 { // other items have the number of their Env, which each run has anew
				names = append(names, fmt.Sprint(r.GetKind(), r.GetId(), r.GetType(), r.GetName()))
			}
		}
		sent := a.Metrics()
		return append(names, fmt.Sprint(sent.Sent, sent.Received, b.Metrics().Sent, b.Metrics().Received))
	}
	if busy, silent := run(0), run(time.Hour); !slices.Equal(busy, silent) {
		t.Errorf("after silence:\n%s\nwithout:\n%s", strings.Join(silent, "\n"), strings.Join(busy, "\n"))
	}
}

// What a round finds happens in the order of the connections, in each run of a simulation.
func TestConnectionsEndInTheirOrder(t *testing.T) {
	w := inSim(t)
	a := w.env("A")
	w.register(a, "E", double(w))
	w.register(a, "Watcher", &watcher{w: w})
	var want []string
	for i := range 20 {
		b := w.client(fmt.Sprint("B", i))
		w.tell(b, a, "hello from "+b.Name())
		want = append(want, fmt.Sprintf("A: disconnected 10.0.0.%d:40001", i+2))
		w.apply("vanish " + b.Name())
		w.crashed[b] = true
	}
	w.sim.Advance(networkTimeout)
	if got := w.ends(); !slices.Equal(got, want) {
		t.Error(got)
	}
}

// A timer alone keeps no World busy, and an Env that has no connection any more has none.
func TestAnEnvWithoutConnectionsHasNoTimer(t *testing.T) {
	w := inSim(t)
	_, b := talking(w, true, "120s", "120s")
	w.sim.Advance(time.Second)
	before := w.sim.Now()
	w.quiet()
	if d := w.sim.Now().Sub(before); d != 0 {
		t.Error("it was quiet only after", d)
	}
	w.close(b)
	steps := 0
	for w.sim.Step() {
		if steps++; steps > 100 {
			t.Fatal("something happens still, at", w.sim.Now())
		}
	}
}

// A peer that greets and then says nothing, though it reads: one that dialled, and one that was dialled.
func TestAPeerThatReadsAndNeverAnswersIsGivenUp(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.make("A", true, settings(w.t, "spark.network.timeout", "1s"))
		w.register(a, "Watcher", &watcher{w: w})
		w.stranger(a.Address(), hello(&rpc.Hello{Version: 1, Env: "S", Incarnation: 7, Connection: 99, Address: &rpc.Address{Host: "10.0.9.9", Port: 1}}))
		w.await("stranger: CheckExistence")
		w.await("A: disconnected 10.0.9.9:1")
		w.await("stranger: closed")

		ip := map[bool]string{true: "10.0.9.8", false: "127.0.0.1"}[w.sim != nil]
		at, closer, err := w.hostOf("Mute", ip).Listen(rpcenv.Address{Host: ip}, func(l rpcenv.Link) rpcenv.Receiver {
			return &mute{l, w}
		})
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { _ = closer.Close() })
		if err := a.Send(a.Ref(at, "E"), text("anybody?")); err != nil {
			w.t.Fatal(err)
		}
		w.await("A: connected 10.0.9.8:2")
		w.await("A: disconnected 10.0.9.8:2")
		w.await("mute: closed")
	})
}

// mute says Welcome and nothing else.
type mute struct {
	link rpcenv.Link
	w    *world
}

func (m *mute) Receive(e *rpcenv.Envelope) {
	if e.RequestID > 0 {
		m.link.Open()
		m.link.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: e.RequestID, Content: content(&rpc.Welcome{
			Version: 1, Env: "Mute", Incarnation: 8, Address: &rpc.Address{Host: "10.0.9.8", Port: 2},
		})})
	}
}

func (m *mute) Closed(error) { m.w.note("mute: closed") }

// watched is a connection of A, in a simulation, on a Link of the test's.
func watched(t *testing.T) (*world, *slowLink, rpcenv.Conn) {
	w := inSim(t)
	_, l, c := slow(w)
	c.Watch()
	return w, l, c
}

func TestABusyConnectionIsNotAsked(t *testing.T) {
	w, l, c := watched(t)
	for range 100 {
		w.sim.Advance(55 * time.Second)
		c.Receive(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "Nobody", Content: content(text("busy"))})
	}
	if len(l.sent) > 0 || l.closed > 0 {
		t.Error(l.sent, l.closed)
	}
}

func TestWhateverComesIsASignOfLife(t *testing.T) {
	question := fmt.Sprint("3 ", len(content(&rpc.CheckExistence{Name: rpcenv.VerifierName})))
	for name, answer := range map[string]*rpcenv.Envelope{
		"the answer":  {Kind: rpcenv.KindResponse, RequestID: -1, Content: content(&rpc.Bool{Value: true})},
		"a refusal":   {Kind: rpcenv.KindFailure, RequestID: -1, Error: "no such endpoint"},
		"a question":  {Kind: rpcenv.KindOneWay, Endpoint: "Nobody", Content: content(text("hello"))},
		"late answer": {Kind: rpcenv.KindResponse, RequestID: 12345, Content: content(&rpc.Bool{Value: true})},
		"garbage":     {Kind: rpcenv.KindResponse, RequestID: 12345, Content: []byte("garbage")},
	} {
		t.Run(name, func(t *testing.T) {
			w, l, c := watched(t)
			for n := range 10 {
				w.sim.Advance(13 * aliveRound)
				if want := slices.Repeat([]string{question}, n+1); !slices.Equal(l.sent, want) || l.closed > 0 {
					t.Fatal(l.sent, l.closed, "want", want)
				}
				c.Receive(answer)
			}
			w.sim.Advance(22 * aliveRound)
			if len(l.sent) != 11 || l.closed > 0 {
				t.Error("too early:", l.sent, l.closed)
			}
			if w.sim.Advance(2 * aliveRound); len(l.sent) != 11 || l.closed != 1 {
				t.Error("a peer is asked once, then given up:", l.sent, l.closed)
			}
			if got := w.endReasons(); len(got) != 1 {
				t.Error("the end waits for no Link:", got)
			}
		})
	}
}

// What waits for a peer goes before the question: while the peer takes it, the peer lives.
func TestAPeerThatTakesWhatWaitsLives(t *testing.T) {
	w, l, _ := watched(t)
	for l.queued = 60 << 20; l.queued > 0; l.queued -= 1 << 20 {
		w.sim.Advance(aliveRound)
	}
	if l.closed > 0 {
		t.Error("it was given up, with", l.queued, "bytes to take")
	}
	l.queued = 1 << 20
	if w.sim.Advance(25 * aliveRound); l.closed != 1 {
		t.Error("one that takes nothing was not given up")
	}
}

// The request id alone makes no sign of life of a question, and no question may be asked without end.
func TestAQuestionIsAnsweredAtOnce(t *testing.T) {
	w, l, c := watched(t)
	ask := &rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: -1, Endpoint: rpcenv.VerifierName, Content: content(&rpc.CheckExistence{Name: rpcenv.VerifierName})}
	c.Receive(ask)
	if want := fmt.Sprint("4 ", len(content(&rpc.Bool{Value: true}))); !slices.Equal(l.sent, []string{want}) {
		t.Error(l.sent)
	}
	ask.Endpoint = "Nobody"
	if c.Receive(ask); len(l.sent) != 2 || !strings.Contains(l.sent[1], "Could not find Nobody") {
		t.Error(l.sent)
	}
	ask.Endpoint, l.queued = rpcenv.VerifierName, limit
	if c.Receive(ask); len(l.sent) != 2 || l.closed > 0 {
		t.Error("a peer that takes nothing gets no answer:", l.sent, l.closed)
	}
	client := &slowLink{}
	c = w.client("C").OpenOn(client, rpcenv.Address{Host: "10.9.9.9", Port: 9})
	if c.Receive(ask); len(client.sent) != 1 || !strings.HasPrefix(client.sent[0], "5 ") || !strings.Contains(client.sent[0], "Could not find endpoint-verifier") {
		t.Error("who has no verifier refuses:", client.sent)
	}
	c.End(io.EOF)
}
