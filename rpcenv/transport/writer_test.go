package transport

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// While another goroutine writes, the writer does nothing, and then what was sent or closed meanwhile.
func TestOneGoroutineWritesAtATime(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		synctest.Wait() // the writer waits
		l := a.Link.(*tcpLink)
		l.corked.Store(true)
		a.Send(oneWay("1"))
		l.mu.Lock()
		if !l.takeLocked() || l.takeLocked() {
			t.Error("one may write")
		}
		l.corked.Store(false)
		l.mu.Unlock()
		a.Send(oneWay("2"))
		synctest.Wait()
		got := make(chan string, 2)
		go func() {
			b := make([]byte, len(frameOf(t, "1")))
			for range cap(got) {
				_, _ = io.ReadFull(peer, b)
				got <- string(b)
			}
		}()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatal("the writer writes too")
		}
		release := func() {
			l.mu.Lock()
			l.releaseLocked()
			l.mu.Unlock()
			synctest.Wait()
		}
		release() // nothing was written of it
		for _, want := range []string{"1", "2"} {
			if m := await(t, "message", got); m != string(frameOf(t, want)) {
				t.Errorf("got %q, want %q", m, want)
			}
		}
		if a.Queued() != 0 {
			t.Error(a.Queued(), "are queued")
		}

		hold := func() {
			l.mu.Lock()
			l.out.busy = true
			l.mu.Unlock()
		}
		hold()
		a.Send(oneWay("3")) // and the other goroutine has nothing left
		synctest.Wait()
		release()
		wantFrames(t, peer, "3")
		synctest.Wait()

		hold()
		began := time.Now()
		a.Close()
		synctest.Wait()
		select {
		case <-l.written:
			t.Error("the writer ends while another goroutine writes")
		default:
		}
		release()
		if _, err := peer.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || !time.Now().Equal(began) {
			t.Error(err, time.Since(began))
		}
	})
}

// What the connection does not take at once goes out when the peer reads.
func TestTheWriterGoesOnWhereTheReadingGoroutineStopped(t *testing.T) {
	h := newHost(t, Options{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	peer, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	a := linkOver(h, ours)
	l := a.Link.(*tcpLink)
	l.mu.Lock()
	l.out.busy = true // the writer waits
	l.mu.Unlock()
	var want []string
	for i := range 32 {
		want = append(want, strings.Repeat(string(rune('a'+i)), 1<<20))
		a.Send(oneWay(want[i]))
	}
	all := a.Queued()
	l.mu.Lock()
	l.out.busy = false
	if l.out.raw == nil || !l.takeLocked() {
		t.Fatal("there is nothing to write, or no way to")
	}
	l.mu.Unlock()
	l.writeNow()
	if left := a.Queued(); left == 0 || left == all {
		t.Logf("%d of %d bytes are left: the connection takes all, or this system writes nothing at once", left, all)
	}
	wantFrames(t, peer, want...)
	_ = peer.Close()
	_ = await(t, "end", a.closed)
}
