package known

import (
	"errors"
	"strconv"
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// The entries of Settings; the last argument of each says what it means.
var (
	RecoveryDirectory = conf.Declare(Settings, "spark.deploy.recoveryDirectory", conf.Paths, "",
		"The directory of recovery modes FILESYSTEM and RAFT.")
	MasterRESTHost = conf.Optional(Settings, "spark.master.rest.host", conf.Filled(conf.Texts),
		"The host of the REST server.")
	MasterRESTPort = conf.Declare(Settings, "spark.master.rest.port", conf.Ports, "6066",
		"The port of the REST server.")
	MasterUIPort = conf.Declare(Settings, "spark.master.ui.port", conf.Ports, "8080",
		"The port of the Master's pages.")
	MasterUITitle = conf.Optional(Settings, "spark.master.ui.title", conf.Texts,
		"The title of the Master's pages.")
	MasterDecommissionAllowMode = conf.Declare(Settings, "spark.master.ui.decommission.allow.mode", conf.Enum("LOCAL", "ALLOW", "DENY"), "LOCAL",
		"Whose requests to decommission workers the Master's pages take: those of this machine, all or none.")
	UIEnabled = conf.Declare(Settings, "spark.ui.enabled", conf.Bools, "true",
		"A driver serves pages and Spark's REST API while its application runs.")
	UIPort = conf.Declare(Settings, "spark.ui.port", conf.Ports, "4040",
		"The port of a driver's pages, or one of the next spark.port.maxRetries; when all are taken any free one.")
	UIKillEnabled = conf.Declare(Settings, "spark.ui.killEnabled", conf.Bools, "true",
		"Whether pages may kill applications, drivers and jobs.")
	WorkerUIPort = conf.Optional(Settings, "spark.worker.ui.port", conf.Ports,
		"The port of the worker's pages; 8081 when unset.")
	WorkerResourcesFile = conf.Optional(Settings, "spark.worker.resourcesFile", conf.Filled(conf.Paths),
		"A file of JSON with the addresses of the worker's resources.")
	LocalDir = conf.Optional(Settings, "spark.local.dir", conf.PathLists,
		"Where executors keep blocks: directories, separated by commas; the worker's work directory when unset.")
	ExecutorLogsRollingStrategy = conf.Declare(Settings, "spark.executor.logs.rolling.strategy", conf.Enum("", "time", "size"), "",
		"Whether a worker begins new files for an executor's stdout and stderr by time, by size, or never when it is empty.")
	ExecutorLogsRollingInterval = conf.Declare(Settings, "spark.executor.logs.rolling.time.interval", rollingIntervals, "daily",
		"How often a new file begins: daily, hourly, minutely, or a number of seconds.")
	ExecutorLogsRollingMaxSize = conf.Declare(Settings, "spark.executor.logs.rolling.maxSize", conf.AtLeast(conf.Sizes(conf.Byte), 1), "1m",
		"How large a file becomes at most, in bytes; less than 80 KiB counts as that.")
	ExecutorLogsRollingMaxRetainedFiles = conf.Declare(Settings, "spark.executor.logs.rolling.maxRetainedFiles", conf.Ints, "-1",
		"How many files beside the one that is written are kept; all unless it is above 0.")
	ExecutorLogsRollingCompression = conf.Declare(Settings, "spark.executor.logs.rolling.enableCompression", conf.Bools, "false",
		"Whether files that are no longer written are compressed with gzip.")
)

// WorkerResourcePrefix begins the settings of a Worker's resources: then comes a name such as gpu, then .amount or
// .discoveryScript.
var WorkerResourcePrefix = Settings.Family("spark.worker.resource.")

// rollingIntervals are Spark's words for a time, or a number of seconds.
var rollingIntervals = conf.Form[time.Duration]{
	Name: "daily|hourly|minutely|seconds", Want: "daily, hourly, minutely or a number of seconds from 1", Example: "daily",
	Parse: func(s string) (time.Duration, error) {
		if d, ok := rollingWords[s]; ok {
			return d, nil
		}
		n, err := conf.Ints.Parse(s)
		if err == nil && n < 1 {
			err = errors.New("too small")
		}
		return time.Duration(n) * time.Second, err
	},
	Text: func(d time.Duration) string {
		for _, word := range []string{"daily", "hourly", "minutely"} {
			if rollingWords[word] == d {
				return word
			}
		}
		return strconv.FormatInt(int64(d/time.Second), 10)
	},
}

var rollingWords = map[string]time.Duration{"daily": 24 * time.Hour, "hourly": time.Hour, "minutely": time.Minute}
