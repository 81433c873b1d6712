package master

import (
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// memberNews takes note of what the cluster's gossip says of a Worker that is registered: package membership says when that gives it up.
func (m *Master) memberNews(c *rpcenv.Context, about membership.Member, news rpcenv.Message) {
	if m.addressToWorker[about.RPC] != nil {
		m.doubts.News(c, news)
	}
}

// notAnswering gives a Worker up before its time-out.
func (m *Master) notAnswering(c *rpcenv.Context, about membership.Member, why string) {
	w := m.addressToWorker[about.RPC]
	if w == nil { // its connection has ended meanwhile
		return
	}
	c.Log().Warnf("Removing %s before its time-out: %s", w.ID, why)
	m.removeWorker(c, w, why)
	m.completeIfPossible(c) // the recovery may have waited for this Worker alone
}

// callBack asks a Worker to register that was given up and is there again: its heartbeat, which makes the Master do so else, may be
// long in coming.
func (m *Master) callBack(c *rpcenv.Context, at membership.Member) {
	if w := m.workers.dead[at.RPC]; w != nil { // a Worker that registers there takes its record's place
		c.Log().Infof("Worker %s is back. Asking it to re-register.", w.ID)
		c.Send(w.Ref, &deploy.ReconnectWorker{MasterUrl: m.url(c), MasterTerm: m.cfg.Term})
	}
}
