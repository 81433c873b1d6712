package election

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

func changes(t *testing.T, all ...*deploy.LogChange) []byte {
	t.Helper()
	data, err := proto.Marshal(&deploy.LogChanges{Changes: all})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func put(key, value string) *deploy.LogChange {
	return &deploy.LogChange{Key: key, Value: []byte(value)}
}

// A snapshot is the state in the order of its keys, and the machine that is made of it is the one that it was made of.
func TestAMachineIsWhatItsEntriesSay(t *testing.T) {
	var m machine
	m.restore(nil)
	first := changes(t, put("b", "22"), put("a", "1"), put("c", "3"))
	second := changes(t, &deploy.LogChange{Key: "c", Removed: true}, put("a", "111"))
	for i, data := range [][]byte{first, second} {
		if err := m.apply(uint64(i+4), uint64(i+2), data); err != nil {
			t.Error(err)
		}
	}
	if m.index != 5 || m.term != 3 || m.since != len(first)+len(second) || m.held != 0 || m.size() != 7 {
		t.Errorf("entry %d of term %d, %d bytes of changes, %d at the snapshot, %d now", m.index, m.term, m.since, m.held, m.size())
	}
	got := m.snapshot()
	want := &deploy.LogSnapshot{Index: 5, Term: 3, State: []*deploy.LogChange{put("a", "111"), put("b", "22")}}
	if !proto.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if m.since != 0 || m.held != 7 {
		t.Errorf("after the snapshot %d bytes of changes, of %d", m.since, m.held)
	}
	other := machine{records: map[string][]byte{"old": nil}, since: 9}
	other.restore(got)
	if other.index != 5 || other.term != 3 || other.since != 0 || other.held != 7 || !proto.Equal(other.snapshot(), want) {
		t.Errorf("restored as %+v", other)
	}
}

func TestAnEntryThatCannotBeReadChangesNothingAndIsPassed(t *testing.T) {
	var m machine
	m.restore(&deploy.LogSnapshot{Index: 1, Term: 1, State: []*deploy.LogChange{put("a", "1")}})
	// The first change can be read, what follows it cannot.
	if err := m.apply(2, 1, append(changes(t, put("a", "2")), 0xff)); err == nil {
		t.Error("it was read")
	}
	if m.index != 2 || string(m.records["a"]) != "1" {
		t.Errorf("entry %d, a=%s", m.index, m.records["a"])
	}
}
