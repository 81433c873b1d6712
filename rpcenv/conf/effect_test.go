package conf

import (
	"slices"
	"testing"
)

func TestAWarningOfASettingNamesItsPlace(t *testing.T) {
	var s Settings
	s.Set(
		Setting{Pair{"spark.speculation", "true"}, Origin{Place: "d/spark-defaults.conf", Line: 3}},
		Setting{Pair{"spark.scheduler.mode", "FAIR"}, Origin{Place: "--conf"}},
		Setting{Pair{"spark.excludeOnFailure.enabled", "false"}, Origin{Place: "--conf"}}, // off is as it is
		Setting{Pair{"spark.task.cpus", "2"}, Origin{Place: "--conf"}},
		Setting{Pair{"spark.task.cpu", "2"}, Origin{Place: "--conf"}},
		Setting{Pair{"hive.metastore.uris", "x"}, Origin{Place: "hive.conf", Line: 1}},
	)
	c, err := s.Conf()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Ignoring non-Spark config property: hive.metastore.uris (hive.conf:1)",
		"spark.scheduler.mode (--conf) has no effect yet: there is no support for pools of jobs",
		"spark.speculation (d/spark-defaults.conf:3) has no effect yet: there is no support for speculation",
		"unknown setting spark.task.cpu (--conf): did you mean spark.task.cpus?",
	}
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if c, err = c.With(map[string]string{"spark.scheduler.mode": "FAIR"}); err != nil {
		t.Fatal(err)
	}
	want[1] = "spark.scheduler.mode has no effect yet: there is no support for pools of jobs" // made without origins
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
