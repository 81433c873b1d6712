package resourcemanager_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// slow is a Store that is read for a second.
type slow struct{ *shelf }

func (s slow) Load(b *rpcenv.Blocking) (kept []records.Change, bad []error, err error) {
	if err := b.Sleep(time.Second); err != nil {
		return nil, nil, err
	}
	return s.shelf.Load(b)
}

// A ResourceManager that reads its records answers no question, of clients, nodes and ApplicationMasters: they ask again.
func TestWhoeverComesTooEarlyAsksAgain(t *testing.T) {
	k := kitWith(t, resourcemanager.Config{Store: slow{&shelf{records: map[string][]byte{}}}})
	active := false
	p := k.ProbeIn(k.env, "Waits")
	p.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, k.ref("ClientRMService"), resourcemanager.AwaitActive{}, func(r *rpc.Bool, err error) { active = err == nil && r.GetValue() })
	})
	for endpoint, all := range map[string][]rpcenv.Message{
		"ClientRMService": {
			&yarn.GetNewApplicationRequest{}, &yarn.SubmitApplicationRequest{}, &yarn.GetApplicationReportRequest{}, &yarn.KillApplicationRequest{},
			&yarn.FailApplicationAttemptRequest{}, &yarn.MoveApplicationAcrossQueuesRequest{}, &yarn.GetApplicationsRequest{}, &yarn.GetQueueInfoRequest{},
			&yarn.GetClusterNodesRequest{}, &yarn.RequestResourceManagerState{}, &yarn.RequestApplicationRefusals{}, &yarn.RequestContainerPlace{},
		},
		"ApplicationMasterService": {&yarn.RegisterApplicationMasterRequest{}, &yarn.AllocateRequest{}, &yarn.FinishApplicationMasterRequest{}},
	} {
		for _, q := range all {
			_, err := rpctest.Ask[rpcenv.Message](k.tool, k.ref(endpoint), q)
			refused(t, err, exceptions.Retriable, "the ResourceManager reads its records, ask again")
		}
	}
	if active {
		t.Error("it said that it serves")
	}
	k.Advance(2 * time.Second)
	if !active {
		t.Error("it does not say that it serves")
	}
	k.is(k.submit(nil), yarn.YarnApplicationState_ACCEPTED)
}
