//coherer:pure

package exclude

import (
	"fmt"
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Config is what the settings under spark.excludeOnFailure say, read once.
type Config struct {
	// Application and TaskAndStage turn on exclusion from the application, and from tasks and stages.
	Application, TaskAndStage bool
	// TaskAttemptsPerExecutor and TaskAttemptsPerNode are how often one task of a set may fail there until it runs there no more.
	TaskAttemptsPerExecutor, TaskAttemptsPerNode int
	// StageTasksPerExecutor is how many tasks of a set may fail on an executor until it gets no more of the set,
	// StageExecutorsPerNode how many such executors a node may have.
	StageTasksPerExecutor, StageExecutorsPerNode int
	// ApplicationTasksPerExecutor and ApplicationExecutorsPerNode are the same for the application.
	ApplicationTasksPerExecutor, ApplicationExecutorsPerNode int
	// Timeout is for how long the application excludes, and how long a failure counts.
	Timeout time.Duration
	// Kill ends executors that the application excludes, Decommission lets them move their blocks first.
	Kill, Decommission bool
	// FetchFailure excludes the executor of a shuffle file that cannot be fetched, ShuffleService its node.
	FetchFailure, ShuffleService bool
}

// NewConfig reads the settings. maxFailures is spark.task.maxFailures, shuffleService whether an external shuffle service has the
// shuffle files. The error says which settings do not fit together; it mirrors HealthTracker.validateExcludeOnFailureConfs.
func NewConfig(c *conf.Conf, maxFailures int, shuffleService bool) (Config, error) {
	cfg := Config{
		Application: level(c, applicationEnabled, legacyTimeout.Get(c) > 0), TaskAndStage: level(c, taskAndStageEnabled, false),
		TaskAttemptsPerExecutor: taskAttemptsPerExecutor.Get(c), TaskAttemptsPerNode: taskAttemptsPerNode.Get(c),
		StageTasksPerExecutor: stageTasksPerExecutor.Get(c), StageExecutorsPerNode: stageExecutorsPerNode.Get(c),
		ApplicationTasksPerExecutor: applicationTasksPerExecutor.Get(c), ApplicationExecutorsPerNode: ApplicationExecutorsPerNode.Get(c),
		Timeout: Timeout(c), Kill: killExcluded.Get(c), Decommission: decommissionExcluded.Get(c),
		FetchFailure: fetchFailure.Get(c), ShuffleService: shuffleService,
	}
	if cfg.Application && cfg.Timeout == 0 {
		return cfg, fmt.Errorf("%s was 0, but must be > 0: set %s", legacyTimeout.Source(c), timeout.Key())
	}
	if (cfg.Application || cfg.TaskAndStage) && cfg.TaskAttemptsPerNode >= maxFailures {
		return cfg, fmt.Errorf("%s ( = %d) was >= spark.task.maxFailures ( = %d). Though excludeOnFailure is enabled, with this configuration, "+
			"Spark will not be robust to one bad node. Decrease %s, increase spark.task.maxFailures, or disable excludeOnFailure with %s",
			taskAttemptsPerNode.Key(), cfg.TaskAttemptsPerNode, maxFailures, taskAttemptsPerNode.Key(), enabled.Key())
	}
	return cfg, nil
}

// level is whether a level is on: by its own setting, else by the one of all levels, else by default.
func level(c *conf.Conf, own *conf.Entry[bool], byDefault bool) bool {
	if on, set := own.Find(c); set {
		return on
	}
	if on, set := enabled.Find(c); set {
		return on
	}
	return byDefault
}

// Timeout is spark.excludeOnFailure.timeout: for how long an application excludes an executor or a node.
func Timeout(c *conf.Conf) time.Duration {
	for _, e := range []*conf.Entry[time.Duration]{timeout, legacyTimeout} {
		if d, set := e.Find(c); set {
			return d
		}
	}
	return time.Hour
}
