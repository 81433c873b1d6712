package measure

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
)

const (
	// SampleEvery is which tells carry the time: a prime, so that they do not keep step with the window.
	SampleEvery = 31
	stampLen    = 8
)

// messages makes the messages of one size and pair: StatusUpdate, which executors send to a driver most, with a result of as
// many bytes as are wanted. The first eight of them are a time, or zero. RUNNING is a message among others, FINISHED the last. The
// executor's id is the number of the pair.
type messages struct {
	size        int
	id          string
	plain, last *app.StatusUpdate
}

func newMessage(id string, payload int) *app.StatusUpdate {
	return &app.StatusUpdate{
		ExecutorId: id, State: app.TaskState_RUNNING, Result: &app.TaskResult{Records: make([]byte, payload)},
	}
}

func newMessages(size int, id string) (*messages, error) {
	least := proto.Size(newMessage(id, stampLen))
	switch {
	case size < least:
		return nil, fmt.Errorf("size %s: the message alone has %s, with a time in it", FormatSize(size), FormatSize(least))
	case size > MaxSize:
		return nil, fmt.Errorf("size %s: at most %s", FormatSize(size), FormatSize(MaxSize))
	}
	// No message has a size at which a length of its encoding begins to need one byte more: the loop meets the nearest two.
	const mostOverhead = 32
	below, above := least, 0
	for payload := max(stampLen, size-mostOverhead); above == 0; payload++ {
		m := newMessage(id, payload)
		switch n := proto.Size(m); {
		case n == size:
			last := newMessage(id, payload)
			last.State = app.TaskState_FINISHED
			return &messages{size: size, id: id, plain: m, last: last}, nil
		case n < size:
			below = n
		default:
			above = n
		}
	}
	return nil, fmt.Errorf("size %s: no message has it: the nearest have %s and %s", FormatSize(size), FormatSize(below), FormatSize(above))
}

// tell is the n-th message of a batch. If it carries a time, that is at.
func (m *messages) tell(n uint64, last bool, at time.Time) *app.StatusUpdate {
	template := m.plain
	if last {
		template = m.last
	}
	// The same message again: contenders must not change it, and a trial counts their allocations alone.
	if n%SampleEvery != 0 {
		return template
	}
	stamped := newMessage(m.id, len(template.Result.Records))
	stamped.State = template.State
	binary.LittleEndian.PutUint64(stamped.Result.Records, uint64(at.UnixNano()))
	return stamped
}

// fits reports whether u is one of these messages, by its length.
func (m *messages) fits(u *app.StatusUpdate) bool {
	return len(u.GetResult().GetRecords()) == len(m.plain.Result.Records)
}

func isLast(u *app.StatusUpdate) bool { return u.GetState() == app.TaskState_FINISHED }

// stamp is the time that u carries, in nanoseconds since 1970; 0 when it carries none. It wants that u fits.
func stamp(u *app.StatusUpdate) int64 { return int64(binary.LittleEndian.Uint64(u.Result.Records)) }

// PairOf returns the pair of a message, an answer or an acknowledgement; -1 for a message of another kind.
func PairOf(u *app.StatusUpdate) int {
	n, err := strconv.Atoi(u.GetExecutorId())
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// id is the number of a pair. All ids of a spec have one length, so all pairs can have messages of the same sizes.
func (s *Spec) id(pair int) string {
	return fmt.Sprintf("%0*d", len(strconv.Itoa(max(s.Pairs, 1)-1)), pair)
}

// acknowledgement says how many messages of a pair's batch were received.
func acknowledgement(id string, n uint64) *app.StatusUpdate {
	return &app.StatusUpdate{ExecutorId: id, TaskId: proto.Int64(int64(n))}
}
