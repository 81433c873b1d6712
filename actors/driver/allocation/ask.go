package allocation

import (
	"fmt"
	"strconv"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// ask asks CoarseGrainedScheduler. One ask of an era is out at a time; then is not called for the answer of an earlier era.
func ask[Q rpcenv.Asks[R], R rpcenv.Message](c *rpcenv.Context, m *Manager, q Q, then func(R, error)) {
	m.asking = true
	era := m.era
	rpcenv.Ask(c, m.scheduler, q, func(r R, err error) {
		// Of a cluster manager that was replaced. asking belongs to the request of the new era.
		if era != m.era {
			return
		}
		m.asking = false
		then(r, err)
	})
}

// tellTarget sends the target as it is.
func (m *Manager) tellTarget(c *rpcenv.Context) {
	m.request(c, Update{Old: m.targets.Target(), New: m.targets.Target()})
}

// request sends the target, and takes a change back that the cluster manager did not take.
func (m *Manager) request(c *rpcenv.Context, u Update) {
	ask(c, m, RequestTotalExecutors{Total: u.New}, func(ok *rpc.Bool, err error) {
		if err == nil {
			m.unreachable = false
		}
		switch {
		case err != nil:
			if !m.unreachable { // it is asked again each 100 ms
				c.Log().WithError(err).Warnf("Unable to reach the cluster manager to request %d executors: asking again until it answers", u.New)
			}
			m.unreachable = true
			m.targets.Refused(u)
		case !ok.GetValue():
			c.Log().Debugf("The cluster manager did not take the request for %d executors", u.New)
			m.targets.Refused(u)
		default:
			m.targets.Acknowledged(u)
			m.note(c, u, fmt.Sprintf("%d tasks", m.work.tasks()))
		}
	})
}

// note puts a change of the target down.
func (m *Manager) note(c *rpcenv.Context, u Update, why string) {
	if u.New == u.Old {
		return
	}
	c.Log().Infof("Requesting %d executors, %d before: %d tasks wait, %d run", u.New, u.Old, m.work.pending(), m.work.total)
	c.State("allocation", "executors", strconv.Itoa(u.Old), strconv.Itoa(u.New), why)
}

// remove gives idle executors back as long as neither the least number nor the target needs them. It sends the target again
// then, since a cluster manager may lower it with each kill (SPARK-21834).
func (m *Manager) remove(c *rpcenv.Context, idle []string) {
	var ids []string
	left := m.monitor.Remaining()
	for _, id := range idle {
		if left-1 < max(m.settings.Min, m.targets.Target()) {
			break
		}
		ids = append(ids, id)
		left--
	}
	if len(ids) == 0 {
		return
	}
	then := func(removed Removed, err error) {
		if err != nil {
			if !m.unreachable {
				c.Log().WithError(err).Warnf("Unable to reach the cluster manager to remove executors %v: asking again until it answers", ids)
			}
			m.unreachable = true
		} else {
			c.Log().Infof("Executors %v are removed: they have been idle for %s", removed.IDs, m.settings.Idle)
		}
		// The answer may leave out some, which have begun a task since: these stay, and may become idle again.
		m.monitor.Removing(removed.IDs)
		m.tellTarget(c)
	}
	if m.settings.Decommission {
		ask(c, m, DecommissionExecutors{IDs: ids}, then)
		return
	}
	ask(c, m, KillExecutors{IDs: ids}, then)
}
