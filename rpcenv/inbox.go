package rpcenv

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// inbox is the queue of one endpoint, with Spark's rules (org.apache.spark.rpc.netty.Inbox), and the mailbox of the
// protoactor actor that the endpoint is: OnStart is its first item and OnStop its last; whatever was queued before a
// stop is still handled, what comes after it is refused; items are handled one at a time, unless the endpoint is a
// concurrent one: see concurrent.go.
type inbox struct {
	// Senders write this block, the turn writes the last one, and both read the block between: so that none of them shares a line of the
	// processor's cache with another.
	mu        sync.Mutex // of this block; see the lock order in outbox.go
	queue     *items
	scheduled bool // of a serial endpoint: a turn waits or runs; at most one does
	stopped   bool // nothing is accepted any more; OnStop is queued
	cell
	run  func() // runTurn, made for the first turn: else each turn would make a closure
	pool turns  // of the other kinds

	env    *Env
	name   string
	ep     Endpoint
	kind   kind
	log    *logrus.Entry // nil until SetLog: an entry is as large as an inbox
	owned  owned
	held   *held  // what a Journal holds back; nil: nothing
	bound  *bound // nil: none
	number uint16 // its own among the Env's, as long as there are few
	// untraced is for messages that are counted and not recorded.
	untraced bool
	tag      record.Name // name, in the ring
	meter    *meter      // made with the first item that is counted: an idle endpoint is small
	// registered and watching are its places in the lists of endpoints, which guards them.
	registered, watching int32
	// knock says that cell.system has a message. The turn looks before each item, without the lock, for which senders contend.
	knock atomic.Bool
	to    atomic.Pointer[inbox] // where this endpoint's last message within the Env went
	freed atomic.Bool           // its name is free again, or another endpoint has it

	// Only the turn of a serial endpoint touches these.
	ctx     Context
	batch   *items
	current *item
	ended   bool
}

// kind is how many callbacks of an endpoint may overlap, by the names of Spark's traits.
type kind struct {
	// threads is the most callbacks at once after OnStart; 0 is a serial endpoint (ThreadSafeRpcEndpoint).
	threads int
	// schedule asks for turns, with the inbox's lock held; nil for a serial endpoint, which has one at most.
	schedule func(*inbox)
}

func (k kind) serial() bool { return k.threads == 0 }

// turns are those of an endpoint that is not serial, all guarded by the Inbox's lock. The names are those of Spark's
// Inbox (enableConcurrent, numActiveThreads).
type turns struct {
	concurrent bool // OnStart has gone well and the endpoint is not stopped
	waiting    int  // asked for and not begun
	active     int  // in a callback
}

// post queues it; false means that the endpoint is stopped and it was not taken.
func (in *inbox) post(it *item) bool {
	in.mu.Lock()
	if in.stopped {
		in.mu.Unlock()
		return false
	}
	in.env.busy(1) // under mu, before a turn can take the item and count it out
	if it.received == 0 {
		it.received = nanos(in.env.traceTime())
	}
	if in.meter == nil {
		in.meter = &meter{counts: in.env.metrics.Endpoint(in.name)}
	}
	in.meter.countReceived(in.env, it)
	in.queue = itemQueues.push(in.queue, *it)
	in.scheduleLocked()
	in.mu.Unlock()
	return true
}

// offer is post with the error, in Spark's words, of an endpoint that was found and has been stopped since.
func (in *inbox) offer(it *item) error {
	if in.post(it) {
		return nil
	}
	return fmt.Errorf("%w: Drop %s because endpoint %s is stopped", ErrRefusedStopped, TypeName(it.msg), in.name)
}

// stop queues OnStop as the last item. It may be called again. What waits is still handled, one item at a time even at a concurrent
// endpoint, as in Spark.
func (in *inbox) stop(cause record.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return
	}
	in.stopped = true
	in.pool.concurrent = false
	in.env.busy(1)
	in.queue = itemQueues.push(in.queue, item{kind: itemStop, id: in.env.nextID(), cause: cause, rare: rareStop})
	in.scheduleLocked()
}

