package measure

import (
	"testing"
	"time"
)

// A role with many peers has the time for them to come up.
func TestPeersHaveTimeToComeUp(t *testing.T) {
	few, many := spec(Heartbeat, 0, 1), spec(Heartbeat, 0, 1)
	few.Pairs, many.Pairs = 100, 1100
	if d := many.patience() - few.patience(); d != 5*time.Second {
		t.Errorf("1,000 peers more have %s more, want 5s", d)
	}
	ask := spec(RemoteAsk, 76, 1)
	if d := ask.patience(); d != ask.WarmUp+ask.Duration+Stall {
		t.Errorf("an ask has %s", d)
	}
}
