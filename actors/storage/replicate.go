package storage

import (
	"cmp"
	"slices"

	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// replicate makes other block managers copy a block until as many have it as its level asks for. They fetch it from the first holder.
// A manager that was asked counts as a holder until it reports something else, or is gone: one that has no room is not asked again.
func (s *Master) replicate(c *rpcenv.Context, block string) {
	holders := s.holders(block, "")
	if len(holders) == 0 {
		return
	}
	level := holders[0].blocks[block].GetWantedLevel()
	missing := int(level.GetReplication()) - len(holders)
	var spare []*manager
	for _, id := range s.order() {
		switch m := s.managers[id]; {
		case m.blocks[block] != nil:
		case m.asked[block]:
			missing--
		case m.takes(s):
			spare = append(spare, m)
		}
	}
	if missing <= 0 {
		return
	}
	// Those with the fewest blocks first, so that replicas spread; Spark takes random ones.
	slices.SortStableFunc(spare, func(a, b *manager) int { return cmp.Compare(len(a.blocks)+len(a.asked), len(b.blocks)+len(b.asked)) })
	for _, m := range spare[:min(missing, len(spare))] {
		m.asked[block] = true
		c.Log().Infof("Block %s is to be copied to executor %s", block, m.id.GetExecutorId())
		c.Send(m.endpoint, &storage.ReplicateBlock{BlockId: block, From: holders[0].id, Level: level})
	}
}
