package spark

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/messages/deploy"
)

// masterPages are those of a Master.
type masterPages struct{ web.Site }

// MasterPages are the pages of a Master, its /json, its /metrics, and its actions. It mirrors
// org.apache.spark.deploy.master.ui.MasterWebUI.
func MasterPages(s web.Site) http.Handler {
	p := &masterPages{s}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.Page(pages, "master.html", p.index))
	mux.Handle("GET /app/{$}", p.Page(pages, "app.html", p.app))
	mux.Handle("GET /json/{$}", answer(&p.Site, p.json))
	mux.Handle("GET /json/{field}", answer(&p.Site, p.field))
	mux.Handle("GET /json/clusterutilization", answer(&p.Site, p.utilization))
	mux.HandleFunc("POST /app/kill/{$}", p.killApp)
	mux.HandleFunc("POST /driver/kill/{$}", p.killDriver)
	mux.HandleFunc("POST /workers/kill/{$}", p.killWorkers)
	metrics(&p.Site, mux, map[string]func(*http.Request) ([]gauge, error){
		"/metrics/master/": p.gauges, "/metrics/applications/": p.appGauges,
	})
	return p.Handler(mux)
}

func (p *masterPages) state(r *http.Request) (*deploy.MasterStateResponse, error) {
	return web.Ask(r.Context(), p.Env, p.Ref, &deploy.RequestMasterState{})
}

func (p *masterPages) json(r *http.Request) (pretty.Object, error) {
	s, err := p.state(r)
	return masterJSON(s), err
}

// field is one field of the /json; an unknown one is "", as in Spark. It mirrors JsonProtocol.writeMasterState with a field.
func (p *masterPages) field(r *http.Request) (pretty.Object, error) {
	all, err := p.json(r)
	name := r.PathValue("field")
	for _, f := range all {
		if f.Name == name {
			return pretty.Object{f}, err
		}
	}
	return pretty.Object{{Name: name, Value: ""}}, err
}

func (p *masterPages) utilization(r *http.Request) (pretty.Object, error) {
	s, err := p.state(r)
	return utilizationJSON(s), err
}

// masterPage is the data of the main page.
type masterPage struct {
	Title, URL string
	*deploy.MasterStateResponse
	Alive, Dead, Decommissioned, Unknown               int
	Cores, CoresUsed, Memory, MemoryUsed               int32
	Resources                                          string
	Waiting, Killed, Failed, Errors, Relaunching       int
	Active, Completed, ActiveDrivers, CompletedDrivers []row
	WorkerRows                                         []row
	Kill                                               bool
	Members                                            []web.Member
}

// row is a line of a table with the values that are computed for it.
type row struct {
	App    *deploy.ApplicationInfo
	Driver *deploy.DriverInfo
	Worker *deploy.WorkerInfo
	// Took is a duration in milliseconds.
	Took int64
	// WorkerURL is the page of the Worker that is named; empty: it has no page, or is not known any more.
	WorkerURL string
	Resources string
}

func (p *masterPages) index(r *http.Request) (any, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	sum := sumsOf(s)
	d := &masterPage{
		Title: cmp.Or(known.MasterUITitle.Get(p.Conf), "Spark Master at "+sparkURL(s.GetHost(), s.GetPort())),
		URL:   sparkURL(s.GetHost(), s.GetPort()), MasterStateResponse: s, Alive: sum.alive,
		Cores: int32(sum.cores), CoresUsed: int32(sum.coresUsed), Memory: int32(sum.memory), MemoryUsed: int32(sum.memoryUsed),
		Resources: resourceSums(s.GetWorkers()), Kill: p.refusesKills() == "", Members: p.MemberRows(),
	}
	pagesOf := map[string]string{}
	for _, w := range s.GetWorkers() {
		pagesOf[w.GetId()] = w.GetWebUiUrl()
		d.WorkerRows = append(d.WorkerRows, row{Worker: w, Resources: workerResources(w)})
		switch w.GetState() {
		case "DEAD":
			d.Dead++
		case "DECOMMISSIONED":
			d.Decommissioned++
		case "UNKNOWN":
			d.Unknown++
		}
	}
	for _, a := range s.GetActiveApps() {
		d.Active = append(d.Active, row{App: a, Took: duration(a, s.GetTimeMs())})
	}
	for _, a := range s.GetCompletedApps() {
		d.Completed = append(d.Completed, row{App: a, Took: duration(a, s.GetTimeMs())})
	}
	for _, x := range s.GetActiveDrivers() {
		d.ActiveDrivers = append(d.ActiveDrivers, row{Driver: x, WorkerURL: pagesOf[x.GetWorkerId()], Took: s.GetTimeMs() - x.GetStartMs()})
		if x.GetState() == submitted {
			d.Waiting++
		}
	}
	for _, x := range s.GetCompletedDrivers() {
		d.CompletedDrivers = append(d.CompletedDrivers, row{Driver: x, WorkerURL: pagesOf[x.GetWorkerId()]})
		switch x.GetState() {
		case deploy.DriverState_KILLED:
			d.Killed++
		case deploy.DriverState_FAILED:
			d.Failed++
		case deploy.DriverState_ERROR:
			d.Errors++
		case deploy.DriverState_RELAUNCHING:
			d.Relaunching++
		}
	}
	return d, nil
}

