package driver

import (
	"time"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings of where and how often tasks run.
var (
	// SchedulerMode is FAIR when jobs share cores by pools.
	SchedulerMode = conf.Declare(Settings, "spark.scheduler.mode", conf.Enum("FIFO", "FAIR"), "FIFO",
		"In which order jobs get cores: the earlier first, or by the shares of their pools.")
	// SchedulerAllocationFile has the pools.
	SchedulerAllocationFile = conf.Optional(Settings, "spark.scheduler.allocation.file", conf.Filled(conf.Paths),
		"The file that describes the pools of mode FAIR.")
	localityWait = conf.Declare(Settings, "spark.locality.wait", conf.AtLeast(conf.Durations(time.Millisecond), 0), "3s",
		"How long a task waits for cores near its data before it takes others.")
	localityWaitProcess = conf.Fallback(Settings, "spark.locality.wait.process", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the executor that has its data.")
	localityWaitNode = conf.Fallback(Settings, "spark.locality.wait.node", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the machine that has its data.")
	localityWaitRack = conf.Fallback(Settings, "spark.locality.wait.rack", conf.AtLeast(conf.Durations(time.Millisecond), 0), localityWait,
		"How long a task waits for the rack that has its data.")
	topologyTable = conf.Optional(Settings, "spark.hadoop.net.topology.table.file.name", conf.Filled(conf.Paths),
		"The file that says on which rack a host is: a line for each, with the host and the rack. Others are on /default-rack; without it no host has a rack.")
	localityWaitLegacyReset = conf.Declare(Settings, "spark.locality.wait.legacyResetOnTaskLaunch", conf.Bools, "false",
		"Whether each start of a task begins its stage's wait anew, as before Spark 3.1.")
	speculation = conf.Declare(Settings, "spark.speculation", conf.Bools, "false",
		"Whether slow tasks are started a second time elsewhere.")
	speculationInterval = conf.Declare(Settings, "spark.speculation.interval", conf.AtLeast(conf.Durations(time.Millisecond), time.Millisecond), "100ms",
		"How often the driver looks for slow tasks.")
	speculationMinTaskRuntime = conf.Declare(Settings, "spark.speculation.minTaskRuntime", conf.AtLeast(conf.Durations(time.Millisecond), 0), "100ms",
		"How long a task runs at least before it counts as slow.")
	speculationMultiplier = conf.Declare(Settings, "spark.speculation.multiplier", conf.AtLeast(conf.Floats, 0), "3",
		"How many times longer than the median a slow task runs.")
	speculationQuantile = conf.Declare(Settings, "spark.speculation.quantile", conf.Between(conf.Floats, 0, 1), "0.9",
		"The share of a stage's tasks that must be done before others count as slow.")
	speculationEfficiency = conf.Declare(Settings, "spark.speculation.efficiency.enabled", conf.Bools, "true",
		"Whether only tasks that process their data slowly count as slow.")
	speculationRateMultiplier = conf.Declare(Settings, "spark.speculation.efficiency.processRateMultiplier",
		conf.Above(conf.Between(conf.Floats, 0, 1), 0), "0.75",
		"The share of the mean rate of its stage below which a task processes slowly.")
	speculationLongRunFactor = conf.Declare(Settings, "spark.speculation.efficiency.longRunTaskFactor", conf.AtLeast(conf.Floats, 1), "2",
		"How many times the time of a slow task a task must run to count as slow whatever its rate.")
	speculationThreshold = conf.Optional(Settings, "spark.speculation.task.duration.threshold", conf.AtLeast(conf.Durations(time.Millisecond), 0),
		"How long a task of a stage with few tasks may run before it counts as slow.")
	decommissionKillInterval = conf.Optional(Settings, "spark.executor.decommission.killInterval", conf.AtLeast(conf.Durations(time.Second), 0),
		"After how long a decommissioned executor is killed from outside: tasks that would run for longer are started a second time elsewhere, with spark.speculation.")
)

// startTasks makes the task scheduler as the settings say.
func (s *Scheduler) startTasks(c *rpcenv.Context) {
	cfg := s.tasksConfig(c.Conf())
	var lines []pools.Line
	s.tasks, lines = tasks.New(cfg)
	s.apply(c, tasks.Effects{Lines: lines})
	if cfg.Speculation.Enabled {
		interval := speculationInterval.Get(c.Conf())
		c.Every(interval, interval, CheckSpeculatableTasks{})
	}
}

// tasksConfig is what the settings say of tasks.
func (s *Scheduler) tasksConfig(c *conf.Conf) tasks.Config {
	cfg := tasks.Config{
		Profiles:      map[int32]*tasks.Profile{0: taskProfile(c)},
		Allocations:   s.allocations,
		MaxFailures:   s.cfg.maxFailures(c),
		MaxResultSize: submit.DriverMaxResultSize.Get(c),
		Waits: tasks.Waits{
			Process: localityWaitProcess.Get(c), Node: localityWaitNode.Get(c), Rack: localityWaitRack.Get(c),
		},
		Rack:                 s.racks,
		LegacyReset:          localityWaitLegacyReset.Get(c),
		ExternalShuffle:      s.cfg.externalShuffle(c),
		Speculation:          speculationOf(c),
		Exclude:              s.exclude,
		UnschedulableTimeout: exclude.UnschedulableTimeout.Get(c),
		DynamicAllocation:    allocation.Enabled(c),
		Faults:               s.historic.tasks,
	}
	if SchedulerMode.Get(c) == "FAIR" {
		cfg.Mode = pools.FAIR
	}
	return cfg
}

// taskProfile is what a task takes by the settings. An executor whose cores no setting says has no known slots.
func taskProfile(c *conf.Conf) *tasks.Profile {
	cpus := submit.TaskCPUs.Get(c)
	cores, _ := submit.ExecutorCores.Find(c)
	return &tasks.Profile{CPUs: cpus, Slots: cores / cpus}
}

func speculationOf(c *conf.Conf) tasks.Speculation {
	out := tasks.Speculation{
		Enabled: speculation.Get(c), Multiplier: speculationMultiplier.Get(c), Quantile: speculationQuantile.Get(c),
		MinRuntime: speculationMinTaskRuntime.Get(c), Efficiency: speculationEfficiency.Get(c),
		RateMultiplier: speculationRateMultiplier.Get(c), LongRunFactor: speculationLongRunFactor.Get(c),
	}
	if threshold, set := speculationThreshold.Find(c); set {
		out.Threshold = &threshold
	}
	out.KillInterval, _ = decommissionKillInterval.Find(c)
	return out
}
