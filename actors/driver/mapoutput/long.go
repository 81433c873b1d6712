package mapoutput

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// longList is the list of a shuffle's map outputs that goes by broadcast.
type longList struct {
	changes int                        // of the shuffle, when the list was taken
	answer  *storage.MapOutputStatuses // nil: it is being made
	waiting []rpcenv.Call[*storage.MapOutputStatuses]
}

// byBroadcast answers a question by a broadcast of the statuses, and reports whether they are long enough for that. The broadcast is the one
// that was made of the same statuses, else a new one. When none can be made the statuses go as they are. It mirrors
// ShuffleStatus.serializedMapStatus.
func (t *Tracker) byBroadcast(c *rpcenv.Context, q *storage.GetMapOutputStatuses, statuses *storage.MapOutputStatuses) bool {
	shuffle := q.GetShuffleId()
	l, changes := t.long[shuffle], t.book.changes[shuffle]
	switch {
	case t.cfg.Broadcast == nil:
		return false
	case l != nil && l.changes == changes && l.answer != nil:
		rpcenv.Reply(c, q, &storage.MapOutputStatuses{Broadcast: l.answer.GetBroadcast(), Epoch: t.book.epoch})
		return true
	case l != nil && l.changes == changes:
		l.waiting = append(l.waiting, rpcenv.Defer(c, q))
		return true
	case int64(proto.Size(statuses)) < t.cfg.MinSize:
		return false
	}
	t.giveUp(c, shuffle)
	l = &longList{changes: changes, waiting: []rpcenv.Call[*storage.MapOutputStatuses]{rpcenv.Defer(c, q)}}
	t.long[shuffle] = l
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (*storage.MapOutputStatuses, error) {
		encoded, err := proto.Marshal(statuses)
		if err != nil {
			return nil, err
		}
		info, err := t.cfg.Broadcast(b, encoded)
		return &storage.MapOutputStatuses{Broadcast: broadcast.ToProto(info), Epoch: statuses.GetEpoch()}, err
	}, func(answer *storage.MapOutputStatuses, err error) {
		if err != nil {
			c.Log().Warnf("The map outputs of shuffle %d go without a broadcast: %v", shuffle, err)
			answer = statuses
		}
		for _, call := range l.waiting {
			call.Reply(answer)
		}
		l.waiting = nil
		switch {
		case err != nil:
			if t.long[shuffle] == l { // the next question tries again
				delete(t.long, shuffle)
			}
		case t.long[shuffle] == l:
			l.answer = answer
		default: // the shuffle is over, or its outputs have changed: whoever was just answered asks again
			t.unbroadcast(c, shuffle, answer.GetBroadcast().GetId())
		}
	})
	return true
}

// giveUp forgets the list of a shuffle, if it has one, and its broadcast. byBroadcast gives up that of a list that is still being made.
func (t *Tracker) giveUp(c *rpcenv.Context, shuffle int32) {
	l := t.long[shuffle]
	delete(t.long, shuffle)
	if l != nil && l.answer != nil {
		t.unbroadcast(c, shuffle, l.answer.GetBroadcast().GetId())
	}
}

// unbroadcast makes driver and executors give a broadcast up. After an error its pieces take room, and do no other harm.
func (t *Tracker) unbroadcast(c *rpcenv.Context, shuffle int32, id int64) {
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (bool, error) {
		return true, t.cfg.Unbroadcast(b, id, fmt.Sprintf("map outputs of shuffle %d", shuffle))
	}, func(_ bool, err error) {
		if err != nil {
			c.Log().Warnf("The broadcast %d of the map outputs of shuffle %d stays: %v", id, shuffle, err)
		}
	})
}
