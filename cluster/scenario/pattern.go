package scenario

import (
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// sighting is a message that was sent, and, once it is handled, its receiver.
type sighting struct{ from, to, typ string }

// watcher sees which messages were handled, as the trace is made.
type watcher struct {
	changed func()

	mu      sync.Mutex
	envs    map[uint32]string
	sent    map[record.ID]sighting
	seen    int
	handled []sighting      // since the block or the last run began: a verb may be slower than what it waits for
	refused map[string]bool // processes that were refused a connection, since the same time
}

func newWatcher(changed func()) *watcher {
	return &watcher{changed: changed, envs: map[uint32]string{}, sent: map[record.ID]sighting{}, refused: map[string]bool{}}
}

// forget begins anew.
func (w *watcher) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handled = nil
	clear(w.refused)
}

// wasRefused reports whether a process was refused a connection.
func (w *watcher) wasRefused(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refused[name]
}

// count is how many messages that match p were handled.
func (w *watcher) count(p trace.Filter) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, s := range w.handled {
		if p.MatchNames(s.from, s.to, trace.ShortName(s.typ)) {
			n++
		}
	}
	return n
}

// records is how many were made.
func (w *watcher) records() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen
}

// see is called for each record.
func (w *watcher) see(r *tracepb.Record) {
	w.mu.Lock()
	w.seen++
	hit := w.seeLocked(r)
	w.mu.Unlock()
	if hit { // most records change nothing that a run waits for
		w.changed()
	}
}

func (w *watcher) seeLocked(r *tracepb.Record) bool {
	id := record.IDOf(r.GetId())
	switch r.GetKind() {
	case tracepb.Kind_ENV:
		w.envs[r.GetEnv()] = r.GetPeer()
	case tracepb.Kind_SENT:
		if r.GetForm() == tracepb.Form_SEND || r.GetForm() == tracepb.Form_ASK { // a run waits for no answers
			w.sent[id] = sighting{from: w.envs[r.GetEnv()] + "/" + r.GetEndpoint(), typ: r.GetType()}
		}
	case tracepb.Kind_CONN:
		if r.GetName() == "refused" {
			w.refused[w.envs[r.GetEnv()]] = true
			return true
		}
	case tracepb.Kind_HANDLED:
		s, ok := w.sent[id]
		if !ok {
			return false
		}
		delete(w.sent, id)
		s.to = w.envs[r.GetEnv()] + "/" + r.GetEndpoint()
		w.handled = append(w.handled, s)
		return true
	}
	return false
}
