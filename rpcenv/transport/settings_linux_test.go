package transport

import (
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestALinkFindsAPeerWhoseMachineIsGoneInAMinuteAndAHalf(t *testing.T) {
	h := newHost(t, Options{})
	a, b := pair(t, h)
	wiretest.WantKeepAlive(t, "the dialler's end", a.Link.(*tcpLink).conn)
	wiretest.WantKeepAlive(t, "the listener's end", b.Link.(*tcpLink).conn)
}

func TestTheDialOfALinkIsBounded(t *testing.T) {
	at := wiretest.Busy(t)
	h := newHost(t, Options{ConnectTimeout: 10 * time.Millisecond})
	failed := make(chan error, 1)
	h.Dial(at, func(_ rpcenv.Link, err error) rpcenv.Receiver { failed <- err; return nil })
	want := "connect to " + at.String() + ": check that the host is up and no firewall is between: i/o timeout"
	if err := await(t, "failure", failed); wiretest.Says(err) != want {
		t.Errorf("the dial of a link: %v", err)
	}
}
