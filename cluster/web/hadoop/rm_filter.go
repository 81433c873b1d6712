package hadoop

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/messages/yarn"
)

// appFilter is which applications a request wants.
type appFilter struct {
	states, types, tags      []string
	final, user, queue, name string
	limit                    int64
	started, finished        [2]int64 // from, to; -1: any
	deSelected               []string
	startedSet, finishedSet  bool
}

// filterOf reads the parameters of RMWebServices.getApps.
func filterOf(q url.Values) (f appFilter, err error) {
	for _, name := range append(words(q["state"]), words(q["states"])...) {
		state := strings.ToUpper(name)
		if v, ok := yarn.YarnApplicationState_value[state]; !ok || v == 0 {
			return f, wrong("Invalid application-state " + cut(name) + " specified. It should be one of " + allStates())
		}
		f.states = append(f.states, state)
	}
	if f.final = q.Get("finalStatus"); f.final != "" { // its case counts, unlike that of states
		if _, ok := yarn.FinalApplicationStatus_value["APP_"+f.final]; !ok {
			return f, noConstant("FinalApplicationStatus", cut(f.final))
		}
	}
	f.user, f.queue, f.name = q.Get("user"), q.Get("queue"), q.Get("name")
	f.types, f.tags = words(q["applicationTypes"]), words(q["applicationTags"])
	for _, name := range words(q["deSelects"]) {
		if !slices.Contains(deSelects, name) {
			return f, wrong("Invalid deSelects string " + cut(name) + " specified. It should be one of [" + strings.Join(deSelects, ", ") + "]")
		}
		f.deSelected = append(f.deSelected, name)
	}
	if text := q.Get("limit"); text != "" {
		if f.limit, err = strconv.ParseInt(text, 10, 64); err != nil {
			return f, wrong("limit value must be a number!")
		}
		if f.limit <= 0 {
			return f, wrong("limit value must be greater then 0")
		}
	}
	if f.started, f.startedSet, err = times(q, "startedTime", "startedTime", "startTimeBegin"); err == nil {
		f.finished, f.finishedSet, err = times(q, "finishedTime", "finishTime", "finishTimeBegin")
	}
	return f, err
}

// times reads NAMEBegin and NAMEEnd, in ms. Hadoop's errors call them by other names: alias, and begin where it comes after the
// end.
func times(q url.Values, name, alias, begin string) (span [2]int64, set bool, err error) {
	span[1] = 1<<63 - 1
	for i, key := range []string{"Begin", "End"} {
		text := q.Get(name + key)
		if text == "" {
			continue
		}
		set = true
		if span[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return span, set, wrong(name + key + " value must be a number!")
		}
		if span[i] < 0 {
			return span, set, wrong(alias + key + " must be greater than 0")
		}
	}
	if span[0] > span[1] {
		return span, set, wrong(alias + "End must be greater than " + begin)
	}
	return span, set, nil
}

// words are those of lists separated by commas.
func words(lists []string) (out []string) {
	for _, list := range lists {
		for w := range strings.SplitSeq(list, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

func allStates() string {
	var names []string
	for s := yarn.YarnApplicationState_NEW; s <= yarn.YarnApplicationState_KILLED; s++ {
		names = append(names, s.String())
	}
	return "[" + strings.Join(names, ", ") + "]"
}

func (f *appFilter) takes(r *yarn.ApplicationReport) bool {
	in := func(list []string, text string) bool {
		return len(list) == 0 || slices.ContainsFunc(list, func(w string) bool { return strings.EqualFold(w, text) })
	}
	return in(f.states, r.GetYarnApplicationState().String()) && in(f.types, r.GetApplicationType()) &&
		(len(f.tags) == 0 || slices.ContainsFunc(r.GetApplicationTags(), func(t string) bool { return in(f.tags, t) })) &&
		(f.final == "" || finalStatus(r) == f.final) && (f.user == "" || r.GetUser() == f.user) && (f.name == "" || r.GetName() == f.name) && f.takesQueue(r) &&
		(!f.startedSet || r.GetStartTime() >= f.started[0] && r.GetStartTime() <= f.started[1]) &&
		(!f.finishedSet || r.GetFinishTime() >= f.finished[0] && r.GetFinishTime() <= f.finished[1])
}

// takesQueue reports whether an application is of the wanted queue. The whole name always fits; while an application runs, so do
// a name without root and any queue above its own: Hadoop asks the scheduler for those, which forgets what has ended.
func (f *appFilter) takesQueue(r *yarn.ApplicationReport) bool {
	q := r.GetQueue()
	if f.queue == "" || q == f.queue {
		return true
	}
	return r.GetFinishTime() == 0 && (q == "root."+f.queue || strings.HasPrefix(q, f.queue+".") || strings.HasPrefix(q, "root."+f.queue+"."))
}

// deSelects are the parts of an answer that a request can leave out.
var deSelects = []string{"resourceRequests", "timeouts", "appNodeLabelExpression", "amNodeLabelExpression", "resourceInfo"}

// selects leaves the deselected parts out. Resource requests, labels of applications, and sums by label are never in it.
func (f *appFilter) selects(i appInfo) appInfo {
	if slices.Contains(f.deSelected, "timeouts") {
		i.Timeouts = nil
	}
	if slices.Contains(f.deSelected, "amNodeLabelExpression") {
		i.AMNodeLabel = nil
	}
	return i
}
