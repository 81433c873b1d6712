package rpcenv

import (
	"io"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Host is the one seam between the worlds: what an Env needs of the machine and the process it runs in. The real one
// (package transport) has a pool of goroutines, the wall clock and TCP; the simulated one (package sim) has one
// goroutine, a virtual clock and a seeded queue. Nothing else in rpcenv knows in which world it is.
//
// A Host may call its callbacks from any goroutine; each returns soon. After, Dial, the Dispatcher and the methods of a Link call
// nothing back before they have returned: the Env calls them with locks held.
type Host interface {
	// Now is the time.
	Now() time.Time
	// After calls f once, d from now, unless stop was called before.
	After(d time.Duration, f func()) (stop func())
	// Dispatcher runs the inboxes. Its Throughput is how many items an inbox may handle in one turn.
	Dispatcher() actor.Dispatcher
	// Block runs body, which may take long and may wait, outside every inbox. It does not wait for body. Body waits
	// only by p.
	Block(name string, body func(p Parker))
	// Listen accepts connections at an address; port 0 is any free port. It returns the address bound. For each
	// connection it calls accept once, which returns the Receiver. A port in use is an error that wraps
	// syscall.EADDRINUSE.
	Listen(at Address, accept func(Link) Receiver) (Address, io.Closer, error)
	// Dial opens a connection and calls done exactly once, never from within Dial itself. On success done returns the
	// Receiver; on failure it is called with a nil Link and its result is ignored.
	Dial(to Address, done func(Link, error) Receiver)
	// Start starts a process. onExit is called exactly once, after the process ended.
	Start(cmd Command, onExit func(Exit)) (Process, error)
	// Exit ends this process with an exit code. In a simulation it crashes the Envs of this Host.
	Exit(code int)
	// Entropy is a seed for a stream of random numbers. In a simulation it depends on the seed, the Host and purpose
	// only.
	Entropy(purpose string) uint64
	// Recorder is the trace of this process or world; nil when nothing is recorded.
	Recorder() *record.Recorder
}

// Hooked is a Host with Hooks. New asks for them once.
type Hooked interface{ Hooks() Hooks }

// Hooks are what a Host wants beyond that of the Envs on it: one that simulates, or that has several processes in one. What is left
// out is nothing to it.
type Hooks struct {
	// Adopt gets, once for each Env, the function that ends it as a crash does.
	Adopt func(discard func())
	// Busy counts work that is under way: items in inboxes, messages in outboxes, running bodies.
	Busy func(n int)
	// Handling is called before each callback.
	Handling func(endpoint, item string, m Message)
	// Turn runs a turn of a serial inbox later, in place of the Dispatcher's Schedule: handlers take time there. At most one turn
	// of an inbox is ordered at a time.
	Turn func(t Turn)
	// Choose says which of n items that wait in a concurrent inbox is next. Callbacks do not overlap there, but come in every order.
	Choose func(n int) int
	// Notes makes Envelopes carry a Note.
	Notes bool
	// ByReference makes messages between Envs go in the Note, and not be encoded.
	ByReference bool
}

// Turn is a turn of an inbox, in which its next item is handled.
type Turn interface {
	// Env and Endpoint are the names of those whose inbox it is.
	Env() string
	Endpoint() string
	// Item is the type of the message that is handled next, or the name of an item that is none; empty when nothing waits.
	Item() string
	// Begin says that the handling of the next item begins now, though Run comes later.
	Begin()
	// Run handles the item.
	Run()
}

// Parker suspends a blocking body: a goroutine in the real world, a coroutine in a simulation.
type Parker interface {
	// Park calls register with a wake function and returns after wake was called; a wake that came first is not lost.
	// Further wakes do nothing.
	Park(register func(wake func()))
}

// Link is one open connection as the Host gives it: envelopes out. Its methods may be called from any goroutine.
type Link interface {
	// Send queues e, in order, and never waits.
	// After the end of the link it does nothing. The link does not keep e, nor e.Content, after Send returned.
	Send(e *Envelope)
	// Queued is how many bytes wait to be written.
	Queued() int
	// Open lifts the limit of 4 KiB for an envelope that holds until the handshake is done.
	Open()
	// Close ends the link after what is queued was written, waiting at most a second. Its Receiver's Closed follows.
	Close()
	// Local and Remote are the addresses of the two ends of the connection itself, as a socket has them.
	Local() Address
	Remote() Address
}

// Receiver gets what comes in on a Link, one call at a time.
type Receiver interface {
	// Receive is called for each envelope in order. It must not wait. The receiver does not keep e, nor e.Content, after
	// it returned.
	Receive(e *Envelope)
	// Closed is called once, last: err says why the link ended, io.EOF when the peer closed it in good order.
	Closed(err error)
}

// BatchReceiver is a Receiver that takes several envelopes in one call.
type BatchReceiver interface {
	Receiver
	// ReceiveBatch is Receive for e, and then for each envelope that next returns, until that is nil. next does not wait; an envelope is good
	// until next is called again. If ReceiveBatch returns a turn of an inbox, the Link runs it, or gives it to the Dispatcher: no other
	// turn of that inbox comes before.
	ReceiveBatch(e *Envelope, next func() *Envelope) (turn func())
}

// EnvelopeKind is what an Envelope is, by the numbers of Spark's frames.
type EnvelopeKind byte

// The kinds of envelopes, with the types of Spark's frames (network-common's Message.Type).
const (
	KindRequest  EnvelopeKind = 3 // a question: RequestID, addresses, Endpoint, Content
	KindResponse EnvelopeKind = 4 // its answer: RequestID, Content
	KindFailure  EnvelopeKind = 5 // the question could not be dispatched: RequestID, Error
	KindOneWay   EnvelopeKind = 9 // a message without an answer: addresses, Endpoint, Content
)

// Envelope is one message on a Link. Which fields it has is said at its kind.
type Envelope struct {
	Kind      EnvelopeKind
	RequestID int64
	// Sender is where the sending Env listens; zero in client mode.
	Sender Address
	// Receiver is where the receiving Env listens; zero when it does not. It is not looked at on receipt.
	Receiver Address
	// Endpoint is the name of the endpoint it is for.
	Endpoint string
	// Content is the encoded message.
	Content []byte
	// Error is the text of a failure.
	Error string
	// Note describes the message to a Host that wants Notes; it is on no wire. Nil elsewhere, and in handshakes.
	Note *Note
}

// Note describes the message in an Envelope to such a Host, beside what goes over a wire. A Note is not changed.
type Note struct {
	// ID and Cause are those of the trace: ID.N is the message's ordinal in its direction. A Host that loses messages
	// or doubles them hands the ordinal on in this way, elsewhere both ends count.
	ID, Cause record.ID
	// Env is the number of the sending Env in the trace, From and To are the names of the two Envs.
	Env      uint32
	From, To string
	// Sender and Receiver are the endpoints. An answer is for no endpoint.
	Sender, Receiver string
	// Address is where the receiving Env listens.
	Address string
	// Type is the message's full name; of an answer that of its question, and Own its own.
	Type, Own string
	Form      tracepb.Form
	// Message is the message itself, when messages go by reference.
	Message Message
	// Lost is called by a Host that has lost the message, once and not from within Send: the peer will never have handled it. It may
	// be nil.
	Lost func()
}

// Command is a process to start: Spark's main class and arguments, to be mapped to a program by the Host.
type Command struct {
	// Class is Spark's main class, which says the role.
	Class string
	Args  []string
	// Env holds NAME=value entries beside those that the Host adds.
	Env []string
	// Dir is the process's work directory, made by the Host if missing; stdout and stderr go to files of that name in
	// it. Empty: none, for a role that needs no files.
	Dir string
}

// Process is a process that Host.Start started.
type Process interface {
	// Kill asks the process to end, and after grace ends it the hard way. It does not wait; onExit reports the end.
	Kill(grace time.Duration)
	// PID is the process's number; 0 when it is no process of the operating system.
	PID() int
}

// Exit is how a process ended: its exit code, 128 plus the signal's number when a signal ended it, as a shell says it.
type Exit struct {
	Code int
	// Words is the error that the process wrote last to its stderr, a line; "" when it wrote none, or none was kept.
	Words string
	// Err is set when the process could not be started or watched.
	Err error
}
