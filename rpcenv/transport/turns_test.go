package transport

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// turner is a Receiver that has a turn for each batch.
type turner struct {
	*ear
	turn func(batch []string) // nil: none
}

func (r *turner) ReceiveBatch(e *rpcenv.Envelope, next func() *rpcenv.Envelope) (turn func()) {
	var batch []string
	for ; e != nil; e = next() {
		batch = append(batch, string(e.Content))
		r.Receive(e)
	}
	if r.turn == nil {
		return nil
	}
	return func() { r.turn(batch) }
}

// turning runs a test with a link over a cable whose batches have turns.
func turning(t *testing.T, f func(t *testing.T, h *Host, l *tcpLink, r *turner, peer *cable)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		ours, peer := newCables()
		r := &turner{ear: newEar()}
		made := make(chan *tcpLink, 1)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			h.link(ours, wire.NewReader(ours), func(l rpcenv.Link) rpcenv.Receiver {
				made <- l.(*tcpLink)
				return r
			})
		}()
		f(t, h, <-made, r, peer)
		_ = peer.Close()
		_ = await(t, "end", r.closed)
		<-ended
		time.Sleep(3 * watchTick)
		synctest.Wait()
		if n := watched(h); n > 0 || len(r.closed) > 0 {
			t.Errorf("%d links are watched, %d more ends", n, len(r.closed))
		}
	})
}

// watched is how many links the watch looks at.
func watched(h *Host) int {
	h.watch.mu.Lock()
	defer h.watch.mu.Unlock()
	return len(h.watch.links)
}

