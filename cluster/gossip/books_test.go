package gossip

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv"
)

// A reader of the events knows at the end which members are there and which are suspected, each event fits those before, and the queue
// is never longer than the list of members.
func TestEventsTellTheMembers(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		b := newBooks("self")
		follower := make(map[string]Info)
		suspects := make(map[string][]string)
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
					delete(suspects, e.Info.Name)
				case MemberSuspected:
					suspects[e.Info.Name] = append(suspects[e.Info.Name], e.By)
				case MemberRefuted:
					if len(suspects[e.Info.Name]) == 0 {
						t.Fatalf("%s, whom nobody suspects, refuted", e.Info.Name)
					}
					delete(suspects, e.Info.Name)
				}
			}
		}
		numbers := uint64(0)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				b.put(member(name, rapid.IntRange(1, 2).Draw(t, "pid")))
			case 1:
				doubted := rapid.SampledFrom([]func(string) bool{b.fail, b.leave, func(name string) bool { b.goodbyes = nil; _, ok := b.settle(name); return ok }}).Draw(t, "fail or settle")
				doubted(name)
			default:
				numbers++
				a := accusation{By: rapid.SampledFrom(names).Draw(t, "by"), Of: name, Number: numbers, Refuted: rapid.Bool().Draw(t, "refuted")}
				b.hear(a)
			}
			if len(b.queue) > len(names) {
				t.Fatalf("queue of %d", len(b.queue))
			}
			follow(rapid.IntRange(0, 2).Draw(t, "events"))
		}
		for _, name := range names {
			b.settle(name)
		}
		follow(1000)
		if len(b.queue) > 0 {
			t.Fatalf("there is always one more event: queue %v", b.queue)
		}
		if !maps.Equal(follower, b.now) {
			t.Fatalf("followed %v, there are %v", follower, b.now)
		}
		for _, name := range names {
			by := b.accusers(name)
			for _, x := range by {
				if !slices.Contains(suspects[name], x) {
					t.Fatalf("no event says that %s suspects %s", x, name)
				}
			}
			if len(by) == 0 && len(suspects[name]) > 0 {
				t.Fatalf("nobody suspects %s, but no event says so", name)
			}
		}
		if len(b.left) > 0 {
			t.Fatalf("left over: %v", b.left)
		}
	})
}

// member is one that is no looker.
func member(name string, pid int) Info {
	return Info{Name: name, Meta: Meta{Role: "worker", RPC: rpcenv.Address{Host: "h", Port: 1}, PID: pid}}
}

func TestEventsOfOneMember(t *testing.T) {
	one, two, other, third := member("a", 1), member("a", 2), member("b", 1), member("c", 1)
	accuse := func(by string, n uint64) accusation { return accusation{By: by, Of: "a", Number: n} }
	refute := func(by string, n uint64) accusation { return accusation{By: by, Of: "a", Number: n, Refuted: true} }
	suspectedBy := func(by string) Event { return Event{MemberSuspected, one, by} }
	joined, refuted, failed := Event{Kind: MemberJoined, Info: one}, Event{Kind: MemberRefuted, Info: one}, Event{Kind: MemberFailed, Info: one}
	for _, c := range []struct {
		name    string
		changes func(b *books)
		want    []Event
	}{
		{"the same twice", func(b *books) { b.put(one); b.put(one) }, []Event{joined}},
		{"joined and updated before an event", func(b *books) { b.put(one); b.put(two) }, []Event{{Kind: MemberJoined, Info: two}}},
		{"came and went", func(b *books) { b.put(one); b.fail("a") }, nil},
		{"unknown", func(b *books) { b.leave("a") }, nil},
		{"left", func(b *books) { b.put(one); b.next(); b.leave("a"); b.fail("a") }, []Event{{Kind: MemberLeft, Info: one}}},
		{"may have failed", func(b *books) { b.put(one); b.next(); b.fail("a") }, nil},
		{"failed", func(b *books) { b.put(one); b.next(); b.fail("a"); b.next(); b.settle("a") }, []Event{failed}},
		{"left, said late", func(b *books) {
			b.put(one)
			b.next()
			b.fail("a")
			b.next()
			b.leave("a")
			b.settle("a")
		}, []Event{{Kind: MemberLeft, Info: one}}},
		{"left before it was heard of", func(b *books) { b.leave("a"); b.put(one); b.fail("a"); b.settle("a") }, nil},
		{"in doubt and came back", func(b *books) {
			b.put(one)
			b.next()
			b.fail("a")
			b.next()
			b.put(one)
			b.settle("a")
		}, nil},
		{"failed and came back", func(b *books) { b.put(one); b.next(); b.fail("a"); b.put(one) }, nil},
		{"updated", func(b *books) { b.put(one); b.next(); b.put(two) }, []Event{{Kind: MemberUpdated, Info: two}}},
		{
			"suspected by two, once each, then failed", func(b *books) {
				b.put(one)
				b.hear(accuse("b", 1))
				b.next()
				b.next()
				b.hear(accuse("c", 1))
				b.hear(accuse("b", 2))
				b.next()
				b.fail("a")
			},
			[]Event{failed},
		},
		{
			"one of two refuted", func(b *books) { b.put(one); b.hear(accuse("b", 1)); b.hear(accuse("c", 5)); b.hear(refute("b", 1)) },
			[]Event{joined, suspectedBy("c")},
		},
		{
			"all refuted, later", func(b *books) { b.put(one); b.hear(accuse("b", 1)); b.next(); b.next(); b.hear(refute("b", 1)) },
			[]Event{refuted},
		},
		{"all refuted before an event", func(b *books) { b.put(one); b.hear(accuse("b", 1)); b.hear(refute("b", 1)) }, []Event{joined}},
		{"the refutation came first", func(b *books) { b.put(one); b.hear(refute("b", 1)); b.hear(accuse("b", 1)) }, []Event{joined}},
		{"an older one came late", func(b *books) { b.put(one); b.hear(refute("b", 2)); b.hear(accuse("b", 1)) }, []Event{joined}},
		{"again", func(b *books) { b.put(one); b.hear(refute("b", 2)); b.hear(accuse("b", 3)) }, []Event{joined, suspectedBy("b")}},
		{"suspected after it left", func(b *books) { b.put(one); b.next(); b.leave("a"); b.hear(accuse("b", 1)) }, []Event{{Kind: MemberLeft, Info: one}}},
		{"news after it left", func(b *books) { b.put(one); b.next(); b.leave("a"); b.put(two); b.fail("a") }, []Event{{Kind: MemberLeft, Info: one}}},
		{"by nobody known", func(b *books) { b.put(one); b.hear(accuse("x", 1)) }, []Event{joined}},
		{"by itself", func(b *books) { b.put(one); b.hear(accuse("a", 1)) }, []Event{joined}},
		{"by one that looks", func(b *books) {
			b.put(one)
			b.put(Info{Name: "l", Meta: Meta{Role: RoleLook}})
			b.next()
			b.next()
			b.hear(accuse("l", 1))
		}, nil},
		{"suspected, failed and came back", func(b *books) {
			b.put(one)
			b.hear(accuse("b", 1))
			b.next()
			b.next()
			b.fail("a")
			b.put(one)
		}, []Event{refuted}},
	} {
		b := newBooks("self")
		for _, m := range []Info{other, third} {
			b.put(m)
			b.next()
		}
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
