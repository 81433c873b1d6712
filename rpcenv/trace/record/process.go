package record

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
	// The ring after the file: what the process writes in between is in the ring too, so nothing is missed.
	ring, ringErr := ReadRing(RingPath(path))
	if errors.Is(ringErr, fs.ErrNotExist) {
		ringErr = nil // the process ended in good order
	}
	if ring != nil && !ring.Closed {
		records = append(records, beyond(records, ring.Records)...)
	}
	return records, errors.Join(err, ringErr)
}

// overlap is how far back the ring may have records that the file lacks although the file has later ones: another thread
// had noted them and not yet recorded them. What is older was not meant for the file.
const overlap = time.Second

// beyond are those of the ring that are not among the recorded ones, and not from the time before.
func beyond(recorded, ring []*tracepb.Record) []*tracepb.Record {
	var last uint64 // the latest time, not the last record's: threads record a little out of order
	have := make(map[recordKey]bool, len(recorded))
	for _, r := range recorded {
		last = max(last, r.GetTime())
		have[keyOf(r)] = true
	}
	return slices.DeleteFunc(ring, func(r *tracepb.Record) bool {
		return have[keyOf(r)] || r.GetTime()+uint64(overlap) < last
	})
}

// recordKey identifies a record within one process. Those that name no item have their time.
type recordKey struct {
	kind     tracepb.Kind
	id       ID
	env      uint32
	time     uint64
	name, to string
}

func keyOf(r *tracepb.Record) recordKey {
	id := IDOf(r.GetId())
	id.N &= numberMask // the bits that the ring has of it
	k := recordKey{kind: r.GetKind(), id: id, env: r.GetEnv()}
	if id.IsZero() {
		k.time, k.name, k.to = r.GetTime(), r.GetName(), r.GetTo()
	}
	return k
}
