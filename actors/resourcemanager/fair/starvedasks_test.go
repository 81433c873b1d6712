package fair

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Preemption looks at as many requests as the starvation covers, and at one that is asked at several places once: at hosts,
// else at racks, else anywhere. In Hadoop the order is that of hash maps: r2, h1, h2 or *, h3, r1.
func TestWhichRequestsAreStarved(t *testing.T) {
	type ask struct {
		priority int32
		name     string
		gib      int64
		count    int64
	}
	for _, x := range []struct {
		name            string
		asks            []ask
		memory          int64 // MiB that it lacks
		fixed, upstream string
	}{
		{"at a host", []ask{{1, "h1", 1, 2}, {1, "r1", 1, 2}, {1, Any, 1, 2}}, 8192, "h1*2", "h1*2"},
		{"at two hosts of a rack", []ask{{1, "h1", 1, 1}, {1, "h2", 1, 2}, {1, "r1", 1, 3}, {1, Any, 1, 3}}, 8192, "h1*1 h2*2", "h1*1 h2*2"},
		{"at a rack", []ask{{1, "r1", 1, 2}, {1, Any, 1, 2}}, 8192, "r1*2", "**2"},
		{"at another rack", []ask{{1, "r2", 1, 2}, {1, Any, 1, 2}}, 8192, "r2*2", "r2*2"},
		{"at a rack that comes before its host", []ask{{1, "r2", 1, 2}, {1, "h3", 1, 2}, {1, Any, 1, 2}}, 8192, "h3*2", "r2*2"},
		{"at a host that comes behind anywhere", []ask{{1, "h4", 1, 2}, {1, "r1", 1, 2}, {1, Any, 1, 2}}, 8192, "h4*2", "**2"},
		{"anywhere", []ask{{1, Any, 1, 2}}, 8192, "**2", "**2"},
		{"at a host and in the rack of another", []ask{{1, "h1", 1, 1}, {1, "r1", 1, 1}, {1, "r2", 1, 1}, {1, Any, 1, 2}}, 8192, "h1*1 r2*1", "r2*1 h1*1"},
		{"at places that are not there", []ask{{1, "h9", 1, 1}, {1, "r9", 1, 1}, {1, Any, 1, 1}}, 8192, "**1", "**1"},
		{"at a host with two nodes", []ask{{1, "twin", 1, 1}, {1, "r2", 1, 1}, {1, Any, 1, 1}}, 8192, "twin*1", "r2*1 twin*1"},
		{"at a rack asked before its host", []ask{{1, Any, 1, 1}, {1, "r1", 1, 1}, {1, "h1", 1, 1}}, 8192, "h1*1", "h1*1"},
		{"at a rack asked behind anywhere", []ask{{1, Any, 1, 2}, {1, "r2", 1, 2}}, 8192, "r2*2", "r2*2"},
		{"anywhere, and less urgent at a host", []ask{{1, Any, 1, 1}, {2, "h1", 1, 1}, {2, "r1", 1, 1}, {2, Any, 1, 1}}, 8192, "**1 h1*1", ""},
		{"of two priorities", []ask{{2, "h1", 1, 1}, {2, "r1", 1, 1}, {2, Any, 1, 1}, {1, "h2", 1, 1}, {1, "r1", 1, 1}, {1, Any, 1, 1}}, 8192, "h2*1 h1*1", ""},
		{"as many as it lacks", []ask{{1, Any, 1, 5}}, 3072, "**3", "**3"},
		{"what is left for the next", []ask{{1, Any, 3, 1}, {2, Any, 1, 5}}, 5120, "**1 **2", ""},
		{"nothing left for the next", []ask{{1, Any, 1, 2}, {2, Any, 1, 5}}, 2048, "**2", ""},
		{"less than the first", []ask{{1, Any, 8, 1}, {2, Any, 1, 5}}, 4096, "", "**4"},
	} {
		for faults, want := range map[Faults]string{{}: x.fixed, Upstream(): x.upstream} {
			if faults == Upstream() && want == "" {
				continue // that order of priorities is a recorded case's
			}
			k := newKit(t, faults, ``, nil)
			for host, rack := range map[string]string{"h1": "r1", "h2": "r1", "h3": "r2", "h4": "r1", "twin": "r2"} {
				k.must(k.AddNode(0, NodeSpec{host + ":1", host, rack, Resource{8192, 8}}))
			}
			k.must(k.AddNode(0, NodeSpec{"twin:2", "twin", "r2", Resource{8192, 8}}))
			a := k.attempts[k.app(1, "root.a")]
			for _, q := range x.asks {
				a.replace(Ask{Key{q.priority, 0}, q.name, Resource{q.gib * 1024, 1}, q.count, true})
			}
			a.fairStarving = Resource{x.memory, 0}
			var got []string
			for _, q := range k.starvedAsks(a) {
				got = append(got, fmt.Sprintf("%s*%d", q.Name, q.Count))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("faults %v, %s: %q, want %q", faults, x.name, got, want)
			}
		}
	}
}

// A request that is cut to what is lacking is relaxed in Hadoop; one that is not stays as it is.
func TestACutRequestIsRelaxedInHadoop(t *testing.T) {
	for memory, relaxed := range map[int64]bool{1024: true, 2048: false} {
		for faults, want := range map[Faults]bool{{}: false, Upstream(): relaxed} {
			k := newKit(t, faults, ``, nil)
			a := k.attempts[k.app(1, "root.a")]
			a.replace(Ask{Key{1, 0}, Any, Resource{1024, 1}, 2, false})
			a.fairStarving = Resource{memory, 0}
			if got := k.starvedAsks(a); len(got) != 1 || got[0].Relax != want {
				t.Errorf("faults %v, %d MiB: %+v", faults, memory, got)
			}
		}
	}
	k := newKit(t, Faults{}, ``, nil)
	a := k.attempts[k.app(1, "root.a")]
	a.replace(Ask{Key{1, 0}, Any, Resource{1024, 1}, 2, true})
	a.fairStarving = Resource{1024, 0}
	if got := k.starvedAsks(a); len(got) != 1 || !got[0].Relax {
		t.Errorf("one that was relaxed: %+v", got)
	}
}

func TestHowOftenAPartFits(t *testing.T) {
	const exact = 1<<25 + 1 // not a float of 32 bits
	for _, x := range []struct{ part, whole, fixed, upstream int64 }{
		{1024, 1023, 0, 0}, {1024, 1024, 1, 1}, {1024, 3071, 2, 2}, {1, exact, exact, exact - 1}, {1024, 0, 0, 0}, {0, 0, 0, 0}, {0, 5, 0, math.MaxInt32},
	} {
		for faults, want := range map[Faults]int64{{}: x.fixed, Upstream(): x.upstream} {
			if got := newKit(t, faults, ``, nil).howOften(x.part, x.whole); got != want {
				t.Errorf("faults %v: %d in %d: %d, want %d", faults, x.part, x.whole, got, want)
			}
		}
	}
}
