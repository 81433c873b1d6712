package storage

import (
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that block managers read.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	_ = conf.Declare(Settings, "spark.storage.blockManagerMasterDriverHeartbeatTimeoutMs",
		conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "10m",
		"How long the heartbeat of an executor's block manager waits for its reply at the driver.").Awaits("heartbeats of block managers")
	_ = conf.Declare(Settings, "spark.network.maxRemoteBlockSizeFetchToMem", conf.AtLeast(conf.Sizes(conf.Byte), 0), "200m",
		"Remote blocks above this size are fetched to a file instead of memory.").Awaits("remote blocks in files")
	storageReplicationProactive = conf.Declare(Settings, "spark.storage.replication.proactive", conf.Bools, "true",
		"Whether cached blocks that were lost with an executor are copied again from another replica.")
	BlockManagerPort = conf.Declare(Settings, "spark.blockManager.port", conf.Ports, "0",
		"The port of the block managers of executors.")
	_ = conf.Fallback(Settings, "spark.driver.blockManager.port", conf.Ports, BlockManagerPort,
		"The port of the driver's block manager.").Awaits("a block manager of the driver")
)
