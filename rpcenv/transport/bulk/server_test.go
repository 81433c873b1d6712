package bulk

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestABulkServerForgetsAConnectionWithItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wiretest.NewDoor()
		s := &listener{blocks: shelf{}, opts: Options{IdleTimeout: time.Minute}}
		s.acceptor = wire.NewAcceptor(d, s.start)
		s.running.Go(s.acceptor.Run)
		conn, silent := d.Knock(), d.Knock()
		synctest.Wait()
		if n := s.acceptor.Held(); n != 2 {
			t.Errorf("it holds %d connections", n)
		}
		_ = conn.Close()
		synctest.Wait()
		if n := s.acceptor.Held(); n != 1 {
			t.Errorf("it holds %d connections after the end of one", n)
		}
		time.Sleep(time.Minute) // and one that is idle ends by itself
		synctest.Wait()
		if n := s.acceptor.Held(); n != 0 {
			t.Errorf("it holds %d connections after their ends", n)
		}
		wiretest.WantClosed(t, "the idle one", silent)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestABulkServersEndWaitsForWhatItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, hold := wiretest.NewDoor(), make(chan struct{})
		d.CloseErr = errors.New("cannot be closed")
		slow := shelf{"slow": {Size: 1, Open: func() (io.ReadCloser, error) {
			<-hold
			return nil, errors.New("too late")
		}}}
		s := &listener{blocks: slow, opts: Options{IdleTimeout: time.Minute}}
		s.acceptor = wire.NewAcceptor(d, s.start)
		s.running.Go(s.acceptor.Run)
		conn := d.Knock()
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
		if err := <-closed; !errors.Is(err, d.CloseErr) {
			t.Errorf("closed with %v", err)
		}
	})
}
