package blocks_test

import (
	"testing"

	"github.com/coherer/coherer/actors/storage/blocks"
)

func TestParseBroadcastID(t *testing.T) {
	for name, want := range map[string]int64{
		"broadcast_0": 0, "broadcast_12_piece3": 12, blocks.BroadcastID(7): 7, blocks.PieceID(1<<40, 5): 1 << 40,
		"broadcast_": -1, "broadcast_01": -1, "broadcast_-1": -1, "broadcast_1_piece": -1, "broadcast_1_piece01": -1, "broadcast_1_piece-1": -1,
		"broadcast_1_meta": -1, "rdd_0_0": -1, "": -1, "broadcast_9223372036854775808": -1, "broadcast_1_piece+1": -1,
	} {
		got, ok := blocks.ParseBroadcastID(name)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v", name, got, ok)
		}
	}
}

// A value takes memory and gives way like a block, but is no block for others.
func TestAValueGivesWay(t *testing.T) {
	k := newKit(100)
	k.PutValue("broadcast_0", "value", 60)
	k.PutValue("broadcast_0", "another", 10)
	if v := k.Value("broadcast_0"); v != "value" || k.m.Usage().Storage != 60 {
		t.Errorf("value %v, usage %+v", v, k.m.Usage())
	}
	if _, ok := k.Get("broadcast_0"); ok || len(k.All()) > 0 || k.Changed() {
		t.Error("others see it")
	}
	k.NoteAll()
	k.PutValue("broadcast_1", "too large", 101)
	if k.Changed() || k.Value("broadcast_1") != nil {
		t.Error("it is noted, or kept without room")
	}
	k.put(t, "rdd_0_0", memoryOnly, 60)
	if v := k.Value("broadcast_0"); v != nil || k.m.Usage().Storage != 60 {
		t.Errorf("value %v, usage %+v after another one needed its room", v, k.m.Usage())
	}
	if got := k.Changes(); len(got) != 1 || got[0].ID != "rdd_0_0" {
		t.Errorf("changes %v", got)
	}
}

func TestABroadcastIsRemovedWhole(t *testing.T) {
	for _, noted := range []bool{false, true} {
		k := newKit(1000)
		k.PutValue("broadcast_1", "value", 60)
		for _, id := range []string{"broadcast_1_piece0", "broadcast_1_piece1", "broadcast_10_piece0"} {
			k.put(t, id, memoryAndDisk, 10)
		}
		k.Changes()
		if n := k.RemoveBroadcast(1, noted); n != 2 || k.Value("broadcast_1") != nil || len(k.All()) != 1 || k.m.Usage().Storage != 10 {
			t.Errorf("%d pieces removed, %v left, usage %+v", n, k.All(), k.m.Usage())
		}
		if got := len(k.Changes()); got != map[bool]int{true: 2}[noted] {
			t.Errorf("%d changes", got)
		}
		if n := k.RemoveBroadcast(1, noted); n != 0 {
			t.Errorf("%d removed again", n)
		}
	}
}
