package scenario

import (
	"fmt"
	"strings"
	"sync"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
)

// pattern is FROM->TO:MESSAGE.
type pattern struct{ from, to, message string }

func parsePattern(s string) (pattern, error) {
	from, rest, ok := strings.Cut(s, "->")
	to, message, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || from == "" || to == "" || message == "" {
		return pattern{}, fmt.Errorf("pattern %q: want FROM->TO:MESSAGE, for example W1->M:Heartbeat", s)
	}
	return pattern{from, to, message}, nil
}

// matches compares a name of the pattern with PEER/ENDPOINT: the peer alone is enough.
func matches(want, place string) bool {
	return want == "*" || want == place || want == trace.Peer(place)
}

// sighting is a message of which the sending was seen.
type sighting struct {
	from, endpoint, typ string
}

// watcher counts the messages of the trace that were handled and fit a pattern, as the trace is made.
type watcher struct {
	changed func()

	mu    sync.Mutex
	envs  map[uint32]string
	sent  map[string]sighting
	want  pattern
	count int
}

func newWatcher(changed func()) *watcher {
	return &watcher{changed: changed, envs: map[uint32]string{}, sent: map[string]sighting{}}
}

// expect begins to count anew.
func (w *watcher) expect(p pattern) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want, w.count = p, 0
}

func (w *watcher) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// see is called for each record.
func (w *watcher) see(r *tracepb.Record) {
	w.mu.Lock()
	hit := w.seeLocked(r)
	w.mu.Unlock()
	if hit {
		w.changed()
	}
}

func (w *watcher) seeLocked(r *tracepb.Record) bool {
	id := fmt.Sprint(r.GetId().GetConn(), r.GetId().GetBack(), r.GetId().GetEnv(), r.GetId().GetN())
	switch r.GetKind() {
	case tracepb.Kind_ENV:
		w.envs[r.GetEnv()] = r.GetPeer()
	case tracepb.Kind_SENT:
		if r.GetForm() == tracepb.Form_SEND || r.GetForm() == tracepb.Form_ASK {
			w.sent[id] = sighting{w.envs[r.GetEnv()], r.GetEndpoint(), r.GetType()}
		}
	case tracepb.Kind_HANDLED:
		s, ok := w.sent[id]
		if !ok {
			return false
		}
		delete(w.sent, id)
		if matches(w.want.from, s.from+"/"+s.endpoint) && matches(w.want.to, w.envs[r.GetEnv()]+"/"+r.GetEndpoint()) &&
			(w.want.message == "*" || w.want.message == trace.ShortName(s.typ)) {
			w.count++
			return true
		}
	}
	return false
}
