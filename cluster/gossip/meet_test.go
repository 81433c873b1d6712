package gossip

import (
	"fmt"
	"slices"
	"testing"
)

// A daemon that is started again and again has a new address each time; the addresses of Config.Join stay.
func TestMeetRemembersTheLatestAddresses(t *testing.T) {
	m := &Member{calls: []string{"10.0.0.1:7946"}, books: newBooks("self"), called: make(chan struct{}, 1)}
	want := []string{"10.0.0.1:7946"}
	for i := range 2 * MostCalls {
		at := fmt.Sprint("10.0.0.2:", 1+i)
		m.Meet(at)
		m.Meet(at)
		if i >= MostCalls {
			want = append(want, at)
		}
	}
	m.Meet("10.0.0.1:7946")
	for range 2 { // the first calls are on those that were just named
		var got []string
		for _, c := range m.missing() {
			got = append(got, c.address)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("it calls on %q", got)
		}
	}
	if len(m.called) != 1 {
		t.Error("no round of calls begins")
	}
}
