package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// nmPages are those of a NodeManager.
type nmPages struct {
	Site
	logDirs []string
}

// NodeManagerPages are the pages of a NodeManager, its /metrics, and the logs of containers below its log directories, at the
// addresses that Hadoop has them at. It mirrors org.apache.hadoop.yarn.server.nodemanager.webapp.
func NodeManagerPages(s Site, logDirs []string) http.Handler {
	p := &nmPages{s, logDirs}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.page("nm.html", p.index))
	mux.Handle("GET /node", p.page("nm.html", p.index))
	mux.Handle("GET /node/containerlogs/{container}/{user}", p.page("nm_logs.html", p.files))
	mux.Handle("GET /node/containerlogs/{container}/{user}/{file}", p.page("log.html", p.logPage))
	mux.HandleFunc("GET /ws/v1/node/containerlogs/{container}/{file}", p.log)
	p.metrics(mux, nil)
	assets(mux)
	return Guard(s.Names, mux)
}

// nmPage is the data of the main page.
type nmPage struct {
	Title string
	*yarn.NodeManagerStateResponse
	Containers   []nmContainerRow
	Applications []nmAppRow
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
	s, err := Ask(r.Context(), p.Env, p.Ref, &yarn.RequestNodeManagerState{})
	if err != nil {
		return nil, err
	}
	d := &nmPage{Title: "NodeManager at " + nodeID(s.GetNodeId()), NodeManagerStateResponse: s}
	for _, x := range reversed(s.GetContainers()) {
		d.Containers = append(d.Containers, nmContainerRow{x, containerID(x.GetId()), x.GetExitStatus() != exitstatus.Invalid})
	}
	for _, a := range reversed(s.GetApplications()) {
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

// mostLogs is how many logs of a container are listed.
const mostLogs = 1000

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
		entries, err := listLogs(dir, logDirOf(id))
		if err != nil {
			continue
		}
		found = true
		for _, e := range entries {
			d.Files = append(d.Files, logFile{e.Name(), "/node/containerlogs/" + id.String() + "/" + url.PathEscape(r.PathValue("user")) + "/" + url.PathEscape(e.Name()), e.Size()})
		}
	}
	if !found {
		return nil, notFound("there are no logs of %s on this node", id)
	}
	return d, nil
}

// listLogs are the plain files of a directory below work, through no link.
func listLogs(work string, dir []string) (out []os.FileInfo, err error) {
	root, err := os.OpenRoot(work)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, step := range dir { // as in readLog: no step may be a link
		next, err := enter(root, step)
		if err != nil {
			return nil, err
		}
		defer next.Close()
		root = next
	}
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(mostLogs)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && ids.Plain(e.Name()) {
			out = append(out, info)
		}
	}
	return out, nil
}

// askedContainer is the container that a path names.
func askedContainer(r *http.Request) (ids.Container, error) {
	id, err := ids.ParseContainer(r.PathValue("container"))
	if err != nil {
		return id, badRequest("%v", err)
	}
	return id, nil
}

// logDirOf is the directory of a container below a log directory.
func logDirOf(id ids.Container) []string { return []string{id.Attempt.App.String(), id.String()} }

// read is a piece of a log, from the first log directory that has it.
func (p *nmPages) read(r *http.Request) (a asked, got piece, err error) {
	id, err := askedContainer(r)
	if err != nil {
		return a, got, err
	}
	a.dir, a.name, a.query = logDirOf(id), r.PathValue("file"), url.Values{}
	if !ids.Plain(a.name) {
		return a, got, badRequest("%q is no plain name", a.name)
	}
	if err := a.piece(r.URL.Query()); err != nil {
		return a, got, err
	}
	err = notFound("there is no log %s of %s on this node", a.name, id)
	for _, dir := range p.logDirs {
		var e error
		if got, e = readLog(dir, a.dir, a.name, a.offset, a.length); e == nil {
			return a, got, nil
		}
		// A log that is there and cannot be read says more than the directories that lack it.
		if x, ok := errors.AsType[*problem](e); !ok || x.code != http.StatusNotFound {
			err = e
		}
	}
	return a, got, err
}

func (p *nmPages) log(w http.ResponseWriter, r *http.Request) {
	_, got, err := p.read(r)
	if err != nil {
		p.fail(w, err)
		return
	}
	send(w, "text/plain;charset=utf-8", got.text)
}

func (p *nmPages) logPage(r *http.Request) (any, error) {
	a, got, err := p.read(r)
	if err != nil {
		return nil, err
	}
	d := newLogPage(a, got, "the NodeManager")
	d.Title = strings.Join([]string{a.name, "of", path.Base(path.Join(a.dir...))}, " ")
	return d, nil
}
