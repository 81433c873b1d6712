package show

import (
	"cmp"
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/rpcenv/trace"
)

// step is one line of a diagram: an entry, or the first of several that say the same.
type step struct {
	*trace.Entry
	// from and to are the places as drawn, numbered peers perhaps as one.
	from, to string
	label    string
	times    int
	// same are the IDs of the other entries that it stands for.
	same []string
}

// view says how much of a trace a diagram shows.
type view struct {
	// collapse draws equal messages of one round once; otherwise only those with nothing between them. What timers repeat
	// while nothing else happens is drawn once in any case. See folder.
	collapse bool
	// fold draws numbered peers as one.
	fold bool
	// remote leaves out what stays within one peer.
	remote bool
	// wants says which entries are drawn at all.
	wants func(*trace.Entry) bool
}

// views are the views that a diagram tries in turn, from all messages to the fewest.
var views = []view{{}, {collapse: true}, {collapse: true, remote: true}, {collapse: true, remote: true, fold: true}}

// most is how many steps v may have before the next view is tried; 0 is no bound: no view follows the last one.
func (v view) most(limit int) int {
	if v.fold {
		return 0
	}
	return limit
}

// steps are the lines that show entries, each cause before what it caused, and how many messages within one peer were
// left out. Beyond most steps it stops and returns the steps so far; 0 is no bound. byID has all entries.
func (v view) steps(entries []trace.Entry, byID map[string]*trace.Entry, most int) (steps []step, left int) {
	f := newFolder(v, entries)
	for i := range entries {
		e := &entries[i]
		if !v.wants(e) {
			f.add(step{Entry: e}, "")
			continue
		}
		s, group := v.step(e), ""
		if v.remote && trace.Peer(s.from) == trace.Peer(s.to) {
			left++
		} else {
			s.label = label(e)
			group = v.group(s)
			// An answer is drawn between the places of its question, and only equal answers to equal questions are equal.
			if ask := byID[e.Cause]; e.IsAnswer() && ask != nil {
				q := v.step(ask)
				q.label = label(ask)
				s.label, s.from, s.to = answerLabel(e, q.label), cmpPlace(s.from, q.to), cmpPlace(s.to, q.from)
				group = strings.Join([]string{"answer", e.Form, s.label, v.group(q)}, "\x00")
			}
		}
		if f.add(s, group); most > 0 && len(f.steps) > most {
			break
		}
	}
	return f.steps, left
}

// cmpPlace is the first of two places that names an endpoint.
func cmpPlace(a, b string) string {
	if trace.EndpointOf(a) == "" && trace.Peer(a) == trace.Peer(b) {
		return b
	}
	return a
}

func (v view) step(e *trace.Entry) step {
	s := step{Entry: e, from: e.From, to: e.To, times: 1}
	if e.K == trace.KindItem || e.K == trace.KindState {
		s.from, s.to = e.At, e.At
	}
	if e.K == trace.KindConn {
		s.from, s.to = e.At, e.To
	}
	if v.fold {
		s.from, s.to = foldPlace(s.from), foldPlace(s.to)
	}
	return s
}

// group is the same for steps that are drawn alike, and for no others.
func (v view) group(s step) string {
	return strings.Join([]string{s.K, s.Form, s.from, s.to, s.label}, "\x00")
}

func isTick(e *trace.Entry) bool {
	return e != nil && e.K == trace.KindItem && strings.HasPrefix(e.Name, "timer ")
}

// label is the text at an entry: of a message its name and its Detail.
func label(e *trace.Entry) string {
	switch e.K {
	case trace.KindItem:
		return strings.TrimSpace(e.Name + " " + e.To)
	case trace.KindConn:
		return e.Name
	case trace.KindState:
		if e.Was == "" {
			return strings.TrimSpace(e.Name + " " + e.Is)
		}
		return strings.TrimSpace(e.Name + " " + e.Was + " → " + e.Is)
	}
	detail := Detail(e)
	if detail == "" && e.Cut && !e.IsAnswer() && hasDetail(e.Message) {
		detail = notRecorded
	}
	if detail != "" {
		return e.Type + "(" + detail + ")"
	}
	return cmp.Or(e.Type, notRecorded)
}

// Detail is the one field that says most: the state that a message reports, or the name that the verifier is asked for;
// for most messages it is empty.
func Detail(e *trace.Entry) string {
	if e.Body == "" || e.IsAnswer() || !mayHaveDetail(e.Message) {
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

// hasDetail reports whether messages of the type have a field that Detail shows.
func hasDetail(typ string) bool {
	known, has := detailOf(typ)
	return known && has
}

// mayHaveDetail reports whether a body may have such a field. For a type unknown here only the body can say.
func mayHaveDetail(typ string) bool {
	known, has := detailOf(typ)
	return !known || has
}

func detailOf(typ string) (known, has bool) {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(typ))
	return err == nil, typ == existenceType || err == nil && mt.Descriptor().Fields().ByName("state") != nil
}

const existenceType = "rpc.CheckExistence"

// answerLabel is the text at an answer.
func answerLabel(e *trace.Entry, question string) string {
	switch {
	case e.Form == trace.FormFail:
		code, text := failureOf(e)
		text, _, _ = strings.Cut(text, "\n")
		return strings.TrimSpace("fail " + code + " " + cutString(text, 60))
	case e.Message == boolType:
		return boolText(e)
	case e.Message == "":
		return question + " reply"
	}
	return trace.ShortName(e.Message)
}
