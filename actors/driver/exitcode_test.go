package driver

import (
	"errors"
	"fmt"
	"testing"
)

// coded is an error that chooses an exit code.
type coded int

func (c coded) Error() string { return "it ended" }
func (c coded) ExitCode() int { return int(c) }

// SparkUserAppException: a program may choose its exit code; one that no process can have is none.
func TestTheExitCodeOfAnApplication(t *testing.T) {
	for _, k := range []struct {
		err          error
		chosen, code int
	}{
		{nil, 0, 0},
		{errors.New("it ended"), 0, 1},
		{coded(0), 0, 1},
		{coded(1), 1, 1},
		{coded(255), 255, 255},
		{coded(256), 0, 1},
		{coded(-1), 0, 1},
		{fmt.Errorf("the program: %w", coded(3)), 3, 3},
	} {
		if chosen, code := ChosenCode(k.err), ExitCode(k.err); chosen != k.chosen || code != k.code {
			t.Errorf("%v: chosen %d, code %d, want %d and %d", k.err, chosen, code, k.chosen, k.code)
		}
	}
}
