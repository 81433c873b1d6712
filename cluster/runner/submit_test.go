package runner

import (
	"slices"
	"testing"

	"github.com/coherer/coherer/cluster/app"
)

// --driver-memory bounds a driver that is started here, as it bounds one in the cluster.
func TestADriverHasTheMemoryThatItsSettingsName(t *testing.T) {
	for memory, want := range map[string]string{"": "", "512m": "GOMEMLIMIT=512MiB", "2g": "GOMEMLIMIT=2048MiB"} {
		settings := map[string]string{}
		if memory != "" {
			settings["spark.driver.memory"] = memory
		}
		spec, err := driverSpec([]string{"p"}, app.Submission{Conf: settings}, nil, nil)
		if err != nil || want == "" && len(spec.Env) != 1 || want != "" && !slices.Contains(spec.Env, want) {
			t.Errorf("%q: %q %v, want %q", memory, spec.Env, err, want)
		}
	}
	if _, err := driverSpec([]string{"p"}, app.Submission{Conf: map[string]string{"spark.driver.memory": "x"}}, nil, nil); err == nil {
		t.Error("a malformed size is taken")
	}
}
