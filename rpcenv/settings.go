package rpcenv

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that the runtime itself reads.
var Settings = conf.NewSet()

// Time-outs, threads, ports and the trace. What must not be shown is in redact.go.
var (
	TraceEnabled = conf.Declare(Settings, "coherer.trace.enabled", conf.Bools, "true",
		"Whether messages are recorded.")
	TraceDir = conf.Optional(Settings, "coherer.trace.dir", conf.Filled(conf.Paths),
		"The directory that the trace is written to; it is made when it is missing.")
	TraceName = conf.Optional(Settings, "coherer.trace.name", conf.Filled(conf.Texts),
		"The name of this peer in traces, such as Worker1.")
	TraceBodyLimit = conf.Declare(Settings, "coherer.trace.bodyLimit", conf.Between(conf.Sizes(conf.Byte), 0, 1<<20), "1k",
		"How many bytes of a message's body are recorded.")
	DebugAddr = conf.Optional(Settings, "coherer.debug.addr", conf.Filled(conf.Texts),
		"Where this process serves /metrics and /debug/pprof over HTTP, HOST:PORT; port 0 is any free one.")
	ExecutorID = conf.Optional(Settings, "spark.executor.id", conf.Filled(conf.Texts),
		"Which executor this process is, or driver; set by the launcher.")
	NetworkTimeout = conf.Declare(Settings, "spark.network.timeout", conf.AtLeast(conf.Durations(time.Second), time.Second), "120s",
		"How long a peer may be silent; other network timeouts fall back to it. It must exceed spark.executor.heartbeatInterval.")
	RPCAskTimeout = conf.Fallback(Settings, "spark.rpc.askTimeout", conf.AtLeast(conf.Durations(time.Second), time.Second), NetworkTimeout,
		"How long an ask waits for its reply.")
	RPCLookupTimeout = conf.Fallback(Settings, "spark.rpc.lookupTimeout", conf.AtLeast(conf.Durations(time.Second), time.Second),
		NetworkTimeout, "How long the look-up of a remote endpoint waits for its reply.")
	RPCMessageMaxSize = conf.Declare(Settings, "spark.rpc.message.maxSize", conf.Between(conf.Ints, 1, 2047), "128",
		"The largest message in MiB, a plain number.")
	RPCDispatcherThreads = conf.Optional(Settings, "spark.rpc.netty.dispatcher.numThreads", conf.AtLeast(conf.Ints, 1),
		"How many messages of a concurrent endpoint are handled at once; when unset the cores of the machine, at least 2.")
	DriverRPCDispatcherThreads = conf.Optional(Settings, "spark.driver.rpc.netty.dispatcher.numThreads", conf.AtLeast(conf.Ints, 1),
		"As spark.rpc.netty.dispatcher.numThreads, for the driver alone.")
	ExecutorRPCDispatcherThreads = conf.Optional(Settings, "spark.executor.rpc.netty.dispatcher.numThreads", conf.AtLeast(conf.Ints, 1),
		"As spark.rpc.netty.dispatcher.numThreads, for executors alone.")
	RPCWindow = conf.Declare(Settings, "coherer.rpc.window", conf.Between(conf.Sizes(conf.Byte), 64<<10, 1<<30), "4m",
		"How many bytes of messages a peer may send to each endpoint of this process before they are handled; what goes beyond waits at the peer.")
	RPCOutboxLimit = conf.Declare(Settings, "coherer.rpc.outbox.limit", conf.Between(conf.Sizes(conf.Byte), 1<<20, 1<<30), "64m",
		"How many bytes of messages may wait for a peer: an ask beyond it fails, a message beyond it ends the stream. As many may wait here "+
			"of connections that have ended: beyond it new connections take nothing for the endpoints that have to handle them.")
	RPCInboxLimit = conf.Declare(Settings, "coherer.rpc.inbox.limit", conf.Between(conf.Ints, 0, 1<<30), "0",
		"How many messages of this process may wait for each of its endpoints; 0 is no bound, as in Spark.")
	PortMaxRetries = conf.Declare(Settings, "spark.port.maxRetries", conf.AtLeast(conf.Ints, 0), "16",
		"How many ports are tried after a taken one, each one higher than the last.")
)
