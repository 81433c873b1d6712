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
	storageReplicationProactive = conf.Declare(Settings, "spark.storage.replication.proactive", conf.Bools, "true",
		"Whether cached blocks that were lost with an executor are copied again from another replica.")
	// MigrationEnabled and the next two say what a decommissioned executor moves away.
	MigrationEnabled = conf.Declare(Settings, "spark.storage.decommission.enabled", conf.Bools, "false",
		"Whether a decommissioned executor moves its blocks to others before it ends; spark.decommission.enabled has to be set too.")
	DecommissionShuffleBlocks = conf.Declare(Settings, "spark.storage.decommission.shuffleBlocks.enabled", conf.Bools, "true",
		"Whether it moves its map outputs.")
	DecommissionRDDBlocks = conf.Declare(Settings, "spark.storage.decommission.rddBlocks.enabled", conf.Bools, "true",
		"Whether it moves its cached blocks.")
	DecommissionMaxThreads = conf.Declare(Settings, "spark.storage.decommission.shuffleBlocks.maxThreads", conf.AtLeast(conf.Ints, 1), "8",
		"To how many executors it moves map outputs at once.")
	DecommissionMaxFailures = conf.Declare(Settings, "spark.storage.decommission.maxReplicationFailuresPerBlock", conf.AtLeast(conf.Ints, 0), "3",
		"After how many failures to move it a block is given up.")
	DecommissionReattemptInterval = conf.Declare(Settings, "spark.storage.decommission.replicationReattemptInterval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "30s",
		"How often it looks for new blocks and new executors, and tries again to move the cached blocks that no executor has taken.")
	DecommissionMaxDiskSize = conf.Optional(Settings, "spark.storage.decommission.shuffleBlocks.maxDiskSize", conf.AtLeast(conf.Sizes(conf.Byte), 1),
		"An executor takes map outputs of others while it has fewer bytes of map outputs than this.")
	_ = conf.Optional(Settings, "spark.storage.decommission.fallbackStorage.path", conf.Texts,
		"Where blocks go that no executor takes.").Awaits("storage outside of the cluster for the blocks of decommissioned executors")
	_ = conf.Declare(Settings, "spark.storage.decommission.fallbackStorage.cleanUp", conf.Bools, "false",
		"Whether that storage is emptied at the end.").Awaits("storage outside of the cluster for the blocks of decommissioned executors")
	BlockManagerPort = conf.Declare(Settings, "spark.blockManager.port", conf.Ports, "0",
		"The port of the block managers of executors.")
	DriverBlockManagerPort = conf.Fallback(Settings, "spark.driver.blockManager.port", conf.Ports, BlockManagerPort,
		"The port of the driver's block manager, which serves broadcasts.")
)
