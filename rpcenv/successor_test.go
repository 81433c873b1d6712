package rpcenv_test

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// oneByOne fails when a peer is connected that already is.
type oneByOne struct {
	t    *testing.T
	open map[rpcenv.Address]bool
}

func (*oneByOne) Receive(*rpcenv.Context, rpcenv.Message) {}

func (o *oneByOne) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) {
	if o.open[peer] {
		o.t.Errorf("%s is connected again before its end was heard", peer)
	}
	o.open[peer] = true
}

func (o *oneByOne) OnDisconnected(_ *rpcenv.Context, peer rpcenv.Address) { o.open[peer] = false }

// A process that takes the address of one which has just ended is heard of after that end, however closely it follows. The gap was
// some instructions wide: it is -race that makes a mistake likely to show.
func TestASuccessorIsHeardOfAfterTheEndOfTheOneBefore(t *testing.T) {
	anyPort := rpcenv.Address{Host: "127.0.0.1"}
	host := transport.New(transport.Options{})
	defer func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	}()
	start := func(at rpcenv.Address) *rpcenv.Env {
		e, err := rpcenv.New(host, rpcenv.Config{Name: "E", Listen: at, Log: rpcenv.NoLog()})
		if errors.Is(err, syscall.EADDRINUSE) { // a connection has got the port meanwhile
			e, err = rpcenv.New(host, rpcenv.Config{Name: "E", Listen: anyPort, Log: rpcenv.NoLog()})
		}
		if err != nil {
			t.Error(err)
			return nil
		}
		return e
	}
	a := start(anyPort)
	defer a.Close()
	if _, err := a.Register("Watcher", &oneByOne{t, map[rpcenv.Address]bool{}}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 { // side by side, so that the threads are busy and one is interrupted now and then
		all.Go(func() {
			at := anyPort
			for range 100 {
				e := start(at)
				if e == nil {
					return
				}
				at = e.Address()
				b := e.Blocking(context.Background())
				_, err := rpcenv.AskWait(b, rpcenv.Ref{Address: a.Address(), Name: rpcenv.VerifierName}, &rpc.CheckExistence{Name: "Watcher"})
				b.Close()
				e.Close()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
