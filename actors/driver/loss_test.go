package driver

import "testing"

// An executor whose exit code says that the cluster failed it, and one that is lost with its whole Worker, did not fail by
// its application's tasks.
func TestWhoseFaultTheLossOfAnExecutorIs(t *testing.T) {
	code := func(n int32) *int32 { return &n }
	for _, test := range []struct {
		exit       *int32
		workerLost bool
		want       bool
	}{
		{code(53), false, false},
		{code(56), false, false},
		{code(58), false, false},
		{code(0), false, true},
		{code(1), false, true},
		{code(52), false, true},
		{code(137), false, true},
		{nil, false, true},
		{nil, true, false},
	} {
		got := lossOf("why", test.exit, test.workerLost)
		if got.CausedByApp != test.want || got.Message != "why" {
			t.Errorf("%+v: %+v", test, got)
		}
	}
}
