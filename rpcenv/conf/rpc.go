package conf

import "time"

// Settings of the RPC layer and the network.
var (
	NetworkTimeout = entry("spark.network.timeout", atLeast(durations(time.Second), time.Second), "120s",
		"How long a peer may be silent; other network timeouts fall back to it. It must exceed spark.executor.heartbeatInterval.")
	RPCAskTimeout = fallback("spark.rpc.askTimeout", atLeast(durations(time.Second), time.Second), NetworkTimeout,
		"How long an ask waits for its reply.")
	RPCLookupTimeout = fallback("spark.rpc.lookupTimeout", atLeast(durations(time.Second), time.Second), NetworkTimeout,
		"How long the look-up of a remote endpoint waits for its reply.")
	RPCMessageMaxSize = entry("spark.rpc.message.maxSize", between(ints, 1, 2047), "128",
		"The largest message in MiB, a plain number.")
	RPCDispatcherThreads = optional("spark.rpc.netty.dispatcher.numThreads", atLeast(ints, 1),
		"How many messages of a concurrent endpoint are handled at once; when unset the cores of the machine, at least 2.")
	DriverRPCDispatcherThreads = optional("spark.driver.rpc.netty.dispatcher.numThreads", atLeast(ints, 1),
		"As spark.rpc.netty.dispatcher.numThreads, for the driver alone.")
	ExecutorRPCDispatcherThreads = optional("spark.executor.rpc.netty.dispatcher.numThreads", atLeast(ints, 1),
		"As spark.rpc.netty.dispatcher.numThreads, for executors alone.")
	PortMaxRetries = entry("spark.port.maxRetries", atLeast(ints, 0), "16",
		"How many ports are tried after a taken one, each one higher than the last.")
	NetworkTimeoutInterval = fallback("spark.network.timeoutInterval", atLeast(durations(time.Millisecond), time.Millisecond),
		BlockManagerTimeoutInterval, "How often the driver looks for executors whose heartbeats have stopped.")
	BlockManagerTimeoutInterval = entry("spark.storage.blockManagerTimeoutIntervalMs",
		atLeast(durations(time.Millisecond), time.Millisecond), "60s",
		"The older name of spark.network.timeoutInterval, which falls back to it.")
	BlockManagerHeartbeatTimeout = fallback("spark.storage.blockManagerHeartbeatTimeoutMs",
		atLeast(durations(time.Millisecond), time.Millisecond), NetworkTimeout,
		"After how long without a heartbeat the driver takes an executor for dead.")
	BlockManagerMasterDriverHeartbeatTimeout = entry("spark.storage.blockManagerMasterDriverHeartbeatTimeoutMs",
		atLeast(durations(time.Millisecond), time.Millisecond), "10m",
		"How long the heartbeat of an executor's block manager waits for its reply at the driver.").awaits("the block manager")
	MaxRemoteBlockSizeFetchToMem = entry("spark.network.maxRemoteBlockSizeFetchToMem", atLeast(sizes(byteUnit), 0), "200m",
		"Remote blocks above this size are fetched to a file instead of memory.").awaits("the block manager")
	DriverHost = optional("spark.driver.host", filled(texts),
		"The host name or address at which executors reach the driver; the local host when unset.")
	DriverBindAddress = fallback("spark.driver.bindAddress", filled(texts), DriverHost,
		"The address that the driver listens on.")
	DriverPort = entry("spark.driver.port", ports, "0",
		"The port of the driver's endpoints.")
	BlockManagerPort = entry("spark.blockManager.port", ports, "0",
		"The port of the block managers of executors.")
	DriverBlockManagerPort = fallback("spark.driver.blockManager.port", ports, BlockManagerPort,
		"The port of the driver's block manager.").awaits("the block manager")
)
