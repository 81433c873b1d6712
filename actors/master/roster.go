package master

import (
	"slices"

	"github.com/coherer/coherer/rpcenv"
)

// roster is all Workers, in the order of their registration; dead ones too, for a while. Entering, finding and forgetting one
// costs the same however many Workers it holds: a hundred thousand may come at once.
type roster struct {
	list  []*workerInfo                  // also some that are forgotten, while stale
	dead  map[rpcenv.Address]*workerInfo // by where they listened
	by    map[rpcenv.Address]*registrar  // what each peer has registered
	stale bool
	seen  int // how many Workers all and Master.usable have gone through: tests count walks by it
	// changed are the Workers that came, or whose state or free cores and memory changed, since the ranking was updated.
	changed []*workerInfo
}

// registrar is a peer that has registered Workers.
type registrar struct {
	workers int  // those of them that are not dead
	refused bool // the log has it that another one was too many; none has died since
}

func newRoster() roster {
	return roster{dead: map[rpcenv.Address]*workerInfo{}, by: map[rpcenv.Address]*registrar{}}
}

// workersPerPeer is how many Workers one peer may have registered. It is no setting, since it bounds no cluster: a peer is an
// address that listens, each Worker has its own and registers from it, also thousands in one process. So an honest peer has one
// that is not dead; 16 leave room for a tool that registers several.
const workersPerPeer = 16

// all are the Workers. It walks the list, so a handler that runs once for each Worker must not call it.
func (r *roster) all() []*workerInfo {
	r.seen += len(r.list)
	if r.stale {
		kept := make([]*workerInfo, 0, len(r.list)) // another list: a loop over the old one goes on undisturbed
		for _, w := range r.list {
			if !w.forgotten {
				kept = append(kept, w)
			}
		}
		r.list, r.stale = kept, false
		// Else Workers that come and go while no application wants any would pile up here.
		r.changed = slices.DeleteFunc(r.changed, func(w *workerInfo) bool { return w.forgotten && !w.ranked })
	}
	return r.list
}

// add enters a Worker, which was not there before.
func (r *roster) add(w *workerInfo) {
	r.list = append(r.list, w)
	w.roster = r
	r.note(w)
	by := r.by[w.registrar]
	if by == nil {
		by = &registrar{}
		r.by[w.registrar] = by
	}
	by.workers++
}

// note enters a Worker among those that have changed. A nil roster does nothing: that of a Worker which is in none.
func (r *roster) note(w *workerInfo) {
	if r == nil || w.changed {
		return
	}
	w.changed = true
	r.changed = append(r.changed, w)
}

// takeChanged returns the Workers that have changed since the last call. The list is valid until the next note.
func (r *roster) takeChanged() []*workerInfo {
	out := r.changed
	r.changed = r.changed[:0]
	for _, w := range out {
		w.changed = false
	}
	return out
}

// died notes, once, that a Worker of the roster is dead: another may listen in its place, and its registrar may register another.
func (r *roster) died(w *workerInfo) {
	r.forgetDead(w.listens()) // of two, the younger one is shown
	r.dead[w.listens()] = w
	by := r.by[w.registrar]
	by.refused = false
	if by.workers--; by.workers == 0 {
		delete(r.by, w.registrar)
	}
}

// forgetDead drops the record of a dead Worker that listened at the place of a new one.
func (r *roster) forgetDead(at rpcenv.Address) {
	if w := r.dead[at]; w != nil {
		delete(r.dead, at)
		w.forgotten, r.stale = true, true
	}
}

// full is the registrar of a peer that has registered as many as it may; nil: it may register another.
func (r *roster) full(peer rpcenv.Address) *registrar {
	if by := r.by[peer]; by != nil && by.workers >= workersPerPeer {
		return by
	}
	return nil
}

// listens is where a Worker says that it listens.
func (w *workerInfo) listens() rpcenv.Address { return rpcenv.Address{Host: w.Host, Port: w.Port} }
