package fair

import (
	"testing"
	"time"
)

// The defaults are those of yarn-default.xml and of FairSchedulerConfiguration.
func TestTheDefaultsAreHadoops(t *testing.T) {
	want := Config{
		Faults: Faults{}, Minimum: Resource{1024, 1}, Maximum: Resource{8192, 4}, Increment: Resource{1024, 1},
		AssignMultiple: false, DynamicMaxAssign: true, MaxAssign: -1, Continuous: false, ContinuousSleep: 5 * time.Millisecond,
		NodeThreshold: -1, RackThreshold: -1, NodeDelay: -time.Millisecond, RackDelay: -time.Millisecond,
		ReservationMultiple: 2, ReservableNodes: 0.05, Preemption: false, UtilizationThreshold: 0.8,
		WaitBeforeKill: 15 * time.Second, WaitBeforeCheck: 10 * time.Second, NodeHeartbeat: time.Second, UpdateInterval: 500 * time.Millisecond,
	}
	if got := DefaultConfig(); got != want {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}
