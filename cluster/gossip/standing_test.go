package gossip

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/rpcenv"
)

// atSeconds is a time of a test.
func atSeconds(n int64) time.Time { return time.Unix(n, 0) }

// keeper is a member without a network, among members a, b and c, whose clock a test sets.
func keeper(name string, now *time.Time) *Member {
	m := &Member{name: name, books: newBooks(name), changed: make(chan struct{})}
	m.books.clock = func() time.Time { return *now }
	m.rumours = memberlist.TransmitLimitedQueue{NumNodes: m.size, RetransmitMult: 4}
	m.books.put(whole(name))
	return m
}

func whole(name string) Info {
	i := member(name, 1)
	i.Gossip = rpcenv.Address{Host: "127.0.0.1", Port: 7}
	return i
}

func (m *Member) among(names ...string) *Member {
	for _, name := range names {
		m.books.put(whole(name))
	}
	return m
}

// told are the standings of others, a word each.
func told(m *Member) string {
	var out []string
	for _, s := range m.Standings() {
		at := ""
		if !s.At.IsZero() {
			at = fmt.Sprintf("@%d", s.At.Unix())
		}
		out = append(out, s.Name+":"+s.State.String()+at+strings.Join(append([]string{""}, s.By...), "<"))
	}
	return strings.Join(out, " ")
}

