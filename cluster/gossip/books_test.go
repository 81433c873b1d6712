package gossip

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A reader of the events knows at the end which members are there, each event fits those before, and the queue is never
// longer than the list of members.
func TestEventsTellTheMembers(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		b := newBooks()
		follower := make(map[string]Info)
		follow := func(most int) {
			for range most {
				e, ok := b.next()
				if !ok {
					return
				}
				_, known := follower[e.Info.Name]
				if known == (e.Kind == MemberJoined) {
					t.Fatalf("%v of %s, which was known: %v", e.Kind, e.Info.Name, known)
				}
				switch e.Kind {
				case MemberJoined, MemberUpdated:
					follower[e.Info.Name] = e.Info
				case MemberLeft, MemberFailed:
					delete(follower, e.Info.Name)
				}
			}
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			if rapid.Bool().Draw(t, "here") {
				b.put(Info{Name: name, Meta: Meta{Role: "worker", PID: rapid.IntRange(1, 2).Draw(t, "pid")}})
			} else {
				b.remove(name, rapid.Bool().Draw(t, "left"))
			}
			if len(b.queue) > len(names) {
				t.Fatalf("queue of %d", len(b.queue))
			}
			follow(rapid.IntRange(0, 2).Draw(t, "events"))
		}
		follow(len(names))
		if !maps.Equal(follower, b.now) {
			t.Fatalf("followed %v, there are %v", follower, b.now)
		}
		if len(b.left) > 0 {
			t.Fatalf("left over: %v", b.left)
		}
	})
}

func TestEventsOfOneMember(t *testing.T) {
	one, two := Info{Name: "a", Meta: Meta{PID: 1}}, Info{Name: "a", Meta: Meta{PID: 2}}
	for _, c := range []struct {
		name    string
		changes func(b *books)
		want    []Event
	}{
		{"the same twice", func(b *books) { b.put(one); b.put(one) }, []Event{{MemberJoined, one}}},
		{"joined and updated before an event", func(b *books) { b.put(one); b.put(two) }, []Event{{MemberJoined, two}}},
		{"came and went", func(b *books) { b.put(one); b.remove("a", false) }, nil},
		{"unknown", func(b *books) { b.remove("a", true) }, nil},
		{"left", func(b *books) { b.put(one); b.next(); b.remove("a", true); b.remove("a", false) }, []Event{{MemberLeft, one}}},
		{"failed", func(b *books) { b.put(one); b.next(); b.remove("a", false) }, []Event{{MemberFailed, one}}},
		{"failed and came back", func(b *books) { b.put(one); b.next(); b.remove("a", false); b.put(one) }, nil},
		{"updated", func(b *books) { b.put(one); b.next(); b.put(two) }, []Event{{MemberUpdated, two}}},
	} {
		b := newBooks()
		c.changes(b)
		var got []Event
		for e, ok := b.next(); ok; e, ok = b.next() {
			got = append(got, e)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
