package trace

import (
	"encoding/json"
	"strings"
)

// step is one line of a diagram: an entry, or the first of several that say the same.
type step struct {
	*Entry
	// from and to are the places as drawn, numbered peers perhaps as one.
	from, to string
	label    string
	times    int
	// same are the IDs of the other entries that it stands for.
	same []string
}

// view says how much of a trace a diagram shows.
type view struct {
	// keep is how many equal messages are shown one by one; where there are more, the first stands for all. What a
	// timer sends is shown once in any case.
	keep int
	// fold draws numbered peers as one.
	fold bool
	// remote leaves out what stays within one peer.
	remote bool
	// wants says which entries are drawn at all.
	wants func(*Entry) bool
}

// steps are the lines that show entries, and how many messages within one peer were left out.
func (v view) steps(entries []Entry) (steps []step, left int) {
	var (
		byID    = (&Trace{Entries: entries}).byID()
		drawn   []step
		groups  []string
		count   = map[string]int{}
		limit   = map[string]int{}
		reached = map[string]int{} // where the step of a collapsed group stands
	)
	for i := range entries {
		e := &entries[i]
		if !v.wants(e) {
			continue
		}
		s := v.step(e)
		if v.remote && Peer(s.from) == Peer(s.to) {
			left++
			continue
		}
		group := v.group(s)
		keep := v.keep
		if isTick(e) || isTick(byID[e.Cause]) {
			keep = 1
		}
		if ask := byID[e.Cause]; e.IsAnswer() && ask != nil {
			q := v.step(ask)
			s.label, s.from, s.to = answerLabel(e, q.label), cmpPlace(s.from, q.to), cmpPlace(s.to, q.from)
			group = "answer " + e.Form + " " + v.group(q)
			keep = limit[v.group(q)]
		}
		drawn, groups = append(drawn, s), append(groups, group)
		count[group]++
		limit[group] = keep
	}
	for i, s := range drawn {
		group := groups[i]
		at, seen := reached[group]
		switch {
		case seen && (count[group] > limit[group] || at == len(steps)-1):
			steps[at].times++
			steps[at].same = append(steps[at].same, s.ID)
		default:
			reached[group] = len(steps)
			steps = append(steps, s)
		}
	}
	return steps, left
}

// cmpPlace is the first of two places that names an endpoint.
func cmpPlace(a, b string) string {
	if EndpointOf(a) == "" && Peer(a) == Peer(b) {
		return b
	}
	return a
}

func (v view) step(e *Entry) step {
	s := step{Entry: e, from: e.From, to: e.To, label: label(e), times: 1}
	if e.K == KindItem || e.K == KindState {
		s.from, s.to = e.At, e.At
	}
	if e.K == KindConn {
		s.from, s.to = e.At, e.To
	}
	if v.fold {
		s.from, s.to = foldPlace(s.from), foldPlace(s.to)
	}
	return s
}

// group tells steps apart that are drawn alike.
func (v view) group(s step) string {
	return strings.Join([]string{s.K, s.Form, s.from, s.to, s.label}, "\x00")
}

func isTick(e *Entry) bool { return e != nil && e.K == KindItem && strings.HasPrefix(e.Name, "timer ") }

// label is what is written at an entry: of a message its name and the one field that tells most.
func label(e *Entry) string {
	switch e.K {
	case KindItem:
		return strings.TrimSpace(e.Name + " " + e.To)
	case KindConn:
		return e.Name
	case KindState:
		if e.Was == "" {
			return strings.TrimSpace(e.Name + " " + e.Is)
		}
		return strings.TrimSpace(e.Name + " " + e.Was + " → " + e.Is)
	}
	if detail := e.Detail(); detail != "" {
		return e.Type + "(" + detail + ")"
	}
	return e.Type
}

// Detail is the one field that tells most: the state that a message tells of, or the name that the verifier is asked for; mostly
// empty.
func (e *Entry) Detail() string {
	if e.Body == "" || e.IsAnswer() {
		return ""
	}
	var body struct{ State, Name any }
	if err := json.Unmarshal([]byte(e.Body), &body); err != nil {
		return ""
	}
	if state, ok := body.State.(string); ok {
		return state
	}
	if name, ok := body.Name.(string); ok && e.Message == existenceType {
		return name
	}
	return ""
}

const existenceType = "rpc.CheckExistence"

// answerLabel is what an answer says.
func answerLabel(e *Entry, question string) string {
	switch {
	case e.Form == FormFail:
		code, text := failureOf(e)
		text, _, _ = strings.Cut(text, "\n")
		return strings.TrimSpace("fail " + code + " " + cutString(text, 60))
	case e.Message == boolType && strings.Contains(e.Body, "true"):
		return "true"
	case e.Message == boolType:
		return "false"
	case e.Message == "":
		return question + " reply"
	}
	return ShortName(e.Message)
}
