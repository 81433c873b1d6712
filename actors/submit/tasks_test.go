package submit

import (
	"strings"
	"testing"
)

// Executors that could take no task are refused for every manager, in either mode, with and without dynamic allocation.
func TestExecutorsThatTakeNoTaskAreRefused(t *testing.T) {
	const small = "The number of cores per executor (=%) has to be >= the number of cpus per task = 4."
	for _, c := range []struct {
		settings string
		manager  Manager
		want     string // "" is good
	}{
		{"spark.task.cpus=4 spark.executor.cores=2", Standalone, strings.Replace(small, "%", "2", 1)},
		{"spark.task.cpus=4 spark.executor.cores=2", YARN, strings.Replace(small, "%", "2", 1)},
		{"spark.task.cpus=4", YARN, strings.Replace(small, "%", "1", 1)},
		{"spark.task.cpus=4", Standalone, ""}, // its Worker says how many cores an executor has
		{"spark.task.cpus=4 spark.executor.cores=4", Standalone, ""},
		{"spark.task.cpus=4 spark.executor.cores=4", YARN, ""},
		{"spark.task.cpus=4 spark.cores.max=3", Standalone, "a task wants 4 cores (spark.task.cpus), the application may have 3"},
		{"spark.task.cpus=4 spark.cores.max=4", Standalone, ""},
		{"spark.executor.cores=2 spark.cores.max=1", Standalone, "an executor wants 2 cores (spark.executor.cores), the application may have 1"},
		{"spark.executor.cores=2 spark.cores.max=2", Standalone, ""},
		{"spark.task.cpus=4 spark.executor.cores=2 spark.cores.max=3", Standalone, strings.Replace(small, "%", "2", 1)},
		{"spark.executor.cores=2 spark.cores.max=1", YARN, ""}, // which YARN does not read
	} {
		master := map[Manager]string{Standalone: "spark://h:7077", YARN: "yarn"}[c.manager]
		for _, more := range []string{"", " --deploy-mode cluster", " --conf spark.dynamicAllocation.enabled=true"} {
			line := "--master " + master + more
			for s := range strings.FieldsSeq(c.settings) {
				line += " --conf " + s
			}
			d, err := decide(t, line+" pi", Input{})
			if err != nil {
				t.Fatal(err)
			}
			if (d.NotRun == nil) != (c.want == "") || d.NotRun != nil && !strings.Contains(d.NotRun.Error(), c.want) {
				t.Errorf("%s: %v, want %q", line, d.NotRun, c.want)
			}
			settings, err := d.Properties.Conf()
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckTasks(settings, c.manager); err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: more than one reason: %v", line, err)
			}
			if err := CheckTasks(settings, c.manager); (err == nil) != (c.want == "") {
				t.Errorf("%s: CheckTasks: %v", line, err)
			}
		}
	}
}
