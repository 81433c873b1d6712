package app

import (
	"fmt"
	"io"
	"sync"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
)

// DriverBlocks serves the pieces of a driver's broadcasts, on a port of their own that it opens for the first of them
// (spark.driver.blockManager.port). Its owner closes it.
type DriverBlocks struct {
	env  *rpcenv.Env
	bind string
	log  *logrus.Entry

	mu     sync.Mutex
	server io.Closer // nil: it does not serve
}

// NewDriverBlocks makes one for a driver that listens at the address bind.
func NewDriverBlocks(env *rpcenv.Env, bind string, log *logrus.Entry) *DriverBlocks {
	return &DriverBlocks{env: env, bind: bind, log: log}
}

// Serve implements [broadcast.Server].
func (d *DriverBlocks) Serve(lookup func(id string) ([]byte, bool)) (rpcenv.Address, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, port := d.env.Conf(), storage.DriverBlockManagerPort
	var bound rpcenv.Address
	err := rpcenv.NextPorts(port.Get(c), rpcenv.PortMaxRetries.Get(c), func(port int) (err error) {
		bound, d.server, err = bulk.Serve(rpcenv.Address{Host: d.bind, Port: port}, source(lookup), bulk.Options{})
		return err
	})
	if err != nil {
		return rpcenv.Address{}, rpcenv.ListenAdvice(fmt.Errorf("serve broadcasts: %w", err), known.DriverBindAddress.Key(), port.Key())
	}
	rpcenv.Door{
		Name: "the port of broadcasts", At: bound.String(), Lets: "read the values that this application's program has broadcast",
		Close: "set " + known.DriverBindAddress.Key() + "=127.0.0.1, or let a firewall keep others out",
	}.Warn(d.log)
	// Executors find it by the name under which they find the driver.
	return rpcenv.Address{Host: d.env.Address().Host, Port: bound.Port}, nil
}

// Close ends the server, if there is one.
func (d *DriverBlocks) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.server == nil {
		return nil
	}
	server := d.server
	d.server = nil
	return server.Close()
}

// source finds blocks for executors.
type source func(id string) ([]byte, bool)

// OpenBlocks implements [bulk.Source].
func (s source) OpenBlocks(ids []string) ([]bulk.Chunk, error) {
	chunks := make([]bulk.Chunk, len(ids))
	for i, id := range ids {
		data, ok := s(id)
		if !ok {
			return nil, fmt.Errorf("no block %s here", id)
		}
		chunks[i] = bulk.BytesChunk(data)
	}
	return chunks, nil
}
