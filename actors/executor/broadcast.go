package executor

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/broadcast"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// broadcasts are the values of broadcasts that tasks use or wait for.
type broadcasts struct {
	// reading are the tasks that wait for a value, by the broadcast's id. One of them reads for all, as BroadcastManager's KeyLock sees to.
	reading map[int64][]func(value any, err error)
	// users are how many tasks use the values of a lineage. The last one takes them out of it: a value that no task uses is the block
	// store's, which may give it up.
	users map[*rdd.Lineage]int
}

func newBroadcasts() broadcasts {
	return broadcasts{reading: map[int64][]func(any, error){}, users: map[*rdd.Lineage]int{}}
}

// withBroadcasts gives a lineage the values of its broadcasts, then calls then; at once where there are none. It mirrors
// TorrentBroadcast.readBroadcastBlock, which Spark calls in the task, at the first use.
func (e *Executor) withBroadcasts(c *rpcenv.Context, t *task, l *rdd.Lineage, then func(error)) {
	vars := l.Broadcasts()
	if len(vars) == 0 {
		then(nil)
		return
	}
	if e.tasks()[t.desc.GetTaskId()] != t { // it was killed while it waited for the lineage
		return
	}
	t.uses = l // before the first wait: another task that ends must not take the values away
	e.state.broadcasts.users[l]++
	left := len(vars)
	var failed error
	for _, v := range vars {
		e.broadcastValue(c, v, func(value any, err error) {
			if err == nil && t.uses == l { // else it was killed meanwhile
				err = v.Set(value)
			}
			if failed == nil { // the first one says enough: the others fail for the same reason
				failed = err
			}
			if left--; left == 0 {
				then(failed)
			}
		})
	}
}

// release ends a task's use of its broadcasts.
func (e *Executor) release(t *task) {
	l := t.uses
	if l == nil {
		return
	}
	t.uses = nil
	users := e.state.broadcasts.users
	if users[l]--; users[l] > 0 {
		return
	}
	delete(users, l)
	for _, v := range l.Broadcasts() {
		_ = v.Set(nil) // which fails for a value alone
	}
}

// broadcastValue calls then with the value of a broadcast: that which the block store has, or that of pieces which are fetched now.
func (e *Executor) broadcastValue(c *rpcenv.Context, v rdd.BroadcastVar, then func(any, error)) {
	info, name := v.Info(), blocks.BroadcastID(v.Info().ID)
	if value := e.cached.Value(name); value != nil {
		then(value, nil)
		return
	}
	reading := e.state.broadcasts.reading
	waiting := reading[info.ID]
	reading[info.ID] = append(waiting, then)
	if len(waiting) > 0 {
		return
	}
	r := e.reader(c, info)
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (any, error) {
		r.b = b
		encoded, err := r.read()
		if err != nil {
			return nil, err
		}
		return v.Decode(encoded)
	}, func(value any, err error) {
		if err == nil {
			e.cached.PutValue(name, value, info.Size)
			e.reportChanges(c) // what had to give way to it
		}
		waiting := reading[info.ID]
		delete(reading, info.ID)
		for _, f := range waiting {
			f(value, err)
		}
	})
}

// reader logs that a broadcast is read, and returns what reads it, in a body that sets its field b.
func (e *Executor) reader(c *rpcenv.Context, info rdd.BroadcastInfo) reader {
	c.Log().Infof("Started reading broadcast variable %d with %d pieces (estimated total size %d B)", info.ID, info.Pieces, info.Size)
	return reader{
		info: info, io: e.cfg.IO, self: e.blockManagerID(), cached: e.cached, master: e.blocks,
		// Of the endpoint's own stream: bodies have none.
		random: broadcast.Random(c.Rand().Uint64(), c.Rand().Uint64()),
	}
}

// reader fetches the pieces of one broadcast.
type reader struct {
	info   rdd.BroadcastInfo
	io     IO
	self   *storagepb.BlockManagerId
	cached *blocks.Store
	master rpcenv.Ref // BlockManagerMaster
	random *rand.Rand
	b      *rpcenv.Blocking
}

