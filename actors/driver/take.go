package driver

import (
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings of rdd.Take and its like.
var (
	limitInitialNumPartitions = conf.Declare(Settings, "spark.rdd.limit.initialNumPartitions", conf.AtLeast(conf.Ints, 1), "1",
		"How many partitions the first job of a take computes.")
	limitScaleUpFactor = conf.Declare(Settings, "spark.rdd.limit.scaleUpFactor", conf.AtLeast(conf.Ints, 1), "4",
		"How many times as many partitions as before a further job of a take computes at most; below 2 it is 2.")
)

// TakeRounds are the settings of rdd.Take.
func (d *Driver) TakeRounds() (first, scaleUp int) {
	c := d.env.Conf()
	return limitInitialNumPartitions.Get(c), limitScaleUpFactor.Get(c)
}

// Partitions is the number of partitions of a job's result. It looks at the job's files, in the goroutine of the caller.
func (d *Driver) Partitions(job rdd.Invocation) (int, error) {
	fs := d.fs
	if fs == nil {
		fs = rdd.MemFS{}
	}
	splits, err := job.Lineage.Splits(fs, job.Lineage.Last())
	return len(splits), err
}
