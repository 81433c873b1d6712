package heartbeat

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that say when an executor counts as lost.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	NetworkTimeoutInterval = conf.Fallback(Settings, "spark.network.timeoutInterval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond),
		blockManagerTimeoutInterval, "How often the driver looks for executors whose heartbeats have stopped.")
	blockManagerTimeoutInterval = conf.Declare(Settings, "spark.storage.blockManagerTimeoutIntervalMs",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "60s",
		"The older name of spark.network.timeoutInterval, which falls back to it.")
	blockManagerHeartbeatTimeout = conf.Fallback(Settings, "spark.storage.blockManagerHeartbeatTimeoutMs",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), rpcenv.NetworkTimeout,
		"After how long without a heartbeat the driver takes an executor for dead.")
)
