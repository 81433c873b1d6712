package local

import (
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// flight knows, from the trace as it is made, which messages between Envs are on their way.
type flight struct {
	changed func()
	mu      sync.Mutex
	open    map[key]bool
	gone    map[end]bool // the ends of connections that have seen the end
}

// end is one end of a connection: back is the listener's, whose messages go back.
type end struct {
	conn uint64
	back bool
}

type key struct {
	conn uint64
	back bool
	env  uint32
	n    uint64
}

func keyOf(id *tracepb.Id) key { return key{id.GetConn(), id.GetBack(), id.GetEnv(), id.GetN()} }

func newFlight(changed func()) *flight {
	return &flight{changed: changed, open: map[key]bool{}, gone: map[end]bool{}}
}

func (f *flight) see(r *tracepb.Record) {
	f.mu.Lock()
	switch r.GetKind() {
	case tracepb.Kind_SENT:
		k := keyOf(r.GetId())
		// Without a connection it stays in its Env, whose inboxes the recorder watches. A message to an end that has seen the
		// connection's end never arrives.
		if k.conn != 0 && !f.gone[end{k.conn, !k.back}] {
			f.open[k] = true
		}
	case tracepb.Kind_HANDLED:
		delete(f.open, keyOf(r.GetId()))
	case tracepb.Kind_CONN:
		if r.GetName() == "disconnected" {
			f.gone[end{r.GetId().GetConn(), r.GetId().GetBack()}] = true
			// What was on its way to this end will not arrive. The other end may still have much to hand over.
			for k := range f.open {
				if k.conn == r.GetId().GetConn() && k.back != r.GetId().GetBack() {
					delete(f.open, k)
				}
			}
		}
	}
	f.mu.Unlock()
	f.changed() // without the lock: Run may ask empty at once
}

func (f *flight) empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) == 0
}

// counter counts different Envs.
type counter struct {
	mu   sync.Mutex
	envs map[uint32]bool
}

func newCounter() *counter { return &counter{envs: map[uint32]bool{}} }

func (c *counter) add(env uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.envs[env] = true
}

func (c *counter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.envs)
}
