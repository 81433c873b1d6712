package transport

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// door is a net.Listener of the connections and errors that a test puts there.
type door struct {
	next     chan any // net.Conn or error
	closed   chan struct{}
	closeErr error
}

func newDoor() *door { return &door{next: make(chan any, 10), closed: make(chan struct{})} }

func (d *door) Accept() (net.Conn, error) {
	select {
	case <-d.closed:
		return nil, net.ErrClosed
	default:
	}
	select {
	case x := <-d.next:
		if err, ok := x.(error); ok {
			return nil, err
		}
		return x.(net.Conn), nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

func (d *door) Close() error {
	close(d.closed)
	return d.closeErr
}

func (d *door) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// holds is how many connections an acceptor would close.
func holds(a *acceptor) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.conns)
}

// knock puts a connection there, and returns the peer's end.
func (d *door) knock() net.Conn {
	ours, theirs := net.Pipe()
	d.next <- ours
	return theirs
}

// wantClosed wants that a connection was closed at the other end already.
func wantClosed(t *testing.T, name string, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now())
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%s: it is open: %v", name, err)
	}
}

func wantOpen(t *testing.T, name string, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now())
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%s: it was closed: %v", name, err)
	}
}

func TestAnAcceptorClosesWhatItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, handled := newDoor(), make(chan net.Conn, 10)
		d.closeErr = errors.New("cannot be closed")
		a := newAcceptor(d, func(conn net.Conn) { handled <- conn })
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			a.run()
		}()
		held, dropped := d.knock(), d.knock()
		<-handled
		a.drop(<-handled)
		wantOpen(t, "one that is held", held)
		if err := a.close(); !errors.Is(err, d.closeErr) {
			t.Errorf("closed with %v", err)
		}
		if err := a.close(); err != nil {
			t.Errorf("closed again with %v", err)
		}
		<-ended
		wantClosed(t, "one that was held", held)
		wantOpen(t, "one that was dropped", dropped)
	})
}

// A connection that comes while the acceptor is being closed.
func TestAnAcceptorThatIsClosedTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor()
		a := newAcceptor(d, func(net.Conn) { t.Error("a connection was handled after the end") })
		a.mu.Lock()
		a.conns = nil
		a.mu.Unlock()
		late := d.knock()
		d.next <- net.ErrClosed
		a.run()
		wantClosed(t, "the late one", late)
	})
}

func TestAnErrorThatMayPassDoesNotEndAnAcceptor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, handled := newDoor(), make(chan time.Duration, 10)
		began := time.Now()
		a := newAcceptor(d, func(net.Conn) { handled <- time.Since(began) })
		d.next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		d.next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		d.knock()
		go a.run()
		if after := <-handled; after != 2*acceptPause {
			t.Errorf("the connection was taken after %s", after)
		}
		d.next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		synctest.Wait() // it pauses
		began = time.Now()
		if err := a.close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("its end took %s", took)
		}
	})
}

func TestABulkServerForgetsAConnectionWithItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor()
		s := &bulkListener{blocks: shelf{}, opts: BulkOptions{IdleTimeout: time.Minute}}
		s.acceptor = newAcceptor(d, s.start)
		s.running.Go(s.acceptor.run)
		conn, silent := d.knock(), d.knock()
		synctest.Wait()
		if n := holds(s.acceptor); n != 2 {
			t.Errorf("it holds %d connections", n)
		}
		_ = conn.Close()
		synctest.Wait()
		if n := holds(s.acceptor); n != 1 {
			t.Errorf("it holds %d connections after the end of one", n)
		}
		time.Sleep(time.Minute) // and one that is idle ends by itself
		synctest.Wait()
		if n := holds(s.acceptor); n != 0 {
			t.Errorf("it holds %d connections after their ends", n)
		}
		wantClosed(t, "the idle one", silent)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestABulkServersEndWaitsForWhatItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, hold := newDoor(), make(chan struct{})
		d.closeErr = errors.New("cannot be closed")
		slow := shelf{"slow": {Size: 1, Open: func() (io.ReadCloser, error) {
			<-hold
			return nil, errors.New("too late")
		}}}
		s := &bulkListener{blocks: slow, opts: BulkOptions{IdleTimeout: time.Minute}}
		s.acceptor = newAcceptor(d, s.start)
		s.running.Go(s.acceptor.run)
		conn := d.knock()
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		_, _ = conn.Write(append(openFor(1, "slow"), ask(1, 0)...))
		synctest.Wait()
		closed := make(chan error, 2)
		go func() { closed <- s.Close() }()
		synctest.Wait()
		if len(closed) > 0 {
			t.Error("it did not wait")
		}
		close(hold)
		if err := <-closed; !errors.Is(err, d.closeErr) {
			t.Errorf("closed with %v", err)
		}
	})
}
