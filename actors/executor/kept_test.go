package executor_test

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/messages/app"
)

var (
	evens    = rdd.DefineCounter("executor test: evens")
	counting = rdd.Define("executor test: counting", func(none) rdd.Dataset[int64] {
		return rdd.Accumulate(rdd.Range(0, 10, 2), evens, func(n int64) int64 { return 1 - n%2 })
	})
)

func TestATaskBringsWhatItAccumulated(t *testing.T) {
	x := newTorrent(t)
	x.launch(task(t, counting.With(none{}), 1))
	got := x.end().GetResult().GetAccumulated()
	if len(got) != 1 || got[0].GetName() != "executor test: evens" || len(got[0].GetValue()) != 1 || got[0].GetValue()[0] != 6 { // 3, as a zigzag varint
		t.Errorf("%v", got)
	}
}

// What is behind a LocalCheckpoint is not computed again: the lineage ends there.
func TestABlockOfALocalCheckpointThatIsGone(t *testing.T) {
	x := newTorrent(t)
	d := keeping(t, keptSquares.With(none{}), 1)
	d.Persisted[0].LocalCheckpoint = true
	x.launch(d)
	u := x.end()
	if want := "Checkpoint block rdd_0_0 not found! Either the executor that originally checkpointed this partition is no longer alive"; u.GetState() != app.TaskState_FAILED ||
		!strings.HasPrefix(u.GetFailure().GetMessage(), want) || x.here("rdd_0_0") {
		t.Errorf("ended as %v; it was computed: %t", u, x.here("rdd_0_0"))
	}
}

// The log says what became of a copy that BlockManagerMaster asked for.
func TestTheLogSaysWhyABlockWasNotCopied(t *testing.T) {
	block := blocks.Encode([][]byte{[]byte("ab")})
	for want, tc := range map[string]struct {
		fraction string
		has      map[string][]byte
	}{
		"Block rdd_0_0 was not copied: fetch it from executor 4: ": {"0.6", nil},
		"Block rdd_0_0 was not copied: it does not fit":            {"0", map[string][]byte{"rdd_0_0": block}},
		"": {"0.6", map[string][]byte{"rdd_0_0": block}},
	} {
		x := newTorrent(t, &app.Property{Key: "spark.memory.fraction", Value: tc.fraction})
		x.blocks.others[9] = tc.has
		x.log.Reset()
		x.replicate()
		x.replicate() // where it is here already, nothing is to be said
		said := 0
		for _, e := range x.log.AllEntries() {
			if strings.HasPrefix(e.Message, "Block rdd_0_0 was not copied") {
				said++
				if want == "" || !strings.HasPrefix(e.Message, want) {
					t.Errorf("it says %q, want %q", e.Message, want)
				}
			}
		}
		if (said == 2) != (want != "") {
			t.Errorf("it says %d times why, want %q", said, want)
		}
	}
}
