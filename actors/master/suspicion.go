package master

import (
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv"
)

// memberSuspected asks a Worker whether it lives. The Worker stays in the books whatever it answers: the question finds a
// broken connection, and the end of that, or spark.worker.timeout, removes a Worker, as in Spark. A duplicate asks again.
func (m *Master) memberSuspected(c *rpcenv.Context, s membership.MemberSuspected) {
	w := m.addressToWorker[s.Member.RPC]
	if w == nil {
		return
	}
	c.Log().Warnf("Worker %s is suspected to be gone, asking it", w.ID)
	rpcenv.Resolve(c, w.Ref.String(), func(_ rpcenv.Ref, err error) {
		if err != nil {
			c.Log().WithError(err).Warnf("Worker %s did not answer; it has until its time-out", w.ID)
			return
		}
		c.Log().Infof("Worker %s is there", w.ID)
	})
}
