package local

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// RestartMaster starts a Master at the address of the one that was killed, with its records.
func (c *Cluster) RestartMaster() {
	c.t.Helper()
	c.startMaster()
}

// SlowTransfer makes each fetch of blocks take d, in a simulation.
func (c *Cluster) SlowTransfer(d time.Duration) { c.blocks().latency = d }

// Kept are the executors that keep a block, or that kept it when they ended, by their block managers' addresses.
func (c *Cluster) Kept(id string) (out []rpcenv.Address) {
	t := c.blocks()
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, s := range t.stores {
		if _, ok := s.data[id]; ok {
			out = append(out, at)
		}
	}
	return out
}

// SentBlocks are how many bytes of blocks the drivers have sent, and all block servers together.
func SentBlocks(c *Cluster) (drivers, all int64) {
	t := c.blocks()
	t.mu.Lock()
	defer t.mu.Unlock()
	for at, s := range t.stores {
		all += s.sent
		if t.drivers[at] {
			drivers += s.sent
		}
	}
	return drivers, all
}
