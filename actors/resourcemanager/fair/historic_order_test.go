package fair

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
)

// The hashes are those of String, NodeId, SchedulerRequestKey and ContainerId in Java, with 32 bits.
func TestHashesAreJavas(t *testing.T) {
	for text, want := range map[string]uint32{"": 0, "abc": 96354, "root.queue": 1782830341} {
		if got := javaHash(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	for id, want := range map[string]uint32{"h1:1234": 946182320, "host.example:45454": 1178354343, "h1:0": 946181086} {
		if got := historicNodeHash(id); got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
	for k, want := range map[Key]uint32{{0, 0}: 232347939, {1, 0}: 232348900, {20, 7}: 232367376, {-1, -5}: 232347102, {1, 1 << 40}: 232356836} {
		if got := keyHash(k); got != want {
			t.Errorf("%v: %d, want %d", k, got, want)
		}
	}
	for _, x := range []struct {
		ts                  int64
		app, attempt, epoch int32
		seq                 int64
		want                uint32
	}{{1767225600000, 3, 1, 0, 1, 600730490}, {1767225600000, 3, 2, 1, 7, 600738613}, {0, 1, 1, 0, 1<<33 + 5, 2856009157}} {
		id := ids.Container{Attempt: ids.Attempt{App: ids.Application{Timestamp: x.ts, ID: x.app}, Attempt: x.attempt}, Epoch: x.epoch, Seq: x.seq}
		if got := containerHash(id); got != x.want {
			t.Errorf("%s: %d, want %d", id, got, x.want)
		}
	}
}

// A HashMap grows when more than three quarters of its buckets are taken, a ConcurrentHashMap when as many are.
func TestHowManyBucketsJavaHas(t *testing.T) {
	for entries, want := range map[int][2]uint32{
		0: {16, 16}, 11: {16, 16}, 12: {16, 32}, 13: {32, 32}, 23: {32, 32}, 24: {32, 64}, 25: {64, 64}, 48: {64, 128}, 49: {128, 128},
	} {
		if got := [2]uint32{buckets(entries), concurrentBuckets(entries)}; got != want {
			t.Errorf("%d entries: %d, want %d", entries, got, want)
		}
	}
	for hash, want := range map[uint32]uint32{0: 0, 15: 15, 16: 0, 17: 1, 1 << 16: 1, 3<<16 | 5: 6} {
		if got := bucket(hash, 16); got != want {
			t.Errorf("%d is in bucket %d, want %d", hash, got, want)
		}
	}
}

// asked are asks as "priority:name".
func asked(asks []Ask) string {
	var all []string
	for _, a := range asks {
		all = append(all, fmt.Sprintf("%d:%s", a.Priority, a.Name))
	}
	return strings.Join(all, " ")
}

// asksOf are asks of "priority:name"s.
func asksOf(text string) (asks []Ask) {
	for word := range strings.FieldsSeq(text) {
		var priority int32
		var name string
		if _, err := fmt.Sscanf(word, "%d:%s", &priority, &name); err != nil {
			panic(err) // the test's own text
		}
		asks = append(asks, Ask{Key{priority, 0}, name, Resource{1, 1}, 1, true})
	}
	return asks
}

// The asks of a call go by the buckets of their keys, and those of a key by the buckets of their names. The names of a key are a
// map for themselves: one with 13 has 32 buckets. What is in one bucket stays as it came.
func TestTheOrderOfTheAsksOfACall(t *testing.T) {
	for text, want := range map[string]string{
		"0:* 1:* 2:* 3:* 4:* 5:*":                                                  "5:* 0:* 2:* 1:* 4:* 3:*",
		"1:* 1:h3 1:r1 1:h1 1:r2 1:host":                                           "1:r2 1:host 1:h1 1:* 1:h3 1:r1",
		"1:h2 1:* 1:h11 1:h1 1:rack9 1:h10":                                        "1:rack9 1:h10 1:h11 1:h1 1:h2 1:*",
		"1:* 0:r1 1:r1 0:* 1:h1 5:r1 5:host":                                       "5:host 5:r1 0:* 0:r1 1:h1 1:* 1:r1",
		"1:* 1:host 1:rack9 1:h1 1:r1 1:r2 1:h3 1:/r 1:h2 1:h10 1:h11 1:h12 1:h13": "1:r2 1:/r 1:h10 1:h12 1:h1 1:h11 1:* 1:h2 1:h3 1:h13 1:rack9 1:host 1:r1",
	} {
		asks := asksOf(text)
		if historicBatch(asks); asked(asks) != want {
			t.Errorf("%s: %s, want %s", text, asked(asks), want)
		}
	}
}

// Asks in the book go by the buckets of concurrent maps, which never shrink; keys of one bucket go as they came.
func TestTheOrderOfTheAsksThatAreKept(t *testing.T) {
	for _, x := range []struct{ asks, forgotten, want string }{
		{"0:* 1:* 2:* 3:* 4:* 5:*", "", "5:* 0:* 2:* 1:* 4:* 3:*"},
		{"1:* 1:h3 1:r1 1:h1 1:r2 1:host", "", "1:r2 1:host 1:h1 1:* 1:h3 1:r1"},
		{"1:* 1:host 1:rack9 1:h1 1:r1 1:r2 1:h3 1:/r 1:h2 1:h10 1:h11 1:x", "", "1:r2 1:/r 1:h10 1:h1 1:h11 1:* 1:h2 1:h3 1:rack9 1:host 1:x 1:r1"},
		{"37:* 21:* 5:* 6:* 22:* 38:*", "", "6:* 22:* 38:* 37:* 21:* 5:*"},
		{"5:* 38:* 21:* 22:* 37:* 6:*", "", "38:* 22:* 6:* 5:* 21:* 37:*"},
		{"1:* 1:h1 1:r1", "1:h1", "1:h1 1:* 1:r1"},
		{"1:host 1:rack9 1:h1 1:r1 1:r2 1:h3 1:/r 1:h2 1:h10 1:h11 1:x 1:*", "", "1:r2 1:/r 1:h10 1:h1 1:h11 1:h2 1:* 1:h3 1:rack9 1:host 1:x 1:r1"},
		{"1:host 1:rack9 1:h1 1:r1 1:r2 1:h3 1:/r 1:h2 1:h10 1:h11 1:x", "", "1:r2 1:/r 1:rack9 1:h10 1:host 1:x 1:h1 1:h11 1:h2 1:h3 1:r1"},
		{"5:* 13:* 6:* 7:* 8:* 9:* 10:* 11:* 12:* 0:* 1:*", "6:* 7:* 8:* 9:* 10:* 11:* 12:* 0:* 1:*", "5:* 13:*"},
		{"5:* 13:* 6:* 7:* 8:* 9:* 10:* 11:* 12:* 0:* 1:* 2:*", "6:* 7:* 8:* 9:* 10:* 11:* 12:* 0:* 1:* 2:*", "13:* 5:*"},
	} {
		b := &book{}
		for _, a := range asksOf(x.asks) {
			b.replace(a)
		}
		for _, a := range asksOf(x.forgotten) {
			a.Count = 0
			b.replace(a)
		}
		for range 20 { // a map of Go has its keys in any order
			if got := asked(b.historicAsks()); got != x.want {
				t.Fatalf("%s without %s: %s, want %s", x.asks, x.forgotten, got, x.want)
			}
		}
	}
}

// Lists by start are merged as Java's PriorityQueue of their heads has it: of equal ones not always the first.
func TestListsAreMergedAsJavaDoes(t *testing.T) {
	for _, x := range []struct {
		lists [][]int
		want  string
	}{
		{nil, ""},
		{[][]int{{}}, ""},
		{[][]int{{5}}, "a0"},
		{[][]int{{3}, {1}, {2}}, "b0 c0 a0"},
		{[][]int{{1, 1}, {1, 1}, {1, 1}}, "a0 c0 a1 c1 b0 b1"},
		{[][]int{{1, 4}, {1, 2, 3}, {1, 3}, {2, 2}}, "a0 b0 c0 b1 d0 d1 c1 b2 a1"},
		{[][]int{{7, 7}, {5, 6, 7}, {5, 5, 5}, {6, 6}, {5}, {7, 8}}, "b0 e0 c0 c1 c2 d0 b1 d1 a0 f0 a1 b2 f1"},
		{[][]int{{1, 9}, {1, 8}, {1, 7}, {1, 6}, {1, 5}, {1, 4}, {1, 3}}, "a0 g0 b0 d0 e0 c0 f0 g1 f1 e1 d1 c1 b1 a1"},
		{[][]int{{2}, {}, {1, 2, 2}, {2, 2}, {1, 1, 3}, {}, {1}}, "c0 e0 g0 e1 a0 d0 c1 d1 c2 e2"},
	} {
		var lists [][]*app
		for i, times := range x.lists {
			var list []*app
			for k, at := range times {
				a := &app{}
				a.Name, a.StartTime = fmt.Sprintf("%c%d", 'a'+i, k), time.Duration(at)
				list = append(list, a)
			}
			lists = append(lists, list)
		}
		var got []string
		for _, a := range historicMerge(lists) {
			got = append(got, a.Name)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%v: %v, want %s", x.lists, got, x.want)
		}
	}
}

// An ask that was met in all places is not in the book, but a place named by an ask for 0 containers is.
func TestWhatIsKeptOfAsksForNone(t *testing.T) {
	b := &book{}
	for _, a := range asksOf("1:* 1:h1 1:r1") {
		b.replace(a)
	}
	b.replace(Ask{Key{1, 0}, "r1", Resource{1, 1}, 2, true})
	b.take(b.byKey[Key{1, 0}], nodeLocal, "h1", "r1")
	if all, wanted := asked(b.historicAsks()), asked(b.asks()); all != "1:r1" || wanted != "1:r1" {
		t.Errorf("after the one at the host: %s, wanted are %s", all, wanted)
	}
	b.replace(Ask{Key{1, 0}, "r1", Resource{1, 1}, 0, true})
	if all, wanted := asked(b.historicAsks()), asked(b.asks()); all != "1:r1" || wanted != "" {
		t.Errorf("after an ask for none in the rack: %s, wanted are %s", all, wanted)
	}
}

// The asks of one call come into the book in the order of the buckets of that call: with 13 keys 21 comes before 5, which are in one
// bucket of a book of two keys.
func TestTheAsksOfACallComeInTheOrderOfItsBuckets(t *testing.T) {
	k := newKit(t, Upstream(), ``, nil)
	id := k.app(1, "root.a")
	asks := asksOf("5:* 21:* 0:* 1:* 2:* 3:* 4:* 6:* 7:* 8:* 9:* 10:* 11:*")
	for i := range asks[2:] {
		asks[2+i].Count = 0
	}
	k.asks(id, asks...)
	if got := asked(k.attempts[id].historicAsks()); got != "21:* 5:*" {
		t.Error(got)
	}
}

// Hadoop asks again for a container that has ended already, at each of its places where something is asked still.
func TestHadoopAsksAgainWhereSomethingIsAskedStill(t *testing.T) {
	one := func(name string, count int64) Ask { return Ask{Key{1, 0}, name, Resource{1024, 1}, count, true} }
	for _, x := range []struct {
		name   string
		change func(a *app, c *container)
		want   string
	}{
		{"all is asked still", func(*app, *container) {}, "map[*:4 h1:2 r1:3]"},
		{"none at the host", func(a *app, _ *container) { a.replace(one("h1", 0)) }, "map[*:4 r1:3]"},
		{"none in all", func(a *app, _ *container) { a.replace(one(Any, 0)) }, "map[]"},
		{"the last in all is given", func(a *app, _ *container) {
			a.replace(one(Any, 1))
			a.take(a.byKey[Key{1, 0}], offSwitch, "h9", "r9")
		}, "map[h1:2 r1:3]"},
		{"its application has it", func(_ *app, c *container) { c.taken = nil }, "map[*:3 h1:1 r1:2]"},
	} {
		k := newKit(t, Upstream(), ``, nil)
		id := k.app(1, "root.a")
		a := k.attempts[id]
		for _, ask := range []Ask{one("h1", 2), one("r1", 3), one(Any, 4)} {
			a.replace(ask)
		}
		taken := a.take(a.byKey[Key{1, 0}], nodeLocal, "h1", "r1")
		c := &container{Container: Container{Key: Key{1, 0}}, app: a, taken: &taken}
		x.change(a, c)
		c.historicAskAgain()
		if got := fmt.Sprint(k.pending(id)); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// Hadoop helps the application first that lacks the least, of two that lack the same the later one.
func TestHadoopHelpsTheLeastStarvedFirst(t *testing.T) {
	k := newKit(t, Upstream(), ``, nil)
	for i, lacks := range []int64{2, 1, 3, 1, 2} {
		a := k.attempts[k.app(int32(i), "root.a")]
		a.fairStarving = Resource{lacks * 1024, 0}
		k.Scheduler.starving = append(k.Scheduler.starving, a)
	}
	var order []int32
	for a := k.nextStarving(); a != nil; a = k.nextStarving() {
		order = append(order, a.id.App.ID)
	}
	if fmt.Sprint(order) != "[3 1 4 0 2]" {
		t.Error(order)
	}
}
