package fair

import "testing"

// TestBelowLooksAtOneType: usage is below a share by what it has most of alone, and Less by the other when that is equal.
func TestBelowLooksAtOneType(t *testing.T) {
	cluster := Resource{8192, 8}
	for _, c := range []struct {
		policy      string
		a, b        Resource
		cluster     Resource
		less, below bool
	}{
		{"fair", Resource{1, 9}, Resource{2, 1}, cluster, true, true},
		{"fair", Resource{2, 1}, Resource{2, 9}, cluster, false, false},
		{"fifo", Resource{1, 9}, Resource{2, 1}, cluster, true, true},
		{"drf", Resource{4096, 2}, Resource{4096, 4}, cluster, true, false},
		{"drf", Resource{4096, 2}, Resource{1024, 4}, cluster, false, false},
		{"drf", Resource{1024, 4}, Resource{4096, 2}, cluster, true, false},
		{"drf", Resource{1024, 3}, Resource{4096, 2}, cluster, true, true},
		{"drf", Resource{4096, 4}, Resource{4096, 4}, cluster, false, false},
		{"drf", Resource{1024, 9}, Resource{2048, 1}, Resource{8192, 0}, true, true},
		{"drf", Resource{1024, 1}, Resource{2048, 1}, Resource{}, true, true},
		{"drf", Resource{1024, 2}, Resource{2048, 1}, Resource{}, false, false},
	} {
		p := policyOf(c.policy, Faults{})
		if less, below := p.Less(c.a, c.b, c.cluster), p.Below(c.a, c.b, c.cluster); less != c.less || below != c.below {
			t.Errorf("%s: %v and %v on %v: less %v, below %v", c.policy, c.a, c.b, c.cluster, less, below)
		}
	}
}

func TestHeadroom(t *testing.T) {
	share, usage, most := Resource{4096, 2}, Resource{1024, 3}, Resource{8192, 5}
	for policy, want := range map[string]Resource{"fair": {3072, 5}, "fifo": {3072, 5}, "drf": {3072, 0}} {
		if got := policyOf(policy, Faults{}).Headroom(share, usage, most); got != want {
			t.Errorf("%s: %v, want %v", policy, got, want)
		}
	}
}

func TestAMaxAMShareBelowZeroLimitsNothing(t *testing.T) {
	const file = `<queue name="a"><maxAMShare>-0.5</maxAMShare></queue><queue name="b"><maxAMShare>-1.0</maxAMShare></queue>`
	for faults, want := range map[Faults]bool{{}: true, {amShareUnset: true}: false} {
		s := submitted(t, faults, file)
		if got := s.mayRunAM(s.queues["root.a"], Resource{1, 1}); got != want {
			t.Errorf("faults %v: -0.5 lets an ApplicationMaster run: %v", faults, got)
		}
		if !s.mayRunAM(s.queues["root.b"], Resource{1, 1}) {
			t.Errorf("faults %v: -1 limits", faults)
		}
	}
}
