package status

import "github.com/coherer/coherer/rpcenv/conf"

// Settings are those of a Store.
var Settings = conf.NewSet()

// The entries of Settings; the last argument of each says what it means.
var (
	uiRetainedJobs = conf.Declare(Settings, "spark.ui.retainedJobs", conf.AtLeast(conf.Ints, 1), "1000",
		"How many jobs the pages of an application show.")
	uiRetainedStages = conf.Declare(Settings, "spark.ui.retainedStages", conf.AtLeast(conf.Ints, 1), "1000",
		"How many stages the pages of an application show.")
	uiRetainedTasks = conf.Declare(Settings, "spark.ui.retainedTasks", conf.AtLeast(conf.Ints, 1), "100000",
		"How many tasks of a stage the pages of an application show.")
	uiRetainedDeadExecutors = conf.Declare(Settings, "spark.ui.retainedDeadExecutors", conf.AtLeast(conf.Ints, 0), "100",
		"How many executors that are gone the pages of an application show.")
)

// limits are how much is kept.
type limits struct{ jobs, stages, tasks, executors int }

// surplus is how many of n are to go: a tenth of most at once, so that not each event deletes one.
func surplus(n, most int) int {
	if n <= most {
		return 0
	}
	return max(most/10, n-most)
}
