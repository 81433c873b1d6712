package runner

import (
	"slices"
	"testing"
)

// A run says when a node that ended counts as lost: by its own expiry, or by the one that is set.
func TestWhenANodeCountsAsLost(t *testing.T) {
	const key = "yarn.nm.liveness-monitor.expiry-interval-ms"
	if got := expiries(); !slices.Contains(got, key+"=30000") || !slices.Contains(got, "yarn.am.liveness-monitor.expiry-interval-ms=120000") {
		t.Error(got)
	}
	for _, tt := range []struct {
		conf map[string]string
		want string
	}{
		{nil, "30s to 40s from now, and what ran there begins elsewhere then (" + key + ", shorter in a run than YARN's 10 minutes)"},
		{map[string]string{key: "6000"}, "6s to 8s from now, and what ran there begins elsewhere then (" + key + ", as set)"},
		{map[string]string{"spark.hadoop." + key: "6000"}, "6s to 8s from now, and what ran there begins elsewhere then (" + key + ", as set)"},
	} {
		r := &run{cfg: Config{Conf: tt.conf}}
		if got := r.nodeLost(); got != "the ResourceManager counts the node as lost "+tt.want {
			t.Errorf("%v: %s", tt.conf, got)
		}
	}
}
