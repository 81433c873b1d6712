package trace

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// ReadProcess reads what a process recorded to path and, if it did not end in good order or still runs, what its ring has
// beyond that: the last moments of a process that was killed, or whose disk was full. Errors are those of ReadFile and
// ReadRing; what could be read is returned with them.
func ReadProcess(path string) ([]*tracepb.Record, error) {
	records, err := ReadFile(path)
	// After the file: what is written in between is in the ring too, and known from it.
	ring, ringErr := ReadRing(RingPath(path))
	if errors.Is(ringErr, fs.ErrNotExist) {
		ringErr = nil // the process ended in good order
	}
	if ring != nil && !ring.Closed {
		records = append(records, beyond(records, ring.Records)...)
	}
	return records, errors.Join(err, ringErr)
}

// overlap is how far back the ring may have records that the file lacks although there are later ones in it: what another
// thread had just not recorded. What is older was not to be recorded.
const overlap = time.Second

// beyond are those of the ring that are not among the recorded ones, and not from the time before.
func beyond(recorded, ring []*tracepb.Record) []*tracepb.Record {
	var last uint64
	have := make(map[recordKey]bool, len(recorded))
	for _, r := range recorded {
		last = max(last, r.GetTime())
		have[keyOf(r)] = true
	}
	return slices.DeleteFunc(ring, func(r *tracepb.Record) bool {
		return have[keyOf(r)] || r.GetTime()+uint64(overlap) < last
	})
}

// recordKey tells records of one process apart. Those that name no item have their time.
type recordKey struct {
	kind     tracepb.Kind
	id       ID
	env      uint32
	time     uint64
	name, to string
}

func keyOf(r *tracepb.Record) recordKey {
	id := ID{Conn: r.GetId().GetConn(), Back: r.GetId().GetBack(), Env: r.GetId().GetEnv(), N: r.GetId().GetN() & numberMask}
	k := recordKey{kind: r.GetKind(), id: id, env: r.GetEnv()}
	if id.IsZero() {
		k.time, k.name, k.to = r.GetTime(), r.GetName(), r.GetTo()
	}
	return k
}
