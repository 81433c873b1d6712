package dag

import (
	"testing"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/messages/storage"
)

// by says which attempt a map output is of.
func by(mapID int64, m tasks.CompletionEvent) tasks.CompletionEvent {
	m.Result.GetMapStatus().MapId = mapID
	return m
}

func moved(mapID int64, executor string) event.MapOutputMoved {
	return event.MapOutputMoved{Shuffle: 0, MapID: mapID, To: &storage.BlockManagerId{ExecutorId: executor, Host: "h" + executor}}
}

// An output that has moved is not lost with the executor that wrote it, but with the one that has it.
func TestAnOutputThatHasMovedIsLostWithItsNewPlace(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	r.tell(by(10, mapped(0, 0, 0, "a", 0)), by(11, mapped(0, 0, 1, "a", 0)), by(12, mapped(0, 0, 2, "b", 0)))
	r.forget()
	r.tell(moved(11, "c"))
	r.want("T: move 11 of 0/1 to c")
	r.tell(lost(event.ExecutorLost, "a"))
	r.want("T: drop all at a, epoch 2")
	// The job fails to fetch the one that was left behind: only that is made again.
	r.tell(missed(1, 0, 0, 0, 0, "a", 1))
	r.Advance(resubmitDelay)
	r.want("L: job 0 stage 1.0 ends: gone", "S: submit 0.1 [0]", "L: job 0 stage 0.1: 1 tasks for shuffle 0")
	r.tell(by(13, mapped(0, 1, 0, "b", 2)))
	r.forget()
	r.tell(lost(event.ExecutorLost, "c"), missed(1, 1, 0, 0, 1, "c", 2))
	r.Advance(resubmitDelay)
	r.want("T: drop all at c, epoch 4", "L: job 0 stage 1.1 ends: gone", "S: submit 0.2 [1]", "L: job 0 stage 0.2: 1 tasks for shuffle 0")
}

// What is not known any more changes nothing: another attempt's output, one that was given up, a shuffle that is forgotten.
func TestAMoveOfAnUnknownOutputIsIgnored(t *testing.T) {
	r := newRig(t, nil)
	r.tell(moved(10, "c"))
	submit(r, counted.With(0))
	r.tell(by(10, mapped(0, 0, 0, "a", 0)), by(11, mapped(0, 0, 1, "b", 0)), by(12, mapped(0, 0, 2, "b", 0)))
	r.forget()
	r.tell(moved(13, "c"))
	r.want()
	r.tell(lost(event.ExecutorLost, "a"))
	r.forget()
	r.tell(moved(10, "c"))
	r.want()
	r.tell(moved(11, "c"), moved(11, "d"))
	r.want("T: move 11 of 0/1 to c", "T: move 11 of 0/1 to d")
}

// Each shuffle's moves are its own, and an output that lies nowhere cannot move, whatever its number.
func TestMovesOfSeveralShuffles(t *testing.T) {
	r := newRig(t, nil)
	submit(r, counted.With(0))
	submit(r, counted.With(1))
	r.tell(by(10, mapped(0, 0, 0, "a", 0)), by(20, mapped(2, 0, 0, "a", 0)), by(21, mapped(2, 0, 1, "b", 0)))
	r.forget()
	m := moved(20, "c")
	m.Shuffle = 1
	r.tell(m, moved(0, "c"))
	r.want("T: move 20 of 1/0 to c")
	r.tell(lost(event.ExecutorLost, "a"))
	r.forget()
	r.tell(moved(0, "c"))
	r.want()
}
