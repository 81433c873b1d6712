package rpcenv

import (
	"time"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// itemKind is what an inbox hands to its endpoint.
type itemKind uint8

const (
	itemStart itemKind = iota
	itemStop
	itemMessage   // a message from another endpoint or a body; with call: an ask
	itemReply     // the answer to an ask of this endpoint: then
	itemFailed    // an ask of this endpoint ended without an answer: then
	itemTick      // a timer
	itemRun       // the result of a Run: then
	itemOutside   // an event from outside the Env
	itemConnected // connection events: addr, err
	itemDisconnected
	itemNetworkError
	itemPeer // how a peer takes what is sent to it: peer
)

// item is one entry of an inbox. An inbox may have many: what few items need is in rare.
type item struct {
	kind     itemKind
	untraced bool  // counted, not recorded
	recorded bool  // even if its endpoint is not: its sender is recorded
	bounded  bool  // it counts in the inbox's bound until its handling begins
	bytes    int32 // that ledger gets when it has been handled
	received int64 // nanoseconds since 1970; 0: neither a record nor a measurement needs it
	id       record.ID
	cause    record.ID
	msg      Message
	call     *incomingAsk // set for an ask
	then     continuation
	sender   *Ref // by its Address and its connection; nil: nobody
	ledger   *ledger
	rare     *rare
}

// continuation is code of an endpoint that runs after an ask, a Run or an outside process has ended.
type continuation interface {
	goOn()
	// context is the Context of the callback that it continues.
	context() *Context
}

// goOn makes a continuation of a function.
type goOn struct {
	c *Context
	f func()
}

func (g *goOn) goOn()             { g.f() }
func (g *goOn) context() *Context { return g.c }

// rare is what few items have. Items may share it: it is never changed.
type rare struct {
	name  string  // what the trace calls it, for those that are no messages
	timer *timer  // of a tick
	addr  Address // of an event of connections or of a peer
	err   error
	peer  *peerEvent
	began time.Time // when the handling began, where that takes time
}

// what is the type of its message, or its name.
func (it *item) what() string {
	if it.msg != nil {
		return TypeName(it.msg)
	}
	return it.name()
}

// name is what the trace calls an item that is no message.
func (it *item) name() string {
	if it.rare == nil {
		return ""
	}
	return it.rare.name
}

// The names of the items that are always the same.
var (
	rareStart  = &rare{name: "OnStart"}
	rareStop   = &rare{name: "OnStop"}
	rareFailed = &rare{name: "ask failed"}
)

// happened reports whether the item is an event that somebody else's address belongs to.
func (it *item) happened() bool { return it.rare != nil && !it.rare.addr.IsZero() }

// begin notes when the handling of the item begins.
func (it *item) begin(now time.Time) {
	r := rare{}
	if it.rare != nil {
		r = *it.rare
	}
	r.began = now
	it.rare = &r
}

// began is when the handling began; zero if nobody noted it.
func (it *item) began() time.Time {
	if it.rare == nil {
		return time.Time{}
	}
	return it.rare.began
}

// items is what waits in an inbox.
type items = queue[item]

var itemQueues queues[item]
