package bench

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/bench/measure"
)

// A sweep doubles what is in flight until it ends by its rule, and its report says where the knee is.
func TestASweep(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Cells[0].Duration = 10 * time.Millisecond
	o.Contenders = []string{"coherer"}
	r, err := MeasureSweep(t.Context(), o, ByInFlight)
	if err != nil {
		t.Fatal(err)
	}
	inFlight := 1
	for _, c := range r.Cells {
		checkCell(t, c, 1)
		if c.InFlight != inFlight {
			t.Errorf("%d in flight, want %d", c.InFlight, inFlight)
		}
		inFlight *= 2
	}
	k := r.Sweep.Knees
	if len(k) != 1 || k[0].Contender != "coherer" || k[0].Cell < 0 || r.Sweep.Rule == "" || r.Sweep.End == "" || r.Sweep.End == "interrupted" {
		t.Errorf("%+v", r.Sweep)
	}
	text := written(t, r, "text")
	for _, want := range []string{"local-ask 76B, coherer by in-flight: the knee is at ", "<- knee", "the sweep ended: " + r.Sweep.End} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, text)
		}
	}
}

// An interrupted sweep reports the steps that it made, each with all its trials, and says that it has no end.
func TestAnInterruptedSweep(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := options(t, measure.LocalAsk)
	o.Cells[0].Duration = 10 * time.Millisecond
	o.Trials = 2
	o.Contenders = []string{"coherer"}
	cells := 0
	o.Progress = writer(func(line string) {
		if strings.HasPrefix(line, "local-ask") {
			cells++
		}
		if cells == 3 && strings.HasPrefix(line, "trial 1") {
			cancel()
		}
	})
	r, err := MeasureSweep(ctx, o, ByInFlight)
	if !errors.Is(err, context.Canceled) || len(r.Cells) != 2 || len(r.Cells[1].Contenders[0].Trials) != 2 || r.Sweep.End != "interrupted" || r.Sweep.Knees[0].Cell != -1 {
		t.Errorf("%v: %+v", err, r)
	}
}

func TestASweepThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		by     string
		want   string
	}{
		"two cells":   {func(o *Options) { o.Cells = append(o.Cells, o.Cells[0]) }, ByInFlight, "one case, size and number of pairs"},
		"by what":     {func(*Options) {}, "size", "want one of in-flight, rate"},
		"no window":   {func(o *Options) { o.Cells[0].Case, o.Cells[0].InFlight = measure.OneWay, 0 }, ByInFlight, "sweep it by rate"},
		"no case":     {func(o *Options) { o.Cells[0].Case = "x" }, ByInFlight, `case "x"`},
		"no duration": {func(o *Options) { o.Cells[0].Duration = 0 }, ByRate, "duration 0s"},
	} {
		o := options(t, measure.LocalAsk)
		c.change(&o)
		if _, err := MeasureSweep(t.Context(), o, c.by); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		} else if _, ok := errors.AsType[UsageError](err); !ok {
			t.Errorf("%s: %T", name, err)
		}
	}
}
