package show

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Forest writes entries in the form of scripts, a forest by cause: each message stands under the item that caused it,
// two blanks deeper, the children in their sender's order. Since what a handler does is ordered by its cause alone, the
// forest of a run is the same in every world.
//
//	W1.OnStart                                                an item; one that caused no message is left out
//	  W1 => M endpoint-verifier CheckExistence(name=Master)   an ask, to whom, at which endpoint
//	    W1 <= M true                                          its answer; a failure is "fail CODE text"
//	      W1 -> M Master RegisterWorker(id=w cores=2)         a one-way message
//	  W1 timer SendHeartbeat x3                               three ticks of a timer did the same
//	    W1 -> M Master Heartbeat(workerId=w)
//	      lost by fault: drop W1->M:Heartbeat n=1           what a simulation did to the message above
//
// The result of a Run is no item of its own: what it caused stands under what began it. An entry whose cause is not among
// the entries is a root; roots are in order of time. Connections, states and other drops are not shown, nor what opts.Omit
// leaves out: what that caused stands in its place.
func Forest(entries []trace.Entry, opts TextOptions) string {
	f := forest{opts: opts, children: map[string][]*trace.Entry{}}
	known := map[string]bool{}
	for i := range entries {
		if e := &entries[i]; e.ID != "" && inForest(e) {
			known[e.ID] = true
		}
	}
	// An entry whose cause is not shown is a root: nothing that is shown would lead to it.
	var roots []*trace.Entry
	for i := range entries {
		e := &entries[i]
		switch {
		case !inForest(e):
		case e.Cause == "" || !known[e.Cause]:
			roots = append(roots, e)
		default:
			f.children[e.Cause] = append(f.children[e.Cause], e)
		}
	}
	slices.SortStableFunc(roots, byPosting)
	f.siblings(roots, 0)
	if len(f.lines) == 0 {
		return ""
	}
	return strings.Join(f.lines, "\n") + "\n"
}

func inForest(e *trace.Entry) bool {
	return e.K == trace.KindMsg || e.K == trace.KindItem || e.K == trace.KindDrop && e.ID != ""
}

type forest struct {
	opts     TextOptions
	children map[string][]*trace.Entry
	lines    []string
}

// siblings writes the trees of entries that stand side by side.
func (f *forest) siblings(entries []*trace.Entry, depth int) {
	// ticks counts the equal trees of ticks, by their text; it knows where each begins.
	type tick struct{ line, times int }
	ticks := map[string]*tick{}
	var repeated []*tick
	for _, e := range f.unfold(entries, 0) {
		begin := len(f.lines)
		f.tree(e, depth)
		if e.K != trace.KindItem || !strings.HasPrefix(e.Name, "timer ") || len(f.lines) == begin {
			continue
		}
		// The text of the whole tree is compared: a tick that did something else is not the same.
		text := strings.Join(f.lines[begin:], "\n")
		if seen := ticks[text]; seen != nil {
			if seen.times++; seen.times == 2 {
				repeated = append(repeated, seen)
			}
			f.lines = f.lines[:begin]
			continue
		}
		ticks[text] = &tick{begin, 1}
	}
	for _, t := range repeated {
		f.lines[t.line] += " x" + strconv.Itoa(t.times)
	}
}

// unfold puts the children of Run results, and of what opts.Omit leaves out, in the place of these.
func (f *forest) unfold(entries []*trace.Entry, depth int) []*trace.Entry {
	var out []*trace.Entry
	for _, e := range entries {
		if f.transparent(e) && depth < maxUnfold {
			out = append(out, f.unfold(f.children[e.ID], depth+1)...)
			continue
		}
		out = append(out, e)
	}
	return out
}

// transparent reports whether what an entry caused stands in its place.
func (f *forest) transparent(e *trace.Entry) bool {
	return f.opts.Omit != nil && f.opts.Omit(e) || e.K == trace.KindItem && strings.HasPrefix(e.Name, "run")
}

// maxUnfold bounds Runs that begin Runs.
const maxUnfold = 1000

// tree writes one entry and what it caused, nothing for an item that caused nothing.
func (f *forest) tree(e *trace.Entry, depth int) {
	begin := len(f.lines)
	f.lines = append(f.lines, strings.Repeat("  ", depth)+f.line(e))
	f.siblings(f.children[e.ID], depth+1)
	if e.K == trace.KindItem && len(f.lines) == begin+1 {
		f.lines = f.lines[:begin]
	}
}

func (f *forest) line(e *trace.Entry) string {
	switch e.K {
	case trace.KindItem:
		return itemLine(e)
	case trace.KindDrop:
		return e.Why
	}
	from, to := trace.Peer(e.From), trace.Peer(e.To)
	what := f.message(e)
	switch e.Form {
	case trace.FormReply, trace.FormFail:
		return to + " <= " + from + " " + what
	case trace.FormAsk:
		return from + " => " + to + " " + trace.EndpointOf(e.To) + " " + what
	}
	return from + " -> " + to + " " + trace.EndpointOf(e.To) + " " + what
}

// itemLine is W1.OnStart for a callback, else "W1 timer SendHeartbeat", "M disconnected W1".
func itemLine(e *trace.Entry) string {
	if strings.HasPrefix(e.Name, "On") {
		return trace.Peer(e.At) + "." + e.Name
	}
	line := trace.Peer(e.At) + " " + e.Name
	if e.To != "" {
		line += " " + trace.Peer(e.To)
	}
	return line
}

// message is Name(fields); an answer has the name of its own type, a Boolean and a failure have a form of their own.
func (f *forest) message(e *trace.Entry) string {
	switch {
	case e.Form == trace.FormFail:
		return f.failure(e)
	case e.Form == trace.FormReply && e.Message == boolType:
		return boolText(e)
	}
	name := e.Type
	if e.IsAnswer() {
		name = trace.ShortName(e.Message)
	}
	name = cmp.Or(name, notRecorded)
	if e.Body == "" && !e.Cut {
		return name
	}
	return name + "(" + ObjectText(e.Message, e.Body, e.Cut, f.opts) + ")"
}

const boolType = "rpc.Bool"

// boolText is the answer of a Boolean.
func boolText(e *trace.Entry) string {
	switch {
	case strings.Contains(e.Body, "true"):
		return "true"
	case e.Cut, e.Body == "":
		return notRecorded
	}
	return "false"
}

// notRecorded stands for what no record has.
const notRecorded = "…"

// failure is "fail CODE text", the text's first line.
func (f *forest) failure(e *trace.Entry) string {
	code, text := failureOf(e)
	if f.opts.Substitute != nil {
		text = f.opts.Substitute(text)
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.Join(strings.Fields("fail "+code+" "+text), " ")
}

// byPosting orders roots by time, and items of one Env that were posted at the same (virtual) time by their ordinals, which
// count postings: the order in which a seed lets them run is no matter of a script.
func byPosting(a, b *trace.Entry) int {
	if c := cmp.Compare(a.Sent, b.Sent); c != 0 || a.K != trace.KindItem || b.K != trace.KindItem || trace.Peer(a.At) != trace.Peer(b.At) {
		return c
	}
	return cmp.Compare(trace.Ordinal(a.ID), trace.Ordinal(b.ID))
}
