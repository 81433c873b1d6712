package conf

import (
	"errors"
	"strconv"
	"time"
)

// WorkerResourcePrefix begins the settings of a Worker's resources: then comes a name such as gpu, then .amount or
// .discoveryScript.
const WorkerResourcePrefix = "spark.worker.resource."

// Settings of a Worker's machine and of the files that its executors write.
var (
	WorkerResourcesFile = optional("spark.worker.resourcesFile", filled(paths),
		"A file of JSON with the addresses of the worker's resources.")
	LocalDir = optional("spark.local.dir", pathLists,
		"Where executors keep blocks: directories, separated by commas; the worker's work directory when unset.")
	UIReverseProxy = entry("spark.ui.reverseProxy", bools, "false",
		"Whether pages of workers and applications are reached through the Master's.")
	UIReverseProxyURL = optional("spark.ui.reverseProxyUrl", filled(texts),
		"Where the reverse proxy is that stands before the Master.")
	ExecutorLogsRollingStrategy = entry("spark.executor.logs.rolling.strategy", enum("", "time", "size"), "",
		"Whether a worker begins new files for an executor's stdout and stderr by time, by size, or never when it is empty.")
	ExecutorLogsRollingInterval = entry("spark.executor.logs.rolling.time.interval", rollingIntervals, "daily",
		"How often a new file begins: daily, hourly, minutely, or a number of seconds.")
	ExecutorLogsRollingMaxSize = entry("spark.executor.logs.rolling.maxSize", atLeast(sizes(byteUnit), 1), "1m",
		"How large a file becomes at most, in bytes; less than 80 KiB counts as that.")
	ExecutorLogsRollingMaxRetainedFiles = entry("spark.executor.logs.rolling.maxRetainedFiles", ints, "-1",
		"How many files beside the one that is written are kept; all unless it is above 0.")
	ExecutorLogsRollingCompression = entry("spark.executor.logs.rolling.enableCompression", bools, "false",
		"Whether files that are no longer written are compressed with gzip.")
)

// rollingIntervals are Spark's words for a time, or a number of seconds.
var rollingIntervals = form[time.Duration]{
	"daily|hourly|minutely|seconds", "daily, hourly, minutely or a number of seconds from 1", "daily",
	func(s string) (time.Duration, error) {
		if d, ok := rollingWords[s]; ok {
			return d, nil
		}
		n, err := parseInt(s)
		if err == nil && n < 1 {
			err = errors.New("too small")
		}
		return time.Duration(n) * time.Second, err
	},
	func(d time.Duration) string {
		for _, word := range []string{"daily", "hourly", "minutely"} {
			if rollingWords[word] == d {
				return word
			}
		}
		return strconv.FormatInt(int64(d/time.Second), 10)
	},
}

var rollingWords = map[string]time.Duration{"daily": 24 * time.Hour, "hourly": time.Hour, "minutely": time.Minute}
