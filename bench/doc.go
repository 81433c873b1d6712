// Package bench measures messages between two endpoints against rivals, for `coherer bench`: how many a second, how late,
// at how many allocations. What a trial is and how it is counted is in package measure, which all contenders share.
//
// The contenders in the binary are coherer itself, go-channel (two goroutines, a channel each way; local cases) and raw-tcp
// (one connection with the very frames that coherer writes, protobuf at both ends; remote cases). protoactor, with its
// default mailbox and its own remote, gRPC's streams and NATS are in the program of the nested module bench/rivals, since they
// need what users of Coherer should not inherit; each says in its file which settings it has and why.
// Package spark makes Spark's own RpcEnv a contender, where a Spark is found.
//
// # Cells and processes
//
// A run is a [Grid] of cells: each case with each size, number in flight and number of pairs. Within a cell trials
// are interleaved, A B C A B C, so that what disturbs the machine disturbs all; then comes the next cell. A [Report] has where
// it was measured and the cells, each with its contenders, their trials and the histogram of all latencies. [Report.Write] gives it
// as text, as JSON (which baselines and plots read), as CSV or in the Go benchmark format.
//
// A [Baseline] is such a report of the same cells. Each figure of a contender is better, worse or same by the rule that the report
// states; [Report.Check] makes an error of what became worse beyond a limit.
//
// [Run] only looks on: each trial has processes of its own, one for a local case and two, sender and receiver, for a remote
// one, all with the GOMAXPROCS of this one. So no contender inherits the heap of another, and all are treated alike. A process
// ends when its stdin does: none is left behind.
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
// S is {"contender":"x","case":"remote-tell","size":76,"in_flight":64,"pairs":1,"rate":0,"warm_up_ns":..,"duration_ns":..,"record":"off"}. R is
// {"messages":N,"bytes":B,"elapsed_ns":T,"used":U,"latency":H,"fault":"what was wrong with what came"}, of local cases within the result.
// U is {"mallocs":A,"cpu_ns":C}, without A of a contender that the hello gives "no_allocs":true. H is the compressed V2 encoding of HdrHistogram in base64, or [[ns,count],...]. The end of stdin ends the process, also in
// the midst of a trial. A program in Go calls [measure.Speak] and has only to write a [measure.Contender].
//
// # Fairness
//
// The receiving sides run one message at a time, the sending sides keep as many under way as they may, from one goroutine,
// endpoint or actor; none has a goroutine for each ask. raw-tcp knows of one endpoint and one type of message,
// makes headers once, compares instead of parsing, and writes as much as there is from a goroutine of its own: it is what
// is left when everything but the work of the wire is taken away. Coherer keeps the ring of its latest messages, as its daemons do,
// unless the Spec says otherwise; rivals cannot record.
package bench
