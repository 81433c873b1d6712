// Package rpcenv is the runtime: Apache Spark's RPC endpoints as Go actors, under Spark's own rules. An Env is a table of
// inboxes and outboxes over a Host. Each endpoint has one inbox, each peer one outbox; OnStart is the first thing an
// endpoint gets and OnStop the last.
//
// To read the code, take host.go, env.go, life.go, context.go, inbox.go and handle.go, send.go, outbox.go, conn.go, receive.go,
// handshake.go in that order; it takes an hour. What each file may know is said under Floors. Below it are these packages:
//
//	conf/ codec/        settings as typed entries, of which settings.go has the runtime's; messages as bytes
//	transport/          the real world: links over TCP or in memory
//	  wire/ bulk/       frames and connections; blocks and files (wiretest/ is their tests' kit)
//	sim/ fault/         the simulated world, whose traces invariant/ checks; faults as data
//	rpctest/            tests endpoints: script/ by golden scripts (syntax/ reads them), spec/ by sentence, recorded/ by what
//	                    Spark and Hadoop did; smalldisk/ is a disk to fill
//	trace/              what happened in a run: joins the records of its processes
//	  record/ show/     writes and reads the records of a process; draws a trace (tracetest/ is their tests' kit)
//	metrics/            counters, which the endpoint of reader/ and the pages of debug/ serve
//	tracer/             the endpoint that reads the records of a process while it runs
//	httpserver/ parent/ program/ joined/ oneline/   processes and their texts
//
// # An endpoint
//
// An endpoint is a type with a method Receive. This program has one, and asks it over TCP:
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//		"log"
//
//		"google.golang.org/protobuf/types/known/wrapperspb"
//
//		"github.com/coherer/coherer/rpcenv"
//		"github.com/coherer/coherer/rpcenv/transport"
//	)
//
//	// greeter greets, and counts whom. Its state is its own: callbacks come one at a time.
//	type greeter struct{ greeted int }
//
//	func (g *greeter) Receive(c *rpcenv.Context, m rpcenv.Message) {
//		switch m := m.(type) {
//		case *wrapperspb.StringValue:
//			g.greeted++
//			text := fmt.Sprintf("Hello, %s! You are number %d.", m.GetValue(), g.greeted)
//			rpcenv.ReplyAs(c, m, wrapperspb.String(text))
//		default:
//			c.Unsupported(m)
//		}
//	}
//
//	func main() {
//		host := transport.New(transport.Options{})
//		defer host.Close()
//		server, err := rpcenv.New(host, rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "127.0.0.1"}})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer server.Close()
//		if _, err := server.Register("Greeter", &greeter{}); err != nil {
//			log.Fatal(err)
//		}
//
//		client, err := rpcenv.New(host, rpcenv.Config{Name: "Client"}) // it does not listen
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer client.Close()
//		ref := client.Ref(server.Address(), "Greeter")
//		b := client.Blocking(context.Background()) // this is no endpoint: it may wait
//		defer b.Close()
//		answer, err := rpcenv.AskWaitAs[*wrapperspb.StringValue](b, ref, wrapperspb.String("Ada"))
//		fmt.Println(answer.GetValue(), err)
//	}
//
// To write one:
//
//  1. Its messages. Between processes they are protobuf messages: any will do, with [AskAs], [ReplyAs] and [DeferAs]. A proto file with
//     the option coherer.protocol, numbers from 10,000 to 65,535, and the generator protoc-gen-coherer give them a place on
//     the wire and [Ask], [Reply] and [Defer] the types of their answers; `go doc github.com/coherer/coherer/cmd/protoc-gen-coherer`
//     has the commands. Within one process a struct that embeds [Local] will do, with a method ReplyType if it is an ask.
//  2. Its settings, if it has any: entries in a [conf.Set] of its own, which conf.New gets beside [Settings].
//  3. Its state, a struct. What it needs to know, such as the [Ref] of a peer, is put into it before [Env.Register].
//  4. Receive: a switch over the types of messages, a method for each, [Context.Unsupported] for the rest.
//  5. What else it wants to hear of, each a method: OnStart ([Starter]), where it arms timers and asks what it has to know;
//     OnStop ([Stopper]); connections ([ConnectionWatcher], [NetworkErrorWatcher]); its own failures ([ErrorHandler]).
//  6. Its refusals, made once by [NewRefusal]: errors.Is finds them at the asker.
//  7. Its tests: package rpctest runs it alone, on virtual time, without a port; package rpctest/script does so by golden
//     scripts, package rpctest/spec says which test holds which sentence of a specification.
//  8. Its program: an Env on a Host of package transport, as above. An Env without an address to listen at is a client;
//     peers reach its endpoints by the connections that it opens, through the Ref in a message ([Context.Ref]).
//
// examples/hello is the program above with a test, examples/chat a pair of endpoints with a proto file.
//
// # Three worlds
//
// The same endpoints run as processes over TCP, within one process, and in a simulation on virtual time. [Host] is the one
// seam between them: time, a dispatcher for inboxes, links, blocking bodies, processes, randomness. Package transport is
// the real one (over TCP, or in memory), package sim the simulated one; nothing else here knows in which world it is. The
// seam lies below inboxes, outboxes, asks, connection events and the trace, which are the same everywhere, and above
// frames and sockets: a simulation models connections, not bytes.
//
// An endpoint is an actor of protoactor-go, spawned as ENV/NAME#GENERATION, where ENV is a number, in the process's one [ActorSystem]. The
// inbox is its mailbox and does what Spark's Inbox does; the Host's dispatcher runs it. The Env has its own table from names
// to endpoints. protoactor never restarts an endpoint: every panic is recovered before it sees it. [Env.PID] lets ordinary
// protoactor actors talk to endpoints.
//
// # The handler rule
//
// A callback touches only its endpoint's state and its [Context]: no goroutine, lock, channel, clock, randomness or I/O. The
// analyzer endpointrule checks it. What a handler may want instead:
//
//   - to send: [Context.Send]; to ask and go on: [Ask], whose continuation runs later in the same inbox
//   - to answer: [Reply], [Fail], or [Defer] and answer later
//   - to wait: [Context.After] and [Context.Every] send a message to the endpoint itself
//   - to work long or to block: [Run], whose body waits through a [Blocking] and whose result comes back into the inbox
//   - to promise what outlives a crash: [Journal], which holds back what is sent until a record is durable
//   - to hear from outside: [Context.Outside]; time and randomness: [Context.Now], [Context.Rand]
//
// Programs that are no endpoint (drivers, tests, commands) use [Env.Go], which runs in a simulation too, or [Env.Blocking].
//
// # Guarantees
//
//   - Callbacks of an endpoint never overlap, and what one did is visible to the next. [Concurrent] and [Isolated]
//     endpoints are the exception; nothing overlaps with their OnStart and OnStop either.
//   - OnStart comes first, OnStop last and once. What was queued before a stop is handled, what comes after it is refused;
//     the name is free at once, while the old inbox drains.
//   - Messages from one Env to one endpoint keep their order and arrive at most once. Nothing is sent twice. A stream may
//     end with its connection, it never has a hole. Messages to different endpoints may overtake each other while they wait for credit.
//   - An ask ends exactly once: with its reply, the callee's failure, a time-out that names its setting, or the loss of
//     the connection; the asker's end abandons it. Replies take their place among messages in the order of arrival:
//     that in which they were sent, unless both sides dialled at once and a reply goes by the one connection, a message by the
//     other.
//   - OnConnected comes before a connection's first message, OnDisconnected after its last. A new process at an address
//     first ends the connections of the process before it. That process is asked before: as long as it answers, it keeps its
//     address.
//   - A peer that is gone without a word is noticed within spark.network.timeout: its connection ends then. After half of it in
//     which nothing came, the peer is asked. A process that stands still for less than half loses nothing, nor does one that
//     stands still for 23/24 of it just after it sent something.
//   - [Context.Send] never waits, [Blocking.Send] waits for room. What could not be delivered is an event of the trace, except
//     for what was on the wire when a connection ended: there the end of the connection is the event.
//
// # Duties
//
// A message is not changed once it was sent. Message types are protobuf messages, or structs with [Local] that stay in
// their Env. The Host is closed after its Envs. A body of Run waits only through its Blocking.
//
// # Failures
//
// A handler that panics fails its ask, if it handles one, and its endpoint goes on with the same state. OnError gets the
// failure; without an OnError it is logged: to stderr, in an Env without a log ([Config]). A failure travels as rpc.Failure with
// a code, so that errors.Is finds values made by [NewRefusal] in another process. [ErrRefused] is the family of errors that the
// peer decided, [ErrUnreachable] that of asks that the peer may never have heard.
//
// At OnStop an endpoint's timers are stopped, its asks abandoned, its bodies cancelled, and the asks that it deferred fail
// with [ErrRefusedStopped]. [Env.Shutdown] stops all endpoints, writes out what was sent on open connections and closes them;
// what still waits for a connection, or for a peer that holds it back (Bounds), fails. [Context.Exit] writes out and closes too, but stops
// no endpoint.
//
// # Items and causes
//
// What a handler does is caused by the item that it handles: a message or an ask by what was handled when it was sent; a
// reply or failure by its ask; a time-out by its ask; a tick, a Run's result by the item that armed or began it. Events from
// outside and of connections have no cause, but a name. A message is named by its connection, direction and ordinal, which
// both ends count: identity costs no bytes.
//
// # Locks
//
// A handler needs no lock. The runtime's own are short: outbox.go has their order, what each guards, and what may never be called
// under it. A [Host] and a [Link] are called with locks held, and call nothing back before they have returned. The way of a message
// from one Env to another:
//
//	Context.Send, Env.prepare           no lock                   encodes it: a mistake fails the handler that made it
//	outboxes.send, outbox.send          outbox.mu                 queues it while there is no connection
//	conn.send, Link.Send                outbox.mu, conn.mu        counts it and hands it over, or lets it wait for credit; an ask joins
//	                                                              those that wait (asks.mu)
//	conn.ReceiveBatch, receiveMessage   conn.receiving            decodes it and finds the endpoint (endpoints.mu)
//	conn.settle, inbox.postAll          conn.receiving, inbox.mu  queues it, with those that came with it, and orders a turn
//	inbox.runTurn, inbox.handle         no lock                   calls Receive
//
// Over TCP the goroutine that read a message runs the turn, as long as turns are short: see package transport.
//
// Its answer goes back by conn.respond, under conn.mu, and conn.receiveAnswer, under conn.receiving, into the asker's inbox.
//
// # Floors
//
// A file knows those before it in this list, not those behind it:
//
//	errors address ref message life switches log door ordered ports host settings redact words, and the seam
//	env ledger timer deadlines outgoing_ask blocking buffer outgoing record undelivered incoming_ask   an Env's books, and messages on their way
//	context endpoint peer queue items meter held owned inbox endpoints lag backlog bound recording handled  an endpoint: what waits for it, and all of them
//	orphans conn gather credit full outbox connections keepalive conn_life send receive claim handshake    connections, and by which one a message goes
//	ask answer after run journal verifier                                      what a callback may do
//	handle protoactor concurrent register                                      a callback, and what runs it
//	job shutdown new peers                                                     the life of an Env
//
// But:
//
//	env -> outgoing_ask blocking endpoints orphans outbox connections protoactor: Env names its parts
//	deadlines -> outgoing_ask: a queue of deadlines is one of asks
//	context -> items inbox: a Context stands in its inbox and has the item that is handled
//	inbox -> bound protoactor: an inbox may have a bound, and an actor runs it
//	outgoing_ask -> conn: an answer comes by a connection
//	gather -> protoactor: a turn needs an actor
//	conn -> gather credit: a connection has what it gathers, and its streams
//	credit -> full: control takes what the peer says
//	keepalive -> conn_life: silence ends a connection
//
// # On the wire
//
// Frames are those of Spark's network layer: RpcRequest, RpcResponse, RpcFailure, OneWayMessage, with Spark's header of
// addresses and endpoint name. The content of a message is "CH", a number, and protobuf; see package codec. The dialler's
// first frame is an RpcRequest with rpc.Hello to endpoint-verifier: version, Env, incarnation, where it listens, the
// connection's id. rpc.Welcome answers it; until then nothing else is accepted, 4 KiB and 5 seconds are the limit.
// A Hello with the address of a connected peer waits until that peer has been asked (rpc.CheckConnection). If the peer answers,
// the other process is refused. A peer that has ended, is stopping or says nothing for 3 seconds gives the address up. A Hello
// of the same incarnation is welcome at once; if the peer says that it did not open that connection, the connection ends and no
// endpoint hears of its end. A peer that was silent is asked by rpc.CheckExistence, to endpoint-verifier, with the request id -1, which
// no other question has. It is answered there and then, in client mode by a failure; neither is a message of the trace, nor counted
// among the ordinals. Without a shared secret, a false peer at an address that no other process has looks like a true one.
//
// # Bounds
//
// A peer says in its handshake how many bytes it takes for each of its endpoints before they are handled: its window, 4 MiB
// (coherer.rpc.window). So an endpoint holds at most a window for each connection. A message counts with its content and 256 bytes. What
// goes beyond waits at the sender, so one slow endpoint holds up its own messages alone; the peer gives back what was handled (rpc.Credit,
// no message of the trace). Answers have a window for each asking endpoint; an answer that finds no room fails its ask alone
// ([ErrRefusedNoRoom]). A peer that sends more than its window loses the connection; only one that shuts down may send what waited
// (rpc.Finish), no more than coherer.rpc.outbox.limit of the receiver. When more than a window waits the peer is behind: a [BacklogWatcher]
// hears of it, and when it has caught up.
//
// Endpoints handle what a connection brought even after its end. The Env counts these messages, and 4 KiB more for each endpoint and ended
// connection, so that a peer which keeps coming back with a new window cannot fill an inbox. When they exceed coherer.rpc.outbox.limit, new
// connections take nothing for the endpoints that have some of them (rpc.Full), until an endpoint has handled its own, or no more than half
// of the limit is left. Messages to such an endpoint wait at the sender, as for any that is behind, instead of in its inbox; other endpoints
// notice nothing. The trace has the state "new connections" of the Env: held back, and open. If a peer shuts down meanwhile, its messages
// that wait so fail.
//
// 64 MiB may wait for a peer, and as many be written to it (coherer.rpc.outbox.limit): an ask beyond it fails at once with
// [ErrUnreachableOverloaded], a message beyond it ends the stream, and its sender hears of that. [Blocking.Send] waits when half of it is
// taken. 10,000 bodies may wait in a lane of Run. At most one tick of a timer waits.
//
// A frame has at most 128 MiB and a header. Over TCP it has to come within transport.Options.IdleTimeout of its first byte, and all frames
// of a Host that are on their way in hold at most MaxUnfinished, twice the largest frame: else the connection ends, with the reason.
//
// An inbox has no bound for messages of its own Env, as in Spark, unless coherer.rpc.inbox.limit sets one. An ask beyond the bound fails
// at once, and a message beyond it is lost; a [BacklogWatcher] hears of that as it does of a peer.
//
// # Counters
//
// What each endpoint gets and handles is counted by type, and bytes, drops and connections for the Env: [Env.Metrics]. How
// long messages wait and are handled is measured from [Env.Time] on, since that costs the clock. Package metrics says more;
// its endpoint Metrics serves other processes, metrics/debug serves Prometheus.
//
// # Differences
//
// testdata/differences.txt says what differs from Spark on purpose, and testdata/spec.txt what holds each sentence of Spark's rules.
package rpcenv
