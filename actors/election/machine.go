package election

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

// machine is what the log makes: records by key. All Masters that have applied the same entries have the same.
type machine struct {
	records map[string][]byte
	index   uint64 // of the last entry applied
	term    uint64
	since   int // bytes of changes since the last snapshot
	held    int // bytes that the records had at the last snapshot
}

// restore makes the machine what a snapshot says.
func (m *machine) restore(s *deploy.LogSnapshot) {
	m.records = map[string][]byte{}
	m.index, m.term, m.since = s.GetIndex(), s.GetTerm(), 0
	for _, r := range s.GetState() {
		m.records[r.GetKey()] = r.GetValue()
	}
	m.held = m.size()
}

// apply does what the next entry says. An entry that cannot be read is an error and changes nothing, on all Masters alike.
func (m *machine) apply(index, term uint64, changes []byte) error {
	m.index, m.term = index, term
	m.since += len(changes)
	var l deploy.LogChanges
	if err := proto.Unmarshal(changes, &l); err != nil {
		return err
	}
	for _, ch := range l.GetChanges() {
		if ch.GetRemoved() {
			delete(m.records, ch.GetKey())
		} else {
			m.records[ch.GetKey()] = ch.GetValue()
		}
	}
	return nil
}

// keys are those of all records, in order.
func (m *machine) keys() []string { return slices.Sorted(maps.Keys(m.records)) }

// snapshot is the machine as it is now, from which changes are counted anew.
func (m *machine) snapshot() *deploy.LogSnapshot {
	m.since, m.held = 0, m.size()
	s := &deploy.LogSnapshot{Index: m.index, Term: m.term}
	for _, key := range m.keys() {
		s.State = append(s.State, &deploy.LogChange{Key: key, Value: m.records[key]})
	}
	return s
}

// size is how many bytes the records have.
func (m *machine) size() (n int) {
	for key, value := range m.records {
		n += len(key) + len(value)
	}
	return n
}
