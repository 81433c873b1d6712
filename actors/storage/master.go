package storage

import (
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/driver/event"
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
	alive    map[string]bool                    // executors
	managers map[string]*storage.BlockManagerId // by executor
	bus      rpcenv.Ref                         // see PostTo
}

// NewMaster makes a Master without block managers.
func NewMaster() *Master {
	return &Master{alive: map[string]bool{}, managers: map[string]*storage.BlockManagerId{}}
}

// Receive is a callback of the endpoint.
func (s *Master) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *storage.RegisterBlockManager:
		s.registerBlockManager(c, m)
	case *storage.GetLocations:
		rpcenv.Reply(c, m, &storage.BlockLocations{})
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
	s.managers[id.GetExecutorId()] = id
	s.post(c, event.BlockManagerAdded{ID: id, OnHeap: m.GetMaxOnHeapMemSize()})
	c.Log().Infof("Registering block manager %s:%d with %d B RAM, executor %s", id.GetHost(), id.GetPort(),
		m.GetMaxOnHeapMemSize(), id.GetExecutorId())
	rpcenv.Reply(c, m, &storage.BlockManagerRegistered{BlockManagerId: id})
}

func (s *Master) executorChange(c *rpcenv.Context, m event.ExecutorChange) {
	switch m.Kind {
	case event.ExecutorAdded:
		s.alive[m.ExecutorID] = true
	case event.ExecutorLost:
		delete(s.alive, m.ExecutorID)
		if id := s.managers[m.ExecutorID]; id != nil {
			s.post(c, event.BlockManagerRemoved{ID: id})
			c.Log().Infof("Removing block manager of executor %s", m.ExecutorID)
			delete(s.managers, m.ExecutorID)
		}
	}
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
