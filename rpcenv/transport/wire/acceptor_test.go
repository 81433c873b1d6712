package wire

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestAnAcceptorClosesWhatItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, handled := wiretest.NewDoor(), make(chan net.Conn, 10)
		d.CloseErr = errors.New("cannot be closed")
		a := NewAcceptor(d, func(conn net.Conn) { handled <- conn })
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			a.Run()
		}()
		held, dropped := d.Knock(), d.Knock()
		<-handled
		a.Drop(<-handled)
		wiretest.WantOpen(t, "one that is held", held)
		if err := a.Close(); !errors.Is(err, d.CloseErr) {
			t.Errorf("closed with %v", err)
		}
		if err := a.Close(); err != nil {
			t.Errorf("closed again with %v", err)
		}
		<-ended
		wiretest.WantClosed(t, "one that was held", held)
		wiretest.WantOpen(t, "one that was dropped", dropped)
	})
}

// A connection that comes while the acceptor is being closed.
func TestAnAcceptorThatIsClosedTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wiretest.NewDoor()
		a := NewAcceptor(d, func(net.Conn) { t.Error("a connection was handled after the end") })
		a.mu.Lock()
		a.conns = nil
		a.mu.Unlock()
		late := d.Knock()
		d.Next <- net.ErrClosed
		a.Run()
		wiretest.WantClosed(t, "the late one", late)
	})
}

func TestAnErrorThatMayPassDoesNotEndAnAcceptor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, handled := wiretest.NewDoor(), make(chan time.Duration, 10)
		began := time.Now()
		a := NewAcceptor(d, func(net.Conn) { handled <- time.Since(began) })
		d.Next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		d.Next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		d.Knock()
		go a.Run()
		if after := <-handled; after != 2*acceptPause {
			t.Errorf("the connection was taken after %s", after)
		}
		d.Next <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		synctest.Wait() // it pauses
		began = time.Now()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("its end took %s", took)
		}
	})
}
