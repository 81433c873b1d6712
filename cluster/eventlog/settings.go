package eventlog

import "github.com/coherer/coherer/rpcenv/conf"

// Settings are those of event logs.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	eventLogEnabled = conf.Declare(Settings, "spark.eventLog.enabled", conf.Bools, "false",
		"The driver writes an event log, which Spark's History Server shows.")
	eventLogDir = conf.Declare(Settings, "spark.eventLog.dir", conf.Filled(conf.Texts), "file:/tmp/spark-events",
		"The directory of event logs, of the driver's machine; it must be there.")
	eventLogOverwrite = conf.Declare(Settings, "spark.eventLog.overwrite", conf.Bools, "false",
		"An event log that an application of the same id left is replaced.")
	eventLogCompress = conf.Declare(Settings, "spark.eventLog.compress", conf.Bools, "true",
		"Event logs are compressed.")
	_ = conf.Declare(Settings, "spark.eventLog.compression.codec", conf.Enum("zstd"), "zstd",
		"How event logs are compressed; zstd is the only way.").Awaits("another compression of event logs than zstd")
	eventLogBuffer = conf.Declare(Settings, "spark.eventLog.buffer.kb", conf.AtLeast(conf.Sizes(conf.KiB), 1), "100k",
		"How much of an event log is collected before it is written.")
	eventLogRolling = conf.Declare(Settings, "spark.eventLog.rolling.enabled", conf.Bools, "true",
		"An event log is a directory of files, and a new one begins when the latest is full.")
	eventLogMaxFileSize = conf.Declare(Settings, "spark.eventLog.rolling.maxFileSize", conf.AtLeast(conf.Sizes(conf.Byte), 2*conf.MiB), "128m",
		"How large a file of a rolling event log may be, at least 2 MiB.")
	_ = conf.Declare(Settings, "spark.eventLog.longForm.enabled", conf.Bools, "false",
		"Event logs have the whole stack of each call site.").Awaits("call sites of datasets")
	_ = conf.Declare(Settings, "spark.eventLog.includeTaskMetricsAccumulators", conf.Bools, "true",
		"Event logs have the metrics of tasks a second time, as accumulators.").Awaits("metrics as accumulators")
)
