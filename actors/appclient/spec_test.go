package appclient

import (
	"errors"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of Spark's client names the tests that hold it, or the bullet of doc.go that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 31) }

func TestARemovedApplicationHasNoClient(t *testing.T) {
	k := newKit(t)
	k.join()
	k.master.Send(k.client, &deploy.ApplicationRemoved{Message: "KILLED"})
	k.hears(Dead{Reason: "Master removed our application: KILLED"})
	if _, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, StopAppClient{}); !errors.Is(err, rpcenv.ErrRefused) {
		t.Error("it is still there:", err)
	}
	if n := len(k.master.Waiting()); n != 0 {
		t.Errorf("the Master heard %v", k.master.Waiting())
	}
}
