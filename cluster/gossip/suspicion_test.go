package gossip

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// wire is a network of books: what one says goes to all others, each copy for itself.
type wire struct {
	books   []*books
	frozen  []bool
	flights []flight
}

type flight struct {
	to   int
	said accusation
}

// newWire is a network of members that know each other, named 0, 1 and so on.
func newWire(n int) *wire {
	w := &wire{frozen: make([]bool, n)}
	for i := range n {
		b := newBooks(fmt.Sprint(i))
		for j := range n {
			b.put(member(fmt.Sprint(j), 1))
		}
		w.books = append(w.books, b)
	}
	return w
}

func (w *wire) say(from int, a accusation, ok bool) {
	for to := range w.books {
		if ok && to != from {
			w.flights = append(w.flights, flight{to, a})
		}
	}
}

func (w *wire) deliver(i int) {
	f := w.flights[i]
	w.flights = slices.Delete(w.flights, i, i+1)
	w.hear(f.to, f.said)
}

// settle delivers until nobody has anything to say.
func (w *wire) settle(t interface{ Fatalf(string, ...any) }) {
	for range 10_000 {
		if len(w.flights) > 0 {
			w.deliver(0)
		}
	}
	if len(w.flights) > 0 {
		t.Fatalf("the talk does not end: %v", w.flights)
	}
}

func (w *wire) hear(at int, a accusation) {
	if !w.frozen[at] {
		say, ok := w.books[at].hear(a)
		w.say(at, say, ok)
	}
}

// exchange is a push/pull of two members.
func (w *wire) exchange(a, b int) {
	if w.frozen[a] || w.frozen[b] {
		return
	}
	ofA, ofB := w.books[a].stand(), w.books[b].stand()
	for _, x := range ofA {
		w.hear(b, x)
	}
	for _, x := range ofB {
		w.hear(a, x)
	}
}

// Messages are lost, repeated and overtaken. When members exchange their states once more, none is suspected that hears, by anybody; of one
// that does not hear all know the same; and the talk ends.
func TestMembersAgreeWhomTheySuspect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 4
		w := newWire(n)
		one := rapid.IntRange(0, n-1)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i, j := one.Draw(t, "i"), one.Draw(t, "j")
			what := rapid.IntRange(0, 9).Draw(t, "what")
			switch {
			case what == 0:
				w.frozen[i] = !w.frozen[i]
			case what <= 2:
				if !w.frozen[i] {
					say, ok := w.books[i].accuse(fmt.Sprint(j))
					w.say(i, say, ok)
				}
			case what == 3:
				w.exchange(i, j)
			case len(w.flights) > 0:
				f := rapid.IntRange(0, len(w.flights)-1).Draw(t, "flight")
				switch what {
				case 4: // lost
					w.flights = slices.Delete(w.flights, f, f+1)
				case 5: // repeated
					w.flights = append(w.flights, w.flights[f])
				default:
					w.deliver(f)
				}
			}
		}
		for range 2 {
			for i := range n {
				for j := range n {
					w.exchange(i, j)
				}
			}
			w.settle(t)
		}
		for j := range n {
			var all []string
			for i := range n {
				if w.frozen[i] {
					continue
				}
				by := w.books[i].accusers(fmt.Sprint(j))
				slices.Sort(by)
				if !w.frozen[j] && len(by) > 0 {
					t.Fatalf("%d, which hears, is suspected by %q at %d", j, by, i)
				}
				all = append(all, strings.Join(by, " "))
			}
			if len(slices.Compact(all)) > 1 {
				t.Fatalf("members do not agree who suspects %d: %q", j, all)
			}
		}
	})
}

