package bulk

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestAClientFindsAServerWhoseMachineIsGoneInAMinuteAndAHalf(t *testing.T) {
	c := newClient(t, Options{})
	if _, err := fetch(t, c, serve(t, shelf{"a": bytesChunk(nil)}), "a"); err != nil {
		t.Fatal(err)
	}
	for p := range c.all {
		wiretest.WantKeepAlive(t, "a client's end", p.conn)
	}
}

func TestTheDialOfAFetchIsBounded(t *testing.T) {
	at := wiretest.Busy(t)
	c := newClient(t, Options{ConnectTimeout: 10 * time.Millisecond})
	want := "connect to " + at.String() + ": check that the host is up and no firewall is between: i/o timeout"
	if _, err := c.dial(t.Context(), at); wiretest.Says(err) != want {
		t.Errorf("the dial of a fetch: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.dial(ctx, at); !errors.Is(err, context.Canceled) && !errors.Is(err, syscall.ECANCELED) {
		t.Errorf("a dial that was cancelled: %v", err)
	}
}
