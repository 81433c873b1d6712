package local

import (
	"fmt"
	"sync"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
)

// blockTable has the blocks of all executors of a World, in memory: what a block server and its clients are to real ones.
type blockTable struct {
	latency time.Duration // of a fetch, in a simulation
	files   *rdd.MemDisk
	disk    int64 // of each executor, in bytes; 0: any number

	mu     sync.Mutex
	ports  int
	stores map[rpcenv.Address]*blockStore
	// drivers have the broadcasts of drivers.
	drivers map[rpcenv.Address]bool
	// of executors by their names, and what serves them on their hosts.
	named    map[shuffleservice.Executor]*blockStore
	services map[rpcenv.Address]*shuffleOutputs
}

func newBlockTable(kind Kind) *blockTable {
	t := &blockTable{
		files: &rdd.MemDisk{Below: app.Files{}}, stores: map[rpcenv.Address]*blockStore{}, drivers: map[rpcenv.Address]bool{},
		named: map[shuffleservice.Executor]*blockStore{}, services: map[rpcenv.Address]*shuffleOutputs{},
	}
	if kind == Sim {
		t.latency = time.Millisecond
	}
	return t
}

// run is an executor of a Worker, whose blocks are in the table.
func (t *blockTable) run(h rpcenv.Host, args executor.Args) error {
	return t.runAt(h, args, rpcenv.Address{})
}

// runAt is an executor of a NodeManager; the zero Address: of a Worker.
func (t *blockTable) runAt(h rpcenv.Host, args executor.Args, nodeManager rpcenv.Address) error {
	x := shuffleservice.Executor{App: args.AppID, ID: args.ExecutorID}
	store := t.newStore(args.Hostname, func() bool { return hasEnded(h) })
	t.name(x, store)
	return executor.Boot{
		Args: args, Log: rpcenv.NoLog(), IO: executor.IO{FS: t.files, Blocks: store, Transfer: appTransfer{t, args.AppID}},
		LocalDirs: []string{localDir(x)}, NodeManager: nodeManager,
	}.Run(h)
}

// blockStore is one executor's.
type blockStore struct {
	table *blockTable
	addr  rpcenv.Address
	gone  func() bool // its process has ended
	data  map[string][]byte
	disk  int64 // bytes that fit; 0: any number
	used  int64 // bytes of temporary files and of map outputs
	sent  int64 // bytes that others have fetched
	// lookup finds cached blocks.
	lookup func(id string) ([]byte, bool)
}

var (
	_ executor.Blocks  = (*blockStore)(nil)
	_ storage.Transfer = (*blockTable)(nil)
)

func (t *blockTable) newStore(host string, gone func() bool) *blockStore {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ports++
	s := &blockStore{table: t, addr: rpcenv.Address{Host: host, Port: t.ports}, gone: gone, data: map[string][]byte{}, disk: t.disk}
	t.stores[s.addr] = s
	return s
}

func (s *blockStore) Address() rpcenv.Address { return s.addr }

func (s *blockStore) Put(ids []string, data [][]byte) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	for i, id := range ids {
		s.data[id] = data[i]
	}
	return nil
}

func (s *blockStore) Get(id string) ([]byte, error) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	data, ok := s.data[id]
	if !ok {
		return nil, fmt.Errorf("no block %s here", id)
	}
	return data, nil
}

func (s *blockStore) Serve(lookup func(id string) ([]byte, bool)) {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.lookup = lookup
}

// served is a block as others get it.
func (s *blockStore) served(id string) ([]byte, error) {
	s.table.mu.Lock()
	lookup := s.lookup
	s.table.mu.Unlock()
	if lookup != nil { // without the lock: it may ask for a block that is kept here
		if data, ok := lookup(id); ok {
			return data, nil
		}
	}
	return s.Get(id)
}

func (s *blockStore) Remove(id string) error {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	delete(s.data, id)
	return nil
}

// send is served, and counts the bytes.
func (s *blockStore) send(id string) ([]byte, error) {
	data, err := s.served(id)
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	s.sent += int64(len(data))
	return data, err
}

// Fetch brings the blocks of another executor; one whose process has ended refuses the connection.
func (t *blockTable) Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	return t.fetch(b, "", from, ids, each)
}

// fetch is Fetch for an application, among whose map outputs a shuffle service looks.
func (t *blockTable) fetch(b *rpcenv.Blocking, app string, from rpcenv.Address, ids []string, each func(int, []byte) error) error {
	if t.latency > 0 {
		if err := b.Sleep(t.latency); err != nil {
			return err
		}
	}
	t.mu.Lock()
	s, service := t.stores[from], t.services[from]
	t.mu.Unlock()
	var served func(id string) ([]byte, error)
	switch { // stores and services outlive their processes, and must not seem to
	case s != nil && !s.gone():
		served = s.send
	case service != nil && !service.gone():
		served = func(id string) ([]byte, error) { return service.find(app, id) }
	default:
		return fmt.Errorf("fetch blocks from %s: %w: connection refused", from, storage.ErrConnection)
	}
	for i, id := range ids {
		data, err := served(id)
		if err != nil {
			return err
		}
		if err := each(i, data); err != nil {
			return err
		}
	}
	return nil
}
