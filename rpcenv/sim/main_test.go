package sim_test

import (
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Worlds make much garbage and keep little: with fewer collections the sweeps take a third less of the processor.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	goleak.VerifyTestMain(m)
}
