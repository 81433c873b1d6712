package local

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/recovery"
)

// Settings that Processes cannot have, and a TestMain that does not call Main, are errors before any process starts.
func TestProcessesRefuse(t *testing.T) {
	for _, c := range []struct {
		name    string
		cfg     Config
		entered bool
		want    string
	}{
		{"several Masters", Config{Masters: 3}, true, "leave out Masters and Store"},
		{"a store", Config{Store: &recovery.Memory{}}, true, "leave out Masters and Store"},
		{"no Main", Config{}, false, "func TestMain(m *testing.M) { local.Main(m) }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			entered = c.entered
			defer func() { entered = true }()
			w := newProcessWorld()
			defer w.Close()
			if _, err := w.start(t, c.cfg, t.TempDir()); err == nil || !strings.Contains(err.Error(), c.want) || len(w.children) > 0 {
				t.Errorf("error %v, want %q; processes %v", err, c.want, w.children)
			}
		})
	}
}
