package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// rest adds the ResourceManager's REST server. It mirrors RMWebServices, what reads.
func (p *rmPages) rest(mux *http.ServeMux) {
	const base = "GET /ws/v1/cluster"
	info := p.hadoop(p.told(func(s *yarn.ResourceManagerStateResponse) any { return map[string]any{"clusterInfo": clusterInfoOf(s)} }))
	mux.Handle(base, info)
	mux.Handle(base+"/info", info)
	mux.Handle(base+"/metrics", p.hadoop(p.told(func(s *yarn.ResourceManagerStateResponse) any {
		return map[string]any{"clusterMetrics": clusterMetricsOf(s)}
	})))
	mux.Handle(base+"/scheduler", p.hadoop(p.told(func(s *yarn.ResourceManagerStateResponse) any {
		return map[string]any{"scheduler": map[string]any{"schedulerInfo": schedulerInfo(s)}}
	})))
	mux.Handle(base+"/apps", p.hadoop(p.restApps))
	mux.Handle(base+"/apps/{app}", p.hadoop(p.restApp))
	mux.Handle(base+"/nodes", p.hadoop(p.restNodes))
	mux.Handle(base+"/nodes/{node}", p.hadoop(p.restNode))
}

// told is an answer that needs nothing but the state.
func (p *rmPages) told(of func(*yarn.ResourceManagerStateResponse) any) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		s, err := p.state(r)
		if err != nil {
			return nil, err
		}
		return of(s), nil
	}
}

func (p *rmPages) restApps(r *http.Request) (any, error) {
	f, err := filterOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	var list []appInfo
	for _, a := range s.GetApps() {
		if f.limit > 0 && int64(len(list)) == f.limit {
			break
		}
		if f.takes(a.GetReport()) {
			i := appInfoOf(s, a)
			if f.noTimeouts {
				i.Timeouts = nil
			}
			list = append(list, i)
		}
	}
	return map[string]any{"apps": listOf("app", list)}, nil
}

// listOf is a list as Hadoop writes it: without elements there is none.
func listOf[T any](name string, list []T) map[string][]T {
	if len(list) == 0 {
		return map[string][]T{}
	}
	return map[string][]T{name: list}
}

