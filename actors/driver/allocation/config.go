package allocation

import (
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Config is what the settings under spark.dynamicAllocation say, read once.
type Config struct {
	// Initial is how many executors are wanted at first; it lies between Min and Max.
	Initial, Min, Max int
	// Ratio is the share of full parallelism that is asked for, above 0 and at most 1.
	Ratio float64
	// TasksPerExecutor is how many run on one executor at a time.
	TasksPerExecutor int
	// Backlog is how long tasks wait before executors are asked for, Sustained how long until more are.
	Backlog, Sustained time.Duration
	// Idle is after how long without a task an executor is given back.
	Idle time.Duration
	// Tracking keeps executors while a job may need their map outputs. With an external shuffle service there is no need to.
	Tracking bool
	// Decommission has idle executors move their blocks away before they end (spark.decommission.enabled).
	Decommission bool
}

// Enabled reports whether spark.dynamicAllocation.enabled is set, and the application has a cluster. It mirrors
// Utils.isDynamicAllocationEnabled.
func Enabled(c *conf.Conf) bool {
	return submit.DynamicAllocation.Get(c) && !submit.IsLocal(submit.MasterURL.Get(c))
}

// NewConfig reads the settings. The error says which of them do not fit together; it mirrors
// ExecutorAllocationManager.validateSettings.
func NewConfig(c *conf.Conf) (Config, error) {
	external := shuffleservice.ShuffleServiceEnabled.Get(c)
	s := Config{
		Min: dynamicAllocationMinExecutors.Get(c), Max: DynamicAllocationMaxExecutors.Get(c),
		Ratio: dynamicAllocationRatio.Get(c), TasksPerExecutor: tasksPerExecutor(c),
		Backlog: dynamicAllocationBacklogTimeout.Get(c), Sustained: dynamicAllocationSustainedBacklogTimeout.Get(c),
		Idle: dynamicAllocationIdleTimeout.Get(c), Tracking: dynamicAllocationShuffleTracking.Get(c) && !external,
		Decommission: membership.DecommissionEnabled.Get(c),
	}
	var problems []error
	if s.Max == 0 {
		problems = append(problems, errors.New("spark.dynamicAllocation.maxExecutors must be positive"))
	}
	if s.Min > s.Max {
		problems = append(problems, fmt.Errorf("spark.dynamicAllocation.minExecutors (%d) must be less than or equal to "+
			"spark.dynamicAllocation.maxExecutors (%d)", s.Min, s.Max))
	}
	if !s.Tracking && !external {
		problems = append(problems, errors.New("spark.dynamicAllocation.shuffleTracking.enabled is false, and so is spark.shuffle.service.enabled: "+
			"an executor that is given back would take map outputs with it that a job needs: set one of them"))
	}
	initial, err := InitialTarget(c)
	// Bounds that are wrong in themselves make no initial target; its error would repeat theirs.
	if len(problems) == 0 {
		problems = append(problems, err)
	}
	s.Initial = initial
	return s, errors.Join(problems...)
}

func tasksPerExecutor(c *conf.Conf) int {
	cores, _ := submit.ExecutorCores.Find(c)
	return max(1, cores/submit.TaskCPUs.Get(c))
}

// defaultExecutors is how many an application on YARN has by default.
const defaultExecutors = 2

// InitialTarget is how many executors an application wants at first: with dynamic allocation the largest of
// minExecutors, initialExecutors and spark.executor.instances, which must lie between minExecutors and maxExecutors;
// without it spark.executor.instances, or 2. It mirrors SchedulerBackendUtils.getInitialTargetExecutorNumber and
// Utils.getDynamicAllocationInitialExecutors.
func InitialTarget(c *conf.Conf) (int, error) {
	instances, set := submit.ExecutorInstances.Find(c)
	if !Enabled(c) {
		if !set {
			instances = defaultExecutors
		}
		return instances, nil
	}
	least, most := dynamicAllocationMinExecutors.Get(c), DynamicAllocationMaxExecutors.Get(c)
	initial := max(least, dynamicAllocationInitialExecutors.Get(c), instances)
	if initial > most {
		return 0, fmt.Errorf("initial executor number %d must between min executor number %d and max executor number %d: "+
			"see spark.dynamicAllocation.{initial,min,max}Executors and spark.executor.instances", initial, least, most)
	}
	return initial, nil
}
