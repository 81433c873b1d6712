package node

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// maxYARNFile is how long a file of a ResourceManager's settings may be, in bytes.
const maxYARNFile = 16 << 20

// readBounded is the content of a file and when it was changed last.
func readBounded(path string) ([]byte, time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxYARNFile+1))
	if err == nil && len(content) > maxYARNFile {
		err = fmt.Errorf("%s: longer than %d bytes: is this the right file?", path, maxYARNFile)
	}
	return content, info.ModTime(), err
}

// allocationFile is a scheduler.Allocations: the path of fair-scheduler.xml.
type allocationFile string

func (f allocationFile) Read(*rpcenv.Blocking) ([]byte, time.Time, error) {
	content, modified, err := readBounded(string(f))
	return content, modified, named(scheduler.FairAllocationFile, err)
}

// hostFiles is a tracker.Hosts: paths of lists of hosts, or "". In a file hosts are separated by white space, and the
// rest of a line after a # is a comment, as in Hadoop's.
type hostFiles struct{ include, exclude string }

func (f hostFiles) Read(*rpcenv.Blocking) (include, exclude []string, err error) {
	if include, err = hostsIn(f.include); err != nil {
		return nil, nil, named(known.NodesIncludePath, err)
	}
	exclude, err = hostsIn(f.exclude)
	return include, exclude, named(known.NodesExcludePath, err)
}

// named is an error of the file that a setting names.
func named(setting *conf.Entry[string], err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: name another file, or remove the setting", setting.Key(), err)
}

func hostsIn(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	content, _, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	var hosts []string
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "#")
		hosts = append(hosts, strings.Fields(line)...)
	}
	return hosts, nil
}

// groupsOf are the groups of a user of this machine, the primary one first.
func groupsOf(_ *rpcenv.Blocking, name string) ([]string, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	numbers, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("the groups of %s: %w", name, err)
	}
	// A number without a name is no group that a queue's list could name. GroupIds has the primary one again, somewhere.
	var groups []string
	for _, n := range append([]string{u.Gid}, numbers...) {
		g, err := user.LookupGroupId(n)
		if err == nil && !slices.Contains(groups, g.Name) {
			groups = append(groups, g.Name)
		}
	}
	return groups, nil
}
