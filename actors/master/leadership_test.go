package master_test

import (
	"testing"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Of two Masters one leads; leadership is asked for before and after, and given once.
func TestLeadershipIsGivenOnce(t *testing.T) {
	k := newKit(t)
	if ok := ask(k, master.AwaitLeadership{}); !ok.GetValue() {
		t.Error("a Master that leads says that it does not")
	}
	k.tool.Send(k.ref, master.ElectedLeader{Term: 3}) // of an election that it has no part in
	if got := k.state().GetMasterTerm(); got != 0 {
		t.Errorf("term %d, want 0", got)
	}
	k.lead(k.Env("M2", nil), master.Config{Election: true})
	k.isIn("STANDBY")
	answers := 0
	k.tool.Do(func(c *rpcenv.Context) {
		rpcenv.Ask(c, k.ref, master.AwaitLeadership{}, func(ok *rpc.Bool, err error) {
			if err != nil || !ok.GetValue() {
				t.Errorf("%v, %v", ok, err)
			}
			answers++
		})
	})
	k.tool.Send(k.ref, master.CompleteRecovery{}) // a STANDBY has nothing to complete
	k.tool.Send(k.ref, connectionEvent{peer: k.tool.Ref.Address})
	k.isIn("STANDBY")
	if answers != 0 {
		t.Error("a STANDBY says that it leads")
	}
	k.tool.Send(k.ref, master.ElectedLeader{Term: 3})
	k.Settle()
	if answers != 1 {
		t.Errorf("%d answers, want 1", answers)
	}
	k.tool.Send(k.ref, master.ElectedLeader{Term: 9})
	k.isIn("ALIVE")
	if got := k.state().GetMasterTerm(); got != 3 {
		t.Errorf("term %d, want 3", got)
	}
}

// While the records are read a second election changes nothing; a Master that is deposed then ends with exit code 0.
func TestAnElectionWhileTheRecordsAreRead(t *testing.T) {
	k, _ := lasting(t)
	s := &shelf{records: map[string][]byte{}}
	k.restart(master.Config{Store: s, Election: true})
	k.tool.Do(func(c *rpcenv.Context) {
		c.Send(k.ref, master.ElectedLeader{Term: 3})
		c.Send(k.ref, master.ElectedLeader{Term: 4})
	})
	k.isIn("ALIVE")
	if got := k.state().GetMasterTerm(); got != 3 {
		t.Errorf("term %d, want 3", got)
	}
	s.unread = records.ErrNotLeader
	k.restart(master.Config{Store: s, Election: true})
	k.tool.Send(k.ref, master.ElectedLeader{Term: 5})
	k.exits(0)
}
