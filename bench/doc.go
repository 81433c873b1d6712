// Package bench measures messages between two endpoints against rivals, for `coherer bench`: how many a second, how late,
// at how many allocations. What a trial is and how it is counted is in package measure, which all contenders share.
//
// The contenders in the binary are coherer itself, go-channel (two goroutines, a channel each way; local cases), raw-tcp (a connection
// with the very frames that coherer writes, protobuf at both ends; remote cases) and raw-tcp-in-place. The latter decodes a message in the
// connection's buffer; raw-tcp copies each frame into bytes of its own. protoactor with its default mailbox and its own remote, gRPC's
// streams, NATS and hollywood are in the programs of the nested module bench/rivals, so that users of Coherer do not inherit their
// requirements; each says in its file which settings it has and why. Ergo, which not every registry serves, is built only when it is
// named, in a module made for it. Package spark makes Spark's own RpcEnv a contender, where a Spark is found.
//
// # Cases
//
//   - local-tell, remote-tell: messages from an endpoint to another one that acknowledges half windows. The window hides what a sender
//     that is too fast would do, and its depth is most of the latency.
//   - local-ask, remote-ask: messages with an answer each, which is the message itself; the round trip as the asker sees it.
//   - one-way: messages from a program that is no endpoint, without a window, timed at the receiver; Coherer sends by Blocking.Send,
//     raw TCP waits while 4 MiB are not written. The latency is that of the queue in between, however long that may be, and says nothing of
//     the contender but its bound.
//   - fan-in: the tells of many senders to one receiver, each with an Env and a connection of its own, in one process. It cannot see what
//     many machines would do: all senders share the processors of one.
//   - fan-out: the tells of one sender to many receivers, each with an Env and a connection of its own, in one process. Each pair has a
//     window of its own: a receiver that is slow does not slow the others down.
//   - endpoint-spawn: the life of an endpoint without messages, from Register through OnStart, where it stops itself, to the end of OnStop.
//     Of go-channel a goroutine with a channel. The name of each is new; names that are taken again are not seen.
//   - connect: a new Env in client mode dials, shakes hands, asks once and is closed; of raw-tcp a connection with a question and an answer,
//     which has no handshake but that of TCP. Loopback has no round trips to wait for, and nothing is authenticated or encrypted.
//   - register-worker and the other conversations of the protocol: package flows.
//
// With --pairs the tells and asks of Coherer share one connection, as the endpoints of two processes do; raw-tcp has a connection and a
// goroutine for each pair. Without a rate a trial is a closed loop: it does not see the messages that it would have sent while it waits.
//
// # Cells and processes
//
// A run is a [Grid] of cells: each case with each size, number in flight and number of pairs. Within a cell trials
// are interleaved, A B C A B C, so that what disturbs the machine disturbs all; then comes the next cell. A [Report] has where
// it was measured and the cells, each with its contenders, their trials and the histogram of all latencies. [Report.Write] gives it
// as text, as JSON (which baselines and plots read), as CSV or in the Go benchmark format.
//
// With a Rate a trial is an open loop; one that did not reach it has no latency in the report. [MeasureSweep] measures one case with a
// growing load, and [Report.Plot] draws throughput against latency.
//
// A [Baseline] is such a report of the same cells. Each figure of a contender is better, worse or same by the rule that the report
// states; [Report.Check] makes an error of what became worse beyond a limit.
//
// [Run] only looks on: each trial has processes of its own, one for a local case and two, sender and receiver, for a remote
// one, all with the GOMAXPROCS of this one. So no contender inherits the heap of another, and all are treated alike. A process
// ends when its stdin does: none is left behind.
//
// With Options.Connect the receiving sides are at another machine, where [Serve] starts them. The first line of a connection names the
// contender; then the connection is the stdin and stdout of one process, and its last line says how that ended. Both sides listen at the
// addresses by which the machines reach each other. Tells have no latency then: it would compare two clocks.
//
// # Control lines
//
// A contender's process reads commands from stdin and writes answers to stdout, each a JSON object on a line; stderr is
// free, and its end is quoted when the process dies. The Go types are those of package measure: Command, Answer.
//
//	             <- {"hello":{"contenders":[{"name":"x","version":"1","cases":["remote-tell"],"pairs":true,"rate":true}],"go":"go1.26","gomaxprocs":2}}
//	{"serve":S}  -> the receiving side of a remote case
//	             <- {"serving":{"address":"127.0.0.1:40001"}}; "marks":"127.0.0.1:40002" besides for operations
//	{"run":{"spec":S,"address":"127.0.0.1:40001"}}  -> the sending side, with the marks if there are any; without addresses in a local case
//	             <- {"result":{"sent":{"messages":N,"elapsed_ns":T,"used":U,"latency":H},"received":R}}
//	{"report":true}  -> to the receiving side, after a result
//	             <- {"report":R}
//	             <- {"error":"why a command failed"}, in place of any of these
//
// S is {"contender":"x","case":"remote-tell","size":76,"in_flight":64,"pairs":1,"rate":0,"warm_up_ns":..,"duration_ns":..,"record":"off"}, with
// "host" besides when the two sides are on two machines: the address at which this one listens. R is
// {"messages":N,"bytes":B,"elapsed_ns":T,"used":U,"latency":H,"fault":"what was wrong with what came"}, of local cases within the result.
// U is {"mallocs":A,"cpu_ns":C}, without A for a contender whose hello has "no_allocs":true. H is the compressed V2 encoding of
// HdrHistogram in base64, or [[ns,count],...]. The end of stdin ends the process, also in the midst of a trial. A program in Go calls
// [measure.Speak] and has only to write a [measure.Contender].
//
// # Fairness
//
// Each receiver handles one message at a time, and each sender keeps as many under way as it may, from one goroutine, endpoint or
// actor; none has a goroutine for each ask. raw-tcp knows of one endpoint and one type of message,
// makes headers once, compares instead of parsing, and writes as much as there is from a goroutine of its own: it is what
// is left when everything but the work of the wire is taken away. Coherer keeps the ring of its latest messages, as its daemons do,
// unless the Spec says otherwise; rivals cannot record.
package bench
