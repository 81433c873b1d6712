package broadcast

import (
	"sync"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Server serves blocks to executors.
type Server interface {
	// Serve makes executors find blocks at the address that it returns. It is called once. An error says what to do, such as to choose
	// another port.
	Serve(lookup func(id string) (data []byte, ok bool)) (rpcenv.Address, error)
}

// Driver keeps the pieces of an application's broadcasts, in memory, and numbers them. Its methods may be called from several goroutines.
type Driver struct {
	server Server

	mu        sync.Mutex
	next      int64
	at        *storage.BlockManagerId // nil: the server does not serve yet
	pieces    map[string][]byte
	destroyed map[int64]string
}

// NewDriver makes a Driver without broadcasts.
func NewDriver(s Server) *Driver {
	return &Driver{server: s, pieces: map[string][]byte{}, destroyed: map[int64]string{}}
}

// Executor is the executor id of the driver's block manager (SparkContext.DRIVER_IDENTIFIER).
const Executor = "driver"

// Open returns the driver's block manager. The first call starts the server.
func (d *Driver) Open() (*storage.BlockManagerId, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at != nil {
		return d.at, nil
	}
	at, err := d.server.Serve(d.lookup)
	if err != nil {
		return nil, err
	}
	d.at = &storage.BlockManagerId{ExecutorId: Executor, Host: at.Host, Port: int32(at.Port)}
	return d.at, nil
}

// Keep cuts an encoded value into pieces and keeps them, once Open has succeeded. reports are what BlockManagerMaster has to know of them.
func (d *Driver) Keep(c *conf.Conf, encoded []byte) (info rdd.BroadcastInfo, reports []*storage.UpdateBlockInfo, err error) {
	d.mu.Lock()
	id := d.next
	d.next++
	d.mu.Unlock()
	info, pieces, err := Cut(c, id, encoded) // without the lock: it takes its time
	if err != nil {
		return info, nil, err
	}
	level := &storage.StorageLevel{UseMemory: true, Replication: 1}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, p := range pieces {
		name := blocks.PieceID(id, i)
		d.pieces[name] = blocks.Encode([][]byte{p})
		reports = append(reports, &storage.UpdateBlockInfo{BlockManagerId: d.at, BlockId: name, StorageLevel: level, MemSize: int64(len(p))})
	}
	return info, reports, nil
}

// Destroy gives the pieces of a broadcast up. site says where the program did so, for Check; "": Check need not know.
func (d *Driver) Destroy(id int64, site string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for piece := 0; ; piece++ {
		name := blocks.PieceID(id, piece)
		if _, there := d.pieces[name]; !there {
			break
		}
		delete(d.pieces, name)
	}
	if site != "" {
		d.destroyed[id] = site
	}
}

// Check fails with a *rdd.DestroyedError when one of the broadcasts has been destroyed.
func (d *Driver) Check(vars []rdd.BroadcastVar) error {
	if len(vars) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, v := range vars {
		if site, gone := d.destroyed[v.Info().ID]; gone {
			return &rdd.DestroyedError{ID: v.Info().ID, Site: site}
		}
	}
	return nil
}

func (d *Driver) lookup(id string) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, ok := d.pieces[id]
	return data, ok
}
