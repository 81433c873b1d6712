package metrics

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestATimeIsInTheFirstBucketThatHasRoomForIt(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want int
	}{
		{-1, 0},
		{0, 0},
		{1024, 0},
		{1025, 1},
		{2048, 1},
		{2049, 2},
		{time.Millisecond, 10},
		{68 * time.Second, 26},
		{69 * time.Second, 27},
		{time.Hour, 27},
	} {
		if got := bucket(c.d); got != c.want {
			t.Errorf("%v: bucket %d, want %d", c.d, got, c.want)
		}
		if i := bucket(c.d); c.d > Bound(i) && i != Buckets-1 || i > 0 && c.d <= Bound(i-1) {
			t.Errorf("%v is not within the bounds of bucket %d", c.d, i)
		}
	}
}

func TestAQuantileIsRightWithinAFactorOfTwo(t *testing.T) {
	var h histogram
	for i := range 1000 {
		h.observe(time.Duration(i+1) * time.Millisecond)
	}
	times := h.times()
	for q, exact := range map[float64]time.Duration{0: time.Millisecond, 0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond, 1: time.Second} {
		if got := times.Quantile(q); got > 2*exact || 2*got < exact {
			t.Errorf("the quantile %v is %v, exactly %v", q, got, exact)
		}
	}
	if times.Count() != 1000 || times.Sum != 500500*time.Millisecond {
		t.Error(times.Count(), times.Sum)
	}
	h.observe(time.Hour)
	later := h.times()
	if d := later.Since(times); d.Count() != 1 || d.Sum != time.Hour || d.Quantile(0.5) != Bound(Buckets-1) {
		t.Error("since:", d)
	}
	if d := times.Since(later); d != times {
		t.Error("since a copy of another one:", d)
	}
	var none Times
	if none.Quantile(0.5) != 0 {
		t.Error("of nothing:", none.Quantile(0.5))
	}
}

func TestWhatIsToldApartIsBounded(t *testing.T) {
	var s Set
	for i := range MaxEndpoints + 10 {
		e := s.Endpoint(fmt.Sprint("E", i))
		e.Series(Key{Message, i}, func() string { return "T" }).Received(false)
	}
	one := s.Endpoint("E0")
	for i := range MaxSeries + 10 {
		one.Series(Key{Message, i}, func() string { return fmt.Sprint("T", i) }).Received(true)
	}
	snap := s.Snapshot()
	if len(snap.Endpoints) != MaxEndpoints {
		t.Errorf("%d endpoints", len(snap.Endpoints))
	}
	for _, e := range snap.Endpoints {
		switch e.Name {
		case "E0":
			if total := e.Total(); len(e.Series) != MaxSeries || total.Received != MaxSeries+11 || total.Asks != MaxSeries+10 {
				t.Errorf("E0: %d types, %+v", len(e.Series), total)
			}
			if last := e.Series[len(e.Series)-1]; last.Type != Other || last.Received != 11 {
				t.Errorf("the rest: %+v", last)
			}
		case Other:
			if total := e.Total(); total.Received != 11 {
				t.Errorf("the rest of the endpoints: %+v", total)
			}
		}
	}
	peers := make([]PeerRow, MaxPeers+10)
	for i := range peers {
		peers[i] = PeerRow{Address: fmt.Sprintf("10.0.0.%04d:1", i), Bytes: 1, Messages: 2}
	}
	folded := Fold(peers)
	if last := folded[len(folded)-1]; len(folded) != MaxPeers || last.Address != Other || last.Bytes != 11 || last.Messages != 22 {
		t.Error(len(folded), last)
	}
}

func TestIdleEndpointsHaveARow(t *testing.T) {
	var s Set
	for _, name := range []string{"B", "D"} {
		s.Endpoint(name).Series(Key{Message, 1}, func() string { return "T" }).Received(false)
	}
	snap := s.Snapshot()
	snap.Running([]string{"A", "B", "C"})
	var got string
	for _, e := range snap.Endpoints {
		got += fmt.Sprint(e.Name, e.Running, " ")
	}
	if want := "Atrue Btrue Ctrue Dfalse "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTypesOfOneNameAreOneRow(t *testing.T) {
	var s Set
	for i := range 3 {
		s.Endpoint("E").Series(Key{Message, i}, func() string { return "Shutdown" }).Received(false)
	}
	if rows := s.Snapshot().Endpoints[0].Series; len(rows) != 1 || rows[0].Received != 3 {
		t.Error(rows)
	}
}

func TestCountersAreForManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Set
		const goroutines, each = 8, 1000
		for g := range goroutines {
			go func() {
				for i := range each {
					series := s.Endpoint("E").Series(Key{Message, i % 3}, func() string { return fmt.Sprint(i % 3) })
					series.Received(g == 0)
					series.Observe(time.Microsecond, time.Millisecond)
					series.Handled(false)
					s.Sent(1)
					s.Drop(ReasonAnswer)
				}
			}()
		}
		synctest.Wait()
		snap := s.Snapshot()
		total := snap.Endpoints[0].Total()
		if total.Received != goroutines*each || total.Asks != each || total.Handled != goroutines*each || total.Wait.Count() != goroutines*each {
			t.Errorf("%+v", total)
		}
		if snap.SentBytes != goroutines*each || snap.Drops[0] != (DropRow{ReasonAnswer, goroutines * each}) {
			t.Errorf("%+v", snap)
		}
	})
}

func TestNamesReadBack(t *testing.T) {
	for k := range kinds {
		if KindOf(k.String()) != k {
			t.Error(k)
		}
	}
	for r := range reasons {
		if ReasonOf(r.String()) != r {
			t.Error(r)
		}
	}
	if KindOf("?") != Message || ReasonOf("?") != ReasonOther {
		t.Error("unknown names")
	}
}
