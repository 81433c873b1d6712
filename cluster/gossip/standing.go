package gossip

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// State is what the others believe of a member.
type State int

// The states, in the order in which a member can pass through them. Of two that are heard of a member that is gone the later one here counts.
const (
	// Alive is a member that is there and that nobody suspects.
	Alive State = iota
	// Suspect is a member that another one has no answer from.
	Suspect
	// Failed is a member that did not refute a suspicion in time, or is gone and has said no goodbye.
	Failed
	// Left is a member that said goodbye. This is final, unless the member refutes that it said so.
	Left
)

var stateWords = [...]string{Alive: "alive", Suspect: "suspect", Failed: "failed", Left: "left"}

// String is the state in a word.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateWords) {
		return "unknown"
	}
	return stateWords[s]
}

// Standing is a member and what is believed of it.
type Standing struct {
	Info
	State State
	// At is since when it is in that state, by the clock of the member that noticed; zero for Alive, whose Meta.Since is when it began.
	At time.Time
	// By are the names of those that suspect it, or did when it failed, the earliest first.
	By []string

	seen bool // it was a member to this one, and is gone; false: others say so
}

// Story is the state in words, with since when and with those that suspect it, as far as they are among all by role and address: "alive",
// "suspect since 2026-11-30 19:02:11, by master 127.0.0.1:7077", "left at 2026-11-30 19:02:11".
func (s Standing) Story(all []Standing) string {
	if s.State == Alive {
		return s.State.String()
	}
	at, by := " at ", ", suspected by "
	if s.State == Suspect {
		at, by = " since ", ", by "
	}
	text := s.State.String() + at + s.At.Local().Format(time.DateTime)
	if len(s.By) == 0 {
		return text
	}
	var who []string
	for _, name := range s.By {
		if x := slices.IndexFunc(all, func(o Standing) bool { return o.Name == name }); x >= 0 {
			name = all[x].Role + " " + all[x].RPC.String()
		}
		who = append(who, name)
	}
	return text + by + strings.Join(who, ", ")
}

// mostGone bounds the members that are gone and remembered. What others say of members that this one has not seen makes room for what it has seen.
const mostGone = 32

// Standings are all members that are there, this one included, sorted by name; then the latest that are gone, the latest first. Of those that are
// gone, and of those that were suspected before this member came, it knows what others say. Members that only look are not among them.
func (m *Member) Standings() []Standing {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.books.standings()
}

func (b *books) standings() (out []Standing) {
	for _, i := range b.members() {
		if i.Role != RoleLook {
			out = append(out, b.standing(i))
		}
	}
	return append(out, b.gone...)
}

// standing is that of a member that is there.
func (b *books) standing(i Info) Standing {
	s := Standing{Info: i, By: b.accusers(i.Name)}
	if len(s.By) > 0 {
		s.State, s.At = Suspect, b.suspectedAt(i.Name)
	}
	return s
}

// forget drops what is remembered of a member that is gone: it is there again.
func (b *books) forget(name string) {
	b.gone = slices.DeleteFunc(b.gone, func(s Standing) bool { return s.Name == name })
}

// remember notes a member that is gone, or that another one suspects and this one has never seen. Of the same member the later state counts:
// that it failed was an error if it says that it left.
func (b *books) remember(s Standing) {
	if s.Name == "" || s.Name == b.self || s.Role == RoleLook {
		return
	}
	if i := slices.IndexFunc(b.gone, func(x Standing) bool { return x.Name == s.Name }); i >= 0 {
		if s.State <= b.gone[i].State {
			return
		}
		s.seen = s.seen || b.gone[i].seen
		b.gone = slices.Delete(b.gone, i, i+1)
	}
	b.gone = append(b.gone, s)
	slices.SortStableFunc(b.gone, func(x, y Standing) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.Name, y.Name)) })
	if len(b.gone) <= mostGone {
		return
	}
	last := len(b.gone) - 1
	for i, x := range b.gone {
		if !x.seen {
			last = i // the earliest of these
		}
	}
	b.gone = slices.Delete(b.gone, last, last+1)
}

// hearOf notes what another member says of a third that is gone, or suspected.
func (b *books) hearOf(s Standing) {
	if now := b.clock(); s.At.After(now) { // one with a wrong clock would stay the latest for ever
		s.At = now
	}
	// An earlier run of this daemon was a member there; or a daemon of another cluster that had its ports, so that one that follows somebody waits.
	if b.cluster == 0 && !b.follows && b.now[b.self].succeeds(s.Info) {
		b.take(s.Cluster)
	}
	if !b.takes(s.Info) { // of another cluster, whose state came here by mistake
		return
	}
	if s.Name == b.self && s.State == Left && s.Again == b.now[b.self].Again {
		b.hidden = true
	}
	if s.State == Left && s.Again < b.now[s.Name].Again { // it has refuted that
		return
	}
	_, here := b.now[s.Name]
	_, doubted := b.doubted[s.Name]
	switch {
	case s.State == Left && (here || doubted):
		b.leave(s.Name) // its goodbye did not come here
	case here || doubted: // as this member sees it
	default:
		if s.State == Left {
			b.leave(s.Name)
		}
		b.remember(s)
	}
}

// wireStanding is a Standing of another member as it travels: a line of JSON.
type wireStanding struct {
	Name   string          `json:"n"`
	Gossip string          `json:"g"`
	Meta   json.RawMessage `json:"m"`
	State  string          `json:"h"`
	At     int64           `json:"t"` // milliseconds since 1970
	By     []string        `json:"b,omitempty"`
}

func encodeStanding(s Standing) ([]byte, error) {
	meta, err := encodeMeta(s.Meta)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(wireStanding{s.Name, s.Gossip.String(), meta, s.State.String(), s.At.UnixMilli(), s.By})
	return append(line, '\n'), err
}

var errNoStanding = errors.New("it is no standing of a member")

// decodeStanding reads what another member wrote.
func decodeStanding(line []byte) (Standing, error) {
	var w wireStanding
	if err := json.Unmarshal(line, &w); err != nil {
		return Standing{}, fmt.Errorf("%w: %w", errNoStanding, err)
	}
	meta, err := decodeMeta(w.Meta)
	if err != nil {
		return Standing{}, err
	}
	at, err := rpcenv.ParseAddress(w.Gossip)
	if err != nil {
		return Standing{}, fmt.Errorf("%w: %w", errNoStanding, err)
	}
	state := State(slices.Index(stateWords[:], w.State))
	long := slices.ContainsFunc(append(w.By, w.Name), func(name string) bool { return !fits(name) })
	if long || state <= Alive || len(w.By) > mostAccusers {
		return Standing{}, errNoStanding
	}
	return Standing{Info: Info{w.Name, at, meta}, State: state, At: time.UnixMilli(w.At), By: w.By}, nil
}
