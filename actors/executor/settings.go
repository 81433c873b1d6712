package executor

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings are those that an executor reads.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	ExecutorHeartbeatInterval = conf.Declare(Settings, "spark.executor.heartbeatInterval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "10s",
		"How often an executor sends the driver a heartbeat. It must be less than spark.network.timeout.").Where(belowTimeout)
	executorHeartbeatMaxFailures = conf.Declare(Settings, "spark.executor.heartbeat.maxFailures", conf.AtLeast(conf.Ints, 1), "60",
		"After how many failed heartbeats in a row an executor ends itself.")
	ExecutorDecommissionSignal = conf.Declare(Settings, "spark.executor.decommission.signal", conf.Filled(conf.Texts), "PWR",
		"The signal, without SIG, that decommissions an executor.")
	_ = conf.Optional(Settings, "spark.executor.decommission.forceKillTimeout", conf.AtLeast(conf.Durations(time.Second), 0),
		"After how long the driver forces a decommissioned executor to end.").Awaits("decommissioning with a deadline")
	_ = conf.Declare(Settings, "spark.executor.metrics.pollingInterval", conf.AtLeast(conf.Durations(time.Millisecond), 0), "0",
		"How often an executor reads its metrics; 0 for with each heartbeat.").Awaits("executors' metrics")
	taskMaxDirectResultSize = conf.Declare(Settings, "spark.task.maxDirectResultSize", conf.Between(conf.Sizes(conf.Byte), 1, 2047*conf.MiB), "1m",
		"Results up to this size travel in the status message, larger ones as blocks.")
	spillAfter = conf.Declare(Settings, "spark.shuffle.spill.numElementsForceSpillThreshold", conf.AtLeast(conf.Ints, 1), "2147483647",
		"A task spills to disk when it holds so many records or keys in memory, whatever their size.")
	shuffleChecksum = conf.Declare(Settings, "spark.shuffle.checksum.enabled", conf.Bools, "true",
		"Whether shuffle blocks have checksums: a damaged one is fetched again, and if that is damaged too its map task is run again.")
	shuffleChecksumAlgorithm = conf.Declare(Settings, "spark.shuffle.checksum.algorithm", conf.Enum("ADLER32", "CRC32", "CRC32C"), "ADLER32",
		"The checksum of shuffle blocks.")
	reducerMaxSizeInFlight = conf.Declare(Settings, "spark.reducer.maxSizeInFlight", conf.AtLeast(conf.Sizes(conf.MiB), 1), "48m",
		"How much of shuffle blocks a task fetches at once and holds; a request is for a fifth of it. A block that is larger comes alone.")
	reducerMaxReqsInFlight = conf.Declare(Settings, "spark.reducer.maxReqsInFlight", conf.AtLeast(conf.Ints, 1), "2147483647",
		"How many requests for shuffle blocks a task has open at once.")
	reducerMaxBlocksInFlight = conf.Declare(Settings, "spark.reducer.maxBlocksInFlightPerAddress", conf.AtLeast(conf.Ints, 1), "2147483647",
		"How many shuffle blocks a task asks one executor for at once.")
	shuffleMaxRetries = conf.Declare(Settings, "spark.shuffle.io.maxRetries", conf.AtLeast(conf.Ints, 0), "3",
		"How often a task asks again for shuffle blocks when the connection fails. An executor that the driver has lost is not asked again.")
	shuffleRetryWait = conf.Declare(Settings, "spark.shuffle.io.retryWait", conf.AtLeast(conf.Durations(time.Second), 0), "5s",
		"The pause before shuffle blocks are asked for again.")
	maxFetchToMemory = conf.Declare(Settings, "spark.network.maxRemoteBlockSizeFetchToMem", conf.AtLeast(conf.Sizes(conf.Byte), 0), "200m",
		"Shuffle blocks above this size are streamed by way of a file; they are never in memory as a whole.")
	ReadHostLocalDisk = conf.Declare(Settings, "spark.shuffle.readHostLocalDisk", conf.Bools, "true",
		"Whether a task reads map outputs of other executors on its host from their files, and not over the network.")
	LocalDiskCacheSize = conf.Declare(Settings, "spark.storage.localDiskByExecutors.cacheSize", conf.AtLeast(conf.Ints, 1), "1000",
		"Of how many executors on its host an executor remembers where their files are.")
	outputCommitCoordination = conf.Declare(Settings, "spark.hadoop.outputCommitCoordination.enabled", conf.Bools, "true",
		"Whether tasks that save ask the driver before they commit; without it two copies of a slow task may both commit.")
	_ = conf.Declare(Settings, "spark.task.reaper.enabled", conf.Bools, "false",
		"Whether killed tasks are watched until they end.").Awaits("the task reaper")
	_ = conf.Declare(Settings, "spark.task.reaper.pollingInterval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "10s",
		"How often a killed task is looked at.").Awaits("the task reaper")
	_ = conf.Declare(Settings, "spark.task.reaper.killTimeout", conf.Durations(time.Millisecond), "-1",
		"After how long a killed task that goes on ends its executor; negative for never.").Awaits("the task reaper")
	_ = conf.Declare(Settings, "spark.task.reaper.threadDump", conf.Bools, "true",
		"Whether the stacks of a killed task that goes on are logged.").Awaits("the task reaper")
)

// belowTimeout refuses executors that would be taken for dead between two heartbeats, as SparkConf.validateSettings.
func belowTimeout(c *conf.Conf, beat time.Duration) error {
	timeout := rpcenv.NetworkTimeout.Get(c)
	if timeout > beat {
		return nil
	}
	return fmt.Errorf("%s (%s) must be greater than spark.executor.heartbeatInterval (%s), or executors count as lost between two heartbeats: raise the first or lower the second",
		rpcenv.NetworkTimeout.Key(), conf.DurationText(timeout), conf.DurationText(beat))
}