// appPage is the data of an application's page.
type appPage struct {
	Title string
	*deploy.ApplicationInfo
	Took                int64
	Unlimited           bool
	Left                int32
	Executors, Removed  []executorRow
	Over                bool
	ResourcesOfExecutor string
}

type executorRow struct {
	*deploy.ExecutorDesc
	WorkerURL string
}

// app mirrors org.apache.spark.deploy.master.ui.ApplicationPage.
func (p *masterPages) app(r *http.Request) (any, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	id := r.FormValue("appId")
	// Spark's page looks among the running ones alone, and its links die with the application.
	for _, list := range [][]*deploy.ApplicationInfo{s.GetActiveApps(), s.GetCompletedApps()} {
		for _, a := range list {
			if a.GetId() == id {
				return p.appPage(s, a), nil
			}
		}
	}
	return nil, web.NotFound("No running or completed application with ID %s", id)
}

func (p *masterPages) appPage(s *deploy.MasterStateResponse, a *deploy.ApplicationInfo) *appPage {
	pagesOf := map[string]string{}
	for _, w := range s.GetWorkers() {
		pagesOf[w.GetId()] = w.GetWebUiUrl()
	}
	const noLimit = 1<<31 - 1
	d := &appPage{
		Title: "Application: " + a.GetName(), ApplicationInfo: a, Took: duration(a, s.GetTimeMs()),
		Unlimited: a.GetMaxCores() == noLimit, Left: a.GetMaxCores() - a.GetCoresGranted(), Over: a.GetEndMs() != 0,
		ResourcesOfExecutor: perEach(a.GetResourcesPerExecutor()),
	}
	for _, x := range a.GetExecutors() {
		d.Executors = append(d.Executors, executorRow{x, pagesOf[x.GetWorkerId()]})
	}
	for _, x := range a.GetRemovedExecutors() {
		d.Removed = append(d.Removed, executorRow{x, pagesOf[x.GetWorkerId()]})
	}
	return d
}

// resourceSums is how many of each resource are used of those that Workers which are ALIVE have, as in "2 / 4 gpu".
func resourceSums(workers []*deploy.WorkerInfo) string {
	var names []string
	all, used := map[string]int{}, map[string]int{}
	for _, w := range workers {
		if w.GetState() != alive {
			continue
		}
		for _, r := range w.GetResources() {
			if _, known := all[r.GetName()]; !known {
				names = append(names, r.GetName())
			}
			all[r.GetName()] += len(r.GetAddresses())
		}
		for _, r := range w.GetResourcesUsed() {
			used[r.GetName()] += len(r.GetAddresses())
		}
	}
	var out []string
	for _, n := range names {
		out = append(out, decimal(int64(used[n]))+" / "+decimal(int64(all[n]))+" "+n)
	}
	return strings.Join(out, ", ")
}

// workerResources are the free and used addresses of each resource, as in "gpu: Free: [1] / Used: [0]".
func workerResources(w *deploy.WorkerInfo) string {
	used := map[string][]string{}
	for _, r := range w.GetResourcesUsed() {
		used[r.GetName()] = r.GetAddresses()
	}
	var out []string
	for _, r := range free(w.GetResources(), w.GetResourcesUsed()) {
		out = append(out, r.GetName()+": Free: ["+strings.Join(r.GetAddresses(), ", ")+"] / Used: ["+strings.Join(used[r.GetName()], ", ")+"]")
	}
	return strings.Join(out, ", ")
}