// discard drops what waits: the Env crashed.
func (in *inbox) discard() {
	in.mu.Lock()
	in.stopped = true
	n := in.queue.len()
	in.queue = nil
	in.mu.Unlock()
	in.env.busy(-n)
	in.forgetActor()
}

// depth is how many items wait.
func (in *inbox) depth() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.queue.len()
}

// scheduleLocked asks for a turn, unless one is asked for or the actor has not been started.
func (in *inbox) scheduleLocked() {
	if in.invoker == nil { // no actor yet: Start asks for what was posted until then
		return
	}
	if in.kind.schedule != nil {
		in.kind.schedule(in)
		return
	}
	if in.scheduled {
		return
	}
	in.scheduled = true
	in.orderTurn()
}

// orderTurn asks the dispatcher for a turn. in.mu is held.
func (in *inbox) orderTurn() {
	if f := in.env.hooks.Turn; f != nil {
		f(turn{in})
		return
	}
	if in.run == nil {
		in.run = in.runTurn
	}
	in.env.dispatcher.Schedule(in.run)
}

// runTurn handles at most as many items as the dispatcher's throughput says, so that a busy endpoint leaves room for others. No other
// turn of a serial endpoint runs beside it: scheduled is set. No lock is held in a callback.
func (in *inbox) runTurn() {
	limit := in.env.dispatcher.Throughput()
	in.ctx.ended = time.Time{} // time has passed since the last turn: this one reads the clock anew
	for range limit {
		in.runSystem() // before each item: protoactor's Started precedes OnStart
		if !in.pull(limit) {
			return // pull has given the turn back
		}
		in.current = itemQueues.next(in.batch)
		in.begins(in.current)
		in.invoker.InvokeUserMessage(in)
		in.current.ledger.add(int(in.current.bytes))
		*in.current = item{}
		in.current = nil
		in.env.busy(-1) // after all that the handler sent was counted: work under way never seems to be none in between
	}
	in.mu.Lock()
	in.scheduled = false
	if in.batch.len() > 0 || in.queue.len() > 0 || len(in.system) > 0 {
		in.scheduleLocked()
	}
	in.mu.Unlock()
}

// begins gives back an item's room in the bound; its handling is about to begin. No lock is held.
func (in *inbox) begins(it *item) {
	if it.bounded {
		in.bound.leave(in.env)
	}
}

// pull makes the next item ready; false: nothing waits, and the turn is given back. A turn of one item takes one from the queue,
// others take all that is there at the price of one lock.
func (in *inbox) pull(limit int) bool {
	if in.batch.len() > 0 {
		return true
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	// An idle inbox keeps no queue. The next post finds scheduled unset, and orders a turn.
	if in.queue.len() == 0 {
		itemQueues.release(in.batch)
		itemQueues.release(in.queue)
		in.batch, in.queue = nil, nil
		in.scheduled = len(in.system) > 0
		if in.scheduled {
			in.orderTurn()
		}
		return false
	}
	if limit == 1 { // as in a simulation, where Turn.Item says what is next: the rest stays in the queue
		in.batch = itemQueues.push(in.batch.reset(), itemQueues.take(in.queue, 0))
		return true
	}
	in.batch, in.queue = in.queue, in.batch.reset()
	return true
}

// turn is an inbox as a Turn.
type turn struct{ in *inbox }

func (t turn) Env() string      { return t.in.env.cfg.Name }
func (t turn) Endpoint() string { return t.in.name }
func (t turn) Run()             { t.in.runTurn() }

func (t turn) Item() string {
	t.in.mu.Lock()
	defer t.in.mu.Unlock()
	if it := itemQueues.peek(t.in.queue); it != nil {
		return it.what()
	}
	return ""
}

func (t turn) Begin() {
	t.in.mu.Lock()
	defer t.in.mu.Unlock()
	if it := itemQueues.peek(t.in.queue); it != nil {
		it.begin(t.in.env.host.Now())
	}
}
