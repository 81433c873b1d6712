package storage

import (
	"slices"

	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// manager is a block manager that registered. It mirrors org.apache.spark.storage.BlockManagerInfo.
type manager struct {
	id       *storage.BlockManagerId
	endpoint rpcenv.Ref // zero: it gave none
	blocks   map[string]*storage.UpdateBlockInfo
	// asked has the blocks that it is to copy.
	asked map[string]bool
}

// update enters a report; changed says whether the manager has the block now and had it not, or the other way round.
func (m *manager) update(u *storage.UpdateBlockInfo) (kept, changed bool) {
	delete(m.asked, u.GetBlockId())
	_, had := m.blocks[u.GetBlockId()]
	kept = u.GetStorageLevel().GetUseMemory() || u.GetStorageLevel().GetUseDisk()
	if kept {
		m.blocks[u.GetBlockId()] = u
	} else {
		delete(m.blocks, u.GetBlockId())
	}
	return kept, had != kept
}

// holders are the managers that have a block, those on host first, else by the order of executors; that of the driver is the last one.
func (s *Master) holders(block, host string) []*manager {
	var near, far []*manager
	for _, id := range s.order() {
		switch m := s.managers[id]; {
		case m.blocks[block] == nil:
		case m.id.GetHost() == host:
			near = append(near, m)
		default:
			far = append(far, m)
		}
	}
	all := slices.Concat(near, far)
	if s.driver != nil && s.driver.blocks[block] != nil {
		all = append(all, s.driver)
	}
	return all
}
