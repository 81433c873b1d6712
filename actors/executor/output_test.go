package executor

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/executor/fetch"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
)

// ShuffleBlockId: a name has three numbers, written as the name of the block is.
func TestTheNamesOfShuffleBlocks(t *testing.T) {
	for id, want := range map[string]bool{
		"shuffle_0_0_0": true, "shuffle_3_5_2": true, "shuffle_2147483647_9223372036854775807_1": true,
		"shuffle_3_5": false, "shuffle_3_5_": false, "shuffle_-1_5_2": false, "shuffle_3_-5_2": false, "shuffle_3_5_-2": false,
		"shuffle_03_5_2": false, "shuffle_3_5_2_1": false, "shuffle_3_5_2.data": false, "shuffle_2147483648_5_2": false, "rdd_3_5": false, "": false,
	} {
		shuffle, mapID, reduce, ok := ParseShuffleBlock(id)
		if ok != want || ok && blockID(shuffle, mapID, reduce) != id {
			t.Errorf("%q: %d, %d, %d, %t", id, shuffle, mapID, reduce, ok)
		}
	}
}

// TaskMetrics: what the reader of a shuffle has counted is a part of what the task read.
func TestAResultSaysWhatItsShufflesHaveCost(t *testing.T) {
	var got app.TaskResult
	report(&got, &rdd.Metrics{MemorySpilled: 1, DiskSpilled: 2, PeakMemory: 3, ShuffleBytesWritten: 4, ShuffleRecordsWritten: 5, ShuffleBytesRead: 6, ShuffleRecordsRead: 7},
		fetch.Metrics{RemoteBlocks: 8, LocalBlocks: 9, RemoteBytes: 10, RemoteToDisk: 11, LocalBytes: 12, Wait: 13 * time.Millisecond})
	want := &app.TaskResult{
		MemoryBytesSpilled: 1, DiskBytesSpilled: 2, PeakExecutionMemory: 3, ShuffleWrite: &app.ShuffleMetrics{Bytes: 4, Records: 5},
		ShuffleRead: &app.ShuffleMetrics{Bytes: 6, Records: 7, RemoteBlocks: 8, LocalBlocks: 9, RemoteBytes: 10, RemoteBytesToDisk: 11, LocalBytes: 12, FetchWaitMs: 13},
	}
	if !proto.Equal(&got, want) {
		t.Errorf("%v, want %v", &got, want)
	}
}

// Map outputs move in the order of their shuffles and attempts.
func TestOutputsAreInTheOrderOfTheirShuffles(t *testing.T) {
	want := []outputKey{{1, 9}, {2, 3}, {2, 10}, {10, 1}}
	o := ownOutputs{sizes: map[outputKey][]int64{}}
	for _, k := range slices.Backward(want) {
		o.add(k, []int64{1})
	}
	if got := o.sorted(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The outputs have moved when none waits and none is on its way, or when nothing moves any more.
func TestWhenOutputsHaveMoved(t *testing.T) {
	waits := []outputMove{{}}
	for _, k := range []struct {
		moves outputMoves
		want  bool
	}{
		{outputMoves{on: true}, true},
		{outputMoves{on: true, queue: waits}, false},
		{outputMoves{on: true, moving: 1}, false},
		{outputMoves{queue: waits, moving: 1}, true},
	} {
		if got := k.moves.done(); got != k.want {
			t.Errorf("%+v: %t", k.moves, got)
		}
	}
}
