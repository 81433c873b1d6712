package mapoutput

import (
	"fmt"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "MapOutputTracker"

// ErrUnknownShuffle fails a question for a shuffle that is not registered, or no longer.
var ErrUnknownShuffle = rpcenv.NewRefusal("mapoutput.unknown-shuffle", "unknown shuffle")

// Config is what a Tracker needs for long lists; with the zero Config it sends every list itself.
type Config struct {
	// MinSize is spark.shuffle.mapOutput.minSizeForBroadcast: from this size on, in bytes, a list goes by broadcast.
	MinSize int64
	// Broadcast keeps an encoded list for the executors, Unbroadcast gives one up; site says why. They are called in bodies. nil: no list
	// goes by broadcast.
	Broadcast   func(b *rpcenv.Blocking, encoded []byte) (rdd.BroadcastInfo, error)
	Unbroadcast func(b *rpcenv.Blocking, id int64, site string) error
}

// Tracker is the endpoint.
type Tracker struct {
	cfg  Config
	book book
	long map[int32]*longList
}

// New makes a Tracker without shuffles.
func New(cfg Config) *Tracker {
	return &Tracker{cfg, book{shuffles: map[int32][]*storage.MapStatus{}, changes: map[int32]int{}}, map[int32]*longList{}}
}

// Receive is a callback of the endpoint.
func (t *Tracker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *storage.GetMapOutputStatuses:
		t.getMapOutputStatuses(c, m)
	case RegisterShuffle:
		t.book.register(m.Shuffle, m.Maps)
	case RegisterMapOutput:
		t.registerMapOutput(c, m)
	case UpdateMapOutput:
		t.book.move(m.Shuffle, m.MapIndex, m.MapID, m.Location)
	case UnregisterMapOutput:
		t.book.drop(m.Shuffle, m.MapIndex, m.Executor)
		t.book.raise(m.Epoch)
	case UnregisterAllMapOutput:
		t.book.clear(m.Shuffle)
		t.book.raise(m.Epoch)
	case RemoveOutputsOnExecutor:
		t.book.dropAll(func(at *storage.BlockManagerId) bool { return at.GetExecutorId() == m.Executor })
		t.book.raise(m.Epoch)
	case RemoveOutputsOnHost:
		t.book.dropAll(func(at *storage.BlockManagerId) bool { return at.GetHost() == m.Host })
		t.book.raise(m.Epoch)
	case IncrementEpoch:
		t.book.raise(m.Epoch)
	case UnregisterShuffle:
		t.book.forget(m.Shuffle)
		t.giveUp(c, m.Shuffle)
	default:
		c.Unsupported(m)
	}
}

func (t *Tracker) getMapOutputStatuses(c *rpcenv.Context, m *storage.GetMapOutputStatuses) {
	statuses, ok := t.book.statuses(m.GetShuffleId())
	if !ok {
		rpcenv.Fail(c, m, fmt.Errorf("%w %d: its job is over", ErrUnknownShuffle, m.GetShuffleId()))
		return
	}
	if !t.byBroadcast(c, m, statuses) {
		rpcenv.Reply(c, m, statuses)
	}
}

func (t *Tracker) registerMapOutput(c *rpcenv.Context, m RegisterMapOutput) {
	if !t.book.put(m.Shuffle, m.MapIndex, m.Status) {
		c.Log().Warnf("Asked to register map output %d of unknown shuffle %d", m.MapIndex, m.Shuffle)
	}
}
