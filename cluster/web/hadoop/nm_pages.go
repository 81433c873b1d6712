package hadoop

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/yarn"
)

// nmPages are those of a NodeManager.
type nmPages struct {
	web.Site
	logDirs []string
}

// NodeManagerPages are the pages of a NodeManager, its /metrics, and the logs of containers below its log directories, at the
// addresses that Hadoop has them at. It mirrors org.apache.hadoop.yarn.server.nodemanager.webapp.
func NodeManagerPages(s web.Site, logDirs []string) http.Handler {
	p := &nmPages{s, logDirs}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.Page(pages, "nm.html", p.index))
	mux.Handle("GET /node", p.Page(pages, "nm.html", p.index))
	mux.Handle("GET /node/containerlogs/{container}/{user}", p.Page(pages, "nm_logs.html", p.files))
	mux.Handle("GET /node/containerlogs/{container}/{user}/{file}", p.Page(pages, "log.html", p.logPage))
	mux.HandleFunc("GET /ws/v1/node/containerlogs/{container}/{file}", p.log)
	return p.Handler(mux)
}

// nmPage is the data of the main page.
type nmPage struct {
	Title string
	*yarn.NodeManagerStateResponse
	Containers   []nmContainerRow
	Applications []nmAppRow
	Members      []web.Member
}

type nmContainerRow struct {
	*yarn.NodeContainer
	ID   string
	Over bool
}

type nmAppRow struct {
	*yarn.NodeApplication
	ID string
}

func (p *nmPages) index(r *http.Request) (any, error) {
	s, err := web.Ask(r.Context(), p.Env, p.Ref, &yarn.RequestNodeManagerState{})
	if err != nil {
		return nil, err
	}
	d := &nmPage{Title: "NodeManager at " + nodeID(s.GetNodeId()), NodeManagerStateResponse: s, Members: p.MemberRows()}
	for _, x := range slices.Backward(s.GetContainers()) {
		d.Containers = append(d.Containers, nmContainerRow{x, containerID(x.GetId()), x.GetExitStatus() != exitstatus.Invalid})
	}
	for _, a := range slices.Backward(s.GetApplications()) {
		d.Applications = append(d.Applications, nmAppRow{a, appID(a.GetId())})
	}
	return d, nil
}

// containerLogs is the data of the page that lists the logs of a container.
type containerLogs struct {
	Title string
	Files []logFile
}

type logFile struct {
	Name, URL string
	Size      int64
}

// files lists the logs of a container: its plain files.
func (p *nmPages) files(r *http.Request) (any, error) {
	id, err := askedContainer(r)
	if err != nil {
		return nil, err
	}
	d := &containerLogs{Title: "Logs of " + id.String()}
	found := false
	// A container writes to one log directory; the others, or a disk that fails, do not matter when one has its logs.
	for _, dir := range p.logDirs {
		entries, err := web.ListLogs(dir, logDirOf(id))
		if err != nil {
			continue
		}
		found = true
		for _, e := range entries {
			d.Files = append(d.Files, logFile{e.Name(), "/node/containerlogs/" + id.String() + "/" + url.PathEscape(r.PathValue("user")) + "/" + url.PathEscape(e.Name()), e.Size()})
		}
	}
	if !found {
		return nil, web.NotFound("there are no logs of %s on this node", id)
	}
	return d, nil
}

// askedContainer is the container that a path names.
func askedContainer(r *http.Request) (ids.Container, error) {
	id, err := ids.ParseContainer(r.PathValue("container"))
	if err != nil {
		return id, web.BadRequest("%v", err)
	}
	return id, nil
}

// logDirOf is the directory of a container below a log directory.
func logDirOf(id ids.Container) []string { return []string{id.Attempt.App.String(), id.String()} }

// read is a piece of a log, from the first log directory that has it.
func (p *nmPages) read(r *http.Request) (l web.Log, got web.Piece, err error) {
	id, err := askedContainer(r)
	if err != nil {
		return l, got, err
	}
	l.Dir, l.Name, l.Query = logDirOf(id), r.PathValue("file"), url.Values{}
	if !ids.Plain(l.Name) {
		return l, got, web.BadRequest("%q is no plain name", l.Name)
	}
	if err := l.Want(r.URL.Query()); err != nil {
		return l, got, err
	}
	err = web.NotFound("there is no log %s of %s on this node", l.Name, id)
	for _, dir := range p.logDirs {
		var e error
		if got, e = l.Read(dir); e == nil {
			return l, got, nil
		}
		// A log that is there and cannot be read says more than the directories that lack it.
		if x, ok := errors.AsType[*web.Problem](e); !ok || x.Code != http.StatusNotFound {
			err = e
		}
	}
	return l, got, err
}

func (p *nmPages) log(w http.ResponseWriter, r *http.Request) {
	_, got, err := p.read(r)
	if err != nil {
		p.Fail(w, err)
		return
	}
	web.Send(w, "text/plain;charset=utf-8", got.Text)
}

func (p *nmPages) logPage(r *http.Request) (any, error) {
	l, got, err := p.read(r)
	if err != nil {
		return nil, err
	}
	d := l.Page(got, "the NodeManager")
	d.Title = strings.Join([]string{l.Name, "of", path.Base(path.Join(l.Dir...))}, " ")
	return d, nil
}
