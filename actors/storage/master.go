package storage

import (
	"cmp"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// The endpoints' names.
const (
	MasterName          = "BlockManagerMaster"
	MasterHeartbeatName = "BlockManagerMasterHeartbeat"
)

// InvalidExecutor is the id in the answer to a registration that is refused (BlockManagerId.INVALID_EXECUTOR_ID).
const InvalidExecutor = "invalid"

// Master is the endpoint BlockManagerMaster.
type Master struct {
	alive     map[string]bool     // executors
	managers  map[string]*manager // by executor
	listeners []rpcenv.Ref
	bus       rpcenv.Ref // see PostTo
	// leaving are executors that are decommissioned: they take no blocks of others.
	leaving map[string]bool
	moves   []rpcenv.Ref // see MovesTo
	driver  *manager     // that of the driver; nil before the first broadcast
}

// NewMaster makes a Master without block managers. Listeners get event.PartitionKept.
func NewMaster(listeners ...rpcenv.Ref) *Master {
	return &Master{alive: map[string]bool{}, managers: map[string]*manager{}, listeners: listeners, leaving: map[string]bool{}}
}

// Receive is a callback of the endpoint.
func (s *Master) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *storage.RegisterBlockManager:
		s.registerBlockManager(c, m)
	case *storage.GetLocations:
		s.getLocations(c, m)
	case *storage.GetLocationsAndStatus:
		s.getLocationsAndStatus(c, m)
	case *storage.UpdateBlockInfo:
		s.updateBlockInfo(c, m)
	case *storage.GetPeers:
		s.getPeers(c, m)
	case *storage.GetReplicateInfoForRDDBlocks:
		s.getReplicateInfo(c, m)
	case *storage.MoveBlock:
		s.moveBlock(c, m)
	case *storage.IsExecutorAlive:
		s.isExecutorAlive(c, m)
	case RemoveRDD:
		s.removeRDD(c, m)
	case KeepBroadcast:
		s.keepBroadcast(c, m)
	case GiveUpBroadcast:
		s.giveUpBroadcast(c, m)
	case event.ExecutorChange:
		s.executorChange(c, m)
	default:
		c.Unsupported(m)
	}
}

// registerBlockManager refuses, as Spark does, only the repeated registration of an executor that is gone. A refused executor
// ends; Sparks in which an executor that was given up ran on for ever (SPARK-13519) refused nobody.
func (s *Master) registerBlockManager(c *rpcenv.Context, m *storage.RegisterBlockManager) {
	id := m.GetBlockManagerId()
	refuses := !compat.Has(c.Conf(), "SPARK-13519")
	if refuses && m.GetIsReRegister() && !s.alive[id.GetExecutorId()] {
		c.Log().Warnf("BlockManager (%s) re-registers, but its executor is gone", id.GetExecutorId())
		refused := &storage.BlockManagerId{ExecutorId: InvalidExecutor, Host: id.GetHost(), Port: id.GetPort()}
		rpcenv.Reply(c, m, &storage.BlockManagerRegistered{BlockManagerId: refused})
		return
	}
	s.removeManager(c, id.GetExecutorId()) // one that registers again reports its blocks anew
	x := &manager{id: id, blocks: map[string]*storage.UpdateBlockInfo{}, asked: map[string]bool{}}
	if m.GetStorageEndpoint() != nil {
		x.endpoint = c.Ref(m.GetStorageEndpoint())
	}
	s.managers[id.GetExecutorId()] = x
	s.post(c, event.BlockManagerAdded{ID: id, OnHeap: m.GetMaxOnHeapMemSize()})
	c.Log().Infof("Registering block manager %s:%d with %d B RAM, executor %s", id.GetHost(), id.GetPort(),
		m.GetMaxOnHeapMemSize(), id.GetExecutorId())
	rpcenv.Reply(c, m, &storage.BlockManagerRegistered{BlockManagerId: id})
}

// isExecutorAlive says whether an executor has a block manager.
func (s *Master) isExecutorAlive(c *rpcenv.Context, m *storage.IsExecutorAlive) {
	rpcenv.Reply(c, m, &rpc.Bool{Value: s.managers[m.GetExecutorId()] != nil})
}

func (s *Master) executorChange(c *rpcenv.Context, m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		s.alive[m.ExecutorID] = true
	case event.ExecutorDecommissioned:
		s.leaving[m.ExecutorID] = true
	case event.ExecutorLost:
		delete(s.alive, m.ExecutorID)
		delete(s.leaving, m.ExecutorID)
		if x := s.managers[m.ExecutorID]; x != nil {
			s.post(c, event.BlockManagerRemoved{ID: x.id})
			c.Log().Infof("Removing block manager of executor %s", m.ExecutorID)
			s.removeManager(c, m.ExecutorID)
		}
	}
}

// removeManager forgets a block manager, if there is one, with its blocks.
func (s *Master) removeManager(c *rpcenv.Context, executor string) {
	m := s.managers[executor]
	if m == nil {
		return
	}
	delete(s.managers, executor)
	for _, block := range slices.Sorted(maps.Keys(m.blocks)) {
		s.publish(c, m, block, false)
		if storageReplicationProactive.Get(c.Conf()) {
			s.replicate(c, block)
		}
	}
}

// order are the executors that have a block manager, in the order of their numbers.
func (s *Master) order() []string {
	return slices.SortedFunc(maps.Keys(s.managers), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// Executors are those that have a block manager or may get one, in order.
func (s *Master) Executors() []string {
	known := maps.Clone(s.alive)
	for id := range s.managers {
		known[id] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// MasterHeartbeat is the endpoint BlockManagerMasterHeartbeat. The zero MasterHeartbeat is ready.
type MasterHeartbeat struct{}

// Receive is a callback of the endpoint.
func (*MasterHeartbeat) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }
