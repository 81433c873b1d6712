package rdd

import (
	"context"
	"fmt"
	"sync"
)

// localBroadcasts are the Broadcasts of a Local runner, encoded, by ID.
type localBroadcasts struct {
	mu        sync.Mutex
	values    [][]byte
	destroyed map[int64]string // where
}

// Broadcast implements Broadcaster.
func (x *localBroadcasts) Broadcast(_ context.Context, encoded []byte) (BroadcastInfo, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.values = append(x.values, encoded)
	return BroadcastInfo{ID: int64(len(x.values)) - 1, Size: int64(len(encoded)), Pieces: 1}, nil
}

// Unbroadcast implements Broadcaster. There are no executors that could give a value up.
func (x *localBroadcasts) Unbroadcast(_ context.Context, id int64, destroyed string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if destroyed == "" {
		return nil
	}
	if x.destroyed == nil {
		x.destroyed = map[int64]string{}
	}
	x.destroyed[id], x.values[id] = destroyed, nil
	return nil
}

// give sets Broadcasts for the tasks of a job.
func (x *localBroadcasts) give(vars []BroadcastVar) error {
	for _, v := range vars {
		encoded, err := x.encoded(v.Info().ID)
		if err != nil {
			return err
		}
		value, err := v.Decode(encoded)
		if err == nil {
			err = v.Set(value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (x *localBroadcasts) encoded(id int64) ([]byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if site, gone := x.destroyed[id]; gone {
		return nil, &DestroyedError{id, site}
	}
	if id >= int64(len(x.values)) {
		return nil, fmt.Errorf("%w: no Broadcast(%d) here: another runner made it", ErrBadArguments, id)
	}
	return x.values[id], nil
}
