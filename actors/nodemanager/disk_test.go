package nodemanager

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// fakes stands for the disk and the machine.
type fakes struct {
	log       []string
	fail      map[string]error // by URL, or by what is done
	wait      time.Duration    // of each fetch, preparation, output, look, and removal of an application
	stuck     ids.Container    // takes five seconds to remove
	fetched   []Resource
	prepared  []launch.Container
	usage     Usage
	report    string
	unhealthy bool
}

func (f *fakes) Fetch(b *rpcenv.Blocking, r Resource) (Fetched, error) {
	f.log = append(f.log, "fetch "+r.URL+" "+r.User+" "+r.App)
	f.fetched = append(f.fetched, r)
	if err := b.Sleep(f.wait); err != nil {
		return Fetched{}, err
	}
	return Fetched{Path: "/cache" + strings.TrimPrefix(r.URL, "file://"), Size: r.Size}, f.fail[r.URL]
}

func (f *fakes) Remove(_ *rpcenv.Blocking, path string) error {
	f.log = append(f.log, "remove "+path)
	return f.fail["remove"]
}

// dirs is fakes as Containers.
type dirs struct{ *fakes }

func (f dirs) Prepare(b *rpcenv.Blocking, c launch.Container) (launch.Container, error) {
	var links []string
	for _, l := range c.Links {
		links = append(links, l.Name+"->"+l.Target)
	}
	f.log = append(f.log, strings.TrimSpace("prepare "+strings.Join(links, " ")))
	f.prepared = append(f.prepared, c)
	if err := b.Sleep(f.wait); err != nil {
		return c, err
	}
	c.Dir, c.LogDir = "/w/"+c.ID, "/l/"+c.ID
	return c, f.fail["prepare"]
}

func (f dirs) Output(b *rpcenv.Blocking, _ launch.Container) string {
	_ = b.Sleep(f.wait) // a NodeManager that ends meanwhile hears nothing
	return "Last 4096 bytes"
}

func (f dirs) Remove(b *rpcenv.Blocking, c launch.Container) error {
	f.log = append(f.log, "remove container "+c.Dir)
	if c.ID == f.stuck.String() {
		if err := b.Sleep(5 * time.Second); err != nil {
			return err
		}
	}
	return f.fail["remove container"]
}

func (f dirs) RemoveApplication(b *rpcenv.Blocking, user, app string) error {
	f.log = append(f.log, "remove application "+user+" "+app)
	if err := b.Sleep(f.wait); err != nil {
		return err
	}
	return f.fail["remove application"]
}

func (f *fakes) Usage(b *rpcenv.Blocking, pid int) (Usage, error) {
	f.log = append(f.log, fmt.Sprint("usage ", pid))
	if err := b.Sleep(f.wait); err != nil {
		return Usage{}, err
	}
	return f.usage, f.fail["usage"]
}

func (f *fakes) Disks(*rpcenv.Blocking) (string, bool) {
	f.log = append(f.log, "disks")
	return f.report, !f.unhealthy
}

func (f *fakes) Script(_ *rpcenv.Blocking, path string, limit time.Duration) (string, bool) {
	f.log = append(f.log, fmt.Sprintf("script %s %s", path, limit))
	return "ERROR bad", false
}

func (f *fakes) count(line string) (n int) {
	for _, l := range f.log {
		if l == line {
			n++
		}
	}
	return n
}

func resourceOf(link, file string, visibility yarn.LocalResourceVisibility) *yarn.StringLocalResourceMap {
	return &yarn.StringLocalResourceMap{Key: link, Value: &yarn.LocalResource{
		Resource: &yarn.URL{Scheme: "file", File: file}, Size: 100, Timestamp: 5, Type: yarn.LocalResourceType_FILE, Visibility: visibility,
	}}
}

func withResources(list ...*yarn.StringLocalResourceMap) *yarn.ContainerLaunchContext {
	return &yarn.ContainerLaunchContext{Command: []string{"{{PWD}}/prog"}, LocalResources: slices.Clone(list)}
}
