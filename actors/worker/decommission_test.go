package worker

import (
	"time"
)

var decommissionEnabled = map[string]string{"spark.decommission.enabled": "true"}

// silent checks that the Master got nothing but what the test has looked at, and gets nothing now.
func (k *kit) silent() {
	k.t.Helper()
	k.w.Advance(time.Second)
	if got := k.master.Waiting(); len(got) != 0 {
		k.t.Errorf("the Master got %T %v", got[0], got)
	}
}
