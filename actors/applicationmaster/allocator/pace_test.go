package allocator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
)

const ms = time.Millisecond

func sleeps(p *allocator.Pace, n int) string {
	var out []string
	for range n {
		out = append(out, fmt.Sprint(float64(p.Sleep(true))/float64(ms)))
	}
	return "[" + strings.Join(out, " ") + "]"
}

func TestTheBackOffIs200To3000(t *testing.T) {
	p := allocator.NewPace(3000*ms, 200*ms, 2*time.Minute)
	if got := sleeps(&p, 7); got != "[200 400 800 1600 3000 3000 3000]" {
		t.Error(got)
	}
	p.Reset()
	if got := sleeps(&p, 2); got != "[200 400]" {
		t.Error(got)
	}
	if got := p.Sleep(false); got != 3000*ms {
		t.Error("with nothing wanted:", got)
	}
	if got := sleeps(&p, 2); got != "[200 400]" {
		t.Error("after nothing was wanted:", got)
	}
}

func TestTheIntervalsAreLimited(t *testing.T) {
	for _, v := range []struct{ heartbeat, initial, expiry, wantHeartbeat, wantInitial time.Duration }{
		{3000, 200, 120000, 3000, 200},
		{3000, 200, 4000, 2000, 200},
		{100, 200, 120000, 100, 100},
		{-5, 200, 120000, 0, 0},
	} {
		p := allocator.NewPace(v.heartbeat*ms, v.initial*ms, v.expiry*ms)
		if p.Heartbeat != v.wantHeartbeat*ms || p.Initial != v.wantInitial*ms {
			t.Errorf("%+v: %+v", v, p)
		}
	}
}

func TestWhoIsWokenWaitsForTheRestOfTheGap(t *testing.T) {
	p := allocator.NewPace(3000*ms, 200*ms, 2*time.Minute)
	for since, want := range map[time.Duration]time.Duration{0: 200, 50: 150, 200: 0, 2900: 0} {
		if got := p.Rest(since * ms); got != want*ms {
			t.Error(since, got)
		}
	}
}
