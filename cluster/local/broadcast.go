package local

import (
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
)

// driverBlocks serves a driver's broadcasts from the table of blocks.
type driverBlocks struct {
	table *blockTable
	env   *rpcenv.Env
}

// Blocks are those of a driver whose Env is env.
func (x *executors) Blocks(env *rpcenv.Env) broadcast.Server { return driverBlocks{x.table, env} }

// Serve implements [broadcast.Server].
func (d driverBlocks) Serve(lookup func(id string) ([]byte, bool)) (rpcenv.Address, error) {
	h := d.env.Host()
	s := d.table.newStore(d.env.Address().Host, func() bool { return hasEnded(h) })
	s.Serve(lookup)
	d.table.mu.Lock()
	d.table.drivers[s.addr] = true
	d.table.mu.Unlock()
	return s.Address(), nil
}

// Blocks are those of a driver that lives in the test's process. They are served until the end of the World.
func (w *processWorld) Blocks(env *rpcenv.Env) broadcast.Server {
	s := app.NewDriverBlocks(env, env.Address().Host, rpcenv.NoLog())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.served = append(w.served, s)
	return s
}
