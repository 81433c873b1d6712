package hadoop

import (
	"net/http"
	"slices"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/yarn"
)

// rmPages are those of a ResourceManager.
type rmPages struct{ web.Site }

// ResourceManagerPages are the pages of a ResourceManager, its REST server below /ws/v1/cluster, and its /metrics. It mirrors the
// reading parts of RMWebApp and RMWebServices.
func ResourceManagerPages(s web.Site) http.Handler {
	p := &rmPages{s}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.Page(pages, "rm.html", p.index))
	mux.Handle("GET /cluster", p.Page(pages, "rm.html", p.index))
	mux.Handle("GET /cluster/app/{app}", p.Page(pages, "rm_app.html", p.app))
	p.rest(mux)
	return p.Handler(mux)
}

func (p *rmPages) state(r *http.Request) (*yarn.ResourceManagerStateResponse, error) {
	return web.Ask(r.Context(), p.Env, p.Ref, &yarn.RequestResourceManagerState{})
}

// rmPage is the data of the main page.
type rmPage struct {
	Title string
	*yarn.ResourceManagerStateResponse
	Active, Ended []rmAppRow // the youngest first
	NodeRows      []rmNodeRow
	Queues        []rmQueueRow // each before those below it
	DemandRows    []rmDemandRow
	FailureRows   []rmFailureRow // the youngest first
	Members       []web.Member
}

type rmAppRow struct {
	ID, Final string
	*yarn.ApplicationReport
	Took     int64
	Percent  int
	Logs     string
	Tracking string
}

type rmNodeRow struct {
	ID, State, URL string
	*yarn.NodeReport
}

type rmQueueRow struct {
	*yarn.QueueInfo
	Depth int
	// Unbounded is whether it has no maximum of its own.
	Unbounded bool
}

type rmDemandRow struct {
	ID string
	*yarn.AppDemand
}

type rmFailureRow struct {
	ID, Node string
	*yarn.ContainerFailure
}

func (p *rmPages) index(r *http.Request) (any, error) {
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	d := &rmPage{Title: "ResourceManager at " + p.Env.Address().String(), ResourceManagerStateResponse: s, Queues: queueRows(s.GetRoot(), 0), Members: p.MemberRows()}
	for _, a := range slices.Backward(s.GetApps()) {
		row := appRow(s, a)
		if row.GetFinishTime() == 0 {
			d.Active = append(d.Active, row)
		} else {
			d.Ended = append(d.Ended, row)
		}
	}
	for _, n := range s.GetNodes() {
		i := nodeInfoOf(n)
		row := rmNodeRow{ID: i.ID, State: i.State, NodeReport: n}
		if i.HTTPAddress != "" {
			row.URL = withScheme(i.HTTPAddress)
		}
		d.NodeRows = append(d.NodeRows, row)
	}
	for _, x := range s.GetDemands() {
		d.DemandRows = append(d.DemandRows, rmDemandRow{appID(x.GetApplicationId()), x})
	}
	for _, f := range slices.Backward(s.GetFailures()) {
		d.FailureRows = append(d.FailureRows, rmFailureRow{containerID(f.GetContainerId()), nodeID(f.GetNodeId()), f})
	}
	return d, nil
}

func appRow(s *yarn.ResourceManagerStateResponse, a *yarn.AppInfo) rmAppRow {
	i := appInfoOf(s, a)
	return rmAppRow{
		ID: i.ID, Final: i.FinalStatus, ApplicationReport: a.GetReport(), Took: i.Elapsed, Percent: int(i.Progress), Logs: i.AMContainerLogs, Tracking: i.TrackingURL,
	}
}

// queueRows are a queue and those below it.
func queueRows(q *yarn.QueueInfo, depth int) []rmQueueRow {
	if q == nil {
		return nil
	}
	const noLimit = 1<<31 - 1 // larger numbers of cores are cut to it
	rows := []rmQueueRow{{q, depth, q.GetMaximumShare().GetVirtualCores() == noLimit}}
	for _, child := range q.GetChildQueues() {
		rows = append(rows, queueRows(child, depth+1)...)
	}
	return rows
}

// rmAppPage is the data of an application's page.
type rmAppPage struct {
	Title string
	rmAppRow
	Info     *yarn.AppInfo
	Attempts []rmAttemptRow // the youngest first
	Refusals []*yarn.ApplicationRefusal
}

type rmAttemptRow struct {
	*yarn.AppAttemptInfo
	Number          int32
	ContainerText   string
	Node            string
	Exited, Started bool
}

func (p *rmPages) app(r *http.Request) (any, error) {
	id, err := ids.ParseApplication(r.PathValue("app"))
	if err != nil {
		return nil, web.BadRequest("%v", err)
	}
	s, err := p.state(r)
	if err != nil {
		return nil, err
	}
	a := findApp(s, id)
	if a == nil {
		return nil, web.NotFound("there is no application %s", id)
	}
	why, err := web.Ask(r.Context(), p.Env, p.Ref, &yarn.RequestApplicationRefusals{ApplicationId: id.Proto()})
	if err != nil {
		return nil, err
	}
	d := &rmAppPage{Title: "Application: " + a.GetReport().GetName(), rmAppRow: appRow(s, a), Info: a, Refusals: why.GetRefusals()}
	for _, at := range a.GetAttempts() {
		d.Attempts = append(d.Attempts, rmAttemptRow{
			at, at.GetId().GetAttemptId(), containerID(at.GetContainer()), nodeID(at.GetNode()), at.GetFinishTime() != 0, at.GetStartTime() != 0,
		})
	}
	slices.Reverse(d.Attempts)
	return d, nil
}
