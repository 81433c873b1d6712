package scenario_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain lets Worlds make more garbage before it is collected, which takes a quarter off the processor's time of lives.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
