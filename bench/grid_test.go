package bench

import (
	"slices"
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
