package rpcenv

import (
	"errors"
	"fmt"
	"maps"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// ErrNotRecording means that the process has nowhere to record to.
var ErrNotRecording = errors.New("rpcenv: this process does not record")

// Record switches recording at run time: of one endpoint of this Env, or with an empty name of all of them, those too that
// were switched alone. A message is recorded when the endpoint that sends it or, within this process, the one that gets it
// is. What is not recorded is in the ring all the same. It returns what held before. An endpoint that is not there is
// ErrRefusedNotFound; a process that has nowhere to record to is ErrNotRecording. It may be called from any goroutine.
func (e *Env) Record(endpoint string, on bool) (was bool, err error) {
	if !e.recorder.CanRecord() {
		return false, fmt.Errorf("%w: set %s when it starts", ErrNotRecording, TraceDir.Key())
	}
	if endpoint != "" && e.endpoints.find(endpoint) == nil {
		return false, fmt.Errorf("%w: Could not find %s.", ErrRefusedNotFound, endpoint)
	}
	// A copy is changed and put in place, so that readers, one or more for each message, need no lock.
	for {
		old := e.switches.Load()
		next := &switches{all: on} // without only: what was switched alone follows too
		if endpoint != "" {
			next.all, next.only = old.all, maps.Clone(old.only)
			if next.only == nil {
				next.only = map[string]bool{}
			}
			next.only[endpoint] = on
		}
		if e.switches.CompareAndSwap(old, next) {
			return old.records(endpoint), nil
		}
	}
}

// Recording reports whether an endpoint is recorded, or with an empty name those that were not switched alone.
func (e *Env) Recording(endpoint string) bool { return e.switches.Load().records(endpoint) }

// Recorder is the trace of the Env's process or world; nil without one.
func (e *Env) Recorder() *record.Recorder { return e.recorder }
