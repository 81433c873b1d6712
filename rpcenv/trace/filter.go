package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Filter says which messages are meant: FROM->TO:MESSAGE, as Worker->Master:Heartbeat. FROM and TO are a peer or
// PEER/ENDPOINT; a peer without its number stands for all of its role (Worker for Worker1 and Worker2). MESSAGE is the
// short name. In each of them * stands for any letters.
//
// A filter means a conversation: the answer to an ask goes with its question. It is found by its own name as well, in its
// own direction (Driver->Fetcher:SparkAppConfig).
type Filter struct {
	From, To, Message string
}

// FilterError is a filter that cannot be understood, or one with a name that nothing has.
type FilterError struct {
	// Filter is what was given.
	Filter string
	// Column is where in it the fault is, in letters from 1.
	Column int
	// Problem says what is wrong and what would be right.
	Problem string
}

func (e *FilterError) Error() string {
	return fmt.Sprintf("filter %q: column %d: %s", e.Filter, e.Column, e.Problem)
}

const filterArrow = "->"

// ParseFilter reads FROM->TO:MESSAGE. Every error is a *FilterError.
func ParseFilter(s string) (Filter, error) {
	wrong := func(at int, problem string) (Filter, error) {
		return Filter{}, &FilterError{s, utf8.RuneCountInString(s[:at]) + 1, problem}
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }); i >= 0 {
		return wrong(i, "a filter has no blanks")
	}
	arrow := strings.Index(s, filterArrow)
	if arrow < 0 {
		for _, other := range []string{"=>", "<="} {
			if i := strings.Index(s, other); i >= 0 {
				return wrong(i, "want ->, which is for asks and answers too")
			}
		}
		return wrong(len(s), "want FROM->TO:MESSAGE, for example Worker->Master:Heartbeat")
	}
	to := arrow + len(filterArrow)
	if i := strings.Index(s[to:], filterArrow); i >= 0 {
		return wrong(to+i, "a filter has one -> only")
	}
	// The last one: a TO that is an address has a colon of its own.
	colon := strings.LastIndexByte(s[to:], ':') + to
	if colon < to {
		return wrong(len(s), "want :MESSAGE at the end, or :* for any")
	}
	f := Filter{From: s[:arrow], To: s[to:colon], Message: s[colon+1:]}
	if at, problem := wrongPlace(f.From); problem != "" {
		return wrong(at, "FROM: "+problem)
	}
	if at, problem := wrongPlace(f.To); problem != "" {
		return wrong(to+at, "TO: "+problem)
	}
	if f.Message == "" {
		return wrong(len(s), "want a MESSAGE behind the colon, or * for any")
	}
	if i := strings.IndexByte(f.Message, '/'); i >= 0 {
		return wrong(colon+1+i, "a MESSAGE has no /; want TO:MESSAGE, or TO:* for any")
	}
	return f, nil
}

// wrongPlace says what is wrong with PEER or PEER/ENDPOINT, and where; nothing when it is good.
func wrongPlace(p string) (at int, problem string) {
	peer, endpoint, divided := strings.Cut(p, "/")
	switch {
	case peer == "":
		return 0, "want a peer, PEER/ENDPOINT, or * for any"
	case divided && endpoint == "":
		return len(p), "want an endpoint behind the /"
	case strings.Contains(endpoint, "/"):
		return len(peer) + 1 + strings.IndexByte(endpoint, '/'), "want PEER/ENDPOINT, with one / only"
	}
	return 0, ""
}

// String is the filter as ParseFilter reads it.
func (f Filter) String() string { return f.From + filterArrow + f.To + ":" + f.Message }

// Match reports whether the filter means a message or a drop; other entries it does not.
func (f Filter) Match(e *Entry) bool {
	if e.K != KindMsg && e.K != KindDrop {
		return false
	}
	if !e.IsAnswer() {
		return f.MatchNames(e.From, e.To, e.Type)
	}
	return f.MatchNames(e.To, e.From, e.Type) ||
		f.Message != "*" && e.Message != "" && f.MatchNames(e.From, e.To, ShortName(e.Message))
}

// MatchNames reports whether the filter means a message of that short name between two places, PEER/ENDPOINT.
func (f Filter) MatchNames(from, to, message string) bool {
	return matchPlace(f.From, from) && matchPlace(f.To, to) && glob(f.Message, message)
}

func matchPlace(want, p string) bool {
	peer, endpoint, divided := strings.Cut(want, "/")
	return matchPeer(peer, Peer(p)) && (!divided || glob(endpoint, EndpointOf(p)))
}

// matchPeer takes a role for all that have it.
func matchPeer(want, peer string) bool { return glob(want, peer) || want == Role(peer) }

// glob reports whether name is pattern, where each * stands for any letters.
func glob(pattern, name string) bool {
	head, rest, any := strings.Cut(pattern, "*")
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for any {
		head, rest, any = strings.Cut(rest, "*")
		if !any {
			return strings.HasSuffix(name, head)
		}
		// The first place that fits leaves the most for the rest of the pattern, so no other one needs to be tried.
		i := strings.Index(name, head)
		if i < 0 {
			return false
		}
		name = name[i+len(head):]
	}
	return name == ""
}
