package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// A trial counts only when both sides agree and nothing was wrong with the messages: a contender must not win by losing some.
func TestTrialsThatDoNotCount(t *testing.T) {
	spec := measure.Spec{Case: measure.RemoteTell, Size: 100, InFlight: 1, Pairs: 1, Duration: time.Second}
	for name, c := range map[string]struct {
		change func(*measure.Result)
		want   string // empty: it counts
	}{
		"good":          {func(*measure.Result) {}, ""},
		"a fault":       {func(r *measure.Result) { r.Received.Fault = "message 7 is another one" }, "message 7 is another one"},
		"one lost":      {func(r *measure.Result) { r.Received.Messages--; r.Received.Bytes -= 100 }, "10 messages of 100 bytes were sent, 9 messages and 900 bytes came"},
		"one too many":  {func(r *measure.Result) { r.Received.Messages++ }, "11 messages"},
		"a cut one":     {func(r *measure.Result) { r.Received.Bytes-- }, "999 bytes came"},
		"none":          {func(r *measure.Result) { r.Sent.Messages, r.Received.Messages, r.Received.Bytes = 0, 0, 0 }, "0 messages in"},
		"in no time":    {func(r *measure.Result) { r.Sent.Elapsed = 0 }, "10 messages in 0s"},
		"one side only": {func(r *measure.Result) { r.Received = nil }, "a side of the trial is missing"},
	} {
		r := &measure.Result{Sent: measure.Sent{Messages: 10, Elapsed: time.Second}, Received: &measure.Received{Messages: 10, Bytes: 1000}}
		c.change(r)
		x := &Contender{}
		err := x.add(&spec, r)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (err == nil) != (len(x.Trials) == 1) {
			t.Errorf("%s: %v, %d trials", name, err, len(x.Trials))
		}
	}
	if err := new(Contender).add(&spec, nil); err == nil {
		t.Error("no result counts")
	}
}