// says sends a message from a peer's end.
func says(t *testing.T, peer *cable, content string) {
	t.Helper()
	if _, err := peer.Write(frameOf(t, content)); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func TestATurnThatTakesLongHoldsUpItsLinkForAMoment(t *testing.T) {
	turning(t, func(t *testing.T, h *Host, l *tcpLink, r *turner, peer *cable) {
		release := make(chan struct{})
		var running atomic.Int64
		r.turn = func([]string) {
			running.Add(1)
			l.Send(oneWay("sent before"))
			<-release
			l.Send(oneWay("sent after"))
			running.Add(-1)
		}
		says(t, peer, "1")
		await(t, "message", r.got)
		for i := range 2 { // the second one holds up the goroutine that took over
			began := time.Now()
			says(t, peer, fmt.Sprint("held up ", i)) // a cable has no buffer: it takes this when somebody reads
			await(t, "message behind a turn", r.got)
			if took := time.Since(began); took < watchTick || took > 2*watchTick {
				t.Errorf("it came after %s", took)
			}
			wantFrames(t, peer, "sent before")
		}
		time.Sleep(2 * watchTick)
		wantFrames(t, peer, "sent before")
		if n := running.Load(); n != 3 {
			t.Errorf("%d turns run", n)
		}
		close(release)
		wantFrames(t, peer, "sent after", "sent after", "sent after")
		time.Sleep(3 * watchTick) // the watch has forgotten the link
		if n := watched(h); n != 0 || l.watched.Load() {
			t.Error(n, "links are watched")
		}
		release = make(chan struct{})
		l.apart, l.long = 0, 0 // the goroutine reads
		says(t, peer, "held up again")
		says(t, peer, "behind")
		await(t, "message", r.got)
		await(t, "message", r.got)
		time.Sleep(2 * watchTick)
		wantFrames(t, peer, "sent before", "sent before")
		r.turn = nil
		close(release)
		wantFrames(t, peer, "sent after", "sent after")
		says(t, peer, "last")
		if m := await(t, "message", r.got); string(m.Content) != "last" {
			t.Errorf("got %q", m.Content)
		}
	})
}

func TestTurnsThatTakeLongGoToThePool(t *testing.T) {
	turning(t, func(t *testing.T, h *Host, l *tcpLink, r *turner, peer *cable) {
		r.turn = func([]string) { time.Sleep(2 * watchTick) }
		held := func() bool { // reports whether a message waits for the turn of the one before it
			began := time.Now()
			says(t, peer, "a turn")
			says(t, peer, "behind it")
			took := time.Since(began)
			await(t, "message", r.got)
			await(t, "message", r.got)
			time.Sleep(time.Second)
			return took > 0
		}
		// The third turn is the third long one.
		if got := fmt.Sprint(held(), held(), held()); got != "true true false" {
			t.Error(got)
		}
		if l.apart != apartTurns-3 {
			t.Error(l.apart, "turns go to the pool")
		}
		l.apart, l.long = 0, 0 // the goroutine reads
		r.turn = func([]string) {}
		for range 10 {
			says(t, peer, "short")
			await(t, "message", r.got)
		}
		if l.apart != 0 || l.long != 0 {
			t.Error("short turns go to the pool")
		}
	})
}

// One long turn among short ones says nothing: the machine may have been busy.
func TestALongTurnNowAndThenStaysHere(t *testing.T) {
	l := &tcpLink{}
	for i := range 100 {
		took := longTurn - 1
		if i%2 == 0 {
			took = 2*longTurn - 1
		}
		l.ended(took)
	}
	if l.apart != 0 {
		t.Error(l.apart)
	}
	for i, took := range []time.Duration{time.Hour, 5 * longTurn, 3 * longTurn, longTurn} {
		if l.apart != 0 {
			t.Errorf("after %d long turns", i)
		}
		l.ended(took)
	}
	if l.apart != apartTurns {
		t.Error(l.apart)
	}
}

// What turns send is written by the goroutine that reads, as far as the connection takes it, and by the writer; what others send, by the
// writer. Nothing overtakes, nothing is lost or doubled.
func TestTurnsAndOthersSendInOrder(t *testing.T) {
	h := newHost(t, Options{MaxFrame: 1 << 20})
	var server *tcpLink
	r := &turner{ear: newEar()}
	r.on = func(*rpcenv.Envelope) {}
	body := bytes.Repeat([]byte("x"), 10_000)
	send := func(who string, n int) { server.Send(oneWay(fmt.Sprintf("%s %d %s", who, n, body[:n%len(body)]))) }
	turns := 0
	var inbox sync.Mutex // else turns would overlap when one is taken over
	r.turn = func(batch []string) {
		inbox.Lock()
		defer inbox.Unlock()
		for range batch {
			for range 20 {
				send("turn", turns)
				turns++
			}
		}
	}
	at, closer, err := h.Listen(loopback, func(l rpcenv.Link) rpcenv.Receiver {
		server = l.(*tcpLink)
		server.Open()
		return r
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closer.Close() }()
	client := dial(t, h, at)
	client.Open()
	next := map[string]int{}
	const batches, others = 200, 2000
	all := make(chan struct{})
	started := make(chan struct{})
	var once sync.Once
	client.on = func(e *rpcenv.Envelope) {
		once.Do(func() { close(started) })
		var who string
		var n int
		if _, err := fmt.Sscanf(string(e.Content), "%s %d", &who, &n); err != nil {
			t.Error(err)
		}
		if next[who] != n || len(e.Content) != len(fmt.Sprintf("%s %d ", who, n))+n%len(body) {
			t.Errorf("%s: got %d with %d bytes, want %d", who, n, len(e.Content), next[who])
		}
		next[who] = n + 1
		if next["turn"] == 20*batches && next["other"] == others {
			close(all)
		}
	}
	for i := range batches {
		client.Send(oneWay("go"))
		if i == 0 {
			await(t, "first answer", started)
		}
		for n := range others / batches {
			send("other", i*others/batches+n)
		}
	}
	await(t, "all", all)
}

// The watch may be late: a link whose last goroutine has left gets no other one, which would report its end again.
func TestALinkThatIsOverIsNotTakenOver(t *testing.T) {
	var over *tcpLink
	turning(t, func(t *testing.T, _ *Host, l *tcpLink, r *turner, peer *cable) {
		says(t, peer, "1")
		await(t, "message", r.got)
		over = l
		_ = peer.Close()
		<-l.left
		over.inTurn.Store(1)
		over.takeOver(1)
		synctest.Wait()
		if n := len(r.closed); n != 1 || over.inTurn.Load() != 1 {
			t.Errorf("%d ends", n)
		}
	})
}
