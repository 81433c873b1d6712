package nodemanager

import (
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// registered is when the ResourceManager's answer to a registration comes.
type registered struct{ rpcenv.Local }

// A ResourceManager that gives containers continuously may want one started on a node that has not heard yet that it is
// registered. Without keys its sender cannot be proved, so the request waits.
func TestAContainerThatComesBeforeTheKeysWaits(t *testing.T) {
	k := newKit(t)
	var held rpcenv.Call[*yarn.RegisterNodeManagerResponse]
	k.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *yarn.RegisterNodeManagerRequest:
			held = rpcenv.Defer(c, m)
			c.After(time.Second, registered{})
			return true
		case registered:
			held.Reply(&yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier})
			return true
		}
		return k.playRM(c, m)
	})
	k.start(Config{}, nil)
	k.w.Settle()
	id := containerID(app1, 1)
	if r := k.ask(k.entry(k.identifier(id), nil)); len(r.GetSucceededRequests()) != 1 {
		t.Errorf("%v", r)
	}
	k.w.Until("the container runs", func() bool { return len(k.started) == 1 })
}

// Before the node has registered nobody's token can be checked.
func TestANodeThatHasNotRegisteredTakesNothing(t *testing.T) {
	k := newKit(t)
	k.w.Find("RM").Kill()
	k.start(Config{}, nil)
	k.w.Settle()
	_, err := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{NmToken: k.nmToken(app1)})
	if !errors.Is(err, errUnauthorized) {
		t.Errorf("%v", err)
	}
}

// holding is a ResourceManager that keeps registrations waiting; answer answers the last one.
func (k *kit) holding() (answer func(*yarn.RegisterNodeManagerResponse, error)) {
	var held []rpcenv.Call[*yarn.RegisterNodeManagerResponse]
	k.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*yarn.RegisterNodeManagerRequest)
		if ok {
			k.registrations = append(k.registrations, q)
			held = append(held, rpcenv.Defer(c, q))
		}
		return ok
	})
	return func(r *yarn.RegisterNodeManagerResponse, err error) {
		k.rm.Do(func(*rpcenv.Context) {
			if err != nil {
				held[len(held)-1].Fail(err)
				return
			}
			held[len(held)-1].Reply(r)
		})
		k.w.Settle()
	}
}

// send asks for a container and notes what is answered, without waiting for it.
func (k *kit) send(seq int64, note func(*yarn.StartContainersResponse, error)) {
	k.t.Helper()
	q := &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{k.entry(k.identifier(containerID(app1, seq)), nil)}, NmToken: k.nmToken(app1),
	}
	k.am.Do(func(c *rpcenv.Context) { rpcenv.Ask(c, k.nm, q, note) })
	k.w.Settle()
}

var welcome = &yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier}

// A hundred requests wait for the keys, each is answered once; another one is answered at once, without them.
func TestHowManyWaitForTheKeys(t *testing.T) {
	k := newKit(t)
	answer := k.holding()
	k.start(Config{}, nil)
	k.w.Settle()
	started, failed := 0, 0
	for i := range int64(101) {
		k.send(i+1, func(r *yarn.StartContainersResponse, err error) {
			if err != nil {
				failed++
			}
			started += len(r.GetSucceededRequests())
		})
	}
	if started != 0 || failed != 1 {
		t.Errorf("%d started and %d failed before there are keys", started, failed)
	}
	answer(welcome, nil)
	if started != 100 || failed != 1 {
		t.Errorf("%d started and %d failed", started, failed)
	}
	k.unknown = true // it registers again, with its keys: nobody waits for that
	k.w.Until("another registration", func() bool { return len(k.registrations) == 2 })
	k.w.Settle()
	k.send(102, func(r *yarn.StartContainersResponse, _ error) { started += len(r.GetSucceededRequests()) })
	if answer(welcome, nil); started != 101 || failed != 1 || len(k.started) != 101 {
		t.Errorf("%d started and %d failed, %d processes", started, failed, len(k.started))
	}
}

// When the registration fails nobody waits any more: until the next one is under way there are no keys to wait for.
func TestWhoWaitsForTheKeysHearsOfAFailedRegistration(t *testing.T) {
	k := newKit(t)
	answer := k.holding()
	k.start(Config{}, map[string]string{"yarn.resourcemanager.connect.retry-interval.ms": "1000"})
	k.w.Settle()
	var got []error
	note := func(_ *yarn.StartContainersResponse, err error) { got = append(got, err) }
	k.send(1, note)
	answer(nil, exceptions.Retriable)
	k.send(2, note)
	if len(got) != 2 || !errors.Is(got[0], errUnauthorized) || !errors.Is(got[1], errUnauthorized) {
		t.Errorf("%v", got)
	}
}

// Without the key of container tokens no token of one can be checked.
func TestANodeWithoutTheKeyOfContainersIsNotReady(t *testing.T) {
	k := newKit(t)
	k.refuse = &yarn.RegisterNodeManagerResponse{NmTokenMasterKey: key2, RmIdentifier: rmIdentifier}
	k.join(Config{}, nil)
	r := k.ask(k.entry(k.identifier(containerID(app1, 1)), nil))
	want := &yarn.SerializedException{
		ClassName: "org.apache.hadoop.yarn.exceptions.NMNotYetReadyException",
		Message:   "Rejecting new containers as NodeManager has not yet connected with ResourceManager",
	}
	if len(r.GetFailedRequests()) != 1 || !proto.Equal(r.GetFailedRequests()[0].GetException(), want) {
		t.Errorf("%v", r)
	}
	if b := k.beats[0]; b.GetLastKnownContainerTokenMasterKey() != nil || b.GetLastKnownNmTokenMasterKey().GetKeyId() != 7 {
		t.Errorf("%v", b)
	}
}

// A node that leaves answers the requests that wait for keys, whoever ends it.
func TestRequestsThatWaitForTheKeysAreRefusedWhenTheNodeLeaves(t *testing.T) {
	for name, leave := range map[string]func(*kit, func(*yarn.RegisterNodeManagerResponse, error)){
		"the ResourceManager refuses it": func(_ *kit, answer func(*yarn.RegisterNodeManagerResponse, error)) {
			answer(&yarn.RegisterNodeManagerResponse{NodeAction: yarn.NodeAction_NODE_SHUTDOWN}, nil)
		},
		"its process ends": func(k *kit, _ func(*yarn.RegisterNodeManagerResponse, error)) {
			_, _ = rpctest.Ask[*rpc.Bool](k.w.ProbeIn(k.env, "Main"), k.nm, Shutdown{})
		},
	} {
		k := newKit(t)
		answer := k.holding()
		k.start(Config{}, nil)
		k.w.Settle()
		var got []error
		k.send(1, func(_ *yarn.StartContainersResponse, err error) { got = append(got, err) })
		leave(k, answer)
		k.w.Settle()
		if len(got) != 1 || !errors.Is(got[0], errUnauthorized) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
