package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/shufflefile"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// blocks keeps an executor's map outputs in files of its directories (package shufflefile), and serves them on a port of
// their own (Spark's block manager with its NettyBlockTransferService).
type blocks struct {
	dirs   []string
	addr   rpcenv.Address
	server io.Closer

	mu      sync.Mutex
	files   int
	outputs map[shufflefile.Output]*mapOutput
	index   map[string]place // of the other blocks
	// application and executor own the blocks.
	application, executor string
	// lookup finds cached blocks.
	lookup func(id string) ([]byte, bool)
}

// place is where a block lies.
type place struct {
	path         string
	offset, size int64
}

// newBlocks serves blocks at an address; port 0 is any free one. The files of one kind go into dirs in turn, map outputs where package
// shufflefile says.
func newBlocks(dirs []string, at rpcenv.Address) (*blocks, error) {
	b := &blocks{dirs: dirs, outputs: map[shufflefile.Output]*mapOutput{}, index: map[string]place{}}
	var err error
	if b.addr, b.server, err = bulk.Serve(at, b, bulk.Options{}); err != nil {
		return nil, fmt.Errorf("serve blocks: %w", err)
	}
	return b, nil
}

// serveBlocks is newBlocks at a host and the port that a setting says, or one of those behind it. The error says by what to choose another.
func serveBlocks(c *conf.Conf, dirs []string, host, byHost string, byPort *conf.Entry[int]) (store *blocks, err error) {
	err = rpcenv.NextPorts(byPort.Get(c), rpcenv.PortMaxRetries.Get(c), func(port int) (err error) {
		store, err = newBlocks(dirs, rpcenv.Address{Host: host, Port: port})
		return err
	})
	return store, rpcenv.ListenAdvice(err, byHost, byPort.Key())
}

// Close ends the server. The files go with the executor's directory.
func (b *blocks) Close() error { return b.server.Close() }

// Address is where others fetch.
func (b *blocks) Address() rpcenv.Address { return b.addr }

// nextFile is the number and the directory of the next file.
func (b *blocks) nextFile() (number int, dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files++
	return b.files, b.dirs[b.files%len(b.dirs)]
}

// Put writes blocks into one file. A block that is kept already is replaced.
func (b *blocks) Put(ids []string, data [][]byte) error {
	number, dir := b.nextFile()
	path := filepath.Join(dir, fmt.Sprintf("blocks_%d.data", number))
	// Written without the lock: tasks on other cores put and get blocks meanwhile. The number makes the path this call's
	// alone.
	content := bytes.Join(data, nil)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return errors.Join(needsSpace(err), os.Remove(path))
	}
	// Entered only now, so that nobody finds a block whose file is half written.
	b.mu.Lock()
	defer b.mu.Unlock()
	offset := int64(0)
	for i, id := range ids {
		size := int64(len(data[i]))
		if size > 0 {
			b.index[id] = place{path, offset, size}
		}
		offset += size
	}
	return nil
}

func (b *blocks) find(id string) (place, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.index[id]; ok {
		return p, nil
	}
	if shuffle, task, reduce, ok := executor.ParseShuffleBlock(id); ok {
		if m := b.outputs[shufflefile.Output{Shuffle: shuffle, Task: task}]; m != nil && reduce < len(m.ends) {
			return m.block(reduce), nil
		}
	}
	return place{}, fmt.Errorf("no block %s here", id)
}

// Get reads a block.
func (b *blocks) Get(id string) ([]byte, error) {
	p, err := b.find(id)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	data := make([]byte, p.size)
	_, err = f.ReadAt(data, p.offset)
	return data, errors.Join(err, f.Close())
}

// Remove deletes a block that is alone in its file.
func (b *blocks) Remove(id string) error {
	b.mu.Lock()
	p, ok := b.index[id]
	delete(b.index, id)
	b.mu.Unlock()
	if !ok {
		return nil
	}
	return os.Remove(p.path)
}

// Serve makes others find cached blocks.
func (b *blocks) Serve(lookup func(id string) ([]byte, bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lookup = lookup
}

// OpenBlock implements [executor.BlockFiles].
func (b *blocks) OpenBlock(id string) (rdd.File, error) {
	p, err := b.find(id)
	if err != nil {
		return nil, err
	}
	return openSection(p.path, p.offset, p.size)
}

// cached is a block that lookup finds.
func (b *blocks) cached(id string) ([]byte, bool) {
	b.mu.Lock()
	lookup := b.lookup
	b.mu.Unlock()
	if lookup == nil {
		return nil, false
	}
	return lookup(id) // without the lock: it may ask for a block that is kept here
}

// OpenBlocks is called by the server for other executors.
func (b *blocks) OpenBlocks(ids []string) ([]bulk.Chunk, error) {
	chunks := make([]bulk.Chunk, len(ids))
	for i, id := range ids {
		if data, ok := b.cached(id); ok {
			chunks[i] = bulk.BytesChunk(data)
			continue
		}
		p, err := b.find(id)
		if err != nil {
			return nil, err
		}
		chunks[i] = bulk.FileChunk(p.path, p.offset, p.size)
	}
	return chunks, nil
}

// fetchFile brings a file that a driver serves.
func fetchFile(ctx context.Context, uri string, to io.Writer) error {
	client := bulk.NewClient(bulk.Options{})
	return errors.Join(client.FetchFile(ctx, uri, to), client.Close())
}