// A member that says anything, in any number, takes no more of another's memory than the bounds allow, and no true news are lost by it.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	now := time.Now()
	m := keeper("me", &now)
	const n = 100
	for i := range n {
		m.books.put(member(fmt.Sprint(i), 1))
	}
	d := (*delegate)(m)
	for i := range 50 * n {
		for _, line := range []string{
			fmt.Sprintf("suspect %d %d %d", 1+i, i%n, i/n),
			fmt.Sprintf("suspect 1 %d me", i),
			fmt.Sprintf("refute 1 %d 99", i%n),
			fmt.Sprintf("suspect 1 nobody%d 1", i),
			fmt.Sprintf("suspect 1 1 nobody%d", i),
			fmt.Sprintf("bye nobody%d", i),
			"suspect 1 1 " + strings.Repeat("x", 1000),
			"bye me", "", "suspect", "suspect 1 1", "suspect -1 1 2", "suspect 1 1 2 ", "suspect 99999999999999999999 1 2", "suspect 0 1 2", "\xff\x00",
		} {
			d.NotifyMsg([]byte(line))
			d.MergeRemoteState([]byte(line+"\n"), false)
		}
	}
	most := 0
	for _, all := range m.books.charges {
		most = max(most, len(all))
	}
	if most != mostAccusers || len(m.books.charges) > n+1 {
		t.Errorf("%d accusers of one of %d", most, len(m.books.charges))
	}
	if got := m.rumours.NumQueued(); got > mostRumours {
		t.Errorf("%d are on their way", got)
	}
	if m.size() != n+1 {
		t.Errorf("%d members", m.size())
	}
	state := d.LocalState(false)
	if len(state) == 0 || len(state) > mostState {
		t.Errorf("a state of %d bytes", len(state))
	}
	// 99 has heard refutations of all; a fresh accusation of it is news, as room is made.
	d.NotifyMsg(fmt.Appendf(nil, "suspect %d 98 99", 100*n))
	if by := m.books.accusers("99"); !slices.Equal(by, []string{"98"}) {
		t.Errorf("accusers of 99: %q", by)
	}
	for i := range 2 * mostGoodbyes {
		name := fmt.Sprint("gone", i)
		m.books.put(member(name, 1))
		d.NotifyMsg([]byte("bye " + name))
	}
	if len(m.books.goodbyes) != mostGoodbyes {
		t.Errorf("%d goodbyes", len(m.books.goodbyes))
	}
}

// Of many that have no answer from a member three are heard of; when one of their accusations is refuted the next one counts.
func TestThreeAccusersAreEnough(t *testing.T) {
	now := time.Now()
	m := keeper("me", &now).among("a", "b", "c", "d", "x")
	said := func() (out []string) {
		for {
			lines := (*delegate)(m).GetBroadcasts(0, 1000)
			if len(lines) == 0 {
				slices.Sort(out)
				return slices.Compact(out)
			}
			for _, line := range lines {
				out = append(out, string(line))
			}
		}
	}
	for _, by := range []string{"a", "b", "c", "d"} {
		(*delegate)(m).NotifyMsg([]byte("suspect 1 " + by + " x"))
	}
	m.accuse("x")
	if got := said(); !slices.Equal(got, []string{"suspect 1 a x", "suspect 1 b x", "suspect 1 c x"}) {
		t.Errorf("said %q", got)
	}
	(*delegate)(m).NotifyMsg([]byte("refute 1 b x"))
	m.accuse("x")
	if got := said(); !slices.Equal(got, []string{"refute 1 b x", "suspect 2 me x"}) {
		t.Errorf("said %q", got)
	}
	if by := m.books.accusers("x"); !slices.Equal(by, []string{"a", "c", "me"}) {
		t.Errorf("accusers %q", by)
	}
}

// Of two numbers one is later, wherever in the round they are, so that all members agree which.
func TestOfTwoNumbersOneIsLater(t *testing.T) {
	for _, x := range []uint64{0, 1, 5, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		if later(x, x) || !later(x+1, x) || !later(x+math.MaxInt64, x) {
			t.Errorf("what comes after %d", x)
		}
		for _, steps := range []uint64{1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
			if later(x, x+steps) == later(x+steps, x) {
				t.Errorf("%d and %d more", x, steps)
			}
		}
	}
}

