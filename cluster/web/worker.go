package web

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
)

// workerPages are those of a Worker.
type workerPages struct {
	Site
	workDir string
}

// WorkerPages are the pages of a Worker, its /json, its /metrics, and the logs below its work directory. It mirrors
// org.apache.spark.deploy.worker.ui.WorkerWebUI.
func WorkerPages(s Site, workDir string) http.Handler {
	p := &workerPages{s, workDir}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.page("worker.html", p.index))
	mux.Handle("GET /json/", p.answer(p.json)) // whatever follows, as in Spark
	mux.Handle("GET /logPage/{$}", p.page("log.html", p.logPage))
	mux.HandleFunc("GET /log/{$}", p.log)
	p.metrics(mux, map[string]func(*http.Request) ([]gauge, error){"/metrics/": p.gauges})
	assets(mux)
	return Guard(s.Names, mux)
}

func (p *workerPages) state(r *http.Request) (*deploy.WorkerStateResponse, error) {
	return Ask(r.Context(), p.Env, p.Ref, &deploy.RequestWorkerState{})
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
}

func (p *workerPages) index(r *http.Request) (any, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	return &workerPage{
		"Spark Worker at " + strings.TrimPrefix(sparkURL(s.GetHost(), s.GetPort()), "spark://"), s,
		reversed(s.GetExecutors()), reversed(s.GetFinishedExecutors()), reversed(s.GetDrivers()), reversed(s.GetFinishedDrivers()),
	}, nil
}

func reversed[T any](list []T) []T {
	out := slices.Clone(list) // an answer is never changed
	slices.Reverse(out)
	return out
}

// asked is a log that a request names.
type asked struct {
	// dir is its directory below the work directory, name the log.
	dir  []string
	name string
	// offset is where the piece begins; nil: the end of the log.
	offset *int64
	length int64
	// query names the log, without the piece.
	query url.Values
}

// askedLog reads which piece of which log a request wants: appId and executorId, or driverId; logType; offset and byteLength.
func askedLog(r *http.Request) (a asked, err error) {
	q := r.URL.Query()
	app, executor, driver := q.Get("appId"), q.Get("executorId"), q.Get("driverId")
	a.name = q.Get("logType")
	a.query = url.Values{"logType": {a.name}}
	switch {
	case q.Has("self"):
		return a, notFound("this daemon writes its log to its standard error")
	case app != "" && executor != "" && driver == "":
		a.dir = []string{app, executor}
		a.query.Set("appId", app)
		a.query.Set("executorId", executor)
	case app == "" && executor == "" && driver != "":
		a.dir = []string{driver}
		a.query.Set("driverId", driver)
	default:
		return a, badRequest("Request must specify either application or driver identifiers")
	}
	if !slices.Contains(logTypes, a.name) {
		return a, badRequest("Log type must be one of %s", strings.Join(logTypes, ", "))
	}
	err = a.piece(q)
	return a, err
}

// piece reads which piece of a log is wanted: offset and byteLength.
func (a *asked) piece(q url.Values) (err error) {
	a.length = defaultPiece
	if text := q.Get("byteLength"); text != "" {
		if a.length, err = strconv.ParseInt(text, 10, 64); err != nil || a.length < 0 {
			return badRequest("byteLength %q: want a number of bytes", text)
		}
		a.length = min(a.length, mostPiece)
	}
	if text := q.Get("offset"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return badRequest("offset %q: want a number of bytes", text)
		}
		a.offset = &n
	}
	return nil
}

// log is a piece of a log as text, behind a line that says which. It mirrors LogPage.renderLog.
func (p *workerPages) log(w http.ResponseWriter, r *http.Request) {
	a, err := askedLog(r)
	if err != nil {
		p.fail(w, err)
		return
	}
	got, err := readLog(p.workDir, a.dir, a.name, a.offset, a.length)
	if err != nil {
		p.fail(w, err)
		return
	}
	head := fmt.Sprintf("==== Bytes %d-%d of %d of %s ====\n", got.start, got.end, got.total,
		path.Join(append(append([]string{p.workDir}, a.dir...), a.name)...))
	send(w, "text/plain;charset=utf-8", append([]byte(head), got.text...))
}

// logPage is the data of the page of a log.
type logPage struct {
	Title             string
	Text              string
	Start, End, Total int64
	// Older, Newer and Last are the addresses of other pieces; empty: this piece has the log's begin, or its end.
	Older, Newer, Last string
	MasterURL          string
	Home               string // the subject of the main page
}

// logPage mirrors LogPage.render.
func (p *workerPages) logPage(r *http.Request) (any, error) {
	a, err := askedLog(r)
	if err != nil {
		return nil, err
	}
	got, err := readLog(p.workDir, a.dir, a.name, a.offset, a.length)
	if err != nil {
		return nil, err
	}
	s, err := p.state(r) // for the link to the Master
	if err != nil {
		return nil, err
	}
	d := newLogPage(a, got, "the Worker")
	d.MasterURL = s.GetMasterWebUiUrl()
	return d, nil
}

// newLogPage is the page of a piece of a log. home is the subject of the main page.
func newLogPage(a asked, got piece, home string) *logPage {
	d := &logPage{
		Title: a.name + " log page for " + strings.Join(a.dir, "/"), Text: string(got.text),
		Start: got.start, End: got.end, Total: got.total, Home: home,
	}
	at := func(start, length int64) string {
		a.query.Set("offset", decimal(start))
		a.query.Set("byteLength", decimal(length))
		return "?" + a.query.Encode()
	}
	if got.start > 0 { // the piece before may be shorter, but must not repeat a line of this one
		from := max(got.start-a.length, 0)
		d.Older = at(from, got.start-from)
	}
	if got.end < got.total {
		d.Newer = at(got.end, a.length)
		d.Last = at(max(got.total-a.length, 0), a.length)
	}
	return d
}
