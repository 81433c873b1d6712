package nodemanager

import (
	"testing"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// A hundred requests wait for the keys, each is answered once; another one is answered at once, without them.
func TestHowManyWaitForTheKeys(t *testing.T) {
	k := newKit(t)
	var held rpcenv.Call[*yarn.RegisterNodeManagerResponse]
	k.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.RegisterNodeManagerRequest)
		if ok {
			k.registrations, held = append(k.registrations, q), rpcenv.Defer(c, q)
		}
		return ok
	})
	register := func() {
		k.rm.Do(func(*rpcenv.Context) {
			held.Reply(&yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier})
		})
		k.w.Settle()
	}
	k.start(Config{}, nil)
	k.w.Settle()
	started, failed := 0, 0
	send := func(seq int64) {
		q := &yarn.StartContainersRequest{
			StartContainerRequest: []*yarn.StartContainerRequest{k.entry(k.identifier(containerID(app1, seq)), nil)}, NmToken: k.nmToken(app1),
		}
		k.am.Do(func(c *rpcenv.Context) {
			rpcenv.Ask(c, k.nm, q, func(r *yarn.StartContainersResponse, err error) {
				if err != nil {
					failed++
				}
				started += len(r.GetSucceededRequests())
			})
		})
		k.w.Settle()
	}
	for i := range int64(101) {
		send(i + 1)
	}
	if started != 0 || failed != 1 {
		t.Errorf("%d started and %d failed before there are keys", started, failed)
	}
	if register(); started != 100 || failed != 1 {
		t.Errorf("%d started and %d failed", started, failed)
	}
	k.unknown = true // it registers again, with its keys: nobody waits for that
	k.w.Until("another registration", func() bool { return len(k.registrations) == 2 })
	k.w.Settle()
	send(102)
	if register(); started != 101 || failed != 1 || len(k.started) != 101 {
		t.Errorf("%d started and %d failed, %d processes", started, failed, len(k.started))
	}
}