// Somebody accuses, or refutes, in the name of a member, with any number. What that member says itself later is heard all the same, at the
// latest when its third probe has failed.
func TestAForgedNumberSilencesNobody(t *testing.T) {
	const half = math.MaxInt64
	for _, number := range []uint64{1, 2, 3, 9, 1 << 62, half - 1, half, half + 1, half + 2, half + 3, half + 4, half + 5, math.MaxUint64 - 1, math.MaxUint64} {
		for _, before := range []int{0, 1, 3} {
			for _, refuted := range []bool{false, true} {
				w := newWire(3)
				probe := func() {
					say, ok := w.books[0].accuse("1")
					w.say(0, say, ok)
					w.settle(t)
				}
				for range before {
					probe()
				}
				w.hear(2, accusation{By: "0", Of: "1", Number: number, Refuted: refuted})
				w.settle(t)
				if by := w.books[2].accusers("1"); len(by) > 0 {
					t.Fatalf("%d: %q suspect one that hears", number, by)
				}
				w.frozen[1] = true
				for range 3 {
					probe()
				}
				for i := range 3 {
					if by := w.books[i].accusers("1"); i != 1 && !slices.Equal(by, []string{"0"}) {
						t.Errorf("%d after %d, refuted %t: %q suspect it at %d, want 0", number, before, refuted, by, i)
					}
				}
			}
		}
	}
}

// A member that joins, or missed a packet, has the accusations that stand from one exchange of states.
func TestTheStateTellsWhoIsSuspected(t *testing.T) {
	now := time.Now()
	all := []*Member{keeper("x", &now).among("a", "b", "c"), keeper("y", &now).among("a", "b", "c")}
	for _, line := range []string{"suspect 7 a b", "suspect 9 c b", "suspect 1 a c", "refute 1 a c"} {
		(*delegate)(all[0]).NotifyMsg([]byte(line))
	}
	(*delegate)(all[1]).MergeRemoteState((*delegate)(all[0]).LocalState(true), true)
	if got := all[1].books.stand(); !slices.Equal(got, []accusation{{By: "a", Of: "b", Number: 7}, {By: "c", Of: "b", Number: 9}}) {
		t.Errorf("%v", got)
	}
	// One that still suspects whom the other has heard refute is answered, also when that is long ago.
	for len((*delegate)(all[0]).GetBroadcasts(0, 1000)) > 0 {
		continue
	}
	(*delegate)(all[0]).MergeRemoteState([]byte("suspect 1 a c\n"), false)
	var said []string
	for _, line := range (*delegate)(all[0]).GetBroadcasts(0, 1000) {
		said = append(said, string(line))
	}
	if !slices.Contains(said, "refute 1 a c") {
		t.Errorf("said %q", said)
	}
}

// Names of other members are bounded, each of them.
func TestNamesAreBounded(t *testing.T) {
	fits, long := strings.Repeat("x", mostName), strings.Repeat("x", mostName+1)
	for _, c := range []struct {
		line string
		want bool
	}{
		{fmt.Sprintf("suspect %d %s %s", uint64(math.MaxUint64), fits, fits[1:]), true},
		{"suspect 1 a " + long, false},
		{"refute 1 " + long + " a", false},
	} {
		if _, err := parseAccusation(c.line); (err == nil) != c.want {
			t.Errorf("%.20s, %d bytes: %v", c.line, len(c.line), err)
		}
	}
	now := time.Now()
	m := keeper("me", &now)
	for _, name := range []string{"", long, fits} {
		(*delegate)(m).NotifyMsg([]byte(goodbyePrefix + name))
	}
	if got := m.books.goodbyes; !slices.Equal(got, []string{fits}) {
		t.Errorf("goodbyes of %d", len(got))
	}
}

func FuzzAccusation(f *testing.F) {
	for _, seed := range []string{"suspect 1 a b", "refute 9 127.0.0.1:7077/00ff x/1", "suspect 01 a b", "refute 1  a", fmt.Sprintf("suspect %d a b", uint64(math.MaxUint64))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAccusation(text)
		if err == nil && a.String() != text {
			t.Fatalf("%q came back as %q", text, a)
		}
	})
}