// read is the encoded value. The pieces come in random order, so that executors which begin together have different ones for each other. It
// mirrors TorrentBroadcast.readBlocks.
func (r reader) read() ([]byte, error) {
	pieces := make([][]byte, r.info.Pieces)
	for _, i := range r.random.Perm(len(pieces)) {
		var err error
		if pieces[i], err = r.piece(i); err != nil {
			return nil, err
		}
	}
	return broadcast.Join(r.info, pieces)
}

// piece is one piece: of this executor's blocks, else of another block manager. Then it is kept here and reported, for others to find.
func (r reader) piece(i int) ([]byte, error) {
	name, of := blocks.PieceID(r.info.ID, i), blocks.BroadcastID(r.info.ID)
	if kept, here := r.cached.Get(name); here {
		if err := (taskCache{&work{cached: r.cached}, r.b}).report(); err != nil { // it may have come back to memory
			return nil, err
		}
		return onePart(kept.Pieces)
	}
	data, err := r.fetch(name)
	if err != nil {
		return nil, fmt.Errorf("Failed to get %s of %s: %w", name, of, err)
	}
	if err := broadcast.Check(r.info, i, data); err != nil {
		return nil, err
	}
	w := r.cached.Writer(name, blocks.Level{Memory: true, Disk: true, Replication: 1})
	if w == nil { // kept by a reader that ended a moment ago
		return data, nil
	}
	w.Write(data)
	if err := w.Commit(); err != nil {
		return nil, fmt.Errorf("Failed to store %s of %s in local BlockManager: %w", name, of, err)
	}
	return data, (taskCache{&work{cached: r.cached}, r.b}).report()
}

// fetch brings a piece from one of those that BlockManagerMaster names: first those on this host, then other executors, each in random
// order, the driver at last. One that cannot give it is passed over.
func (r reader) fetch(name string) ([]byte, error) {
	answer, err := rpcenv.AskWait(r.b, r.master, &storagepb.GetLocationsAndStatus{BlockId: name, RequesterHost: r.self.GetHost()})
	if err != nil {
		return nil, err
	}
	var failed error
	for _, at := range r.order(answer.GetLocations()) {
		parts, err := (taskCache{&work{io: r.io}, r.b}).fetch(at, name)
		if err == nil {
			return onePart(parts)
		}
		if r.b.Done() {
			return nil, errKilled
		}
		failed = errors.Join(failed, fmt.Errorf("from %s:%d: %w", at.GetHost(), at.GetPort(), err))
	}
	if failed == nil {
		failed = errors.New("no block manager has it")
	}
	return nil, failed
}

// order is in which order block managers are tried.
func (r reader) order(all []*storagepb.BlockManagerId) []*storagepb.BlockManagerId {
	var near, far, last []*storagepb.BlockManagerId
	for _, at := range all {
		switch {
		case at.GetHost() == r.self.GetHost() && at.GetPort() == r.self.GetPort(): // it was given up a moment ago
		// In a local application the executor's own id is that of the driver.
		case at.GetExecutorId() == broadcast.Executor:
			last = append(last, at)
		case at.GetHost() == r.self.GetHost():
			near = append(near, at)
		default:
			far = append(far, at)
		}
	}
	for _, list := range [][]*storagepb.BlockManagerId{near, far} {
		r.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return append(append(near, far...), last...)
}

// onePart is the only part of a block that holds a piece.
func onePart(parts [][]byte) ([]byte, error) {
	if len(parts) != 1 {
		return nil, fmt.Errorf("%w: it has %d parts, not one", blocks.ErrDamaged, len(parts))
	}
	return parts[0], nil
}

// removeBroadcast gives up the value of a broadcast and its pieces. Tasks that use the value go on.
func (e *Executor) removeBroadcast(c *rpcenv.Context, m *storagepb.RemoveBroadcast) {
	call, cached := rpcenv.Defer(c, m), e.cached
	// In a body: it deletes files.
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) {
		return cached.RemoveBroadcast(m.GetBroadcastId(), m.GetRemoveFromDriver()), nil
	}, func(n int, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		e.reportChanges(c)
		call.Reply(&storagepb.RemovedBlocks{Blocks: int32(n)})
	})
}
