package app

import (
	"errors"
	"testing"
)

// What else went wrong as a signal ended a driver is reported, also of a watched one.
func TestAWatchedDriverDoesNotReportThatItWasInterrupted(t *testing.T) {
	full := errors.New("the disk is full")
	for _, test := range []struct {
		watched bool
		err     error
		want    string
	}{
		{false, errors.Join(errInterrupted), "interrupted"},
		{true, errors.Join(errInterrupted), ""},
		{true, errors.Join(errors.Join(errInterrupted, full)), "the disk is full"},
		{true, full, "the disk is full"},
	} {
		got := ""
		if err := (&Submission{Watched: test.watched}).own(test.err); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("watched %t, %q: it reports %q, want %q", test.watched, test.err, got, test.want)
		}
	}
}
