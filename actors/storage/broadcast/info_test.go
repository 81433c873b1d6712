package broadcast_test

import (
	"reflect"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/messages/storage"
)

func TestAnInfoTravels(t *testing.T) {
	for _, info := range []rdd.BroadcastInfo{
		{ID: 3, Size: 10, Pieces: 2, Compressed: true, Checksums: []uint32{1, 2}},
		{Size: 0, Pieces: 1},
		{Size: 1<<32 - 1, Pieces: 1},
	} {
		if got, err := broadcast.FromProto(broadcast.ToProto(info)); err != nil || !reflect.DeepEqual(got, info) {
			t.Errorf("%+v, error %v; want %+v", got, err, info)
		}
	}
	// Nothing is allocated, or looked up, by what a peer says alone.
	for what, m := range map[string]*storage.BroadcastInfo{
		"no pieces": {Size: 10}, "fewer": {Size: 10, Pieces: -1}, "more pieces than bytes": {Size: 10, Pieces: 11},
		"a negative size": {Size: -1, Pieces: 1}, "too large": {Size: 1 << 32, Pieces: 1}, "checksums": {Size: 10, Pieces: 2, Checksums: []uint32{1}},
	} {
		if got, err := broadcast.FromProto(m); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