func (p *rmPages) restApp(r *http.Request) (any, error) {
	text := r.PathValue("app")
	id, err := ids.ParseApplication(text)
	if err != nil {
		return nil, &remoteException{
			http.StatusBadRequest, "BadRequestException", "org.apache.hadoop.yarn.webapp.BadRequestException",
			"java.lang.IllegalArgumentException: Invalid ApplicationId: " + cut(text),
		}
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	if a := findApp(s, id); a != nil {
		return map[string]any{"app": appInfoOf(s, a)}, nil
	}
	return nil, absent("app with id: " + id.String() + " not found")
}

// findApp is an application of the state; nil: there is none.
func findApp(s *yarn.ResourceManagerStateResponse, id ids.Application) *yarn.AppInfo {
	i := slices.IndexFunc(s.GetApps(), func(a *yarn.AppInfo) bool { return appID(a.GetReport().GetApplicationId()) == id.String() })
	if i < 0 {
		return nil
	}
	return s.GetApps()[i]
}

func (p *rmPages) restNodes(r *http.Request) (any, error) {
	var states []string
	if q := r.URL.Query(); q.Has("states") {
		for name := range strings.SplitSeq(q.Get("states"), ",") {
			name = strings.ToUpper(name)
			if v, ok := yarn.NodeState_value["NS_"+name]; !ok || v == 0 {
				return nil, noConstant("NodeState", cut(name))
			}
			states = append(states, name)
		}
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	var list []nodeInfo
	for _, n := range s.GetNodes() {
		if states == nil || slices.Contains(states, nodeState(n)) {
			list = append(list, nodeInfoOf(n))
		}
	}
	return map[string]any{"nodes": listOf("node", list)}, nil
}

func (p *rmPages) restNode(r *http.Request) (any, error) {
	text := r.PathValue("node")
	_, port, ok := strings.Cut(text, ":")
	if i := strings.LastIndexByte(text, ':'); ok {
		port = text[i+1:]
	}
	if !ok {
		return nil, illegal("Invalid NodeId [" + cut(text) + "]. Expected host:port")
	}
	if _, err := strconv.ParseInt(port, 10, 32); err != nil {
		return nil, illegal("Invalid port: " + cut(port))
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	for _, n := range s.GetNodes() {
		if nodeID(n.GetNodeId()) == text {
			return map[string]any{"node": nodeInfoOf(n)}, nil
		}
	}
	return nil, absent("nodeId, " + cut(text) + ", is not found")
}

// cut is what an answer repeats of a request.
func cut(text string) string { return text[:min(len(text), ids.Max)] }

// appFilter is which applications a request wants.
type appFilter struct {
	states, types, tags     []string
	final, user, queue      string
	limit                   int64
	started, finished       [2]int64 // from, to; -1: any
	noTimeouts              bool
	startedSet, finishedSet bool
}

// filterOf reads the parameters of RMWebServices.getApps.
func filterOf(q url.Values) (f appFilter, err error) {
	for _, name := range append(words(q["state"]), words(q["states"])...) {
		name = strings.ToUpper(name)
		if v, ok := yarn.YarnApplicationState_value[name]; !ok || v == 0 {
			return f, wrong("Invalid application-state " + cut(name) + " specified. It should be one of " + allStates())
		}
		f.states = append(f.states, name)
	}
	if f.final = q.Get("finalStatus"); f.final != "" {
		if _, ok := yarn.FinalApplicationStatus_value["APP_"+f.final]; !ok {
			return f, noConstant("FinalApplicationStatus", cut(f.final))
		}
	}
	f.user, f.queue = q.Get("user"), q.Get("queue")
	f.types, f.tags = words(q["applicationTypes"]), words(q["applicationTags"])
	f.noTimeouts = slices.Contains(words(q["deSelects"]), "timeouts")
	if text := q.Get("limit"); text != "" {
		if f.limit, err = strconv.ParseInt(text, 10, 64); err != nil {
			return f, noNumber(cut(text))
		}
		if f.limit <= 0 {
			return f, wrong("limit value must be greater then 0")
		}
	}
	if f.started, f.startedSet, err = times(q, "startedTime"); err == nil {
		f.finished, f.finishedSet, err = times(q, "finishedTime")
	}
	return f, err
}

// times reads NAMEBegin and NAMEEnd, in ms.
func times(q url.Values, name string) (span [2]int64, set bool, err error) {
	span[1] = 1<<63 - 1
	for i, key := range []string{name + "Begin", name + "End"} {
		text := q.Get(key)
		if text == "" {
			continue
		}
		set = true
		if span[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return span, set, noNumber(cut(text))
		}
		if span[i] < 0 {
			return span, set, wrong(key + " must be greater than 0")
		}
	}
	if span[0] > span[1] {
		return span, set, wrong(name + "End must be greater than " + name + "Begin")
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
	in := func(list []string, text string) bool { return len(list) == 0 || slices.Contains(list, text) }
	return in(f.states, r.GetYarnApplicationState().String()) && in(f.types, r.GetApplicationType()) &&
		(len(f.tags) == 0 || slices.ContainsFunc(f.tags, func(t string) bool { return slices.Contains(r.GetApplicationTags(), t) })) &&
		(f.final == "" || finalStatus(r) == f.final) && (f.user == "" || r.GetUser() == f.user) && (f.queue == "" || r.GetQueue() == f.queue) &&
		(!f.startedSet || r.GetStartTime() >= f.started[0] && r.GetStartTime() <= f.started[1]) &&
		(!f.finishedSet || r.GetFinishTime() >= f.finished[0] && r.GetFinishTime() <= f.finished[1])
}
