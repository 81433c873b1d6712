package hadoop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/yarn"
)

// timeOfNode is when a NodeManager wrote a line of diagnostics.
var timeOfNode = regexp.MustCompile(`\[2026-11-28 [0-9:.]+\]`)

// hadoopHas are the fields that Hadoop's answers have and ours lack, or have otherwise: paths without places in lists. Each
// row is a line of differences.txt; a row that is no longer true fails the test.
var hadoopHas = map[string]string{
	"clusterInfo.rmStateStoreName":               "the class that keeps its records",
	"clusterInfo.resourceManagerVersionBuiltOn":  "when it was built",
	"clusterInfo.hadoopBuildVersion":             "of what it was built",
	"clusterInfo.hadoopVersionBuiltOn":           "when it was built",
	"clusterInfo.haZooKeeperConnectionState":     "ZooKeeper",
	"clusterMetrics.utilizedMB":                  "nobody measures nodes",
	"clusterMetrics.utilizedVirtualCores":        "nobody measures nodes",
	"clusterMetrics.utilizedMBPercent":           "nobody measures nodes",
	"clusterMetrics.utilizedVirtualCoresPercent": "nobody measures nodes",
	"clusterMetrics.rmSchedulerBusyPercent":      "the trace measures the scheduler",
	"clusterMetrics.containerAssignedPerSecond":  "the trace measures the scheduler",
	"clusterMetrics.rmEventQueueSize":            "coherer top shows inboxes",
	"clusterMetrics.schedulerEventQueueSize":     "coherer top shows inboxes",
	"nodes.node.version":                         "all nodes are of the one version",
	"nodes.node.memUtilization":                  "nobody measures nodes",
	"nodes.node.cpuUtilization":                  "nobody measures nodes",
	"nodes.node.resourceUtilization":             "nobody measures nodes",
	"app.resourceRequests":                       "coherer why app",
}

// otherValues are fields whose values are not those of the recording: of time, of the one machine, or of another kind.
var otherValues = map[string]string{
	"clusterInfo.resourceManagerBuildVersion": "of what it was built",
	"nodes.node.lastHealthUpdate":             "time",
	"app.startedTime":                         "time",
	"app.launchTime":                          "time",
	"app.finishedTime":                        "time",
	"app.elapsedTime":                         "time",
	"app.memorySeconds":                       "time",
	"app.vcoreSeconds":                        "time",
	"app.resourceSecondsMap.entry.value":      "time",
	"waiting":                                 "coherer why app says what an application waits for",
	"killed":                                  "nobody says as which user he speaks",
	"app.trackingUrl":                         "there is no proxy: it is the ApplicationMaster's own",
	"amMaxResources":                          "Hadoop's limit is as of the last application that came",
	"bound":                                   "minResources that are not set have the bounds of a container",
}

// recorded are the answers of a Hadoop 3.4.1 in the states of a yarnWorld.
type recorded struct {
	t      *testing.T
	used   map[string]bool
	answer func(s *yarn.ResourceManagerStateResponse, path string) string
}

// recordedStart is when the recorded ResourceManager began, which is in its ids.
const recordedStart = "1795877419763"

func newRecorded(t *testing.T) *recorded {
	return &recorded{t: t, used: map[string]bool{}, answer: func(s *yarn.ResourceManagerStateResponse, path string) string {
		t.Helper()
		code, text := webtest.Get(t, ResourceManagerPages(webtest.Site(t, &books{rm: s})), "/ws/v1/cluster"+path, "Accept", "application/json")
		if code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, text)
		}
		return text
	}}
}

// is compares an answer of ours with a recorded one.
func (r *recorded) is(w *yarnWorld, file string, s *yarn.ResourceManagerStateResponse, path string) {
	r.t.Helper()
	want := ordered(r.t, webtest.Read(r.t, "testdata/real/"+file+".json"))
	got := ordered(r.t, strings.NewReplacer(append(w.as, fmt.Sprint(s.GetStartedOn()), recordedStart)...).Replace(r.answer(s, path)))
	r.compare(file, "", want, got)
}

// field is one of an object of JSON, in its place.
type field struct {
	name  string
	value any // []field, []any, or the text of what is neither
}

