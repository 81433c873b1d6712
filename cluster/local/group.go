package local

import (
	"fmt"
	"net"
	"slices"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
)

// masterPort is where a Master of a simulation listens.
const masterPort = 7077

// Group is several Masters of a World, of which one leads: recovery mode RAFT. What they must not forget is in memory, and
// outlives them: which messages are exchanged does not depend on the disk.
type Group struct {
	// Names are the Masters' processes.
	Names []string
	// Addresses are where they listen, in the same order.
	Addresses []rpcenv.Address
	// Logs are their disks.
	Logs map[string]*election.MemoryLog

	world World
}

// NewGroup sets addresses aside for Masters of these names. None runs yet.
func NewGroup(w World, names []string) (*Group, error) {
	g := &Group{Names: names, Logs: map[string]*election.MemoryLog{}, world: w}
	// All addresses before the first Master starts: each is configured with all of them.
	for _, name := range names {
		at, err := w.Reserve(name)
		if err != nil {
			return nil, err
		}
		g.Addresses = append(g.Addresses, at)
		g.Logs[name] = &election.MemoryLog{}
	}
	return g, nil
}

// Start starts one of them, again if it has ended. env says all but its address.
func (g *Group) Start(name string, env rpcenv.Config) (rpcenv.Host, *node.Node, error) {
	i := slices.Index(g.Names, name)
	if i < 0 {
		return nil, nil, fmt.Errorf("%w: the group has %v, not %s", ErrNoSuchProcess, g.Names, name)
	}
	h, _ := g.world.Process(name)
	env.Listen = g.Addresses[i]
	n, err := node.ElectedMaster(h, env, master.Config{}, election.Config{Peers: g.Addresses, Log: g.Logs[name]})
	return h, n, err
}

// Reserve is where a Master of that name will listen.
func (w *simWorld) Reserve(name string) (rpcenv.Address, error) {
	return rpcenv.Address{Host: w.ip(name), Port: masterPort}, nil
}

// Reserve is where a Master of that name will listen: a port that was free just now.
func (w *realWorld) Reserve(string) (rpcenv.Address, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return rpcenv.Address{}, fmt.Errorf("a port for a Master: %w", err)
	}
	return rpcenv.Address{Host: loopback, Port: l.Addr().(*net.TCPAddr).Port}, l.Close()
}