// What becomes of a member is remembered with its time and those that suspected it, and the later news of it count.
func TestStandings(t *testing.T) {
	for _, c := range []struct {
		name string
		say  func(b *books, now *time.Time)
		want string
	}{
		{"nothing", func(*books, *time.Time) {}, "a:alive b:alive me:alive"},
		{"suspected twice", func(b *books, now *time.Time) {
			b.hear(accusation{By: "b", Of: "a", Number: 1})
			*now = atSeconds(9)
			b.accuse("a")
		}, "a:suspect@5<b<me b:alive me:alive"},
		{"suspected again", func(b *books, now *time.Time) {
			b.hear(accusation{By: "b", Of: "a", Number: 1, Refuted: true})
			*now = atSeconds(9)
			b.hear(accusation{By: "b", Of: "a", Number: 2})
		}, "a:suspect@9<b b:alive me:alive"},
		{"one that suspected it suspects it again", func(b *books, now *time.Time) {
			b.hear(accusation{By: "b", Of: "a", Number: 1})
			*now = atSeconds(9)
			b.accuse("a")
			*now = atSeconds(12)
			b.hear(accusation{By: "b", Of: "a", Number: 2})
		}, "a:suspect@9<me<b b:alive me:alive"},
		{"failed", func(b *books, now *time.Time) {
			b.hear(accusation{By: "b", Of: "a", Number: 1})
			*now = atSeconds(9)
			b.fail("a")
		}, "b:alive me:alive a:failed@9<b"},
		{"in doubt", func(b *books, _ *time.Time) { b.fail("a") }, "b:alive me:alive"},
		{"failed after a doubt", func(b *books, now *time.Time) { b.fail("a"); *now = atSeconds(9); b.settle("a") }, "b:alive me:alive a:failed@9"},
		{"left after a doubt", func(b *books, _ *time.Time) { b.fail("a"); b.leave("a"); b.settle("a") }, "b:alive me:alive a:left@5"},
		{"left, said late", func(b *books, now *time.Time) {
			b.accuse("a")
			b.fail("a")
			*now = atSeconds(9)
			b.leave("a")
		}, "b:alive me:alive a:left@9"},
		{"came back", func(b *books, _ *time.Time) { b.accuse("a"); b.fail("a"); b.put(whole("a")) }, "a:alive b:alive me:alive"},
		{"the latest first", func(b *books, now *time.Time) { b.leave("b"); *now = atSeconds(9); b.leave("a") }, "me:alive a:left@9 b:left@5"},
		{"one that looks", func(b *books, _ *time.Time) { b.put(Info{Name: "l", Meta: Meta{Role: RoleLook}}); b.leave("l") }, "a:alive b:alive me:alive"},
		{"one that looks is there", func(b *books, _ *time.Time) { b.put(Info{Name: "l", Meta: Meta{Role: RoleLook}}) }, "a:alive b:alive me:alive"},
		{"itself", func(b *books, _ *time.Time) { b.leave("me") }, "a:alive b:alive me:alive"},
		{"heard that it left", func(b *books, _ *time.Time) {
			b.hearOf(Standing{Info: whole("a"), State: Left, At: atSeconds(3)})
			b.put(whole("a"))
		}, "b:alive me:alive a:left@5"},
		{"heard that it failed", func(b *books, _ *time.Time) {
			b.hearOf(Standing{Info: whole("a"), State: Failed, At: atSeconds(3)})
		}, "a:alive b:alive me:alive"},
		{"heard of one that was unknown", func(b *books, _ *time.Time) {
			for _, s := range []State{Suspect, Failed, Suspect} {
				b.hearOf(Standing{Info: whole("x"), State: s, At: atSeconds(int64(s)), By: []string{"b"}})
			}
			b.hearOf(Standing{Info: whole("y"), State: Suspect, At: atSeconds(99)})
			b.hearOf(Standing{Info: whole("z"), State: Left, At: atSeconds(1)})
			b.put(whole("z"))
			b.hearOf(Standing{Info: whole("me"), State: Left, At: atSeconds(1)})
		}, "a:alive b:alive me:alive y:suspect@5 x:failed@2<b z:left@1"},
	} {
		now := atSeconds(5)
		m := keeper("me", &now).among("a", "b")
		c.say(m.books, &now)
		if got := told(m); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// One exchange of states tells a member that joins which members are gone, and who suspects which. memberlist does not name suspects to it.
func TestTheStateTellsWhoIsGoneAndWhoIsSuspected(t *testing.T) {
	now := atSeconds(5)
	old := keeper("me", &now).among("a", "b", "c", "d")
	fresh := keeper("new", &now).among("a", "me")
	old.books.leave("b")
	old.books.hear(accusation{By: "a", Of: "c", Number: 1})
	old.books.hear(accusation{By: "a", Of: "d", Number: 2})
	old.books.fail("d")
	(*delegate)(fresh).MergeRemoteState((*delegate)(old).LocalState(true), true)
	if got, want := told(fresh), "a:alive me:alive new:alive b:left@5 c:suspect@5<a d:failed@5<a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for e, ok := fresh.books.next(); ok; e, ok = fresh.books.next() {
		if e.Kind == MemberJoined {
			continue
		}
		t.Errorf("an event of one that it has not met: %v", e)
	}
	// It is heard of later, for itself: it answers.
	fresh.among("c")
	if got, want := told(fresh), "a:alive c:alive me:alive new:alive b:left@5 d:failed@5<a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Another member may name any number of members that are gone: the books keep the latest ones, up to a bound.
func TestWhoIsGoneIsBounded(t *testing.T) {
	now := atSeconds(1000)
	m := keeper("me", &now)
	for i := range int64(10 * mostGone) {
		line, err := encodeStanding(Standing{Info: whole(fmt.Sprint(i)), State: Failed, At: atSeconds(i), By: []string{"b"}})
		if err != nil {
			t.Fatal(err)
		}
		(*delegate)(m).MergeRemoteState(line, false)
	}
	if n := len(m.books.gone); n != mostGone || m.books.gone[0].Name != fmt.Sprint(10*mostGone-1) || m.books.gone[n-1].Name != fmt.Sprint(9*mostGone) {
		t.Errorf("%d: %s", n, told(m))
	}
	before := told(m)
	for _, line := range []string{
		"{}\n", "{\n", "{]}\n", "{\"n\":\"x\"}\n",
		`{"n":"x","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"alive","t":1}` + "\n",
		`{"n":"","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"left","t":999000}` + "\n",
		`{"n":"` + strings.Repeat("x", mostName+1) + `","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"left","t":999000}` + "\n",
		`{"n":"x","g":"h","m":{"r":"worker","a":"h:1"},"h":"left","t":999000}` + "\n",
		`{"n":"x","g":"h:1","m":{"r":"","a":"h:1"},"h":"left","t":999000}` + "\n",
		`{"n":"x","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"left","t":999000,"b":[` + strings.Repeat(`"b",`, mostAccusers) + `"b"]}` + "\n",
		strings.Repeat(`{"n":"x","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"left","t":999000}`+"\n", mostState/50),
	} {
		(*delegate)(m).MergeRemoteState([]byte(line), false)
	}
	if got := told(m); got != before {
		t.Errorf("it believed nonsense: %s", got)
	}
}

// Whom this member has seen go is remembered, whatever others say of members that it has never seen.
func TestWhoWasSeenToGoIsNotForgottenForHearsay(t *testing.T) {
	now := atSeconds(5)
	m := keeper("me", &now).among("a", "b", "c", "d")
	m.books.leave("a")
	m.books.accuse("b")
	m.books.fail("b")
	m.books.fail("c")
	m.books.settle("c")
	m.books.fail("d")
	m.books.leave("d")
	m.books.hearOf(Standing{Info: whole("b"), State: Left, At: now})
	now = atSeconds(1000)
	for i := range int64(10 * mostGone) {
		m.books.hearOf(Standing{Info: whole(fmt.Sprint(i)), State: Failed, At: atSeconds(10 + i)})
	}
	got := told(m)
	if len(m.books.gone) != mostGone || !strings.HasSuffix(got, " a:left@5 b:left@5 c:failed@5 d:left@5") {
		t.Errorf("told %s", got)
	}
	for i := range mostGone {
		m.among(fmt.Sprint("later", i))
		m.books.leave(fmt.Sprint("later", i))
	}
	if got := told(m); len(m.books.gone) != mostGone || strings.Contains(got, "@5") || strings.Contains(got, "failed") {
		t.Errorf("%d, of those that were seen not the latest: %s", len(m.books.gone), got)
	}
}

func TestStandingComesBack(t *testing.T) {
	for _, s := range []Standing{
		{Info: whole("a"), State: Left, At: time.UnixMilli(1234)},
		{Info: whole("a"), State: Failed, At: time.UnixMilli(1234), By: []string{"b", "c"}},
	} {
		line, err := encodeStanding(s)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeStanding(line); err != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("%+v came back as %+v, %v", s, back, err)
		}
	}
}

func FuzzStanding(f *testing.F) {
	f.Add([]byte(`{"n":"x","g":"h:1","m":{"r":"worker","a":"h:1"},"h":"left","t":999000,"b":["y"]}`))
	f.Add([]byte(`{"h":"suspect","t":-1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := decodeStanding(line)
		if err != nil {
			return
		}
		again, err := encodeStanding(s)
		if errors.Is(err, ErrMetaTooLong) {
			return // JSON escapes may be longer than what they stand for
		}
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeStanding(again); err != nil || back.Info != s.Info || !back.At.Equal(s.At) || back.State != s.State {
			t.Fatalf("%+v came back as %+v, %v", s, back, err)
		}
	})
}

func TestStory(t *testing.T) {
	at := time.Date(2026, 11, 30, 19, 2, 11, 0, time.Local)
	all := []Standing{{Info: whole("b")}}
	for want, s := range map[string]Standing{
		"alive":                       {},
		"left at 2026-11-30 19:02:11": {State: Left, At: at},
		"suspect since 2026-11-30 19:02:11, by worker h:1, x":    {State: Suspect, At: at, By: []string{"b", "x"}},
		"failed at 2026-11-30 19:02:11, suspected by worker h:1": {State: Failed, At: at, By: []string{"b"}},
	} {
		if got := s.Story(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
