package metrics

import (
	"sync"
	"sync/atomic"
)

// How many endpoints, types of messages and peers have rows of their own.
const (
	MaxEndpoints = 256
	MaxSeries    = 128
	MaxPeers     = 512
)

// Other is the name of all that is beyond a bound.
const Other = "other"

// Set is the counters of one Env. Its methods may be called from any goroutine. The zero Set is ready.
type Set struct {
	timed     atomic.Bool
	mu        sync.Mutex
	endpoints map[string]*Endpoint

	drops                                     [reasons]atomic.Uint64
	sent, sentBytes, received, receivedBytes  atomic.Uint64
	opened, disconnected, refused, notReached atomic.Uint64
}

// Time makes endpoints measure how long messages wait and are handled, from now on.
func (s *Set) Time() { s.timed.Store(true) }

// Timed reports whether they do.
func (s *Set) Timed() bool { return s.timed.Load() }

// Endpoint is the counters of an endpoint, made if missing.
func (s *Set) Endpoint(name string) *Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoints == nil {
		s.endpoints = map[string]*Endpoint{}
	}
	ep := s.endpoints[name]
	if ep == nil {
		// The last place is for all others together.
		if len(s.endpoints) >= MaxEndpoints-1 {
			name = Other
			ep = s.endpoints[name]
		}
		if ep == nil {
			ep = &Endpoint{name: name}
			s.endpoints[name] = ep
		}
	}
	return ep
}

// Sent counts a message that went to a peer: its content has so many bytes.
func (s *Set) Sent(bytes int) {
	s.sent.Add(1)
	s.sentBytes.Add(uint64(bytes))
}

// Received counts a message that came from a peer.
func (s *Set) Received(bytes int) {
	s.received.Add(1)
	s.receivedBytes.Add(uint64(bytes))
}

// Opened counts a connection whose handshake is done, Disconnected its end.
func (s *Set) Opened() { s.opened.Add(1) }

// Disconnected counts the end of a connection.
func (s *Set) Disconnected() { s.disconnected.Add(1) }

// Refused counts a connection whose handshake failed.
func (s *Set) Refused() { s.refused.Add(1) }

// NotReached counts a peer that could not be connected to.
func (s *Set) NotReached() { s.notReached.Add(1) }

// Drop counts a message that was not delivered.
func (s *Set) Drop(r Reason) { s.drops[r].Add(1) }

// Reason is why a message was not delivered: the family of the error.
type Reason uint8

// Why messages are not delivered.
const (
	ReasonOther        Reason = iota
	ReasonNotFound            // no endpoint has that name
	ReasonStopped             // the endpoint, or its Env, has stopped
	ReasonDisconnected        // there is no connection
	ReasonOverloaded          // too much waits for the peer
	ReasonUndecodable         // the content is no message
	ReasonAnswer              // an answer whose ask has ended, or whose asker cannot be reached
	reasons
)

var reasonNames = [reasons]string{Other, "not_found", "stopped", "disconnected", "overloaded", "undecodable", "answer"}

func (r Reason) String() string { return reasonNames[min(r, reasons-1)] }

// ReasonOf is the Reason of a name; ReasonOther, if none has it.
func ReasonOf(name string) Reason {
	for i, n := range reasonNames {
		if n == name {
			return Reason(i)
		}
	}
	return ReasonOther
}

// Kind is what an endpoint handles.
type Kind uint8

// What an endpoint handles.
const (
	Message    Kind = iota // from an endpoint or a body; asks are messages
	Tick                   // of a timer
	Reply                  // the end of an ask of its own
	Result                 // of a Run, or of a process
	Outside                // an event from outside the Env
	Connection             // that a peer was connected or lost
	kinds
)

var kindNames = [kinds]string{"message", "tick", "reply", "result", "outside", "connection"}

func (k Kind) String() string { return kindNames[min(k, kinds-1)] }

// KindOf is the Kind of a name; Message, if none has it.
func KindOf(name string) Kind {
	for i, n := range kindNames {
		if n == name {
			return Kind(i)
		}
	}
	return Message
}

// Endpoint is the counters of all endpoints that had one name, one after the other.
type Endpoint struct {
	name   string
	mu     sync.Mutex
	series map[Key]*Series
	other  *Series // beyond MaxSeries
}

// Key tells series apart: the kind, and a comparable value for the type of the message.
type Key struct {
	Kind Kind
	Type any
}

// Series is the counters of a Key, made if missing; only then name is called, which returns the type's name.
func (e *Endpoint) Series(k Key, name func() string) *Series {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.series[k]; s != nil {
		return s
	}
	if e.series == nil {
		e.series = map[Key]*Series{}
	}
	if len(e.series) >= MaxSeries-1 { // the last place is for all others together
		if e.other == nil {
			e.other = &Series{kind: Message, typ: Other}
		}
		return e.other
	}
	s := &Series{kind: k.Kind, typ: name()}
	e.series[k] = s
	return s
}

// Series is the counters of the messages of one type at an endpoint.
type Series struct {
	kind Kind
	typ  string

	// Senders write these, the endpoint the others: they shall not share a line of the cache.
	received, asks atomic.Uint64
	_              [64]byte

	handled, failures atomic.Uint64
	times             atomic.Pointer[times]
}

type times struct{ wait, handling histogram }

// Received counts one that came into the inbox.
func (s *Series) Received(ask bool) {
	s.received.Add(1)
	if ask {
		s.asks.Add(1)
	}
}

// Handled counts one whose callback has ended; failed: by a panic, an unsupported message, or an ask without an answer.
func (s *Series) Handled(failed bool) {
	s.handled.Add(1)
	if failed {
		s.failures.Add(1)
	}
}
