//coherer:pure

package submit

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/rpcenv/conf"
)

// CheckTasks returns an error when no executor that the settings ask for could ever take a task, which leaves the application
// waiting for ever. Without spark.executor.cores an executor has 1 core on YARN; on a standalone cluster it has what its Worker
// has, up to spark.cores.max. It mirrors ResourceProfile.shouldCheckExecutorCores and ResourceUtils.validateTaskCpusLargeEnough.
func CheckTasks(c *conf.Conf, m Manager) error {
	cpus := TaskCPUs.Get(c)
	cores, set := ExecutorCores.Find(c)
	if m == YARN {
		cores, set = ExecutorContainer(c, false).Cores, true
	}
	var problems []error
	if set && cores < cpus {
		problems = append(problems, fmt.Errorf("The number of cores per executor (=%d) has to be >= the number of cpus per task = %d."+
			" Raise --executor-cores (spark.executor.cores) to %d, or lower spark.task.cpus", cores, cpus, cpus))
	}
	most, limited := CoresMax.Find(c)
	switch {
	case m != Standalone || !limited:
	case most < cores:
		problems = append(problems, fmt.Errorf("an executor wants %d cores (spark.executor.cores), the application may have %d in all (spark.cores.max):"+
			" no Worker would ever start one. Raise --total-executor-cores to %d, or lower --executor-cores", cores, most, cores))
	case !set && most < cpus:
		problems = append(problems, fmt.Errorf("a task wants %d cores (spark.task.cpus), the application may have %d in all (spark.cores.max):"+
			" no executor could take one. Raise --total-executor-cores to %d, or lower spark.task.cpus", cpus, most, cpus))
	}
	return errors.Join(problems...)
}
