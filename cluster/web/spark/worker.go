package spark

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
)

// workerPages are those of a Worker.
type workerPages struct {
	web.Site
	workDir string
}

// WorkerPages are the pages of a Worker, its /json, its /metrics, and the logs below its work directory. It mirrors
// org.apache.spark.deploy.worker.ui.WorkerWebUI.
func WorkerPages(s web.Site, workDir string) http.Handler {
	p := &workerPages{s, workDir}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.Page(pages, "worker.html", p.index))
	mux.Handle("GET /json/", answer(&p.Site, p.json)) // whatever follows, as in Spark
	mux.Handle("GET /logPage/{$}", p.Page(pages, "log.html", p.logPage))
	mux.HandleFunc("GET /log/{$}", p.log)
	metrics(&p.Site, mux, map[string]func(*http.Request) ([]gauge, error){"/metrics/": p.gauges})
	return p.Handler(mux)
}

func (p *workerPages) state(r *http.Request) (*deploy.WorkerStateResponse, error) {
	return web.Ask(r.Context(), p.Env, p.Ref, &deploy.RequestWorkerState{})
}

func (p *workerPages) json(r *http.Request) (pretty.Object, error) {
	s, err := p.state(r)
	return workerStateJSON(s, p.Conf), err
}

// workerPage is the data of the main page, the youngest executors and drivers first, as in Spark.
type workerPage struct {
	Title string
	*deploy.WorkerStateResponse
	Executors, FinishedExecutors []*deploy.ExecutorRunner
	Drivers, FinishedDrivers     []*deploy.DriverRunner
	Members                      []web.Member
}

func (p *workerPages) index(r *http.Request) (any, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	return &workerPage{
		"Spark Worker at " + strings.TrimPrefix(sparkURL(s.GetHost(), s.GetPort()), "spark://"), s,
		reversed(s.GetExecutors()), reversed(s.GetFinishedExecutors()), reversed(s.GetDrivers()), reversed(s.GetFinishedDrivers()), p.MemberRows(),
	}, nil
}

func reversed[T any](list []T) []T {
	out := slices.Clone(list) // an answer is never changed
	slices.Reverse(out)
	return out
}

// logTypes are the names of logs.
var logTypes = []string{"stderr", "stdout", "out"}

// askedLog reads which piece of which log a request wants: appId and executorId, or driverId; logType; offset and byteLength.
func askedLog(r *http.Request) (l web.Log, err error) {
	q := r.URL.Query()
	app, executor, driver := q.Get("appId"), q.Get("executorId"), q.Get("driverId")
	l.Name = q.Get("logType")
	l.Query = url.Values{"logType": {l.Name}}
	switch {
	case q.Has("self"):
		return l, web.NotFound("this daemon writes its log to its standard error")
	case app != "" && executor != "" && driver == "":
		l.Dir = []string{app, executor}
		l.Query.Set("appId", app)
		l.Query.Set("executorId", executor)
	case app == "" && executor == "" && driver != "":
		l.Dir = []string{driver}
		l.Query.Set("driverId", driver)
	default:
		return l, web.BadRequest("Request must specify either application or driver identifiers")
	}
	if !slices.Contains(logTypes, l.Name) {
		return l, web.BadRequest("Log type must be one of %s", strings.Join(logTypes, ", "))
	}
	err = l.Want(q)
	return l, err
}

// log is a piece of a log as text, behind a line that says which. It mirrors LogPage.renderLog.
func (p *workerPages) log(w http.ResponseWriter, r *http.Request) {
	l, err := askedLog(r)
	if err != nil {
		p.Fail(w, err)
		return
	}
	got, err := l.Read(p.workDir)
	if err != nil {
		p.Fail(w, err)
		return
	}
	head := fmt.Sprintf("==== Bytes %d-%d of %d of %s ====\n", got.Start, got.End, got.Total,
		path.Join(append(append([]string{p.workDir}, l.Dir...), l.Name)...))
	web.Send(w, "text/plain;charset=utf-8", append([]byte(head), got.Text...))
}

// logPage mirrors LogPage.render.
func (p *workerPages) logPage(r *http.Request) (any, error) {
	l, err := askedLog(r)
	if err != nil {
		return nil, err
	}
	got, err := l.Read(p.workDir)
	if err != nil {
		return nil, err
	}
	s, err := p.state(r) // for the link to the Master
	if err != nil {
		return nil, err
	}
	d := l.Page(got, "the Worker")
	d.MasterURL = s.GetMasterWebUiUrl()
	return d, nil
}
