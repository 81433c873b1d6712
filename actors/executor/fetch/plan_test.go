package fetch

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	storagepb "github.com/coherer/coherer/messages/storage"
)

// on is a block of an executor, whose port is 100 more than its number.
func on(executor, index int, size int64) Block {
	at := &storagepb.BlockManagerId{ExecutorId: fmt.Sprint(executor), Host: fmt.Sprintf("h%d", executor), Port: int32(100 + executor)}
	return Block{ID: fmt.Sprintf("shuffle_4_%d_0", index), Index: index, Size: size, At: at}
}

// texts are requests as executor and blocks.
func texts(requests []*request) []string {
	var out []string
	for _, r := range requests {
		out = append(out, fmt.Sprintf("%s%v", r.executor, r.blocks))
	}
	return out
}

func always(Block) bool { return true }

// Blocks of one executor share a request, until they are a fifth of what may be in flight.
func TestRequestsAreAFifthOfWhatMayBeInFlight(t *testing.T) {
	many := Limits{InFlight: 100, Requests: 9, Blocks: 9}
	for _, c := range []struct {
		name   string
		limits Limits
		blocks []Block
		want   []string
	}{
		{"two executors in turn", many, []Block{on(1, 0, 5), on(2, 1, 5), on(1, 2, 5), on(2, 3, 5)}, []string{"1[0 2]", "2[1 3]"}},
		{"a fifth ends a request", many, []Block{on(1, 0, 19), on(1, 1, 1), on(1, 2, 1)}, []string{"1[0 1]", "1[2]"}},
		{"a large block is in the request that it ends", many, []Block{on(1, 0, 1), on(1, 1, 70), on(1, 2, 1)}, []string{"1[0 1]", "1[2]"}},
		{
			"so many blocks of an address end one",
			Limits{InFlight: 100, Requests: 9, Blocks: 2},
			[]Block{on(1, 0, 1), on(1, 1, 1), on(1, 2, 1)},
			[]string{"1[0 1]", "1[2]"},
		},
		{
			"blocks far apart have requests of their own", many,
			[]Block{on(1, 0, 5), on(2, 1, 60), on(3, 2, 31), on(1, 3, 5)},
			[]string{"1[0]", "2[1]", "3[2]", "1[3]"},
		},
		{
			"blocks less far apart share one", many,
			[]Block{on(1, 0, 5), on(2, 1, 60), on(3, 2, 30), on(1, 3, 5)},
			[]string{"1[0 3]", "2[1]", "3[2]"},
		},
	} {
		if got := texts(plan(c.blocks, always, c.limits)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	own := func(b Block) bool { return b.At.GetExecutorId() != "1" }
	if got := texts(plan([]Block{on(1, 0, 5), on(2, 1, 5)}, own, many)); !slices.Equal(got, []string{"2[1]"}) {
		t.Errorf("%q", got)
	}
}

// Requests go out within the limits, in their order but for an address that has its share.
func TestRequestsGoOutWithinTheLimits(t *testing.T) {
	blocks := []Block{on(1, 0, 20), on(1, 1, 20), on(2, 2, 20), on(1, 3, 20), on(2, 4, 20), on(3, 5, 20), on(3, 6, 50)}
	w := newWindow(Limits{InFlight: 100, Requests: 3, Blocks: 1}, plan(blocks, always, Limits{InFlight: 100, Blocks: 1}))
	out := func(wanted int, want ...string) {
		t.Helper()
		if got := texts(w.next(wanted)); !slices.Equal(got, want) {
			t.Errorf("%q go out, want %q", got, want)
		}
	}
	out(0, "1[0]", "2[2]", "3[5]") // one block of an address at once, three requests
	out(0)
	w.came(blocks[0].addr())
	out(0) // the request has not ended
	w.ended()
	out(0, "1[1]")
	w.came(blocks[5].addr())
	w.came(blocks[1].addr())
	w.ended()
	w.ended()
	out(1, "1[3]") // 100 bytes are in flight now, until they are read
	w.came(blocks[3].addr())
	w.ended()
	w.read(20)
	w.came(blocks[2].addr())
	w.ended()
	out(1, "2[4]")
	w.came(blocks[4].addr())
	w.ended()
	out(1)
	w.read(20)
	w.read(20)
	out(3)
	out(6, "3[6]") // over the limit, but the reader needs it now
}

// What is held at once is less than twice the limit, and one block: whatever the blocks, wherever they lie.
func TestWhatIsHeldIsBounded(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := Limits{InFlight: 100, Requests: rapid.IntRange(1, 5).Draw(r, "requests"), Blocks: rapid.IntRange(1, 9).Draw(r, "of an address")}
		var blocks []Block
		largest := int64(0)
		for i, size := range rapid.SliceOfN(rapid.Int64Range(1, 130), 1, 60).Draw(r, "sizes") {
			blocks = append(blocks, on(rapid.IntRange(1, 9).Draw(r, "executor"), i, size))
			largest = max(largest, size)
		}
		w := newWindow(l, plan(blocks, always, l))
		var open []*request
		come := map[int]bool{}
		for i := range blocks {
			for !come[i] { // the reader waits
				open = append(open, w.next(i)...)
				if w.bytes >= 2*l.InFlight+largest || w.requests > l.Requests {
					r.Fatalf("%d bytes in %d requests", w.bytes, w.requests)
				}
				for at, n := range w.blocks {
					if n > l.Blocks {
						r.Fatalf("%d blocks of %s at once", n, at)
					}
				}
				if len(open) == 0 {
					r.Fatalf("the reader waits for block %d for ever", i)
				}
				k := rapid.IntRange(0, len(open)-1).Draw(r, "which comes")
				for _, j := range open[k].blocks {
					come[j] = true
					w.came(open[k].at)
				}
				w.ended()
				open = slices.Delete(open, k, k+1)
			}
			w.read(blocks[i].Size)
		}
		if w.bytes != 0 || w.requests != 0 || len(w.waiting) != 0 {
			r.Errorf("at the end %d bytes, %d requests, %d waiting", w.bytes, w.requests, len(w.waiting))
		}
	})
}
