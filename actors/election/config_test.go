package election

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

func TestAConfigThatCannotBeIsNamed(t *testing.T) {
	at := func(ports ...int) (out []rpcenv.Address) {
		for _, port := range ports {
			out = append(out, rpcenv.Address{Host: "h", Port: port})
		}
		return out
	}
	number := func(n int) string {
		return fmt.Sprintf("%v: %d Masters: want 1, 3, 5 or 7: an even number bears no more losses than one less", ErrPeers, n)
	}
	twice := ErrPeers.Error() + ": h:2 is listed twice: two Masters cannot have one address"
	for _, c := range []struct {
		peers []rpcenv.Address
		want  string
	}{
		{at(1), ""},
		{at(3, 1, 2), ""},
		{at(1, 2, 3, 4, 5), ""},
		{at(1, 2, 3, 4, 5, 6, 7), ""},
		{nil, number(0) + "\n" + ErrPeers.Error() + ": this Master is h:1, which is not among its peers []: name it there as it listens"},
		{at(1, 2), number(2)},
		{at(1, 2, 3, 4, 5, 6, 7, 8), number(8)},
		{at(1, 2, 3, 4, 5, 6, 7, 8, 9), number(9)},
		{at(2, 1, 2), twice},
		{at(1, 2, 2), twice},
		{at(1, 1, 3), ErrPeers.Error() + ": h:1 is listed twice: two Masters cannot have one address"},
		{at(2, 3, 4), ErrPeers.Error() + ": this Master is h:1, which is not among its peers [h:2 h:3 h:4]: name it there as it listens"},
		{at(1, 2, 0), ErrPeers.Error() + `: "h:0": want HOST:PORT, with the port that the Master listens at`},
		{
			append(at(1, 2), rpcenv.Address{Port: 3}),
			ErrPeers.Error() + `: ":3": want HOST:PORT, with the port that the Master listens at`,
		},
	} {
		cfg := Config{Self: at(1)[0], Peers: c.peers, Log: &MemoryLog{}}
		got := ""
		if err := cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.peers, got, c.want)
		}
	}
	if err := (&Config{Self: at(1)[0], Peers: at(1)}).Validate(); err == nil || err.Error() != "an election needs a log" {
		t.Errorf("without a log: %v", err)
	}
}

func TestWhatAConfigLeavesOut(t *testing.T) {
	got := New(Config{}).cfg
	if got.Silence != time.Second || got.Heartbeat != 200*time.Millisecond || got.SnapshotBytes != 1<<20 || got.Keep != 1000 || got.Tell != "Master" {
		t.Errorf("%+v", got)
	}
	if got := New(Config{Silence: 3 * time.Second}).cfg.Heartbeat; got != 600*time.Millisecond {
		t.Errorf("a heartbeat each %s of 3 s", got)
	}
	got = New(Config{Silence: 3, Heartbeat: 2, SnapshotBytes: 5, Keep: 6, Tell: "X"}).cfg
	if got.Silence != 3 || got.Heartbeat != 2 || got.SnapshotBytes != 5 || got.Keep != 6 || got.Tell != "X" {
		t.Errorf("%+v", got)
	}
}

// The number of a Master is its place in the sorted list, and all must have the same: votes are of numbers.
func TestMastersAreNumberedAlike(t *testing.T) {
	at := func(port int) rpcenv.Address { return rpcenv.Address{Host: "h", Port: port} }
	e := New(Config{Self: at(9), Peers: []rpcenv.Address{at(9), at(8), at(10)}}) // by their texts
	if !slices.Equal(e.peers, []rpcenv.Address{at(10), at(8), at(9)}) || e.self != 3 || e.majority() != 2 {
		t.Errorf("this is %d of %v, of which %d decide", e.self, e.peers, e.majority())
	}
	for number, want := range []rpcenv.Address{{}, at(10), at(8), at(9), {}} {
		if got := e.address(uint64(number)); got != want {
			t.Errorf("%d is %s, want %s", number, got, want)
		}
		if n := e.number(want); !want.IsZero() && n != uint64(number) {
			t.Errorf("%s is %d, want %d", want, n, number)
		}
	}
	if n := e.number(at(7)); n != 0 {
		t.Errorf("a stranger is %d", n)
	}
	if got := e.others(); !slices.Equal(got, []rpcenv.Address{at(10), at(8)}) {
		t.Errorf("the others are %v", got)
	}
	for n, want := range map[int]int{1: 1, 3: 2, 5: 3, 7: 4} {
		e.peers = make([]rpcenv.Address, n)
		if got := e.majority(); got != want {
			t.Errorf("%d of %d decide, want %d", got, n, want)
		}
	}
	// Masters of two versions of this program compare it: FNV-1a of the lines h:10, h:8 and h:9.
	if got := Digest([]rpcenv.Address{at(9), at(10), at(8)}); got != 0xd8a3f2493eccaac9 {
		t.Errorf("the digest is %#x", got)
	}
}

func TestALogIsBehindOneThatEndsInALaterTermOrWithALaterEntry(t *testing.T) {
	at := position{index: 5, term: 3}
	for _, c := range []struct {
		index, term uint64
		want        bool
	}{{5, 3, false}, {4, 3, false}, {6, 3, true}, {4, 4, true}, {5, 4, true}, {6, 2, false}} {
		if got := at.before(position{c.index, c.term}); got != c.want {
			t.Errorf("entry %d of term %d: %v", c.index, c.term, got)
		}
	}
}
