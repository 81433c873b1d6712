package rpcenv

import (
	"fmt"
	"slices"
	"sync"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// endpoints are those of an Env, by name.
type endpoints struct {
	env *Env

	// named has them by name. find reads it without a lock, for every message; changes hold mu.
	named sync.Map

	mu      sync.Mutex      // see the lock order in outbox.go
	order   ordered[*inbox] // that have not ended, by registration
	spawned uint64
	last    func() // for the end of the last one, after end
	// watchers are those of order that hear of connections: an event must not walk over all the others.
	watchers ordered[*watcher]
}

// watcher is an inbox as a member of endpoints.watchers.
type watcher inbox

func (w *watcher) place() *int32 { return &w.watching }

func (in *inbox) place() *int32 { return &in.registered }

// watches reports whether the endpoint hears of connections, or of their failures.
func (in *inbox) watches() bool {
	_, connections := in.ep.(ConnectionWatcher)
	_, failures := in.ep.(NetworkErrorWatcher)
	return connections || failures
}

// add gives in its name. It returns the number of the endpoint in the Env: a name may come again while the old inbox still drains.
func (t *endpoints) add(in *inbox) (uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.env.life.stage() >= envStops:
		return 0, fmt.Errorf("%w: RpcEnv has been stopped: cannot register %s", ErrStopped, in.name)
	case t.find(in.name) != nil:
		return 0, fmt.Errorf("%w: There is already an RpcEndpoint called %s", ErrNameTaken, in.name)
	}
	t.named.Store(in.name, in)
	t.order.add(in)
	if in.watches() {
		t.watchers.add((*watcher)(in))
	}
	t.spawned++
	in.number = uint16(1 + (t.spawned-1)%(askers-1)) // 0 is for those that are none
	t.env.busy(1)                                    // its OnStart
	return t.spawned, nil
}

// find is the endpoint of that name, or nil.
func (t *endpoints) find(name string) *inbox {
	in, _ := t.named.Load(name)
	found, _ := in.(*inbox)
	return found
}

// findFor is find for what an endpoint sends: most messages of an endpoint go where its last one went.
func (t *endpoints) findFor(by *inbox, name string) *inbox {
	if by == nil {
		return t.find(name)
	}
	if to := by.to.Load(); to != nil && to.name == name && !to.freed.Load() {
		return to
	}
	to := t.find(name)
	by.to.Store(to) // also nil: the sender keeps no endpoint in memory that has ended
	return to
}

// names are those of the endpoints, in order.
func (t *endpoints) names() []string {
	var names []string
	t.named.Range(func(name, _ any) bool {
		names = append(names, name.(string))
		return true
	})
	slices.Sort(names)
	return names
}

// all are those that have not ended, in the order of registration: the same in each run of a simulation.
func (t *endpoints) all() []*inbox {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.order.all()
}

// watching are those of all that hear of connections or of their failures.
func (t *endpoints) watching() []*watcher {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.watchers.all()
}

// stop stops an endpoint. Its name is free at once; it may belong to a successor already.
func (t *endpoints) stop(in *inbox, cause record.ID) {
	t.free(in)
	in.stop(cause)
}

func (t *endpoints) free(in *inbox) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in.freed.Store(true)
	t.named.CompareAndDelete(in.name, in) // it may be a successor's
}

// ended is called after an endpoint's OnStop.
func (t *endpoints) ended(in *inbox) {
	t.mu.Lock()
	t.order.remove(in)
	t.watchers.remove((*watcher)(in))
	last := t.last
	if t.order.len() > 0 {
		last = nil
	}
	t.mu.Unlock()
	if last != nil {
		last()
	}
}

// end stops all, in the order of registration. last is called when the last one has ended; end reports whether none is registered.
func (t *endpoints) end(last func()) bool {
	t.mu.Lock()
	t.last = last
	all := t.order.all()
	t.mu.Unlock()
	for _, in := range all {
		t.stop(in, record.ID{})
	}
	return len(all) == 0
}

// missing is the error of a message to a name that no endpoint has.
func (t *endpoints) missing(name string) error {
	if t.env.life.stage() >= envStops {
		return fmt.Errorf("%w: RpcEnv already stopped.", ErrRefusedStopped)
	}
	return fmt.Errorf("%w: Could not find %s.", ErrRefusedNotFound, name)
}

// notify posts a connection event to all that have a method for it.
func (t *endpoints) notify(it item) {
	for _, w := range t.watching() {
		in, ok := (*inbox)(w), false
		if it.kind == itemNetworkError {
			_, ok = in.ep.(NetworkErrorWatcher)
		} else {
			_, ok = in.ep.(ConnectionWatcher)
		}
		if ok {
			it.id = t.env.nextID()
			in.post(&it) // false if it has stopped since: then nobody is left to hear of it
		}
	}
}

// Stop stops an endpoint of this Env by name. It reports whether there was one.
func (e *Env) Stop(name string) bool {
	in := e.endpoints.find(name)
	if in != nil {
		e.endpoints.stop(in, record.ID{})
	}
	return in != nil
}

// Stop stops this endpoint: its name is free at once, what is queued is still handled, OnStop is last.
func (c *Context) Stop() { c.in.env.endpoints.stop(c.in, c.cause()) }
