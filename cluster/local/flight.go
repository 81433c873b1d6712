package local

import (
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// flight knows, from the trace as it is made, which messages between Envs are on their way.
type flight struct {
	changed func()
	mu      sync.Mutex
	open    map[record.ID]bool
	gone    map[end]bool // the ends of connections that have seen the end
}

// end is one end of a connection: back is the listener's, whose messages go back.
type end struct {
	conn uint64
	back bool
}

func newFlight(changed func()) *flight {
	return &flight{changed: changed, open: map[record.ID]bool{}, gone: map[end]bool{}}
}

func (f *flight) see(r *tracepb.Record) {
	f.mu.Lock()
	switch r.GetKind() {
	case tracepb.Kind_SENT:
		k := record.IDOf(r.GetId())
		// Without a connection it stays in its Env, whose inboxes the recorder watches. A message to an end that has seen the
		// connection's end never arrives.
		if k.Conn != 0 && !f.gone[end{k.Conn, !k.Back}] {
			f.open[k] = true
		}
	case tracepb.Kind_HANDLED:
		delete(f.open, record.IDOf(r.GetId()))
	case tracepb.Kind_CONN:
		if r.GetName() == "disconnected" {
			f.gone[end{r.GetId().GetConn(), r.GetId().GetBack()}] = true
			// What was on its way to this end will not arrive. The other end may still have much to hand over.
			for k := range f.open {
				if k.Conn == r.GetId().GetConn() && k.Back != r.GetId().GetBack() {
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
