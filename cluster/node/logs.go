package node

import (
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv/conf"
)

// executorLog is where an executor's stdout or stderr goes: a file, which rolls over if spark.executor.logs.rolling.strategy
// says so. The log reports output that cannot be written.
func executorLog(path string, c *conf.Conf, log *logrus.Entry) process.Output {
	r := process.Rolling{
		Retained: known.ExecutorLogsRollingMaxRetainedFiles.Get(c),
		Compress: known.ExecutorLogsRollingCompression.Get(c),
		Dropped: func(bytes int64, why error) {
			if bytes == 0 {
				log.WithError(why).Errorf("Error writing to %s; what is said there is dropped: free some space", path)
				return
			}
			log.WithError(why).Errorf("%d bytes of %s were dropped", bytes, path)
		},
	}
	switch known.ExecutorLogsRollingStrategy.Get(c) {
	case "time": // the size does not count then, as in Spark
		r.Interval = known.ExecutorLogsRollingInterval.Get(c)
	case "size":
		r.MaxSize = known.ExecutorLogsRollingMaxSize.Get(c)
	default:
		return process.Output{Path: path}
	}
	return process.Output{Path: path, Rolling: &r}
}
