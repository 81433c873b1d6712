package fair

import (
	"testing"
	"time"
)

// Delay by offers: beyond a part of the nodes the next level is allowed, and the count begins anew; a part below 0 is no delay.
func TestDelayByOffers(t *testing.T) {
	for _, parts := range [][2]float64{{-1, 0.5}, {0.5, -1}} {
		if got := (&delay{}).byOffers(4, parts[0], parts[1]); got != offSwitch {
			t.Errorf("%v: %s", parts, got)
		}
	}
	for _, x := range []struct {
		node, rack float64
		rackAt     int // the offer that may be rack local, the first being 1
		offAt      int
	}{{0.5, 0.25, 3, 5}, {0.25, 0.5, 2, 5}, {0, 0, 2, 3}, {5, 5, 5, 10}} {
		d, rackAt, offAt := &delay{}, 0, 0
		for offer := 1; offAt == 0 && offer < 50; offer++ {
			d.missed++
			switch level := d.byOffers(4, x.node, x.rack); {
			case level == rackLocal && rackAt == 0:
				rackAt = offer
			case level == offSwitch:
				offAt = offer
			}
		}
		if d.missed = 100; rackAt != x.rackAt || offAt != x.offAt || d.byOffers(4, x.node, x.rack) != offSwitch {
			t.Errorf("%+v: in the rack from offer %d, anywhere from %d", x, rackAt, offAt)
		}
	}
}

// Delay by time: later than the wait of a level the next one is allowed, and a wait below 0 is no delay.
func TestDelayByTime(t *testing.T) {
	for _, waits := range [][2]time.Duration{{-1, 5}, {5, -1}} {
		if got := (&delay{}).byTime(0, waits[0], waits[1]); got != offSwitch {
			t.Errorf("%v: %s", waits, got)
		}
	}
	if got := (&delay{}).byTime(0, 0, 0); got != nodeLocal {
		t.Errorf("without a wait first %s", got)
	}
	d := &delay{missed: 3}
	for _, x := range []struct {
		now   time.Duration
		level locality
	}{{10, nodeLocal}, {14, nodeLocal}, {15, rackLocal}, {22, rackLocal}, {23, offSwitch}, {99, offSwitch}} {
		if got := d.byTime(x.now, 4, 7); got != x.level {
			t.Errorf("at %d: %s, want %s", x.now, got, x.level)
		}
	}
	if d.missed != 0 {
		t.Errorf("%d offers are missed", d.missed)
	}
}

// A nearer container sets the level back to its own, a farther one does not; nor does one before the delay began.
func TestANearerContainerSetsTheDelayBack(t *testing.T) {
	for _, x := range []struct {
		begun                bool
		allowed, given, want locality
	}{
		{true, offSwitch, nodeLocal, nodeLocal},
		{true, offSwitch, rackLocal, rackLocal},
		{true, rackLocal, offSwitch, rackLocal},
		{false, rackLocal, nodeLocal, rackLocal},
		{true, rackLocal, rackLocal, rackLocal},
	} {
		d := &delay{begun: x.begun, allowed: x.allowed}
		if d.given(x.given); d.allowed != x.want {
			t.Errorf("%+v: %s", x, d.allowed)
		}
	}
}

// A request that waits for a nearer node does not hold back a less urgent one.
func TestAWaitingRequestHoldsNothingBack(t *testing.T) {
	k := newKit(t, Faults{}, ``, func(c *Config) { c.NodeThreshold, c.RackThreshold = 1, 1 })
	k.node("h1", "r1", 8, 8)
	k.node("h2", "r2", 8, 8)
	k.asks(k.app(1, "root.a"), Ask{Key{1, 0}, "h2", Resource{1024, 1}, 1, true}, Ask{Key{1, 0}, "r2", Resource{1024, 1}, 1, true},
		Ask{Key{1, 0}, Any, Resource{1024, 1}, 1, true}, Ask{Key{2, 0}, Any, Resource{2048, 1}, 1, true})
	if events := k.beat("h1"); len(events) != 1 || events[0].Key.Priority != 2 {
		t.Errorf("%+v", events)
	}
}

// The time since which a request waits is counted by passes, when there are some.
func TestAPassIsOfItsTime(t *testing.T) {
	k := newKit(t, Faults{}, ``, func(c *Config) { c.Continuous, c.NodeDelay, c.RackDelay = true, 4*time.Second, 4*time.Second })
	k.node("h1", "r1", 4, 4)
	k.asks(k.app(1, "root.a"), near("h2", "r1", 1)...)
	same(t, "at first", k.ContinuousPass(k.now))
	k.now = 4 * time.Second
	same(t, "after as long as it waits", k.ContinuousPass(k.now))
	k.now++
	same(t, "later", k.ContinuousPass(k.now), "allocated 1:1 h1:1")
}
