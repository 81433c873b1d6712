package master

import (
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// hasWorker reports whether a Worker is registered that listens at an address.
func (m *Master) hasWorker(at rpcenv.Address) bool { return m.addressToWorker[at] != nil }

// notAnswering gives a Worker up before its time-out: [membership.Doubts] decides when.
func (m *Master) notAnswering(c *rpcenv.Context, at rpcenv.Address, why string) {
	w := m.addressToWorker[at]
	c.Log().Warnf("Removing %s before its time-out: %s", w.ID, why)
	m.removeWorker(c, w, why)
	m.completeIfPossible(c) // the recovery may have waited for this Worker alone
}

// memberJoined asks whoever joins at the address of a lost Worker to register: that Worker, or a new run of it. Otherwise the Master asks a lost
// Worker at its heartbeat, which may be long in coming. A duplicate finds the Worker registered, or asks once more.
func (m *Master) memberJoined(c *rpcenv.Context, j membership.MemberJoined) {
	m.doubts.News(c, j)
	if w := m.workers.dead[j.Member.RPC]; w != nil { // a Worker that registers there takes its record's place
		c.Log().Infof("A member has joined where lost worker %s was. Asking it to re-register.", w.ID)
		c.Send(w.Ref, &deploy.ReconnectWorker{MasterUrl: m.url(c), MasterTerm: m.cfg.Term})
	}
}
