package local

import (
	"fmt"
	"path"
	"sync"

	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// yarnFiles are the files of applications on YARN in a World, in memory: what clients stage, which all nodes see, and the
// directories of containers. As on a disk, a file that was not staged, or was removed, is missing.
type yarnFiles struct {
	mu         sync.Mutex
	staged     map[string]stagedFile
	containers map[string]launch.Container // by their directories
}

// stagedFile is a file in a staging directory.
type stagedFile struct {
	staged  yarnclient.Staged
	entries []yarnclient.ArchiveEntry // of an archive
}

// The three views of yarnFiles: each has a Remove, and each removes something else.
type (
	staging    struct{ *yarnFiles }
	localizer  struct{ *yarnFiles }
	containers struct{ *yarnFiles }
)

var (
	_ yarnclient.Files       = staging{}
	_ nodemanager.Localizer  = localizer{}
	_ nodemanager.Containers = containers{}
)

func newYARNFiles() *yarnFiles {
	return &yarnFiles{staged: map[string]stagedFile{}, containers: map[string]launch.Container{}}
}

// Home is a directory that all machines of the World have.
func (f staging) Home() (string, error) { return "file:/home", nil }

// Copy stages a file. Programs have no content: they are started by their names.
func (f staging) Copy(b *rpcenv.Blocking, dir, name, from string) (yarnclient.Staged, error) {
	return f.stage(b, dir+"/"+name, int64(len(from)), nil), nil
}

// Archive stages an archive.
func (f staging) Archive(b *rpcenv.Blocking, dir, name string, entries []yarnclient.ArchiveEntry) (yarnclient.Staged, error) {
	size := 0
	for _, e := range entries {
		size += len(e.Content)
	}
	return f.stage(b, dir+"/"+name, int64(size), entries), nil
}

func (f *yarnFiles) stage(b *rpcenv.Blocking, uri string, size int64, entries []yarnclient.ArchiveEntry) yarnclient.Staged {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := yarnclient.Staged{URI: uri, Size: size, Timestamp: b.Now().UnixMilli(), Visibility: yarn.LocalResourceVisibility_PRIVATE}
	f.staged[pathOf(uri)] = stagedFile{s, entries}
	return s
}

func pathOf(uri string) string {
	u, _ := distcache.URL(uri) // this package made it
	return u.GetFile()
}

// stat is a staged file.
func (f *yarnFiles) stat(at string) (stagedFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, ok := f.staged[at]
	if !ok {
		return s, fmt.Errorf("File %s does not exist", at)
	}
	return s, nil
}

// Remove removes a staging directory.
func (f staging) Remove(_ *rpcenv.Blocking, dir string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.staged {
		if path.Dir(name) == pathOf(dir) {
			delete(f.staged, name)
		}
	}
	return nil
}

// Remove has nothing to do: the copy is the file itself.
func (localizer) Remove(*rpcenv.Blocking, string) error { return nil }

// Fetch finds a staged file; the copy is the file itself.
func (f localizer) Fetch(_ *rpcenv.Blocking, r nodemanager.Resource) (nodemanager.Fetched, error) {
	at := pathOf(r.URL)
	s, err := f.stat(at)
	if err != nil {
		return nodemanager.Fetched{}, err
	}
	if s.staged.Size != r.Size || s.staged.Timestamp != r.Timestamp {
		return nodemanager.Fetched{}, fmt.Errorf("Resource %s changed on src filesystem", r.URL)
	}
	return nodemanager.Fetched{Path: at, Size: r.Size}, nil
}

// Prepare makes a container's directory.
func (f containers) Prepare(_ *rpcenv.Blocking, c launch.Container) (launch.Container, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.Dir, c.LogDir, c.LocalDirs = "/containers/"+c.ID, "/logs/"+c.ID, []string{"/containers"}
	f.containers[c.Dir] = c
	return c, nil
}

// container is the container of a directory.
func (f *yarnFiles) container(dir string) (launch.Container, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.containers[dir]
	if !ok {
		return c, fmt.Errorf("no container has the directory %q", dir)
	}
	return c, nil
}

// linked is the staged file that a container calls by a name.
func (f *yarnFiles) linked(c launch.Container, name string) (stagedFile, error) {
	for _, l := range c.Links {
		if l.Name == name {
			return f.stat(l.Target)
		}
	}
	return stagedFile{}, fmt.Errorf("container %s has no %s", c.ID, name)
}

// Output is nothing: containers of a World write nowhere.
func (containers) Output(*rpcenv.Blocking, launch.Container) string { return "" }

// Remove removes a container's directory.
func (f containers) Remove(_ *rpcenv.Blocking, c launch.Container) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.containers, c.Dir)
	return nil
}

// RemoveApplication has nothing to do: an application's directories are those of its containers.
func (containers) RemoveApplication(*rpcenv.Blocking, string, string) error { return nil }