// ordered reads JSON with the order of its fields, and fields of one name.
func ordered(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	next := func() json.Token {
		k, err := d.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return k
	}
	var value func(k json.Token) any
	value = func(k json.Token) any {
		switch k {
		case json.Delim('{'):
			fields := []field{}
			for d.More() {
				name := fmt.Sprint(next())
				fields = append(fields, field{name, value(next())})
			}
			next()
			return fields
		case json.Delim('['):
			list := []any{}
			for d.More() {
				list = append(list, value(next()))
			}
			next()
			return list
		}
		text, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return value(next())
}

func (r *recorded) compare(file, path string, want, got any) {
	r.t.Helper()
	switch w := want.(type) {
	case []field:
		g, ok := got.([]field)
		if !ok {
			r.t.Errorf("%s: %s is %v, want an object", file, path, got)
			return
		}
		r.fields(file, path, w, g)
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			r.t.Errorf("%s: %s is %v, want %d elements", file, path, got, len(w))
			return
		}
		byID(w)
		byID(g)
		for i := range w {
			r.compare(file, path, w[i], g[i])
		}
	case string:
		g, ok := got.(string)
		if !ok || kindOf(g) != kindOf(w) {
			r.t.Errorf("%s: %s is %v, want %s", file, path, got, w)
			return
		}
		if w = timeOfNode.ReplaceAllString(w, ""); g == w {
			return
		}
		switch {
		case strings.Contains(path, ".minResources.") && strings.HasSuffix(path, "Allocation"):
			path = "bound"
		case strings.Contains(w, "is not yet activated"):
			path = "waiting"
		case g == strings.Replace(w, "user bob at 127.0.0.1", "user at 10.0.0.2", 1):
			path = "killed"
		case strings.Contains(path, ".amMaxResources."):
			path = "amMaxResources"
		}
		if _, ok := otherValues[path]; !ok {
			r.t.Errorf("%s: %s is %s, want %s", file, path, g, w)
		}
		r.used[path] = true
	}
}

// fields compares objects: ours has Hadoop's fields in their order, but for rows of hadoopHas.
func (r *recorded) fields(file, path string, want, got []field) {
	r.t.Helper()
	i := 0
	for _, w := range want {
		at := strings.TrimPrefix(path+"."+w.name, ".")
		if _, ok := hadoopHas[at]; ok && (i == len(got) || got[i].name != w.name) {
			r.used[at] = true
			continue
		}
		if i == len(got) || got[i].name != w.name {
			r.t.Errorf("%s: no %s where Hadoop has it; ours go on with %v", file, at, names(got[i:]))
			return
		}
		r.compare(file, at, w.value, got[i].value)
		i++
	}
	if i < len(got) {
		r.t.Errorf("%s: %s has %v, which Hadoop has not", file, path, names(got[i:]))
	}
}

func names(fields []field) (all []string) {
	for _, f := range fields {
		all = append(all, f.name)
	}
	return all
}

// byID brings objects in an order: Hadoop's have none.
func byID(list []any) {
	key := func(v any) string {
		for _, f := range v.([]field) {
			if f.name == "id" || f.name == "queueName" {
				return fmt.Sprint(f.value)
			}
		}
		return ""
	}
	slices.SortStableFunc(list, func(a, b any) int { return strings.Compare(key(a), key(b)) })
}

// kindOf is what JSON a text is.
func kindOf(text string) string {
	switch {
	case text == "null":
		return "null"
	case text == "true" || text == "false":
		return "boolean"
	case strings.HasPrefix(text, `"`):
		return "string"
	case strings.ContainsAny(text, ".eE"):
		return "float"
	}
	return "integer"
}

// played brings a yarnWorld to the states of the recording, which it compares on the way, and gives the last.
func played(t *testing.T, compare func(w *yarnWorld, file string, s *yarn.ResourceManagerStateResponse, path string)) *yarn.ResourceManagerStateResponse {
	t.Helper()
	w := newYarnWorld(t)
	is := func(file string, s *yarn.ResourceManagerStateResponse, path string) { compare(w, file, s, path) }
	s := w.state()
	is("idle-info", s, "")
	is("idle-info", s, "/info")
	is("idle-metrics", s, "/metrics")
	is("idle-nodes", s, "/nodes")
	is("idle-scheduler", s, "/scheduler")
	app := func(n int) string {
		return "/apps/" + appID(&yarn.ApplicationId{ClusterTimestamp: s.GetStartedOn(), Id: int32(n)})
	}
	pi := w.submit("ada", "root.a", "Pi")
	m := w.launched()
	m.register(4000, "")
	yarnAsk[*yarn.FinishApplicationMasterResponse](w, w.tool, ids.ApplicationMasterService, &yarn.FinishApplicationMasterRequest{
		FinalApplicationStatus: yarn.FinalApplicationStatus_APP_SUCCEEDED, TrackingUrl: "history:18080/x", ApplicationAttemptId: m.attempt, AmRmToken: m.token,
	})
	is("finishing-app1", w.state(), app(1))
	w.n1.ends(pi, 0, "")
	w.submit("bob", "root.a", "<b>Words</b>", "x", "y")
	words := w.launched()
	is("launched-app2", w.state(), app(2))
	words.register(4001, "http://driver:4040")
	late := yarnAsk[*yarn.GetNewApplicationResponse](w, w.tool, ids.ClientRMService, &yarn.GetNewApplicationRequest{})
	fails := w.submit("bob", "root.c.d", "fails")
	w.launched()
	w.n1.ends(fails, 3, "Exception from container-launch.\nContainer id: container_"+fmt.Sprint(s.GetStartedOn())+"_0004_01_000001\nExit code: 3\n\n"+
		strings.Repeat("Container exited with a non-zero exit code 3. Error file: prelaunch.err.\nLast 4096 bytes of prelaunch.err :\n\n", 2))
	killed := w.submit("bob", "root.c.d", "killed")
	w.launched()
	yarnAsk[*yarn.KillApplicationResponse](w, w.tool, ids.ClientRMService, &yarn.KillApplicationRequest{ApplicationId: killed.Proto()})
	w.n1.ends(killed, 143, "")
	w.submit("ada", "root.zz", "nowhere")
	w.submitAs(late.GetApplicationId(), "ada", "root.b", "late")
	words.allocate(2)
	for range 4 {
		w.n1.beat()
	}
	if got := words.allocate(0); got != 2 {
		t.Fatalf("%d containers", got)
	}
	words.allocate(4)
	for end := w.Now().Add(30 * time.Second); w.Now().Before(end); {
		w.n1.beat()
	}
	s = w.state()
	is("run-metrics", s, "/metrics")
	is("run-nodes", s, "/nodes")
	is("run-scheduler", s, "/scheduler")
	for n := range 6 {
		is(fmt.Sprintf("run-app%d", n+1), s, app(n+1))
	}
	return s
}

