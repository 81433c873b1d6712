package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/bench/measure"
)

// Each combination is a cell, in the order of the lists; what a case does not have makes no cells.
func TestCells(t *testing.T) {
	base := measure.Spec{Duration: 5, Record: measure.RecordRing}
	cell := func(c measure.Case, size, inFlight, pairs int) measure.Spec {
		s := base
		s.Case, s.Size, s.InFlight, s.Pairs = c, size, inFlight, pairs
		return s
	}
	g := Grid{Cases: []measure.Case{measure.RemoteAsk, measure.OneWay, measure.Connect}, Sizes: []int{76, 1024}, InFlight: []int{1, 64}, Pairs: []int{2}}
	want := []measure.Spec{
		cell(measure.RemoteAsk, 76, 1, 2), cell(measure.RemoteAsk, 76, 64, 2),
		cell(measure.RemoteAsk, 1024, 1, 2), cell(measure.RemoteAsk, 1024, 64, 2),
		cell(measure.OneWay, 76, 0, 2), cell(measure.OneWay, 1024, 0, 2),
		cell(measure.Connect, 0, 1, 2), cell(measure.Connect, 0, 64, 2),
	}
	if got := g.Cells(base); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	own := Grid{Cases: []measure.Case{measure.LocalAsk, measure.RegisterWorker}, Sizes: []int{76}, InFlight: []int{1}}.Cells(measure.Spec{})
	if len(own) != 2 || own[0].Pairs != 1 || own[1].Pairs != 100 {
		t.Errorf("without pairs: %+v", own)
	}
	twice := Grid{Cases: []measure.Case{measure.LocalAsk, measure.LocalAsk}, Sizes: []int{76, 76}, InFlight: []int{1, 1}, Pairs: []int{1}}
	if got := twice.Cells(base); len(got) != 1 {
		t.Errorf("%+v: want each cell once", got)
	}
}

// A list that somebody chose and a case does not have is said; if no case has it, it is an error.
func TestUnused(t *testing.T) {
	for _, c := range []struct {
		cases           []measure.Case
		sizes, inFlight bool
		want, err       string
	}{
		{[]measure.Case{measure.LocalAsk, measure.Connect, measure.OneWay}, false, false, "[]", ""},
		{[]measure.Case{measure.LocalAsk, measure.Connect, measure.OneWay}, true, false, "[{connect by size it has no message of a size}]", ""},
		{[]measure.Case{measure.LocalAsk, measure.Connect, measure.OneWay}, false, true, "[{one-way by number in flight it has no window}]", ""},
		{[]measure.Case{measure.LocalAsk, "nope"}, true, true, "[]", ""},
		{[]measure.Case{measure.Connect, measure.EndpointSpawn}, true, true, "", "size: connect has no message of a size"},
		{[]measure.Case{measure.OneWay}, true, true, "", "number in flight: one-way has no window"},
	} {
		got, err := Grid{Cases: c.cases}.Unused(c.sizes, c.inFlight)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%v: %v, want %s", c.cases, err, c.err)
			}
			continue
		}
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, %v, want %s", c.cases, got, err, c.want)
		}
	}
}

// The report says so, and that a contender which somebody named does not do the case.
func TestWhatIsNotMeasuredIsSaid(t *testing.T) {
	o := options(t, measure.LocalAsk)
	o.Unused = []Missing{{"connect by size", "it has no message of a size"}}
	o.Contenders = []string{"go-channel", "raw-tcp"}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, r, "text")
	for _, want := range []string{"\nconnect by size was not measured: it has no message of a size\n", "\nraw-tcp was not measured: it does not do local-ask\n"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, text)
		}
	}
}
