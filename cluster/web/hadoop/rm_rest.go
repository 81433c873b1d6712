package hadoop

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// rest adds the ResourceManager's REST server. It mirrors the reading part of RMWebServices.
func (p *rmPages) rest(mux *http.ServeMux) {
	const base = "GET /ws/v1/cluster"
	info := answer(&p.Site, p.fromState(func(s *yarn.ResourceManagerStateResponse) any { return map[string]any{"clusterInfo": clusterInfoOf(s)} }))
	handle := func(path string, h http.Handler) { // with a slash at its end too
		mux.Handle(base+path, h)
		mux.Handle(base+path+"/{$}", h)
	}
	handle("", info)
	handle("/info", info)
	handle("/metrics", answer(&p.Site, p.fromState(func(s *yarn.ResourceManagerStateResponse) any {
		return map[string]any{"clusterMetrics": clusterMetricsOf(s)}
	})))
	handle("/scheduler", answer(&p.Site, p.fromState(func(s *yarn.ResourceManagerStateResponse) any {
		return map[string]any{"scheduler": map[string]any{"schedulerInfo": schedulerInfo(s)}}
	})))
	handle("/apps", answer(&p.Site, p.restApps))
	handle("/apps/{app}", answer(&p.Site, p.restApp))
	handle("/nodes", answer(&p.Site, p.restNodes))
	handle("/nodes/{node}", answer(&p.Site, p.restNode))
}

// fromState is an answer that needs nothing but the state.
func (p *rmPages) fromState(of func(*yarn.ResourceManagerStateResponse) any) func(*http.Request) (any, error) {
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
			list = append(list, f.selects(appInfoOf(s, a)))
		}
	}
	return map[string]any{"apps": listOf("app", list)}, nil
}

// listOf is a list as Hadoop writes it: an empty list is left out.
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
		return nil, noApplicationID(text)
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	if a := findApp(s, id); a != nil {
		return map[string]any{"app": appInfoOf(s, a)}, nil
	}
	return nil, absent("app with id: " + cut(text) + " not found")
}

// noApplicationID is what Hadoop says of a malformed id.
func noApplicationID(text string) error {
	complaint := "Invalid ApplicationId: " + cut(text)
	if !strings.HasPrefix(text, "application_") {
		complaint = "Invalid ApplicationId prefix: " + cut(text) + ". The valid ApplicationId should start with prefix application"
	}
	return &remoteException{
		http.StatusBadRequest, "BadRequestException", "org.apache.hadoop.yarn.webapp.BadRequestException",
		"java.lang.IllegalArgumentException: " + complaint,
	}
}

// findApp is an application of the state; nil: unknown.
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
	host, port, _ := strings.Cut(text, ":")
	if host == "" || port == "" || strings.Contains(port, ":") {
		return nil, illegal("Invalid NodeId [" + cut(text) + "]. Expected host:port")
	}
	// Like Hadoop's NodeId this has no brackets for IPv6.
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

// cut is the part of a request's text that an answer repeats.
func cut(text string) string { return text[:min(len(text), ids.Max)] }
