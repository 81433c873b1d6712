// Package compat has the setting that turns on faults of Spark and Hadoop, for study. Each role reads it; none owns it.
package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Settings has coherer.compat.
var Settings = conf.NewSet()

// Compat is coherer.compat: see Faults.
var Compat = conf.Declare(Settings, "coherer.compat", faults, "fixed",
	"Which historic faults of Spark are there, for study: fixed for none, upstream for those that Spark 4 has, or their ids.")

// Has reports whether coherer.compat names a fault, by its id.
func Has(c *conf.Conf, fault string) bool { return slices.Contains(Compat.Get(c), fault) }

// Faults are the ids that coherer.compat takes, those of Spark's issue tracker and of YARN's, YARN-FAIR for all that
// Hadoop's FairScheduler has, MASTER-RECOVERY for what Spark's Master does after a recovery, and TASK-SCHEDULER for what its
// TaskSchedulerImpl does of sets that are over. What each does stands with the endpoint that has it.
var Faults = []string{
	"SPARK-2425", "SPARK-8881", "SPARK-9731", "SPARK-12864", "SPARK-13112", "SPARK-13519", "SPARK-13604", "SPARK-15725",
	"SPARK-16925", "SPARK-17667", "SPARK-20079", "SPARK-23191", "SPARK-27348", "SPARK-27510", "SPARK-34245", "YARN-1902", "YARN-FAIR",
	"MASTER-RECOVERY", "TASK-SCHEDULER",
}

// upstreamFaults are those that Spark 4 and Hadoop 3.4 have.
var upstreamFaults = []string{"SPARK-15725", "SPARK-17667", "SPARK-27510", "YARN-1902", "YARN-FAIR", "MASTER-RECOVERY", "TASK-SCHEDULER"}

// faults is a set of Faults in their order; fixed is the empty one.
var faults = conf.Form[[]string]{
	Name: "faults", Want: "fixed, upstream or ids separated by commas of " + strings.Join(Faults, ", "),
	Parse: func(s string) ([]string, error) {
		switch strings.ToLower(s) {
		case "fixed":
			return nil, nil
		case "upstream":
			return upstreamFaults, nil
		}
		ids, _ := conf.Lists.Parse(strings.ToUpper(s))
		if len(ids) == 0 {
			return nil, errors.New("it names no fault")
		}
		for _, id := range ids {
			if !slices.Contains(Faults, id) {
				return nil, fmt.Errorf("no fault is called %s", id)
			}
		}
		return slices.DeleteFunc(slices.Clone(Faults), func(id string) bool { return !slices.Contains(ids, id) }), nil
	},
	Text: func(ids []string) string {
		if len(ids) == 0 {
			return "fixed"
		}
		return strings.Join(ids, ",")
	},
}
