package known

import (
	"testing"
	"time"
)

func TestTheTextOfAnInterval(t *testing.T) {
	for text, d := range map[string]time.Duration{"hourly": time.Hour, "90": 90 * time.Second} {
		if got := rollingIntervals.Text(d); got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
}
