package executor

import (
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/storage/broadcast"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// readOutputs reads the list of map outputs for which an answer names a broadcast. It mirrors MapOutputTracker.deserializeOutputStatuses.
func (e *Executor) readOutputs(c *rpcenv.Context, answer *storagepb.MapOutputStatuses, then func(*storagepb.MapOutputStatuses, error)) {
	info, err := broadcast.FromProto(answer.GetBroadcast())
	if err != nil {
		then(nil, err)
		return
	}
	r := e.reader(c, info)
	rpcenv.Run(c, "", func(b *rpcenv.Blocking) (*storagepb.MapOutputStatuses, error) {
		r.b = b
		encoded, err := r.read()
		if err != nil {
			return nil, err
		}
		var list storagepb.MapOutputStatuses
		if err := proto.Unmarshal(encoded, &list); err != nil {
			return nil, err
		}
		list.Epoch = max(list.GetEpoch(), answer.GetEpoch()) // the list may be older than the answer
		return &list, nil
	}, then)
}
