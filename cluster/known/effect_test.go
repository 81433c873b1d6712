package known

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

func TestAWarningOfASettingNamesItsPlace(t *testing.T) {
	var s conf.Settings
	s.Set(
		conf.Setting{Pair: conf.Pair{Key: "spark.task.reaper.enabled", Value: "true"}, From: conf.Origin{Place: "d/spark-defaults.conf", Line: 3}},
		conf.Setting{Pair: conf.Pair{Key: "spark.master.ui.visibleEnvVarPrefixes", Value: "9"}, From: conf.Origin{Place: "--conf"}},
		conf.Setting{Pair: conf.Pair{Key: "spark.yarn.am.clientModeExitOnError", Value: "false"}, From: conf.Origin{Place: "--conf"}}, // off is as it is
		conf.Setting{Pair: conf.Pair{Key: "spark.task.cpus", Value: "2"}, From: conf.Origin{Place: "--conf"}},
		conf.Setting{Pair: conf.Pair{Key: "spark.task.cpu", Value: "2"}, From: conf.Origin{Place: "--conf"}},
		conf.Setting{Pair: conf.Pair{Key: "hive.metastore.uris", Value: "x"}, From: conf.Origin{Place: "hive.conf", Line: 1}},
	)
	c, err := s.Conf(All())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Ignoring non-Spark config property: hive.metastore.uris (hive.conf:1)",
		"spark.master.ui.visibleEnvVarPrefixes (--conf) has no effect yet: there is no support for the page of the Master's environment",
		"spark.task.reaper.enabled (d/spark-defaults.conf:3) has no effect yet: there is no support for the task reaper",
		"unknown setting spark.task.cpu (--conf): did you mean spark.task.cpus?",
	}
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if c, err = c.With(map[string]string{"spark.master.ui.visibleEnvVarPrefixes": "9"}); err != nil {
		t.Fatal(err)
	}
	want[1] = "spark.master.ui.visibleEnvVarPrefixes has no effect yet: there is no support for the page of the Master's environment" // made without origins
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
