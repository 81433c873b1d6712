package local

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// ShuffleOutputs are the map outputs that the shuffle service of a Worker of a World serves, on a machine; nil without
// spark.shuffle.service.enabled.
func ShuffleOutputs(w World, h rpcenv.Host, host string, c *conf.Conf) shuffleservice.Outputs {
	if !shuffleservice.ShuffleServiceEnabled.Get(c) {
		return nil
	}
	return shuffleOutputsOf(w, h, host)
}

// shuffleOutputsOf are those of a daemon; nil in a World of processes, which have those of package node.
func shuffleOutputsOf(w World, h rpcenv.Host, host string) shuffleservice.Outputs {
	if w.blocks() == nil {
		return nil
	}
	return w.blocks().newService(host, func() bool { return hasEnded(h) })
}

// shuffleOutputs are the executors' stores on one machine that its shuffle service serves. They outlive the executors.
type shuffleOutputs struct {
	table *blockTable
	addr  rpcenv.Address
	gone  func() bool // its daemon has ended
	// locked by the table.
	stores map[shuffleservice.Executor]*blockStore
}

var _ shuffleservice.Outputs = (*shuffleOutputs)(nil)

func (t *blockTable) newService(host string, gone func() bool) *shuffleOutputs {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ports++
	s := &shuffleOutputs{table: t, addr: rpcenv.Address{Host: host, Port: t.ports}, gone: gone, stores: map[shuffleservice.Executor]*blockStore{}}
	t.services[s.addr] = s
	return s
}

// name enters an executor's store.
func (t *blockTable) name(x shuffleservice.Executor, s *blockStore) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.named[x] = s
}

// localDir is an executor's one directory.
func localDir(x shuffleservice.Executor) string { return "/local/" + x.App + "/" + x.ID }

// Address implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Address() rpcenv.Address { return s.addr }

// Add implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Add(x shuffleservice.Executor, dirs []string) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	store := s.table.named[x]
	if store == nil || !slices.Equal(dirs, []string{localDir(x)}) {
		return fmt.Errorf("executor %s of %s has no directories %v", x.ID, x.App, dirs)
	}
	s.stores[x] = store
	return nil
}

// find is a block of an application: its executors write no two map outputs of one name.
func (s *shuffleOutputs) find(app, id string) ([]byte, error) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	known := false
	for x, store := range s.stores {
		if data, ok := store.data[id]; ok && x.App == app && isOutput(id) {
			return data, nil
		}
		known = known || x.App == app
	}
	if !known {
		return nil, shuffleservice.NotRegistered(shuffleservice.Executor{App: app})
	}
	return nil, fmt.Errorf("no block %s here", id)
}

func isOutput(id string) bool { return strings.HasPrefix(id, "shuffle_") }

// Clean implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Clean(_ *rpcenv.Blocking, x shuffleservice.Executor) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	if store := s.stores[x]; store != nil {
		maps.DeleteFunc(store.data, func(id string, _ []byte) bool { return !isOutput(id) })
	}
	return nil
}

// Forget implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Forget(x shuffleservice.Executor) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	delete(s.stores, x)
}

// Remove implements [shuffleservice.Outputs].
func (s *shuffleOutputs) Remove(_ *rpcenv.Blocking, dirs []string) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for x, store := range s.table.named {
		if slices.Contains(dirs, localDir(x)) {
			clear(store.data)
		}
	}
	return nil
}

// appTransfer is the Transfer of an application's executors.
type appTransfer struct {
	table *blockTable
	app   string
}

// Fetch implements [storage.Transfer].
func (t appTransfer) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	return t.table.fetch(b, t.app, from, ids, each)
}
