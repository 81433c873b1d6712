package measure

import (
	"sync"

	"github.com/coherer/coherer/messages/app"
)

// Receivers are the sinks of a trial behind a lock each, for a contender whose connections are read beside each other: those of FanIn
// have one sink.
type Receivers struct {
	spec  *Spec
	sinks []*lockedSink // apart: locks of several pairs in one line of the cache would hold each other up
}

type lockedSink struct {
	mu sync.Mutex
	*Sink
}

// NewReceivers makes them of what Contender.Serve gets.
func NewReceivers(spec *Spec, sinks []*Sink) *Receivers {
	r := &Receivers{spec: spec}
	for _, sink := range sinks {
		r.sinks = append(r.sinks, &lockedSink{Sink: sink})
	}
	return r
}

// Take hands m to the receiver of its pair, and answers the question of a connect. It returns the message to send back, or nil.
func (r *Receivers) Take(m *app.StatusUpdate) *app.StatusUpdate {
	if r.spec.Case == Connect {
		r.sinks[0].Operation()
		return m
	}
	// A message of no pair goes to the first receiver, which reports it.
	sink := r.sinks[max(PairOf(m), 0)%len(r.sinks)]
	sink.mu.Lock()
	defer sink.mu.Unlock()
	return sink.Take(m)
}
