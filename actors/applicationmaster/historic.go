package applicationmaster

import (
	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// faults are the historic faults of Spark that this ApplicationMaster has, for study: coherer.compat.
type faults struct {
	// lock: the driver's asks wait while a call of the ResourceManager is out, as behind the lock of YarnAllocator, which
	// that call holds (SPARK-17667). The driver's asks time out when the ResourceManager is slow.
	lock bool
	// nanoseconds: a wake-up makes the next call at once, since the rest of the gap is computed in nanoseconds and taken for
	// milliseconds (SPARK-15725).
	nanoseconds bool
	// resends: each container that comes makes the next call repeat how many are left; when the next container is on its way
	// then, one too many comes in the end (YARN-1902, SPARK-9396).
	resends bool
	// countsAnew: the executors of each attempt are counted from 1, whatever ids the driver has heard of (SPARK-12864).
	countsAnew bool
}

func faultsOf(c *conf.Conf) faults {
	has := func(id string) bool { return compat.Has(c, id) }
	return faults{lock: has("SPARK-17667"), nanoseconds: has("SPARK-15725"), resends: has("YARN-1902"), countsAnew: has("SPARK-12864")}
}

// after is the executor id behind which this attempt goes on; last is the driver's answer.
func (f faults) after(last int32) int {
	if f.countsAnew {
		return 0
	}
	return int(max(0, last))
}

// locked reports whether the driver's asks have to wait for the lock.
func (m *ApplicationMaster) locked() bool { return m.historic.lock && m.inFlight }

// unlock does what waited for the lock.
func (m *ApplicationMaster) unlock() {
	held := m.held
	m.held = nil
	for _, f := range held {
		f()
	}
}

// answer answers an ask of the driver, at once or behind the lock.
func answer[Q rpcenv.Asks[R], R rpcenv.Message](m *ApplicationMaster, c *rpcenv.Context, q Q, f func() R) {
	if m.locked() {
		call := rpcenv.Defer(c, q)
		m.held = append(m.held, func() { call.Reply(f()) })
		return
	}
	rpcenv.Reply(c, q, f())
}
