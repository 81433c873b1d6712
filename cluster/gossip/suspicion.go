package gossip

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// memberlist suspects a member before it gives it up, but reports that to nobody. So a member whose probe has failed, which its memberlist
// logs, accuses the other one in a message of its own. The accusation travels by gossip and with the whole state that two members exchange
// now and then. The accused refutes it when it hears of it, and the refutation travels the same ways.

// accusation says that a member had no answer from another one, or that the other one has refuted this.
type accusation struct {
	// By and Of are the names of the accuser and of the accused.
	By, Of string
	// Number counts the accuser's accusations, round and round, and is never 0. A later one replaces an earlier one of the same member; a
	// refutation holds for all up to its number.
	Number  uint64
	Refuted bool
}

// later reports whether one number of an accuser comes after another: by less than half a round, or half a round and it is the greater. So none
// is the highest, after which the accuser could say nothing more.
func later(x, y uint64) bool {
	const half = 1 << 63
	steps := x - y
	return steps != 0 && steps < half || steps == half && x > y
}

// charge is an accusation, and when it was heard.
type charge struct {
	accusation
	at time.Time
}

// mostAccusers bounds the accusers that are remembered of each member.
const mostAccusers = 16

// mostStanding bounds the accusations of a member that stand at a time. In a second or two before a crash is certain each of many members may find
// that the crashed one does not answer. What the fourth says is no news, and to pass it on would keep a large cluster busy.
const mostStanding = 3

// accuse notes that this member's own probe of another has failed. It returns what the others should hear; false: nothing.
func (b *books) accuse(of string) (say accusation, ok bool) {
	if i := slices.IndexFunc(b.charges[of], func(a charge) bool { return a.By == b.self }); i >= 0 {
		last := b.charges[of][i]
		if !last.Refuted {
			return accusation{}, false
		}
		// Somebody may have sent one in this member's name. The next has to be later, else nobody would hear it.
		if !later(b.accusations+1, last.Number) {
			b.accusations = last.Number
		}
	}
	b.accusations = max(b.accusations+1, 1) // 0 comes after the highest
	return b.hear(accusation{By: b.self, Of: of, Number: b.accusations})
}

// hear notes an accusation or a refutation, and returns what the others should hear now; false: nothing. One by or about somebody who is
// no member is not heard, nor one by or about a member that only looks, which may be gone before anybody could refute.
func (b *books) hear(a accusation) (say accusation, ok bool) {
	if !b.takesPart(a.By) || !b.takesPart(a.Of) || a.By == a.Of {
		return accusation{}, false
	}
	if a.Of == b.self {
		if a.Refuted { // its own, on its way round
			return accusation{}, false
		}
		a.Refuted = true
	}
	all := b.charges[a.Of]
	i := slices.IndexFunc(all, func(x charge) bool { return x.By == a.By })
	switch {
	case i < 0 && !a.Refuted && len(b.accusers(a.Of)) >= mostStanding:
		return accusation{}, false
	case i < 0:
		if all, ok = room(all); !ok {
			return accusation{}, false
		}
		all = append(all, charge{a, b.clock()})
	case later(a.Number, all[i].Number), a.Number == all[i].Number && a.Refuted && !all[i].Refuted:
		all = append(slices.Delete(all, i, i+1), charge{a, b.clock()})
	case all[i].Refuted && (!a.Refuted || a.Of == b.self):
		return all[i].accusation, true // whoever said that has not heard the refutation
	default:
		return accusation{}, false
	}
	b.charges[a.Of] = all
	b.enqueue(a.Of)
	return a, true
}

// takesPart reports whether one with this name is there and does not only look.
func (b *books) takesPart(name string) bool {
	i, here := b.now[name]
	return here && i.Role != RoleLook
}

// room makes room for one more; of those that are too many the one goes that was refuted first. False: all stand.
func room(all []charge) ([]charge, bool) {
	if len(all) < mostAccusers {
		return all, true
	}
	i := slices.IndexFunc(all, func(a charge) bool { return a.Refuted })
	if i < 0 {
		return all, false
	}
	return slices.Delete(all, i, i+1), true
}

// accusers are those whose accusations of a member stand, the earliest first.
func (b *books) accusers(of string) (by []string) {
	for _, a := range b.charges[of] {
		if !a.Refuted {
			by = append(by, a.By)
		}
	}
	return by
}

// suspectedAt is when the first of the accusations of a member that stand was heard; zero: none stands.
func (b *books) suspectedAt(of string) time.Time {
	for _, a := range b.charges[of] {
		if !a.Refuted {
			return a.at
		}
	}
	return time.Time{}
}

// stand are the accusations of all members that stand, for one that has heard none of them.
func (b *books) stand() (out []accusation) {
	for _, m := range b.members() {
		for _, a := range b.charges[m.Name] {
			if !a.Refuted {
				out = append(out, a.accusation)
			}
		}
	}
	return out
}

// The first words of an accusation and of a refutation; the number, the accuser and the accused follow.
const (
	accuseWord = "suspect"
	refuteWord = "refute"
)

// mostName bounds a member's name in a message, in bytes; mostAccusation a line with two of them, a word and a number.
const (
	mostName       = 300
	mostAccusation = len(accuseWord) + len("18446744073709551615") + 2*mostName + len("   ")
)

// fits reports whether a text of another member can be a name.
func fits(name string) bool { return name != "" && len(name) <= mostName }

// String is a as it travels.
func (a accusation) String() string {
	word := accuseWord
	if a.Refuted {
		word = refuteWord
	}
	return strings.Join([]string{word, strconv.FormatUint(a.Number, 10), a.By, a.Of}, " ")
}

var errNoAccusation = errors.New("it is no accusation")

// parseAccusation reads what another member wrote.
func parseAccusation(text string) (accusation, error) {
	if len(text) > mostAccusation { // before anything is made of it
		return accusation{}, errNoAccusation
	}
	words := strings.Split(text, " ")
	if len(words) != 4 || words[0] != accuseWord && words[0] != refuteWord {
		return accusation{}, errNoAccusation
	}
	n, err := strconv.ParseUint(words[1], 10, 64)
	a := accusation{By: words[2], Of: words[3], Number: n, Refuted: words[0] == refuteWord}
	if err != nil || n == 0 || !fits(a.By) || !fits(a.Of) || a.String() != text {
		return accusation{}, errNoAccusation
	}
	return a, nil
}