// TestTheRESTServerAnswersAsHadoops compares with what Hadoop 3.4.1 answered after the same events: names, types and order of
// fields, when each is there, and all values that events determine.
func TestTheRESTServerAnswersAsHadoops(t *testing.T) {
	r := newRecorded(t)
	played(t, r.is)
	w := newYarnWorld(t, "yarn.resourcemanager.scheduler.class", "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler")
	r.is(w, "fifo-scheduler", w.state(), "/scheduler")
	for row, why := range hadoopHas {
		if !r.used[row] {
			t.Errorf("hadoopHas: %s (%s) is no difference", row, why)
		}
	}
	for row, why := range otherValues {
		if !r.used[row] {
			t.Errorf("otherValues: %s (%s) is no difference", row, why)
		}
	}
}

// TestErrorsAreHadoops and filters: testdata/real/errors.txt has code, path and answer, filters.txt query and ids.
func TestErrorsAreHadoops(t *testing.T) {
	s := played(t, func(*yarnWorld, string, *yarn.ResourceManagerStateResponse, string) {})
	h := ResourceManagerPages(webtest.Site(t, &books{rm: s}))
	ts := fmt.Sprint(s.GetStartedOn())
	ours := map[string]string{ // where we differ
		"/apps/application_TS_-1":    "400", // an id is what is printed
		"/apps/application_TS_1":     "400",
		"/apps/application_TS_0001/": "200",
	}
	for line := range strings.Lines(webtest.Read(t, "testdata/real/errors.txt")) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		want, path, answer := part[0], part[1], part[2]
		code, text := webtest.Get(t, h, "/ws/v1/cluster"+strings.ReplaceAll(path, "TS", ts), "Accept", "application/json")
		if other, ok := ours[path]; ok {
			want = other
		} else if strings.HasPrefix(answer, "{") && strings.ReplaceAll(text, ts, "TS") != answer {
			t.Errorf("%s:\n%s\nwant\n%s", path, text, answer)
		}
		if list, ok := strings.CutPrefix(answer, "apps "); ok && code == http.StatusOK && idsIn(text) != list {
			t.Errorf("%s: %s, want %s", path, idsIn(text), list)
		}
		if fmt.Sprint(code) != want {
			t.Errorf("%s: %d, want %s", path, code, want)
		}
	}
}

var idInText = regexp.MustCompile(`"id":"application_\d+_000(\d)"`)

// idsIn are the numbers of the applications of an answer, in order.
func idsIn(text string) string {
	var all []string
	for _, m := range idInText.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestFiltersAreHadoops(t *testing.T) {
	s := played(t, func(*yarnWorld, string, *yarn.ResourceManagerStateResponse, string) {})
	h := ResourceManagerPages(webtest.Site(t, &books{rm: s}))
	start, finish := s.GetApps()[1].GetReport().GetStartTime(), s.GetApps()[0].GetReport().GetFinishTime()
	for line := range strings.Lines(webtest.Read(t, "testdata/real/filters.txt")) {
		query, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if query == "limit=2" {
			want = "1 2" // theirs have no order
		}
		code, text := webtest.Get(t, h, "/ws/v1/cluster/apps?"+strings.NewReplacer("START2+1", fmt.Sprint(start+1), "START2-1", fmt.Sprint(start-1),
			"START2", fmt.Sprint(start), "FINISH1", fmt.Sprint(finish)).Replace(query))
		if got := idsIn(text); code != http.StatusOK || got != want {
			t.Errorf("%s: %d %s, want %s", query, code, got, want)
		}
	}
}
